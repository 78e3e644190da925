//! How long the server looks for work before it sleeps.
//!
//! To wake a thread takes longer than to serve a request, and a guest that must wake it leaves its
//! processor. So a server that ran out of work looks for more during a window. The window is full
//! after one in which work came, or if work came soon after it. Otherwise it becomes half as long,
//! so a guest that takes its time does not cost a processor.

use std::time::{Duration, Instant};

/// The longest window.
pub(crate) const FULL: Duration = Duration::from_micros(50);
/// Below it nothing is looked for.
const LEAST: Duration = Duration::from_micros(1);

/// The window, and what came of the last one.
#[derive(Debug)]
pub(crate) struct Polling {
    window: Duration,
    slept_at: Option<Instant>,
    /// With one processor the guest does nothing while the server looks.
    is_useful: bool,
}

impl Polling {
    /// Full windows where a guest can run meanwhile, none on a single processor.
    pub(crate) fn new(processors: usize) -> Polling {
        Polling { window: FULL, slept_at: None, is_useful: processors > 1 }
    }

    /// The server was woken.
    pub(crate) fn woken(&mut self, now: Instant) {
        if self.slept_at.take().is_some_and(|since| now.duration_since(since) < FULL) {
            self.window = FULL;
        }
    }

    /// How long to look for work from now on.
    pub(crate) fn window(&self) -> Duration {
        if self.is_useful && self.window >= LEAST { self.window } else { Duration::ZERO }
    }

    /// The window ended with work.
    pub(crate) fn found(&mut self) {
        self.window = FULL;
    }

    /// The window ended without, and the server goes to sleep.
    pub(crate) fn sleeps(&mut self, now: Instant) {
        self.window /= 2;
        self.slept_at = Some(now);
    }
}
