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
//! For each service unit at most [`LONGEST`] operations of 32 bytes, the host's reads beside them, and
//! 8 bytes for each idle time; what is booked behind them counts as one operation that cannot be
//! overtaken. None where the option is off.

use std::cmp::Ordering;
use std::collections::VecDeque;

use crate::config::FlashConfig;
use crate::queued_programs::Programs;
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

/// A booking as the queue keeps it: times follow from those before it.
#[derive(Debug, Clone, Copy)]
struct Entry {
    /// Idle time before it.
    gap_ns: Nanos,
    length_ns: Nanos,
    kind: Kind,
}

/// The operations of one service unit that have not ended, in their order.
///
/// Entries keep lengths and the idle time before them, and the queue keeps which of them have idle
/// time before them. So what a read moves back costs no visit: the next idle times are used up,
/// each once, and the rest moves the end of the queue. A read looks at the operation under way, at
/// the reads of the host before it, and at the others only where it waits for the program of its
/// page.
#[derive(Debug, Clone, Default)]
pub struct Queue {
    entries: VecDeque<Entry>,
    /// Entries that were forgotten, less those that were inserted: the number of the first one.
    /// What lies behind an insertion keeps its number.
    first: i64,
    /// When the idle time before the first entry begins.
    begins: Nanos,
    ends: Nanos,
    /// Numbers of the entries with idle time before them, in order.
    after_gaps: VecDeque<i64>,
    programs: Programs,
    /// Position of the read that was inserted last.
    inserted: usize,
    /// Number and end of a read of the host before which only such reads wait: where they pile up,
    /// the next one need not pass all of them.
    piled_up: Option<(i64, Nanos)>,
    /// Entries that were looked at, for the bound of a test.
    #[cfg(test)]
    pub(crate) looked_at: u64,
}

impl Queue {
    /// Appends an operation that starts when all before it are done, and forgets those that ended
    /// by `now`.
    pub fn append(&mut self, now: Nanos, booking: Booking) {
        self.forget(now);
        let full = self.entries.len() >= LONGEST;
        if let Some(last) = self.entries.back_mut().filter(|_| full) {
            self.programs.remove(last.kind);
            last.kind = Kind::Other;
            last.length_ns += booking.end - self.ends;
        } else {
            if self.entries.is_empty() {
                self.begins = booking.start;
                self.ends = booking.start;
            }
            let gap_ns = booking.start - self.ends;
            if gap_ns > 0 {
                self.after_gaps.push_back(self.first + self.entries.len() as i64);
            }
            self.programs.add(booking.kind);
            self.entries.push_back(Entry {
                gap_ns,
                length_ns: booking.end - booking.start,
                kind: booking.kind,
            });
        }
        self.ends = booking.end;
    }

    /// Books a host's read; returns its start, and whether it suspends an erase.
    pub fn overtake(
        &mut self,
        ReadAsked { at, duration_ns }: ReadAsked,
        page: Address,
        suspend_ns: Option<Nanos>,
    ) -> (Nanos, bool) {
        self.forget(at);
        let written = self.written(page);
        let under_way = self.bookings().next().filter(|first| first.start <= at);
        let suspended_at = match (written, under_way) {
            (None, Some(first)) => suspension(first, at, suspend_ns),
            _ => None,
        };
        if let (Some(erase), Some(suspended_at)) = (under_way, suspended_at) {
            self.suspend(erase, at, suspended_at, duration_ns);
            return (suspended_at, true);
        }
        // The place of the read, and the end of what is before it.
        let (mut index, mut before_ends) = match (written, under_way) {
            (Some((place, end)), _) => (place + 1, end),
            (None, Some(first)) => (1, first.end),
            (None, None) => (0, self.begins),
        };
        if index == 1
            && let Some((number, end)) = self.piled_up
            && self.follow_each_other(self.first + 1, number)
        {
            (index, before_ends) = ((number - self.first) as usize + 1, end);
        }
        let mut start = if index == 0 { at } else { before_ends };
        // Behind the host's reads that are there already.
        while let Some(next) = self.entries.get(index).filter(|next| next.kind == Kind::HostRead) {
            if before_ends + next.gap_ns >= start + duration_ns {
                break;
            }
            before_ends += next.gap_ns + next.length_ns;
            (index, start) = (index + 1, start.max(before_ends));
            self.look();
        }
        self.insert_read(index, before_ends, start, duration_ns);
        if written.is_none_or(|(place, _)| place == 0) {
            self.piled_up = Some((self.first + self.inserted as i64, start + duration_ns));
        }
        (start, false)
    }

    /// Inserts a read at a place that idles from `before_ends` on, and moves back what it delays.
    fn insert_read(&mut self, index: usize, before_ends: Nanos, start: Nanos, length_ns: Nanos) {
        let is_last = index == self.entries.len();
        if is_last && index == 0 {
            self.begins = start;
        }
        // An operation that was booked for later may be the first.
        if index == 0 && start < self.begins {
            self.set_gap(0, self.entries[0].gap_ns + self.begins - start);
            self.begins = start;
        }
        let gap_ns = if index == 0 { start - self.begins } else { start - before_ends };
        if !is_last {
            self.set_gap(index, self.entries[index].gap_ns - gap_ns);
        }
        self.insert(index, Entry { gap_ns, length_ns, kind: Kind::HostRead });
        self.inserted = index;
        if is_last {
            self.ends = start + length_ns;
        } else {
            self.move_back(self.inserted + 1, length_ns);
        }
    }

    /// Whether no idle time lies before the entries from one number to another, at least one.
    fn follow_each_other(&self, from: i64, to: i64) -> bool {
        let place = self.after_gaps.partition_point(|&number| number < from);
        from <= to && self.after_gaps.get(place).is_none_or(|&number| number > to)
    }

    /// Splits the erase under way: what is done of it lasts until `suspended_at`, then comes a read
    /// of `duration_ns`, then the rest.
    fn suspend(&mut self, erase: Booking, at: Nanos, suspended_at: Nanos, duration_ns: Nanos) {
        self.entries[0].length_ns = suspended_at - erase.start;
        self.entries[0].kind = Kind::Other;
        self.insert(1, Entry { gap_ns: 0, length_ns: erase.end - at, kind: Kind::Erase });
        self.insert(1, Entry { gap_ns: 0, length_ns: duration_ns, kind: Kind::HostRead });
        self.inserted = 1;
        self.piled_up = Some((self.first + 1, suspended_at + duration_ns));
        self.move_back(3, duration_ns + (suspended_at - at));
    }

    /// The read booked last holds its unit until `end`, because its transfer had to wait; it was
    /// booked from `start` on, for `held_ns`.
    pub fn extend_read(&mut self, start: Nanos, held_ns: Nanos, end: Nanos) {
        let longer_ns = end - (start + held_ns);
        self.entries[self.inserted].length_ns += longer_ns;
        if let Some((number, end)) = &mut self.piled_up {
            match (*number).cmp(&(self.first + self.inserted as i64)) {
                Ordering::Equal => *end += longer_ns,
                Ordering::Greater => self.piled_up = None,
                Ordering::Less => {}
            }
        }
        self.move_back(self.inserted + 1, longer_ns);
    }

    /// When everything is done; 0 if nothing is booked.
    pub fn free_at(&self) -> Nanos {
        if self.entries.is_empty() { 0 } else { self.ends }
    }

    /// What is booked, in order.
    pub fn bookings(&self) -> impl Iterator<Item = Booking> {
        let mut free_at = self.begins;
        self.entries.iter().map(move |entry| {
            let start = free_at + entry.gap_ns;
            free_at = start + entry.length_ns;
            Booking { start, end: free_at, kind: entry.kind }
        })
    }

    /// Where the program of a page waits, and its end.
    fn written(&mut self, page: Address) -> Option<(usize, Nanos)> {
        if !self.programs.may_have(page) {
            return None;
        }
        let program = Kind::Program { block: page.block, page: page.page };
        let place = self.entries.iter().rposition(|entry| entry.kind == program)?;
        let end = self.bookings().nth(place)?.end;
        Some((place, end))
    }

    fn forget(&mut self, now: Nanos) {
        while let Some(first) = self.entries.front() {
            let end = self.begins + first.gap_ns + first.length_ns;
            if end > now {
                return;
            }
            self.programs.remove(first.kind);
            if first.gap_ns > 0 {
                self.after_gaps.pop_front();
            }
            self.entries.pop_front();
            self.begins = end;
            self.first += 1;
        }
    }

    /// Inserts an entry, whose predecessors are few: they get other numbers.
    fn insert(&mut self, index: usize, entry: Entry) {
        let here = self.first + index as i64;
        self.first -= 1;
        let before = self.after_gaps.partition_point(|&number| number < here);
        self.after_gaps.range_mut(..before).for_each(|number| *number -= 1);
        // What lies behind gets another time.
        self.piled_up =
            self.piled_up.filter(|&(number, _)| number < here).map(|(number, end)| (number - 1, end));
        if entry.gap_ns > 0 {
            self.after_gaps.insert(before, here - 1);
        }
        self.entries.insert(index, entry);
    }

    /// Changes the idle time before an entry.
    fn set_gap(&mut self, index: usize, gap_ns: Nanos) {
        let number = self.first + index as i64;
        match (self.after_gaps.binary_search(&number), gap_ns) {
            (Ok(place), 0) => drop(self.after_gaps.remove(place)),
            (Err(place), 1..) => self.after_gaps.insert(place, number),
            _ => {}
        }
        self.entries[index].gap_ns = gap_ns;
    }

    /// Moves the operations from `index` on back by `delay_ns`; idle time absorbs it.
    fn move_back(&mut self, index: usize, mut delay_ns: Nanos) {
        let from = self.first + index as i64;
        let place = self.after_gaps.partition_point(|&number| number < from);
        while delay_ns > 0
            && let Some(&number) = self.after_gaps.get(place)
        {
            let gap_ns = &mut self.entries[(number - self.first) as usize].gap_ns;
            let absorbed_ns = delay_ns.min(*gap_ns);
            (*gap_ns, delay_ns) = (*gap_ns - absorbed_ns, delay_ns - absorbed_ns);
            if *gap_ns == 0 {
                self.after_gaps.remove(place);
            }
            self.look();
        }
        self.ends += delay_ns;
    }

    /// Counts an entry that was looked at, where a test bounds their number.
    #[inline(always)]
    fn look(&mut self) {
        #[cfg(test)]
        {
            self.looked_at += 1;
        }
    }
}

/// When an erase under way makes room for a read that arrives at `at`: never if it ends by itself
/// before.
pub(crate) fn suspension(first: Booking, at: Nanos, suspend_ns: Option<Nanos>) -> Option<Nanos> {
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

    /// The read of a unit that was booked last, from `start` on for `held_ns`, holds it until
    /// `end`.
    pub fn extend_read(&mut self, unit: u32, (start, held_ns): (Nanos, Nanos), end: Nanos) {
        self.units[unit as usize].extend_read(start, held_ns, end);
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
        self.units.iter_mut().for_each(|unit| *unit = Queue::default());
        (self.now, self.suspensions) = (0, 0);
    }
}
