//! What the [guard](super::guard) sees in a look at the counters.

/// The drive takes clean pages worth this part of its flash between two looks. Recycled and reused
/// blocks are up to 2R, an eighth of the flash at an over-provisioning of 7%: a loss is to be seen
/// before they are as many.
pub(super) const LOOKS_PER_DRIVE: u64 = 32;
/// What must be gained for more second writes: the error of the sample.
pub(super) const LEAST_GAIN: f64 = 0.02;
/// Weight of a look beside the one after it: about four looks count. The miniature cleans a block
/// at a time, which is a large part of a look.
const RECENT: f64 = 0.75;

/// What the counters were at a look.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    pub(super) written: u64,
    /// Clean pages taken.
    pub(super) taken: u64,
    pub(super) erases: u64,
    /// Second writes made.
    pub(super) again: u64,
    /// Pages that they occupy beyond their data: each must be moved unless it is written again
    /// before.
    pub(super) owed: u64,
    pub(super) miniature_written: u64,
    pub(super) miniature_taken: u64,
}

/// Sums over the last looks, of which older ones count less.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Recent {
    looks: f64,
    taken: f64,
    written: f64,
    miniature_taken: f64,
    miniature_written: f64,
}

impl Recent {
    /// Adds what came between two looks.
    pub(super) fn add(&mut self, now: &Counts, last: &Counts) {
        let add = |sum: &mut f64, new: f64| *sum = RECENT * *sum + new;
        add(&mut self.looks, 1.0);
        add(&mut self.taken, (now.taken - last.taken) as f64);
        add(&mut self.written, (now.written - last.written) as f64);
        add(&mut self.miniature_taken, (now.miniature_taken - last.miniature_taken) as f64);
        add(&mut self.miniature_written, (now.miniature_written - last.miniature_written) as f64);
    }

    /// What came between the last look and this one, where a plain drive takes `correction` clean
    /// pages for one of the miniature: at least one for each page that is written.
    pub(super) fn look<'a>(&self, now: &'a Counts, last: &'a Counts, correction: f64) -> Look<'a> {
        let written = self.written / self.looks;
        let miniature = self.miniature_taken / self.miniature_written * written;
        let plain = (miniature * correction).max(written);
        Look { now, last, taken: self.taken / self.looks, miniature, plain }
    }
}

/// What came between two looks, in clean pages of a look.
pub(super) struct Look<'a> {
    pub(super) now: &'a Counts,
    pub(super) last: &'a Counts,
    pub(super) taken: f64,
    /// By the miniature, and what this says of a plain drive.
    pub(super) miniature: f64,
    pub(super) plain: f64,
}

impl Look<'_> {
    /// Clean pages taken, with every page that second writes occupy beyond their data counted when
    /// it is written, not when it is moved.
    pub(super) fn taken_and_owed(&self) -> f64 {
        self.taken + self.now.owed as f64 - self.last.owed as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A drive that sorted its pages while they lay apart took less than the miniature says, and
    /// that was charged to the miniature: its plain drive wrote pages without programming them.
    #[test]
    fn a_plain_drive_takes_a_clean_page_for_each_page_that_is_written() {
        let now = Counts {
            written: 1000,
            taken: 1000,
            miniature_written: 100,
            miniature_taken: 110,
            ..Counts::default()
        };
        let last = Counts::default();
        let mut recent = Recent::default();
        recent.add(&now, &last);
        let plain = |correction| recent.look(&now, &last, correction).plain.round();
        assert_eq!((plain(1.0), plain(0.95), plain(0.8)), (1100.0, 1045.0, 1000.0));
    }
}
