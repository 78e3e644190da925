//! Rewrites: a page is written once more so that it is read more cheaply from then on, because its effort scheme asked for it.
//!
//! Right behind the read that gave the reason, or in idle time: then the page waits in a queue, is read once more, and is
//! rewritten only if the scheme still wants it, a place is at hand without cleaning, and all ends before the next request.

use std::collections::VecDeque;

use rewear_flash::Nanos;

use crate::effort::RewritesWhen;
use crate::error::FtlError;
use crate::ftl::Ftl;
use crate::units::Stream;
use crate::{Lpn, NONE};

/// Pages that may wait for idle time; a page that finds no room is asked for again when it is read the next time.
const MOST_WAITING: usize = 4096;

/// The pages that wait for idle time.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rewriting {
    waiting: VecDeque<Lpn>,
}

impl Ftl {
    /// A page was read that its scheme wants to have rewritten; the read ended at `at`.
    #[cold]
    pub(crate) fn rewrite_when(
        &mut self,
        when: RewritesWhen,
        at: Nanos,
        lpn: Lpn,
        from: (u32, u32),
    ) -> Result<(), FtlError> {
        match when {
            RewritesWhen::Never => {}
            RewritesWhen::Idle => {
                let waiting = &mut self.rewriting.waiting;
                if waiting.len() < MOST_WAITING {
                    waiting.push_back(lpn);
                }
            }
            RewritesWhen::Now => self.rewrite(at, lpn, from)?,
        }
        Ok(())
    }

    /// Writes a page once more whose data is at hand.
    fn rewrite(&mut self, at: Nanos, lpn: Lpn, from: (u32, u32)) -> Result<(), FtlError> {
        let mut at = at;
        loop {
            let to = match self.place_slot(at, lpn, Stream::Host) {
                // Nobody needs the rewrite; a host write will say that the drive is full.
                Err(FtlError::OutOfSpace { .. }) => return Ok(()),
                placed => placed?,
            };
            // Cleaning may just have moved the page.
            let from = match self.core.map.find(lpn) {
                NONE => from,
                ppn => self.core.layout.unit_and_slot(ppn),
            };
            let (end, done) = self.rewrite_at(at, lpn, from, to)?;
            if done {
                return Ok(());
            }
            at = end;
        }
    }

    /// Returns the end of the program, and whether it succeeded.
    fn rewrite_at(
        &mut self,
        at: Nanos,
        lpn: Lpn,
        from: (u32, u32),
        (unit, slot): (u32, u32),
    ) -> Result<(Nanos, bool), FtlError> {
        let mut at = at;
        if self.core.prepares {
            self.load(from)?;
            let (ready_at, taken) = self.prepare(at, (unit, slot))?;
            if !taken {
                return Ok((ready_at, false));
            }
            at = ready_at;
        }
        let mode = self.core.effort.mode_to_rewrite(self.core.layout.ppn(unit, slot));
        self.store_with_record(lpn, (unit, slot), mode, Stream::Host)?;
        let end = self.core.program(at, unit, slot, mode)?;
        self.core.counters.programmed.rewritten += u64::from(self.core.layout.slot_pages_of(unit));
        if self.core.may_fail() && self.core.program_failed(unit, slot) {
            return Ok((end, false));
        }
        self.core.counters.pages_rewritten += 1;
        self.core.relocate(lpn, from, unit, slot);
        Ok((end, true))
    }

    /// Rewrites pages that wait, as many as end before `until`.
    pub(crate) fn rewrite_in_idle_time(&mut self, until: Nanos) -> Result<(), FtlError> {
        if self.rewriting.waiting.is_empty() {
            return Ok(());
        }
        let page_ns = self.longest_move_ns();
        // Everything asked for so far ends by then, so a step that begins then takes its own time only.
        let mut at = self.core.array.idle_at();
        while at + page_ns + self.commit_before_overwriting_ns() <= until {
            let Some(lpn) = self.rewriting.waiting.pop_front() else { break };
            let ppn = self.core.map.find(lpn);
            if ppn == NONE || !self.core.effort.wants_rewrite(lpn, ppn) {
                continue;
            }
            let Some(pool) = self.core.units.choose_pool(lpn) else { break };
            let Some(to) = self.core.units.take_slot(pool, Stream::Host) else {
                // The next host write makes room.
                self.rewriting.waiting.push_front(lpn);
                break;
            };
            let from = self.core.layout.unit_and_slot(ppn);
            let (read_at, pages) = self.core.read_page(at, from.0, from.1)?;
            self.core.counters.read.rewritten += pages;
            at = self.rewrite_at(read_at, lpn, from, to)?.0;
        }
        Ok(())
    }
}
