//! The contents of a trace, numbered in the order in which they appear, and how a page refers to
//! one.
//!
//! A page's code is 0 for a content that the file has not had before, otherwise one more than the
//! zigzag of how far its number lies from the one behind that of the page before. So runs of new
//! contents are zeros, runs of known ones are ones.

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use super::varint::{unzigzag, zigzag};
use crate::mix::numbered;
use crate::request::Fingerprint;

/// The space of fingerprints that are made up from numbers.
const SPACE: u64 = 0;

/// Gives contents their numbers. About 50 bytes for each distinct one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbers {
    of: HashMap<Fingerprint, u64, FixedState>,
    previous: u64,
}

impl Numbers {
    /// Before the first page of a block.
    pub(crate) fn begin_block(&mut self) {
        self.previous = 0;
    }

    /// The code of the next page, and whether its content is new.
    pub(crate) fn code(&mut self, content: Fingerprint) -> (u64, bool) {
        let next = self.of.len() as u64;
        let number = *self.of.entry(content).or_insert(next);
        let code = if number == next {
            0
        } else {
            1 + zigzag(number.wrapping_sub(self.previous).wrapping_sub(1) as i64)
        };
        self.previous = number;
        (code, number == next)
    }
}

/// Gives the contents back. 16 bytes for each distinct one whose digest the file has, otherwise
/// nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Digests {
    digests: Vec<Fingerprint>,
    count: u64,
    previous: u64,
}

impl Digests {
    /// Before the first page of a block.
    pub(crate) fn begin_block(&mut self) {
        self.previous = 0;
    }

    /// The content of the next page. `digest` gives that of a new one, or nothing where the file
    /// has only numbers; `None` where the code refers to nothing or the file mixes both kinds.
    pub(crate) fn content(
        &mut self,
        code: u64,
        digest: impl FnOnce() -> Option<Option<Fingerprint>>,
    ) -> Option<Fingerprint> {
        let number = match code {
            0 => {
                let digest = digest()?;
                if digest.is_some() != (self.digests.len() as u64 == self.count) && self.count > 0 {
                    return None;
                }
                self.digests.extend(digest);
                self.count += 1;
                self.count - 1
            }
            code => self.previous.wrapping_add(1).wrapping_add(unzigzag(code - 1) as u64),
        };
        if number >= self.count {
            return None;
        }
        self.previous = number;
        Some(match self.digests.is_empty() {
            true => numbered(SPACE, number),
            false => *self.digests.get(usize::try_from(number).ok()?)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn runs_are_zeros_and_ones() {
        let mut numbers = Numbers::default();
        let codes: Vec<u64> =
            [7, 8, 9, 7, 8, 9, 10, 9, 9].iter().map(|&content| numbers.code(content).0).collect();
        assert_eq!(codes, [0, 0, 0, 6, 1, 1, 0, 4, 2]);
    }

    proptest! {
        #[test]
        fn contents_come_back(contents in prop::collection::vec(0u128..30, 0..200), blocks in 1usize..50, digests: bool) {
            let (mut numbers, mut back) = (Numbers::default(), Digests::default());
            let mut known = std::collections::BTreeMap::new();
            for block in contents.chunks(blocks) {
                numbers.begin_block();
                back.begin_block();
                for &content in block {
                    let (code, new) = numbers.code(content);
                    prop_assert_eq!(new, !known.contains_key(&content));
                    let found = back.content(code, || Some(digests.then_some(content))).unwrap();
                    prop_assert_eq!(*known.entry(content).or_insert(found), found);
                    prop_assert!(!digests || found == content);
                }
            }
            let mut different: Vec<Fingerprint> = known.values().copied().collect();
            different.sort_unstable();
            different.dedup();
            prop_assert_eq!(different.len(), known.len());
        }
    }

    #[test]
    fn a_reference_to_nothing_is_refused() {
        let mut back = Digests::default();
        assert_eq!(back.content(1, || Some(None)), None);
        assert!(back.content(0, || Some(None)).is_some());
        assert_eq!(back.content(0, || Some(Some(3))), None, "numbers and digests in one file");
        assert_eq!(back.content(u64::MAX, || Some(None)), None);
    }
}
