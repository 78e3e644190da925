//! Operations where queues are kept: because a host's read may overtake, or because somebody wants
//! to know their lengths.
//!
//! Each `queued_` operation does what the plain one does and notes it in the queue. They are
//! separate, so that an array that keeps no queues pays one branch for an operation.

use crate::array::Clock;
use crate::error::Illegal;
use crate::queue::{Kind, Priority, ReadAsked};
use crate::queue_lengths::QueueLengths;
use crate::timing::{ProgramMode, Transfer};
use crate::{Address, Array, Nanos};

impl Array {
    /// A read that a host waits for; returns its end. Like [`read`](Self::read) unless reads have
    /// priority ([`crate::FlashConfig::read_priority`]); then such reads have to come in order of
    /// time.
    ///
    /// # Errors
    /// [`Illegal::NotProgrammed`].
    #[inline]
    pub fn host_read(
        &mut self,
        asked_at: Nanos,
        at: Address,
        mode: ProgramMode,
        transfer: Transfer,
    ) -> Result<Nanos, Illegal> {
        if self.priority.is_some() {
            return self.overtaking_read(asked_at, at, mode, transfer);
        }
        self.read(asked_at, at, mode, transfer)
    }

    #[cold]
    fn overtaking_read(
        &mut self,
        asked_at: Nanos,
        at: Address,
        mode: ProgramMode,
        transfer: Transfer,
    ) -> Result<Nanos, Illegal> {
        self.admit_read(at)?;
        let Some(priority) = &mut self.priority else {
            return Ok(self.book_read(asked_at, at, mode, transfer).1);
        };
        let plane = &mut self.planes[at.plane as usize];
        let read_ns = self.timing.of(mode, at.page).read_ns;
        let transfer_ns = if transfer == Transfer::Channel { self.timing.transfer_ns } else { 0 };
        let held_ns = read_ns + transfer_ns;
        let (start, suspension_ns) =
            priority.overtake(plane.service_unit, ReadAsked { at: asked_at, duration_ns: held_ns }, at);
        plane.busy_ns += read_ns + suspension_ns;
        let sensed = start + read_ns;
        let end = self.channels[plane.channel as usize].overtake(asked_at, sensed, transfer_ns) + transfer_ns;
        if end > start + held_ns {
            priority.extend_read(plane.service_unit, (start, held_ns), end);
        }
        self.free_at[plane.service_unit as usize] = priority.unit(plane.service_unit).free_at();
        Ok(end)
    }

    /// Whether reads of the host overtake what waits for their service unit.
    #[inline]
    pub fn reads_overtake(&self) -> bool {
        self.priority.is_some()
    }

    /// The bookings of the service units, where reads have priority.
    pub fn priority(&self) -> Option<&Priority> {
        self.priority.as_deref()
    }

    /// Tells that no read of the host will arrive before `now`, so that what has ended by then can
    /// be forgotten.
    pub fn advance(&mut self, now: Nanos) {
        if let Some(priority) = &mut self.priority {
            priority.advance(now);
        }
    }

    /// Keeps account from now on of what has not ended on each service unit.
    pub fn watch_queues(&mut self) {
        self.queue_lengths = Some(Box::new(QueueLengths::new(self.free_at.len())));
        self.clock = Clock::IsHeard;
    }

    /// Looks how many operations of each service unit wait or are under way at `now`, which must
    /// not go backwards.
    #[cold]
    pub fn look_at_queues(&mut self, now: Nanos) {
        let Some(queues) = &mut self.queue_lengths else { return };
        for unit in 0..self.free_at.len() {
            let length = match &self.priority {
                None => queues.length(unit, now),
                Some(priority) => {
                    priority.unit(unit as u32).bookings().filter(|booked| booked.end > now).count() as u64
                }
            };
            queues.saw(length);
        }
    }

    /// The queues that were seen, if somebody wanted to.
    pub fn queue_lengths(&self) -> Option<&QueueLengths> {
        self.queue_lengths.as_deref()
    }

    #[cold]
    pub(crate) fn queued_read(
        &mut self,
        asked_at: Nanos,
        at: Address,
        mode: ProgramMode,
        transfer: Transfer,
    ) -> Nanos {
        if self.is_buffered(at) {
            return asked_at;
        }
        self.gather_chip(at.plane);
        let read_ns = self.sensing_ns(mode, at);
        let (sensed, end) = self.book_sensing(asked_at, at, read_ns, transfer);
        self.occupy_chip(at.plane);
        self.note(at, sensed - read_ns, end, Kind::Other);
        end
    }

    #[cold]
    pub(crate) fn queued_program(
        &mut self,
        asked_at: Nanos,
        at: Address,
        mode: ProgramMode,
        transfer: Transfer,
    ) -> Nanos {
        self.gather_chip(at.plane);
        let end = self.book_program(asked_at, at, mode, transfer);
        self.occupy_chip(at.plane);
        let program_ns = self.timing.of(mode, at.page).program_ns;
        if program_ns > 0 {
            self.forget_sensed(at.plane);
        }
        self.note(at, end - program_ns, end, program_of(at));
        end
    }

    #[cold]
    pub(crate) fn queued_copy_back(
        &mut self,
        asked_at: Nanos,
        (from, read_mode): (Address, ProgramMode),
        (to, program_mode): (Address, ProgramMode),
    ) -> Nanos {
        let end = self.book_copy_back(asked_at, (from, read_mode), (to, program_mode));
        let both_ns =
            self.timing.of(read_mode, from.page).read_ns + self.timing.of(program_mode, to.page).program_ns;
        self.note(to, end - both_ns, end, program_of(to));
        end
    }

    /// A service unit is occupied once; what else it programs is written at the same end.
    #[cold]
    pub(crate) fn queue_multi_plane(&mut self, pages: &[Address], start: Nanos, end: Nanos) {
        if let [first, ..] = pages
            && self.whole_chip(first.plane).is_some()
        {
            self.occupy_chip(first.plane);
            return self.note(*first, start, end, program_of(*first));
        }
        let mut unit_before = None;
        for &at in pages {
            let unit = self.planes[at.plane as usize].service_unit;
            let from = if unit_before.replace(unit) == Some(unit) { end } else { start };
            self.note(at, from, end, program_of(at));
        }
    }

    /// As [`queue_multi_plane`](Self::queue_multi_plane), for a read.
    #[cold]
    pub(crate) fn queue_multi_plane_read(&mut self, pages: &[Address], start: Nanos, end: Nanos) {
        if let [first, ..] = pages
            && self.whole_chip(first.plane).is_some()
        {
            self.occupy_chip(first.plane);
            return self.note(*first, start, end, Kind::Other);
        }
        let mut unit_before = None;
        for &at in pages {
            let unit = self.planes[at.plane as usize].service_unit;
            if unit_before.replace(unit) != Some(unit) {
                self.note(at, start, end, Kind::Other);
            }
        }
    }

    /// An erase on a plane ends at `end`.
    #[cold]
    pub(crate) fn queue_erase(&mut self, plane: u32, end: Nanos) {
        self.forget_sensed(plane);
        let unit = self.planes[plane as usize].service_unit;
        self.note_on(unit, end - self.timing.erase_ns, end, Kind::Erase);
    }

    fn note(&mut self, at: Address, start: Nanos, end: Nanos, kind: Kind) {
        match self.whole_chip(at.plane) {
            Some(planes) => planes.for_each(|plane| self.note_on(plane as u32, start, end, kind)),
            None => self.note_on(self.planes[at.plane as usize].service_unit, start, end, kind),
        }
    }

    fn note_on(&mut self, unit: u32, start: Nanos, end: Nanos, kind: Kind) {
        match (&mut self.priority, &mut self.queue_lengths) {
            (Some(priority), _) => priority.append(unit, start, end, kind),
            (None, Some(queues)) if start < end => queues.note(unit, end),
            _ => {}
        }
    }
}

fn program_of(at: Address) -> Kind {
    Kind::Program { block: at.block, page: at.page }
}
