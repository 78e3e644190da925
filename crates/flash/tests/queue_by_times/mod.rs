//! A queue that keeps lengths and idle times against one that keeps times, and the work of a read.
#![allow(clippy::unwrap_used, missing_docs)]

use std::collections::VecDeque;

use proptest::prelude::*;

use crate::queue::{Booking, Kind, LONGEST, Queue, ReadAsked, suspension};
use crate::{Address, Nanos};

/// The same queue by times: each read moves all bookings behind it.
#[derive(Debug, Clone, Default)]
struct Plain {
    bookings: VecDeque<Booking>,
}

impl Plain {
    /// Appends an operation that starts when all before it are done, and forgets those that ended
    /// by `now`.
    fn append(&mut self, now: Nanos, booking: Booking) {
        self.forget(now);
        let full = self.bookings.len() >= LONGEST;
        match self.bookings.back_mut().filter(|_| full) {
            Some(last) => *last = Booking { end: booking.end, kind: Kind::Other, ..*last },
            None => self.bookings.push_back(booking),
        }
    }

    /// Books a host's read; returns its start, and whether it suspends an erase.
    fn overtake(
        &mut self,
        ReadAsked { at, duration_ns }: ReadAsked,
        page: Address,
        suspend_ns: Option<Nanos>,
    ) -> (Nanos, bool) {
        self.forget(at);
        let program = Kind::Program { block: page.block, page: page.page };
        let written = self.bookings.iter().rposition(|booking| booking.kind == program);
        let under_way = self.bookings.front().copied().filter(|first| first.start <= at);
        let suspended_at = match (written, under_way) {
            (None, Some(first)) => suspension(first, at, suspend_ns),
            _ => None,
        };
        let (mut index, mut start) = match (written, under_way, suspended_at) {
            (Some(written), ..) => (written + 1, self.bookings[written].end),
            (None, Some(erase), Some(suspended_at)) => {
                self.suspend(erase, at, suspended_at);
                (1, suspended_at)
            }
            (None, Some(first), None) => (1, first.end),
            (None, None, _) => (0, at),
        };
        // Behind the host's reads that are there already.
        let in_the_way =
            |next: &&Booking, start| next.kind == Kind::HostRead && next.start < start + duration_ns;
        while let Some(read) = self.bookings.get(index).filter(|next| in_the_way(next, start)) {
            (index, start) = (index + 1, start.max(read.end));
        }
        self.bookings.insert(index, Booking { start, end: start + duration_ns, kind: Kind::HostRead });
        self.move_back(index + 1);
        (start, suspended_at.is_some())
    }

    /// Splits the erase under way: what is done of it lasts until `suspended_at`, the rest follows.
    fn suspend(&mut self, erase: Booking, at: Nanos, suspended_at: Nanos) {
        self.bookings[0] = Booking { end: suspended_at, kind: Kind::Other, ..erase };
        let rest = Booking { start: suspended_at, end: suspended_at + (erase.end - at), kind: Kind::Erase };
        self.bookings.insert(1, rest);
    }

    /// The read booked last at `start` holds its unit until `end`, because its transfer had to
    /// wait.
    fn extend_read(&mut self, start: Nanos, end: Nanos) {
        let read = |booking: &Booking| booking.kind == Kind::HostRead && booking.start == start;
        if let Some(index) = self.bookings.iter().rposition(read) {
            self.bookings[index].end = end;
            self.move_back(index + 1);
        }
    }

    /// When everything is done; 0 if nothing is booked.
    fn free_at(&self) -> Nanos {
        self.bookings.back().map_or(0, |last| last.end)
    }

    fn forget(&mut self, now: Nanos) {
        while self.bookings.front().is_some_and(|first| first.end <= now) {
            self.bookings.pop_front();
        }
    }

    /// Moves the operations from `index` on so far back that they do not overlap the one before;
    /// idle time absorbs it.
    fn move_back(&mut self, index: usize) {
        let mut free_at = index.checked_sub(1).map_or(0, |before| self.bookings[before].end);
        for booking in self.bookings.iter_mut().skip(index) {
            if booking.start >= free_at {
                return;
            }
            let delay_ns = free_at - booking.start;
            booking.start += delay_ns;
            booking.end += delay_ns;
            free_at = booking.end;
        }
    }
}

#[derive(Debug, Clone)]
enum Asked {
    /// An operation, its time after the queue is free or after the clock, and its length.
    Append(Nanos, Nanos, Kind),
    /// A read of a page, by how much its transfer prolongs it.
    Read(Address, Nanos, Nanos),
}

fn asked() -> impl Strategy<Value = (Nanos, Asked)> {
    let page = (0u32..3, 0u32..20).prop_map(|(block, page)| (block, page));
    let kind = prop_oneof![
        4 => page.clone().prop_map(|(block, page)| Kind::Program { block, page }),
        1 => Just(Kind::Erase),
        1 => Just(Kind::Other),
    ];
    let after = prop_oneof![3 => Just(0u64), 1 => 0u64..300];
    let asked = prop_oneof![
        (after.clone(), 0u64..900, kind).prop_map(|(after, length, kind)| Asked::Append(after, length, kind)),
        (page, 1u64..80, after).prop_map(|((block, page), length, more)| {
            Asked::Read(Address { plane: 0, block, page }, length, more)
        }),
    ];
    (prop_oneof![Just(0u64), 0u64..700], asked)
}

proptest! {
    #[test]
    fn a_queue_of_lengths_books_what_a_queue_of_times_books(
        all in prop::collection::vec(asked(), 1..200),
        suspend_ns in prop_oneof![Just(None), Just(Some(40))],
    ) {
        let (mut queue, mut plain) = (Queue::default(), Plain::default());
        let mut now = 0;
        for (pause, asked) in all {
            now += pause;
            match asked {
                Asked::Append(after, length, kind) => {
                    let start = plain.free_at().max(now) + after;
                    let booking = Booking { start, end: start + length, kind };
                    queue.append(now, booking);
                    plain.append(now, booking);
                }
                Asked::Read(page, duration_ns, more) => {
                    let read = ReadAsked { at: now, duration_ns };
                    let (start, suspends) = queue.overtake(read, page, suspend_ns);
                    prop_assert_eq!((start, suspends), plain.overtake(read, page, suspend_ns));
                    queue.extend_read(start, duration_ns, start + duration_ns + more);
                    plain.extend_read(start, start + duration_ns + more);
                }
            }
            prop_assert_eq!(queue.free_at(), plain.free_at());
            prop_assert_eq!(queue.bookings().collect::<Vec<_>>(), Vec::from(plain.bookings.clone()));
        }
    }
}

/// Reads pile up behind an operation that they cannot overtake, far beyond the bound: they have
/// the times of a queue of times, and none looks at those before it.
#[test]
fn reads_that_pile_up_do_not_pass_each_other_one_by_one() {
    let (mut queue, mut plain) = (Queue::default(), Plain::default());
    let long = Booking { start: 0, end: 1_000_000, kind: Kind::Other };
    queue.append(0, long);
    plain.append(0, long);
    let page = Address { plane: 0, block: 0, page: 0 };
    for number in 0..3 * LONGEST as Nanos {
        if number % 5 == 0 {
            let booking = |queue_end: Nanos| {
                let start = queue_end + number % 2;
                Booking { start, end: start + 700, kind: Kind::Program { block: 1, page: 7 } }
            };
            queue.append(number, booking(queue.free_at()));
            plain.append(number, booking(plain.free_at()));
        }
        let read = ReadAsked { at: number, duration_ns: 50 + number % 3 };
        let (start, _) = queue.overtake(read, page, Some(40));
        assert_eq!(start, plain.overtake(read, page, Some(40)).0);
        queue.extend_read(start, read.duration_ns, start + read.duration_ns + number % 4);
        plain.extend_read(start, start + read.duration_ns + number % 4);
    }
    assert!(queue.looked_at <= 2 * 3 * LONGEST as u64, "{} entries were looked at", queue.looked_at);
}

/// Writes come twice as fast as they are done, so the queue grows to its bound; the reads of
/// other pages look at as few entries as on a drive that keeps up.
#[test]
fn the_work_of_a_read_does_not_grow_with_the_queue() {
    let looked_at = |pause_ns: Nanos| {
        let mut queue = Queue::default();
        for number in 0..20_000u32 {
            let now = Nanos::from(number) * pause_ns;
            let start = queue.free_at().max(now) + Nanos::from(number % 2);
            let kind = Kind::Program { block: number / 64, page: number % 64 };
            queue.append(now, Booking { start, end: start + 1000, kind });
            let cold = Address { plane: 0, block: u32::MAX, page: 0 };
            queue.overtake(ReadAsked { at: now, duration_ns: 100 }, cold, None);
        }
        (queue.looked_at, queue.bookings().count())
    };
    let ((kept_up, short), (overloaded, long)) = (looked_at(2000), looked_at(500));
    assert!(short < 8 && long >= LONGEST, "{short} and {long} entries");
    assert!(
        overloaded <= 4 * 20_000,
        "{overloaded} entries were looked at, {kept_up} on a drive that keeps up"
    );
}
