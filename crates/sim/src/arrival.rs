//! When requests come: at the times of the trace, or as earlier ones end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rewear_flash::Nanos;

/// The last time at which a request may arrive: 146 years. Sums of times stay far from overflow.
pub const LATEST_NS: Nanos = 1 << 62;

/// The clock of a replay.
#[derive(Debug)]
pub enum Arrival {
    /// Open loop.
    Open {
        /// Added to the times of the present loop.
        offset_ns: Nanos,
        /// Times that run backwards are clamped to the latest so far.
        latest_ns: Nanos,
    },
    /// Closed loop: the ends of the requests in flight.
    Closed {
        /// Requests in flight at most.
        queue_depth: usize,
        /// When they end.
        in_flight: BinaryHeap<Reverse<Nanos>>,
    },
}

impl Arrival {
    /// An open loop that begins at time 0.
    pub fn open() -> Arrival {
        Arrival::Open { offset_ns: 0, latest_ns: 0 }
    }

    /// A closed loop.
    pub fn closed(queue_depth: u32) -> Arrival {
        let queue_depth = queue_depth as usize;
        Arrival::Closed { queue_depth, in_flight: BinaryHeap::with_capacity(queue_depth + 1) }
    }

    /// When a request arrives that the trace dates `trace_ns`.
    #[inline]
    pub fn next(&mut self, trace_ns: Nanos) -> Nanos {
        match self {
            Arrival::Open { offset_ns, latest_ns } => {
                *latest_ns = (*latest_ns).max(offset_ns.saturating_add(trace_ns));
                *latest_ns
            }
            Arrival::Closed { queue_depth, in_flight } if in_flight.len() < *queue_depth => 0,
            Arrival::Closed { in_flight, .. } => in_flight.peek().map_or(0, |&Reverse(end)| end),
        }
    }

    /// The request that arrived last ends: it takes the place of the one whose end let it in.
    #[inline]
    pub fn ended(&mut self, end_ns: Nanos) {
        let Arrival::Closed { queue_depth, in_flight } = self else { return };
        if in_flight.len() < *queue_depth {
            in_flight.push(Reverse(end_ns));
        } else if let Some(mut earliest) = in_flight.peek_mut() {
            *earliest = Reverse(end_ns);
        }
    }

    /// The next loop continues where this one ended.
    pub fn next_loop(&mut self) {
        if let Arrival::Open { offset_ns, latest_ns } = self {
            *offset_ns = *latest_ns;
        }
    }
}
