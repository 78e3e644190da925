//! Multi-plane commands: one page on each of several planes of one die.

use crate::array::{Clock, Plane};
use crate::error::Illegal;
use crate::timing::{ProgramMode, Transfer};
use crate::{Address, Array, Nanos};

impl Array {
    /// Programs one page on each of several planes of one die by a multi-plane command: the
    /// transfers come one after another, the programs start together. Returns the end of the
    /// slowest.
    ///
    /// # Errors
    /// As [`program`](Self::program), and two pages on one plane or on different dies.
    pub fn program_multi_plane(
        &mut self,
        asked_at: Nanos,
        pages: &[Address],
        mode: ProgramMode,
    ) -> Result<Nanos, Illegal> {
        self.check_multi_plane(pages)?;
        if self.clock == Clock::Stands {
            return pages.iter().try_for_each(|&at| self.admit_program(at)).map(|()| asked_at);
        }
        if self.clock == Clock::IsHeard {
            pages.iter().take(1).for_each(|first| self.gather_chip(first.plane));
        }
        let mut start = asked_at;
        for &at in pages {
            self.admit_program(at)?;
            let Plane { service_unit, channel, .. } = self.planes[at.plane as usize];
            let free_at = self.free_at[service_unit as usize];
            start = self.transfer_in(asked_at, channel, free_at).max(free_at).max(start);
        }
        let program_ns = pages.iter().map(|at| self.timing.of(mode, at.page).program_ns).max().unwrap_or(0);
        for at in pages {
            let plane = &mut self.planes[at.plane as usize];
            plane.busy_ns += program_ns;
            self.free_at[plane.service_unit as usize] = start + program_ns;
        }
        let end = start + program_ns;
        if self.clock == Clock::IsHeard {
            self.queue_multi_plane(pages, start, end);
        }
        Ok(end)
    }

    /// Reads one page on each of several planes of one die by a multi-plane command: the pages are
    /// sensed together, their transfers come one after another. Returns the end of the last.
    ///
    /// # Errors
    /// As [`read`](Self::read), and two pages on one plane or on different dies.
    pub fn read_multi_plane(
        &mut self,
        asked_at: Nanos,
        pages: &[Address],
        mode: ProgramMode,
    ) -> Result<Nanos, Illegal> {
        self.check_multi_plane(pages)?;
        if self.clock == Clock::Stands {
            return pages.iter().try_for_each(|&at| self.admit_read(at)).map(|()| asked_at);
        }
        if self.clock == Clock::IsHeard {
            pages.iter().take(1).for_each(|first| self.gather_chip(first.plane));
        }
        let mut start = asked_at;
        for &at in pages {
            self.admit_read(at)?;
            start = start.max(self.free_at[self.planes[at.plane as usize].service_unit as usize]);
        }
        let read_ns = pages.iter().map(|at| self.timing.of(mode, at.page).read_ns).max().unwrap_or(0);
        let (sensed, transfer_ns) = (start + read_ns, self.timing.transfer_ns);
        let mut end = sensed;
        for at in pages {
            let plane = &mut self.planes[at.plane as usize];
            plane.busy_ns += read_ns;
            let channel = &mut self.channels[plane.channel as usize];
            end = end.max(channel.book(sensed, transfer_ns) + transfer_ns);
        }
        for at in pages {
            self.free_at[self.planes[at.plane as usize].service_unit as usize] = end;
        }
        if self.clock == Clock::IsHeard {
            self.queue_multi_plane_read(pages, start, end);
        }
        Ok(end)
    }

    /// A multi-plane read that a host waits for; returns its end. Like
    /// [`read_multi_plane`](Self::read_multi_plane) unless reads have priority; then every service
    /// unit is overtaken once, and held for the transfer of its first page only.
    ///
    /// # Errors
    /// As [`read_multi_plane`](Self::read_multi_plane).
    pub fn host_read_multi_plane(
        &mut self,
        asked_at: Nanos,
        pages: &[Address],
        mode: ProgramMode,
    ) -> Result<Nanos, Illegal> {
        if self.priority.is_none() {
            return self.read_multi_plane(asked_at, pages, mode);
        }
        self.check_multi_plane(pages)?;
        let unit_of = |array: &Array, at: &Address| array.planes[at.plane as usize].service_unit;
        let mut end = asked_at;
        for (index, at) in pages.iter().enumerate() {
            let unit = unit_of(self, at);
            if pages[..index].iter().all(|earlier| unit_of(self, earlier) != unit) {
                end = end.max(self.host_read(asked_at, *at, mode, Transfer::Channel)?);
                continue;
            }
            // Sensed along with the page before; only its transfer is its own.
            self.admit_read(*at)?;
            let plane = &mut self.planes[at.plane as usize];
            plane.busy_ns += self.timing.of(mode, at.page).read_ns;
            let transfer_ns = self.timing.transfer_ns;
            end = self.channels[plane.channel as usize].overtake(asked_at, end, transfer_ns) + transfer_ns;
        }
        Ok(end)
    }

    fn check_multi_plane(&self, pages: &[Address]) -> Result<(), Illegal> {
        let Some(first) = pages.first() else { return Ok(()) };
        for (index, &at) in pages.iter().enumerate() {
            let other_die = self.geometry.die_of_plane(at.plane) != self.geometry.die_of_plane(first.plane);
            if other_die || pages[..index].iter().any(|earlier| earlier.plane == at.plane) {
                return Err(Illegal::NotMultiPlane { at });
            }
        }
        Ok(())
    }
}
