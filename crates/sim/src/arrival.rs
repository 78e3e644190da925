//! When requests come, at the times of the trace or as earlier ones end, and when the drive takes
//! them.

use std::hint::select_unpredictable;

use rewear_flash::Nanos;

/// The last time at which a request may arrive: 146 years. Sums of times stay far from overflow.
pub const LATEST_NS: Nanos = 1 << 62;

/// A request's way to the drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Times {
    /// The host asks.
    pub arrived_ns: Nanos,
    /// The drive takes the request: later than it arrived only where the command queue was full.
    pub taken_ns: Nanos,
}

/// The clock of a replay, and the drive's command queue.
#[derive(Debug)]
pub struct Arrival {
    clock: Clock,
    /// Requests that the drive has taken, where their number is limited.
    command_queue: Option<InFlight>,
    /// How long requests waited for the command queue, in all, and how many there were.
    waited_ns: u128,
    asked: u64,
}

#[derive(Debug)]
enum Clock {
    /// Open loop.
    Open {
        /// The times of the trace are taken times this.
        time_scale: Option<f64>,
        /// Added to the times of the present loop.
        offset_ns: Nanos,
        /// Times that run backwards are clamped to the latest so far.
        latest_ns: Nanos,
    },
    /// All requests arrive at time 0, where no time is kept.
    Stands,
    /// Closed loop: a request arrives when fewer than this number are in flight.
    Closed(InFlight),
}

/// The latest requests, at most `limit`, by their ends. Where there are `limit`, the next one takes
/// the place of the first to end.
///
/// A tournament tree (Knuth, The Art of Computer Programming, volume 3, section 5.4.1): every node
/// holds the earlier of the ends below it, so a new end changes one way from a leaf to the root. A
/// heap looks at both children on every level, by branches that processors foretell badly.
#[derive(Debug)]
struct InFlight {
    limit: usize,
    /// Requests so far, up to the limit.
    count: usize,
    /// The root is node 1, those below node `n` are `2n` and `2n + 1`, and the second half are
    /// leaves.
    nodes: Vec<End>,
}

/// When a request ends, and the leaf that holds it.
#[derive(Debug, Clone, Copy)]
struct End {
    at_ns: Nanos,
    leaf: usize,
}

impl InFlight {
    fn new(limit: u32) -> InFlight {
        let limit = limit.max(1) as usize;
        let nodes = vec![End { at_ns: Nanos::MAX, leaf: 0 }; 2 * limit.next_power_of_two()];
        InFlight { limit, count: 0, nodes }
    }

    /// When there is a place for the next request.
    #[inline]
    fn has_place_at(&self) -> Nanos {
        if self.count < self.limit { 0 } else { self.nodes[1].at_ns }
    }

    #[inline]
    fn ended(&mut self, end_ns: Nanos) {
        let mut node = if self.count < self.limit {
            self.count += 1;
            self.nodes.len() / 2 + self.count - 1
        } else {
            self.nodes[1].leaf
        };
        let mut earliest = End { at_ns: end_ns, leaf: node };
        let nodes = self.nodes.as_mut_slice();
        nodes[node] = earliest;
        while node > 1 {
            let other = nodes[node ^ 1];
            earliest = select_unpredictable(other.at_ns < earliest.at_ns, other, earliest);
            node /= 2;
            nodes[node] = earliest;
        }
    }
}

impl Arrival {
    /// An open loop that begins at time 0, in front of a drive with a command queue of a given
    /// time (`None`: any number). Times are those of the trace times `time_scale`.
    pub fn open(time_scale: Option<f64>, command_queue: Option<u32>) -> Arrival {
        Arrival {
            clock: Clock::Open { time_scale, offset_ns: 0, latest_ns: 0 },
            command_queue: command_queue.map(InFlight::new),
            waited_ns: 0,
            asked: 0,
        }
    }

    /// A closed loop, in front of a drive with a command queue of a given length (`None`: any
    /// number).
    pub fn closed(queue_depth: u32, command_queue: Option<u32>) -> Arrival {
        Arrival {
            clock: Clock::Closed(InFlight::new(queue_depth)),
            command_queue: command_queue.map(InFlight::new),
            waited_ns: 0,
            asked: 0,
        }
    }

    /// Everything at time 0.
    pub fn none() -> Arrival {
        Arrival { clock: Clock::Stands, command_queue: None, waited_ns: 0, asked: 0 }
    }

    /// When a request arrives that the trace dates `trace_ns`, and when the drive takes it. Neither
    /// goes backwards.
    #[inline]
    pub fn next(&mut self, trace_ns: Nanos) -> Times {
        let arrived_ns = match &mut self.clock {
            Clock::Open { time_scale, offset_ns, latest_ns } => {
                let since_ns = time_scale.map_or(trace_ns, |scale| (trace_ns as f64 * scale) as Nanos);
                *latest_ns = (*latest_ns).max(offset_ns.saturating_add(since_ns));
                *latest_ns
            }
            Clock::Stands => 0,
            Clock::Closed(in_flight) => in_flight.has_place_at(),
        };
        let Some(command_queue) = &self.command_queue else {
            return Times { arrived_ns, taken_ns: arrived_ns };
        };
        let taken_ns = arrived_ns.max(command_queue.has_place_at());
        self.waited_ns += u128::from(taken_ns - arrived_ns);
        self.asked += 1;
        Times { arrived_ns, taken_ns }
    }

    /// How long requests waited on average until the drive took them, if it takes a limited number.
    pub fn mean_wait_ns(&self) -> Option<f64> {
        self.command_queue.as_ref().map(|_| self.waited_ns as f64 / self.asked.max(1) as f64)
    }

    /// The request that arrived last ends.
    #[inline]
    pub fn ended(&mut self, end_ns: Nanos) {
        if let Clock::Closed(in_flight) = &mut self.clock {
            in_flight.ended(end_ns);
        }
        if let Some(command_queue) = &mut self.command_queue {
            command_queue.ended(end_ns);
        }
    }

    /// The next loop continues where this one ended.
    pub fn next_loop(&mut self) {
        if let Clock::Open { offset_ns, latest_ns, .. } = &mut self.clock {
            *offset_ns = *latest_ns;
        }
    }

    /// When the last request arrived, in an open loop.
    pub fn latest_ns(&self) -> Option<Nanos> {
        match self.clock {
            Clock::Open { latest_ns, .. } => Some(latest_ns),
            Clock::Stands | Clock::Closed(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_command_queue_takes_the_next_request_when_one_ends() {
        let mut arrival = Arrival::open(None, Some(2));
        for (trace_ns, taken_ns, end_ns) in [(0, 0, 100), (1, 1, 30), (2, 30, 40), (3, 40, 50), (60, 60, 70)]
        {
            assert_eq!(arrival.next(trace_ns), Times { arrived_ns: trace_ns, taken_ns });
            arrival.ended(end_ns);
        }
        assert_eq!(arrival.latest_ns(), Some(60));
        assert_eq!(arrival.mean_wait_ns(), Some(f64::from(28 + 37) / 5.0));
    }

    #[test]
    fn requests_in_flight_leave_by_their_ends() {
        for limit in [1, 2, 3, 7, 32] {
            let (mut in_flight, mut ends, mut state) = (InFlight::new(limit), Vec::new(), 1u64);
            for _ in 0..1000 {
                let earliest = if ends.len() < limit as usize { 0 } else { ends.remove(0) };
                assert_eq!(in_flight.has_place_at(), earliest);
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                ends.push(earliest + (state >> 56));
                in_flight.ended(earliest + (state >> 56));
                ends.sort_unstable();
            }
        }
    }

    #[test]
    fn a_slower_clock_stretches_every_loop() {
        let mut arrival = Arrival::open(Some(2.5), None);
        assert_eq!([4, 10].map(|trace_ns| arrival.next(trace_ns).taken_ns), [10, 25]);
        arrival.next_loop();
        assert_eq!(arrival.next(4).taken_ns, 35);
    }

    #[test]
    fn a_closed_loop_deeper_than_the_command_queue_waits_in_front_of_it() {
        let mut arrival = Arrival::closed(3, Some(1));
        for (arrived_ns, taken_ns, end_ns) in [(0, 0, 10), (0, 10, 20), (0, 20, 30), (10, 30, 40)] {
            assert_eq!(arrival.next(0), Times { arrived_ns, taken_ns });
            arrival.ended(end_ns);
        }
    }
}
