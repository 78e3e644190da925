//! When requests arrive in simulated time.
//!
//! A request arrives when it comes, by the clock on the wall, counted from the first. Where the
//! simulated drive is slower than the real one the wall would run ahead of it without limit, as if
//! the host had thousands of requests in flight; so a request does not arrive before all but
//! `queue_depth` of the earlier ones have ended in simulated time. A paced drive answers at the
//! simulated end, and then its host waits as it would for the real flash.

use std::time::{Duration, Instant};

use rewear_flash::Nanos;
use rewear_sim::arrival::Arrival;

/// Simulated time of a live drive.
#[derive(Debug)]
pub struct Clock {
    began: Option<Instant>,
    latest_ns: Nanos,
    in_flight: Arrival,
}

impl Clock {
    /// A clock that starts with the first request.
    pub fn new(queue_depth: u32) -> Clock {
        Clock { began: None, latest_ns: 0, in_flight: Arrival::closed(queue_depth, None) }
    }

    /// A request arrives now. Never earlier than the one before.
    pub fn arrive(&mut self) -> Nanos {
        let began = *self.began.get_or_insert_with(Instant::now);
        let wall_ns = Nanos::try_from(began.elapsed().as_nanos()).unwrap_or(Nanos::MAX);
        self.latest_ns = self.latest_ns.max(wall_ns).max(self.in_flight.next(0).arrived_ns);
        self.latest_ns
    }

    /// The request that arrived last ends at `end_ns`.
    pub fn ended(&mut self, end_ns: Nanos) {
        self.in_flight.ended(end_ns);
    }

    /// The moment on the wall at which the simulated clock shows `end_ns`.
    pub fn deadline(&self, end_ns: Nanos) -> Option<Instant> {
        self.began?.checked_add(Duration::from_nanos(end_ns))
    }
}
