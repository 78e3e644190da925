//! Reads that a host waits for: in their turn, or before the queue of their service unit.

use crate::error::Illegal;
use crate::queue::Priority;
use crate::timing::{ProgramMode, Transfer};
use crate::{Address, Array, Nanos};

impl Array {
    /// A read that a host waits for; returns its end. Like [`read`](Self::read) unless reads have priority
    /// ([`FlashConfig::read_priority`]); then such reads have to come in order of time.
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
        let Some(priority) = &mut self.priority else { return self.read(asked_at, at, mode, transfer) };
        let plane = &mut self.planes[at.plane as usize];
        let read_ns = self.timing.of(mode, at.page).read_ns;
        let transfer_ns = if transfer == Transfer::Channel { self.timing.transfer_ns } else { 0 };
        let held_ns = if self.cache_register { read_ns } else { read_ns + transfer_ns };
        let (start, suspension_ns) = priority.overtake(plane.service_unit, (asked_at, held_ns), at);
        plane.busy_ns += read_ns + suspension_ns;
        let sensed = start + read_ns;
        let end = self.channels[plane.channel as usize].overtake(sensed, transfer_ns) + transfer_ns;
        if !self.cache_register && end > start + held_ns {
            priority.extend_read(plane.service_unit, start, end);
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

    /// Tells that no read of the host will arrive before `now`, so that what has ended by then can be forgotten.
    pub fn advance(&mut self, now: Nanos) {
        if let Some(priority) = &mut self.priority {
            priority.advance(now);
        }
    }
}
