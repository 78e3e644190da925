//! When a shared channel is free.

use std::collections::VecDeque;

use crate::Nanos;

/// Gaps kept where operations are asked for far ahead of their time; the oldest are forgotten.
const MOST_GAPS: usize = 4096;
/// Gaps kept for backfilling otherwise. A transfer that becomes ready earlier than one already
/// booked uses the idle time before it.
const GAPS: usize = 8;
/// Overtaking transfers remembered; those furthest in the future are forgotten first.
const EXPRESS: usize = 1024;

#[derive(Debug, Clone, Copy, Default)]
struct Gap {
    start: Nanos,
    end: Nanos,
}

/// The bookings of one channel.
///
/// A read books its transfer for the end of its sensing, which may lie behind a long queue of
/// programs. With a single first-free time every later transfer of the other dies would wait for it
/// although the channel idles, so the idle gaps in front of the last booking are remembered (the
/// eight latest) and a transfer takes the first that fits. Eight are too few where a die cleans by
/// way of its channel: it books the transfers of a whole unit at once, and the other dies of the
/// channel need the gaps between them ([`keep_all_gaps`](Timeline::keep_all_gaps)).
#[derive(Debug, Clone, Default)]
pub struct Timeline {
    free_at: Nanos,
    gaps: [Gap; GAPS],
    oldest: usize,
    /// All gaps in order of time, where eight are too few.
    all: Option<VecDeque<Gap>>,
    busy_ns: Nanos,
    /// Transfers that overtook the queue, in order of time.
    express: VecDeque<(Nanos, Nanos)>,
}

impl Timeline {
    /// Books `duration` at the first free time from `ready` on and returns its start.
    #[inline]
    pub fn book(&mut self, ready: Nanos, duration: Nanos) -> Nanos {
        if duration == 0 {
            return ready;
        }
        self.busy_ns += duration;
        if ready >= self.free_at {
            if ready > self.free_at {
                let gap = Gap { start: self.free_at, end: ready };
                match &mut self.all {
                    None => {
                        self.gaps[self.oldest] = gap;
                        self.oldest = (self.oldest + 1) % GAPS;
                    }
                    Some(gaps) => remember(gaps, gap),
                }
            }
            self.free_at = ready + duration;
            return ready;
        }
        self.book_gap(ready, duration).unwrap_or_else(|| {
            let start = self.free_at;
            self.free_at += duration;
            start
        })
    }

    /// Books a transfer that waits for others of its kind only, not for the queue. What ended by
    /// `now` is forgotten.
    ///
    /// A transfer takes a small part of a read, so this is simple: the queue moves back by the
    /// transfer's time as a whole (the next booking bears it), and the part of another transfer
    /// that may be under way at `ready` is not waited for. The error is at most one transfer, and
    /// the channel never carries more than fits.
    pub fn overtake(&mut self, now: Nanos, ready: Nanos, duration: Nanos) -> Nanos {
        if duration == 0 || ready >= self.free_at {
            return self.book(ready, duration);
        }
        while self.express.front().is_some_and(|&(_, end)| end <= now) {
            self.express.pop_front();
        }
        let (mut index, mut start) = (0, ready);
        for &(from, until) in &self.express {
            if from >= start + duration {
                break;
            }
            (index, start) = (index + 1, start.max(until));
        }
        if self.earliest(ready, duration) <= start {
            return self.book(ready, duration);
        }
        self.express.insert(index, (start, start + duration));
        self.express.truncate(EXPRESS);
        self.busy_ns += duration;
        self.free_at += duration;
        start
    }

    /// The start that a booking would get.
    fn earliest(&self, ready: Nanos, duration: Nanos) -> Nanos {
        let begins = |gap: &Gap| gap.start.max(ready);
        if let Some(gaps) = &self.all {
            let index = first_that_fits(gaps, ready, duration);
            return index.map_or(self.free_at.max(ready), |index| begins(&gaps[index]));
        }
        let fitting = self.gaps.iter().filter(|gap| begins(gap) + duration <= gap.end).map(begins);
        fitting.min().unwrap_or(self.free_at).max(ready)
    }

    fn book_gap(&mut self, ready: Nanos, duration: Nanos) -> Option<Nanos> {
        if let Some(gaps) = &mut self.all {
            return book_one_of_all(gaps, ready, duration);
        }
        // In the ring the gaps follow each other in time, oldest first, so the first that fits is
        // the earliest. Those that end too early for it come before it. How many they are is
        // counted, since a branch for each could not be foretold.
        let too_early: usize = self.gaps.iter().map(|gap| usize::from(gap.end < ready + duration)).sum();
        let fits = |gap: &Gap| gap.start.max(ready) + duration <= gap.end;
        let mut later = (too_early..GAPS).map(|index| (self.oldest + index) % GAPS);
        let best = later.find(|&index| fits(&self.gaps[index]))?;
        let best = &mut self.gaps[best];
        let start = best.start.max(ready);
        let (before, after) = (start - best.start, best.end - (start + duration));
        // Of the two remainders the longer one is kept; arrivals move forward, so the loss is
        // small.
        *best = if after >= before {
            Gap { start: start + duration, end: best.end }
        } else {
            Gap { start: best.start, end: start }
        };
        Some(start)
    }

    /// Bytes that all remembered gaps take.
    pub const ALL_GAPS_BYTES: u64 = (MOST_GAPS * size_of::<Gap>()) as u64;

    /// From now on all gaps are remembered, not only the latest.
    pub fn keep_all_gaps(&mut self) {
        self.all.get_or_insert_with(|| VecDeque::with_capacity(MOST_GAPS));
    }

    /// When the last booking ends.
    pub fn free_at(&self) -> Nanos {
        self.free_at
    }

    /// Forgets all bookings, but not the time they took.
    pub fn restart(&mut self) {
        let mut all = self.all.take();
        all.iter_mut().for_each(VecDeque::clear);
        *self = Timeline { busy_ns: self.busy_ns, all, ..Timeline::default() };
    }

    /// Counts booked time from zero.
    pub fn reset_busy_ns(&mut self) {
        self.busy_ns = 0;
    }

    /// Time booked in all, or since the last reset.
    pub fn busy_ns(&self) -> Nanos {
        self.busy_ns
    }
}

#[cold]
fn remember(gaps: &mut VecDeque<Gap>, gap: Gap) {
    if gaps.len() == MOST_GAPS {
        gaps.pop_front();
    }
    gaps.push_back(gap);
}

/// Gaps follow each other in time and do not overlap.
fn first_that_fits(gaps: &VecDeque<Gap>, ready: Nanos, duration: Nanos) -> Option<usize> {
    let first = gaps.partition_point(|gap| gap.end < ready + duration);
    let fits = |gap: &Gap| gap.start.max(ready) + duration <= gap.end;
    gaps.range(first..).position(fits).map(|index| first + index)
}

/// Books in the first gap that fits; both remainders stay usable, as long as anything is left of
/// them.
#[cold]
fn book_one_of_all(gaps: &mut VecDeque<Gap>, ready: Nanos, duration: Nanos) -> Option<Nanos> {
    let index = first_that_fits(gaps, ready, duration)?;
    let Gap { start: begin, end } = gaps[index];
    let start = begin.max(ready);
    match (start > begin, start + duration < end) {
        (false, false) => {
            gaps.remove(index);
        }
        (false, true) => gaps[index].start = start + duration,
        (true, false) => gaps[index].end = start,
        (true, true) => {
            gaps[index].end = start;
            if gaps.len() == MOST_GAPS {
                gaps.pop_front();
                gaps.insert(index, Gap { start: start + duration, end });
            } else {
                gaps.insert(index + 1, Gap { start: start + duration, end });
            }
        }
    }
    Some(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transfer_uses_any_of_many_gaps() {
        let mut channel = Timeline::default();
        channel.keep_all_gaps();
        for booked in 0..100 {
            assert_eq!(channel.book(booked * 1000 + 500, 10), booked * 1000 + 500);
        }
        assert_eq!(channel.book(0, 10), 0, "the first of a hundred gaps");
        assert_eq!(channel.book(0, 495), 510, "the rest of it is too short");
        assert_eq!(channel.book(495, 5), 495, "and still there");
        assert_eq!(channel.book(98_000, 1000), 99_510, "none fits");
        assert_eq!(channel.overtake(0, 50_000, 10), 50_000);
        channel.restart();
        assert_eq!(channel.book(7, 10), 7);
    }

    #[test]
    fn a_transfer_uses_the_idle_time_before_a_later_booking() {
        let mut channel = Timeline::default();
        assert_eq!(channel.book(1000, 10), 1000);
        assert_eq!(channel.book(0, 10), 0);
        assert_eq!(channel.book(5, 10), 10);
        assert_eq!(channel.book(985, 15), 985);
        assert_eq!(channel.book(990, 15), 1010, "the gap is too short now");
        assert_eq!(channel.busy_ns(), 60);
    }

    #[test]
    fn an_overtaking_transfer_waits_for_its_kind_only_and_the_queue_bears_it() {
        let mut channel = Timeline::default();
        assert_eq!(channel.book(0, 10), 0);
        assert_eq!(channel.book(0, 10), 10);
        assert_eq!(channel.overtake(0, 5, 10), 5);
        assert_eq!(channel.overtake(0, 6, 10), 15);
        assert_eq!(channel.book(0, 10), 40);
        assert_eq!(channel.overtake(0, 100, 10), 100, "an idle channel is booked as ever");
        assert_eq!(channel.overtake(0, 60, 10), 60, "and so is a gap");
        assert_eq!(channel.book(55, 5), 70, "the longer rest stays usable");
        assert_eq!(channel.busy_ns(), 75);
    }

    #[test]
    fn an_overtaking_transfer_that_is_ready_late_does_not_hold_up_the_next() {
        let mut channel = Timeline::default();
        for _ in 0..100 {
            channel.book(0, 10);
        }
        assert_eq!(channel.overtake(0, 900, 10), 900);
        assert_eq!(channel.overtake(0, 5, 10), 5);
        assert_eq!(channel.overtake(0, 895, 10), 910);
    }

    #[test]
    fn bookings_never_overlap() {
        check_that_bookings_do_not_overlap(Timeline::default());
        let mut channel = Timeline::default();
        channel.keep_all_gaps();
        check_that_bookings_do_not_overlap(channel);
    }

    fn check_that_bookings_do_not_overlap(mut channel: Timeline) {
        let mut booked: Vec<(Nanos, Nanos)> = Vec::new();
        let mut state = 1u64;
        for step in 0..2000u64 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let ready = step * 20 + (state >> 54);
            let duration = 1 + (state >> 40) % 40;
            let start = channel.book(ready, duration);
            assert!(start >= ready);
            booked.push((start, start + duration));
        }
        booked.sort_unstable();
        assert!(booked.windows(2).all(|pair| pair[0].1 <= pair[1].0));
    }
}
