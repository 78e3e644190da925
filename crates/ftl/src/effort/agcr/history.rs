//! Exact access histories: a byte a logical page.

use super::config::HistoryKind;
use crate::address::Lpn;
use crate::effort::scheme::Access;

/// What a page's history says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Usage {
    /// Nothing.
    Unknown,
    /// All accesses were reads.
    ReadOnly,
    /// All accesses were writes.
    WriteOnly,
    /// There were both.
    Interleaved,
}

/// Accesses that decide where only the latest do.
const LATEST: u32 = 2;

/// The histories of all logical pages.
#[derive(Debug, Clone)]
pub struct History {
    /// Since the start: bit 0 for read, bit 1 for written. Latest: the accesses as bits, 1 for a
    /// write, the latest lowest, under a marking bit that says how many there are.
    pages: Vec<u8>,
    kind: HistoryKind,
}

impl History {
    /// Empty histories.
    pub fn new(kind: HistoryKind, pages: u32) -> History {
        let empty = match kind {
            HistoryKind::SinceStart => 0,
            HistoryKind::Latest => 1,
        };
        History { pages: vec![empty; pages as usize], kind }
    }

    /// The host accesses a page.
    #[inline]
    pub fn hear(&mut self, lpn: Lpn, access: Access) {
        let history = &mut self.pages[lpn.index()];
        match self.kind {
            HistoryKind::SinceStart => *history |= 1 << access as u8,
            HistoryKind::Latest => {
                let longer = u32::from(*history) << 1 | access as u32;
                let mark = 1 << LATEST;
                *history = if longer >= 2 * mark { longer & (mark - 1) | mark } else { longer } as u8;
            }
        }
    }

    /// What a page's history says.
    #[inline]
    pub fn usage(&self, lpn: Lpn) -> Usage {
        let history = self.pages[lpn.index()];
        let (read, written) = match self.kind {
            HistoryKind::SinceStart => (history & 1 != 0, history & 2 != 0),
            HistoryKind::Latest => {
                let mark = 1 << (7 - history.leading_zeros());
                let accesses = history & (mark - 1);
                (accesses != mark - 1, accesses != 0)
            }
        };
        match (read, written) {
            (false, false) => Usage::Unknown,
            (true, false) => Usage::ReadOnly,
            (false, true) => Usage::WriteOnly,
            (true, true) => Usage::Interleaved,
        }
    }

    /// Memory that the histories take in the drive: two bits a page, or a bit an access and the
    /// marking bit.
    pub fn bytes(&self) -> u64 {
        bytes_of(self.kind, self.pages.len() as u64)
    }
}

/// Bytes of memory for the histories of `pages` pages.
pub(super) fn bytes_of(kind: HistoryKind, pages: u64) -> u64 {
    let bits = match kind {
        HistoryKind::SinceStart => 2,
        HistoryKind::Latest => u64::from(LATEST) + 1,
    };
    (pages * bits).div_ceil(8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn usage(accesses: &[Access]) -> Usage {
        let (read, written) = (accesses.contains(&Access::Read), accesses.contains(&Access::Write));
        match (read, written) {
            (false, false) => Usage::Unknown,
            (true, false) => Usage::ReadOnly,
            (false, true) => Usage::WriteOnly,
            (true, true) => Usage::Interleaved,
        }
    }

    proptest! {
        #[test]
        fn histories_agree_with_lists(accesses in prop::collection::vec(any::<bool>(), 0..40)) {
            let accesses: Vec<_> =
                accesses.iter().map(|&write| if write { Access::Write } else { Access::Read }).collect();
            let mut all = History::new(HistoryKind::SinceStart, 3);
            let mut few = History::new(HistoryKind::Latest, 3);
            for heard in 0..=accesses.len() {
                let from = heard.saturating_sub(LATEST as usize);
                prop_assert_eq!(all.usage(Lpn(1)), usage(&accesses[..heard]));
                prop_assert_eq!(few.usage(Lpn(1)), usage(&accesses[from..heard]));
                if let Some(&access) = accesses.get(heard) {
                    all.hear(Lpn(1), access);
                    few.hear(Lpn(1), access);
                }
            }
            prop_assert_eq!((all.usage(Lpn(0)), few.usage(Lpn(2))), (Usage::Unknown, Usage::Unknown));
        }
    }
}
