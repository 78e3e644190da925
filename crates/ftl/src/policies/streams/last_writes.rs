//! When each logical page was written last, on a clock of the pages that the host wrote.

use crate::address::Lpn;
use crate::shape::layout::Layout;

/// Four bytes a page: times in steps of 1/64 of a unit at most, so that a page's time wraps after
/// 2^32 steps.
#[derive(Debug, Clone, Default)]
pub(super) struct LastWrites {
    /// Host pages written so far.
    now: u64,
    /// Unit of `written` in pages, as a power of two.
    step: u32,
    /// When each logical page was written last; 0 for never.
    written: Vec<u32>,
}

impl LastWrites {
    /// No page was written.
    pub(super) fn new(pages: u32, slots_per_unit: u32) -> LastWrites {
        let step = (slots_per_unit / 64).max(1).ilog2();
        LastWrites { now: 0, step, written: vec![0; pages as usize] }
    }

    /// Bytes that they take.
    pub(super) fn table_bytes(layout: &Layout) -> u64 {
        4 * u64::from(layout.exported_pages)
    }

    /// Host pages written so far.
    #[inline]
    pub(super) fn now(&self) -> u64 {
        self.now
    }

    /// Host pages written since a page was; `None` if it never was.
    #[inline]
    pub(super) fn age(&self, lpn: Lpn) -> Option<u64> {
        let written = self.written[lpn.index()];
        (written != 0).then(|| u64::from(self.step_now().wrapping_sub(written)) << self.step)
    }

    /// The host writes a page: the age of what that replaces, `None` if the page is new.
    #[inline]
    pub(super) fn replace(&mut self, lpn: Lpn) -> Option<u64> {
        self.now += 1;
        let age = self.age(lpn);
        self.written[lpn.index()] = self.step_now();
        age
    }

    fn step_now(&self) -> u32 {
        ((self.now >> self.step) as u32).wrapping_add(1).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_in_steps_round_an_age_by_a_step_at_most() {
        let mut writes = LastWrites::new(1000, 512);
        (0..101).for_each(|lpn| _ = writes.replace(Lpn(lpn)));
        let age = writes.age(Lpn(0)).unwrap_or_default();
        assert!(age.abs_diff(100) <= 8, "{age}");
        assert_eq!(writes.age(Lpn(200)), None);
    }
}
