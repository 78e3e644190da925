//! Pages that trims forget.

use std::ops::Range;

use serde::Serialize;

use super::histogram::{Class, PowerHistogram};
use super::page_table::PageTable;

/// Trims, and the pages that are valid (written and not trimmed since).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Trims {
    /// Trims with a length.
    pub requests: u64,
    /// Trims by their length in bytes; weight: bytes.
    pub sizes: Vec<Class>,
    /// Pages that trims cover wholly, each time counted, up to the last page that is read or
    /// written.
    pub pages: u64,
    /// Those of them that were valid; trimming the others changes nothing.
    pub valid_pages: u64,
    /// Page writes to a page that was valid: they invalidate what the drive holds.
    pub writes_to_valid_pages: u64,
    /// Page writes to a page that had been written and trimmed.
    pub writes_to_trimmed_pages: u64,
    /// Most pages valid at one time.
    pub most_valid_pages: u64,
    /// Pages valid at the end.
    pub valid_pages_at_the_end: u64,
}

/// A page's state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Unwritten,
    Valid,
    Trimmed,
}

/// Follows writes and trims. One byte a page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Validity {
    states: Vec<State>,
    requests: u64,
    sizes: PowerHistogram,
    pages: u64,
    trimmed: u64,
    writes_to_valid: u64,
    writes_to_trimmed: u64,
    valid: u64,
    most_valid: u64,
}

impl Validity {
    pub(crate) fn write(&mut self, page: u32) {
        if page as usize >= self.states.len() {
            self.states.resize(page as usize + 1, State::Unwritten);
        }
        match std::mem::replace(&mut self.states[page as usize], State::Valid) {
            State::Valid => {
                self.writes_to_valid += 1;
                return;
            }
            State::Trimmed => self.writes_to_trimmed += 1,
            State::Unwritten => {}
        }
        self.valid += 1;
        self.most_valid = self.most_valid.max(self.valid);
    }

    /// A trim of `bytes` that covers `pages` wholly.
    pub(crate) fn trim(&mut self, bytes: u64, pages: Range<u64>, table: &PageTable) {
        self.requests += 1;
        self.sizes.add(bytes, bytes);
        self.pages = self.pages.saturating_add(pages.end - pages.start);
        // A trim of a whole drive is longer than all that was ever written.
        if pages.end - pages.start > self.states.len() as u64 {
            let within = table.pages().iter().enumerate().filter(|(_, page)| pages.contains(page));
            within.for_each(|(number, _)| self.forget(number));
        } else {
            pages.filter_map(|page| table.find(page)).for_each(|number| self.forget(number as usize));
        }
    }

    fn forget(&mut self, number: usize) {
        if let Some(state) = self.states.get_mut(number)
            && *state == State::Valid
        {
            *state = State::Trimmed;
            self.trimmed += 1;
            self.valid -= 1;
        }
    }

    pub(crate) fn finish(&self) -> Trims {
        Trims {
            requests: self.requests,
            sizes: self.sizes.classes(),
            pages: self.pages,
            valid_pages: self.trimmed,
            writes_to_valid_pages: self.writes_to_valid,
            writes_to_trimmed_pages: self.writes_to_trimmed,
            most_valid_pages: self.most_valid,
            valid_pages_at_the_end: self.valid,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn it_agrees_with_a_set(steps in prop::collection::vec((any::<bool>(), 0u64..60, 1u64..80), 0..200)) {
            let (mut validity, mut table) = (Validity::default(), PageTable::default());
            let (mut valid, mut written) = (BTreeSet::new(), BTreeSet::new());
            let (mut forgotten, mut overwritten, mut again, mut most) = (0, 0, 0, 0);
            for (trim, first, length) in steps {
                let pages = first..first + length;
                if trim {
                    validity.trim(length * 4096, pages.clone(), &table);
                    let before = valid.len();
                    valid.retain(|page| !pages.contains(page));
                    forgotten += before - valid.len();
                } else {
                    validity.write(table.number(first).unwrap());
                    overwritten += usize::from(valid.contains(&first));
                    again += usize::from(written.contains(&first) && !valid.contains(&first));
                    valid.insert(first);
                    written.insert(first);
                    most = most.max(valid.len());
                }
            }
            let found = validity.finish();
            let figures = [found.valid_pages, found.writes_to_valid_pages, found.writes_to_trimmed_pages,
                found.most_valid_pages, found.valid_pages_at_the_end];
            prop_assert_eq!(figures, [forgotten, overwritten, again, most, valid.len()].map(|count| count as u64));
        }
    }
}
