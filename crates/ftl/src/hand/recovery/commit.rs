//! How changes become durable: journal pages, and checkpoints when a half of the log is full.

use rewear_flash::Nanos;

use super::checkpoint::Snapshot;
use super::log::{HEADER_BYTES, Log, Page};
use crate::address::{Lpn, Ppn, Slot, SlotAddress, Unit};
use crate::error::FtlError;
use crate::hand::cause::{Cause, LogicalPage};
use crate::hand::path::General;
use crate::hand::{Hand, stored};
use crate::state::units::stream::Stream;

impl Hand {
    /// Makes all waiting changes durable; returns the end, not before `at`.
    pub(crate) fn commit(&mut self, at: Nanos) -> Result<Nanos, FtlError> {
        if !self.log.as_ref().is_some_and(|log| log.has_pending()) {
            return Ok(at);
        }
        self.with_log(at, |hand, log| {
            if log.pending_pages() > log.room() {
                return hand.begin_epoch(log, at);
            }
            let mut end = at;
            for payload in log.pending_payloads() {
                match hand.program_log_page(log, end, &payload)? {
                    Some(programmed) => end = programmed,
                    // Programs failed, and the half is full before its time.
                    None => return hand.begin_epoch(log, end),
                }
            }
            log.forget_pending();
            Ok(end)
        })
    }

    /// Makes waiting changes durable if they are more than a page of the journal holds.
    pub(crate) fn commit_many(&mut self) -> Result<(), FtlError> {
        if self.log.as_ref().is_some_and(|log| log.has_many_pending()) {
            let at = self.state.array.idle_at();
            self.commit(at)?;
        }
        Ok(())
    }

    /// Pages are about to be destroyed, by an erase or a program over them: changes that released
    /// them must be durable first.
    #[inline]
    pub(crate) fn before_destroying(
        &mut self,
        at: Nanos,
        pages: std::ops::Range<Ppn>,
    ) -> Result<Nanos, FtlError> {
        match &self.log {
            Some(log) if log.must_precede(|page| pages.contains(&page)) => self.commit(at),
            _ => Ok(at),
        }
    }

    /// As [`before_destroying`](Self::before_destroying), of a slot that a program goes over.
    pub(crate) fn before_overwriting(&mut self, at: Nanos, place: SlotAddress) -> Result<Nanos, FtlError> {
        let ppn = self.state.layout.ppn(place.unit, place.slot);
        self.before_destroying(at, ppn..ppn + 1)
    }

    /// As [`before_destroying`](Self::before_destroying), of a whole unit that is to be free: even
    /// where it is not erased, no page of it may come back with a trim that was lost.
    pub(crate) fn before_emptying(&mut self, at: Nanos, unit: Unit) -> Result<Nanos, FtlError> {
        let first = self.state.layout.ppn(unit, Slot(0));
        self.before_destroying(at, first..first + self.state.layout.slots_per_unit)
    }

    /// Writes a checkpoint into the other half of the log, which becomes the active one. Returns
    /// the end.
    fn begin_epoch(&mut self, log: &mut Log, at: Nanos) -> Result<Nanos, FtlError> {
        let mut end = self.erase_other_half(log, at)?;
        let snapshot = Snapshot::of(&self.state).to_bytes();
        let payload_bytes = log.buffers.page.len() - HEADER_BYTES;
        log.active ^= 1;
        log.epoch += 1;
        (log.written_slots, log.pages) = (0, 0);
        log.checkpoint_pages = snapshot.len().div_ceil(payload_bytes) as u32;
        for payload in snapshot.chunks(payload_bytes) {
            end = self.program_log_page(log, end, payload)?.ok_or_else(|| self.out_of_space())?;
        }
        log.forget_pending();
        Ok(end)
    }

    /// Erases the half that is not active. A unit that should hold no more data goes out of service
    /// while the rest of its half has room for a checkpoint; the last ones are used as long as
    /// their programs succeed.
    fn erase_other_half(&mut self, log: &mut Log, at: Nanos) -> Result<Nanos, FtlError> {
        let other = log.active ^ 1;
        if !log.in_use[other] {
            return Ok(at);
        }
        let mut end = at;
        let mut lost = Vec::new();
        for &unit in &log.halves[other] {
            let (erased_at, unfit) = self.erase_blocks(end, unit)?;
            end = end.max(erased_at);
            self.state.counters.log_erases += u64::from(self.state.layout.width);
            self.forget_unit(unit, false);
            let left = (log.halves[other].len() - lost.len() - 1) as u32 * log.slots_per_unit;
            if unfit && left > log.least_slots {
                lost.push(unit);
            }
        }
        log.halves[other].retain(|unit| !lost.contains(unit));
        log.in_use[other] = false;
        Ok(end)
    }

    /// Programs the next page of the log; returns the end, or `None` if its half is full.
    fn program_log_page(
        &mut self,
        log: &mut Log,
        at: Nanos,
        payload: &[u8],
    ) -> Result<Option<Nanos>, FtlError> {
        let mut end = at;
        while let Some(place) = log.take_slot() {
            Page::fill(log.epoch, log.checkpoint_pages, payload, &mut log.buffers.page);
            if self.state.array.stores_cells() {
                log.buffers.note_content();
                if !stored::encode(&self.state, &mut self.reuse, &mut log.buffers, place)? {
                    continue;
                }
            } else if self.reuse.facts.counts_programs && !self.reuse.admit(place) {
                continue;
            }
            let page = LogicalPage { lpn: Lpn(log.pages), stream: Stream::Host, cause: Cause::Metadata };
            // The page of a host may wait in the layer's own work space.
            std::mem::swap(&mut self.buffers, &mut log.buffers);
            let done = self.program_page::<General>(end, page, place);
            std::mem::swap(&mut self.buffers, &mut log.buffers);
            let done = done?;
            end = done.end;
            if !done.failed {
                log.pages += 1;
                return Ok(Some(end));
            }
        }
        Ok(None)
    }

    /// Takes the log out to work on it; `at` where there is none.
    fn with_log(
        &mut self,
        at: Nanos,
        work: impl FnOnce(&mut Hand, &mut Log) -> Result<Nanos, FtlError>,
    ) -> Result<Nanos, FtlError> {
        let Some(mut log) = self.log.take() else { return Ok(at) };
        let done = work(self, &mut log);
        self.log = Some(log);
        done
    }

    /// Writes a checkpoint, so that the next mount has little to read.
    pub(crate) fn write_checkpoint(&mut self, at: Nanos) -> Result<Nanos, FtlError> {
        self.with_log(at, |hand, log| hand.begin_epoch(log, at))
    }
}
