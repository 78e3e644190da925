//! The clock of the array, which others than the hand may set, stop and look at.

use rewear_flash::{Array, Nanos};

/// Times and queues of the array. It programs, copies, reads and erases nothing.
pub(crate) struct Clock<'a>(pub(super) &'a mut Array);

impl Clock<'_> {
    /// Stops until the clock is restarted: every operation ends when it is asked for.
    pub(crate) fn pause(self) {
        self.0.pause_clock();
    }

    /// Stops for good.
    pub(crate) fn stop(self) {
        self.0.stop_clock();
    }

    /// A request arrives now: what lies before it cannot change any more.
    pub(crate) fn advance(self, now: Nanos) {
        self.0.advance(now);
    }

    /// Whether the planes of a service unit work side by side from now on, as chips clean.
    #[inline(always)]
    pub(crate) fn work_apart(self, apart: bool) {
        self.0.work_apart(apart);
    }

    /// Keeps account from now on of how long the queues are.
    pub(crate) fn watch_queues(self) {
        self.0.watch_queues();
    }

    /// Counts the operations that each service unit has before a request that arrives now.
    pub(crate) fn look_at_queues(self, now: Nanos) {
        self.0.look_at_queues(now);
    }
}
