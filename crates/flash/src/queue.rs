//! Read priority and erase suspension: a host's read overtakes the operations that wait for its
//! service unit.
//!
//! Without priority a service unit needs a single number, the time at which it has served all it
//! was asked for. With priority ([`read_priority`](crate::FlashConfig::read_priority)) each unit
//! keeps the operations still to come and
//!
//! - a host's read starts when the operation under way at its arrival ends, or at once if the unit
//!   idles then;
//! - if an erase is under way and [`erase_suspend_ns`](crate::FlashConfig::erase_suspend_ns) is
//!   given, the read starts that long after its arrival, unless the erase ends sooner; the rest of
//!   the erase follows the read. A suspension costs the erase `erase_suspend_ns` and the time of
//!   the read, and may happen any number of times;
//! - host's reads stay in order among themselves, and never overtake the program of the page that
//!   they read;
//! - whatever the read overtakes moves back by as much as it must; idle time between the operations
//!   is used up first.
//!
//! Only the reads that a host waits for have priority. Those of cleaning and of read-modify-write
//! keep their places.
//!
//! # What is exact and what is not
//! The bookings of a unit never overlap, and none is lost. But the array has no event queue: the
//! end of an operation was returned when it was booked, and is not corrected when a later read
//! moves the operation back. So the returned end of a program or erase is early by the reads that
//! overtook it after it was booked. Bookings on other resources that follow from that end stay
//! where they were: its transfer, an erase that waits for moved pages, the other planes of a
//! multi-plane command. The same holds for a read that waits for the program of its page and is
//! moved back with it. Whatever is booked next on the unit bears the displaced time. On the channel
//! see [`Timeline::overtake`](crate::timeline::Timeline::overtake).
//!
//! # Memory
//! At most [`LONGEST`] operations of 32 bytes for each service unit; what is booked behind them
//! counts as one operation that cannot be overtaken. None where the option is off.

use std::collections::VecDeque;

use crate::config::FlashConfig;
use crate::{Address, Nanos};

/// Operations remembered for each service unit.
pub const LONGEST: usize = 1024;

/// A host's read of a page.
#[derive(Debug, Clone, Copy)]
pub struct ReadAsked {
    /// When it arrives.
    pub at: Nanos,
    /// How long it holds its unit.
    pub duration_ns: Nanos,
}

/// What a service unit is booked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A host's read: not overtaken by later ones.
    HostRead,
    /// A program of this page, by itself or as the end of a copyback.
    Program {
        /// Block, counted over the whole array.
        block: u32,
        /// Page within the block.
        page: u32,
    },
    /// An erase, or the rest of one.
    Erase,
    /// Anything else: another read, the part of an erase that is done.
    Other,
}

/// A time for which a service unit is booked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Booking {
    /// When it begins.
    pub start: Nanos,
    /// When it ends.
    pub end: Nanos,
    /// For what.
    pub kind: Kind,
}

/// The operations of one service unit that have not ended, in their order.
#[derive(Debug, Clone, Default)]
pub struct Queue {
    bookings: VecDeque<Booking>,
}

impl Queue {
    /// Appends an operation that starts when all before it are done, and forgets those that ended
    /// by `now`.
    pub fn append(&mut self, now: Nanos, booking: Booking) {
        self.forget(now);
        let full = self.bookings.len() >= LONGEST;
        match self.bookings.back_mut().filter(|_| full) {
            Some(last) => *last = Booking { end: booking.end, kind: Kind::Other, ..*last },
            None => self.bookings.push_back(booking),
        }
    }

    /// Books a host's read; returns its start, and whether it suspends an erase.
    pub fn overtake(
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
    pub fn extend_read(&mut self, start: Nanos, end: Nanos) {
        let read = |booking: &Booking| booking.kind == Kind::HostRead && booking.start == start;
        if let Some(index) = self.bookings.iter().rposition(read) {
            self.bookings[index].end = end;
            self.move_back(index + 1);
        }
    }

    /// When everything is done; 0 if nothing is booked.
    pub fn free_at(&self) -> Nanos {
        self.bookings.back().map_or(0, |last| last.end)
    }

    /// What is booked, in order.
    pub fn bookings(&self) -> impl Iterator<Item = &Booking> {
        self.bookings.iter()
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

/// When an erase under way makes room for a read that arrives at `at`: never if it ends by itself
/// before.
fn suspension(first: Booking, at: Nanos, suspend_ns: Option<Nanos>) -> Option<Nanos> {
    let suspended_at = at + suspend_ns.filter(|_| first.kind == Kind::Erase)?;
    (suspended_at < first.end).then_some(suspended_at)
}

/// The queues of all service units of an array whose reads have priority.
#[derive(Debug, Clone)]
pub struct Priority {
    units: Vec<Queue>,
    suspend_ns: Option<Nanos>,
    /// The host's time: no read of the host arrives before it.
    now: Nanos,
    suspensions: u64,
}

impl Priority {
    /// Empty queues, if the configuration asks for priority.
    pub fn new(config: &FlashConfig, units: u32) -> Option<Box<Priority>> {
        config.read_priority.then(|| {
            let units = vec![Queue::default(); units as usize];
            Box::new(Priority { units, suspend_ns: config.erase_suspend_ns, now: 0, suspensions: 0 })
        })
    }

    /// No read of the host will arrive before `now`: what ended by then may be forgotten.
    pub fn advance(&mut self, now: Nanos) {
        self.now = self.now.max(now);
    }

    /// An operation was booked behind all others of its unit.
    pub fn append(&mut self, unit: u32, start: Nanos, end: Nanos, kind: Kind) {
        self.units[unit as usize].append(self.now, Booking { start, end, kind });
    }

    /// A host's read (they arrive in order of time); returns its start and by how much it prolongs
    /// the work of the unit beside its own time.
    pub fn overtake(
        &mut self,
        unit: u32,
        ReadAsked { at, duration_ns }: ReadAsked,
        page: Address,
    ) -> (Nanos, Nanos) {
        self.advance(at);
        let arrival = ReadAsked { at: self.now, duration_ns };
        let (start, suspends) = self.units[unit as usize].overtake(arrival, page, self.suspend_ns);
        self.suspensions += u64::from(suspends);
        (start, if suspends { self.suspend_ns.unwrap_or(0) } else { 0 })
    }

    /// The read of a unit that starts at `start` holds it until `end`.
    pub fn extend_read(&mut self, unit: u32, start: Nanos, end: Nanos) {
        self.units[unit as usize].extend_read(start, end);
    }

    /// The queue of a unit.
    pub fn unit(&self, unit: u32) -> &Queue {
        &self.units[unit as usize]
    }

    /// Erases suspended, counted each time.
    pub fn suspensions(&self) -> u64 {
        self.suspensions
    }

    /// Forgets all bookings and starts at time 0.
    pub fn restart_clock(&mut self) {
        self.units.iter_mut().for_each(|unit| unit.bookings.clear());
        (self.now, self.suspensions) = (0, 0);
    }
}
