//! Rewrites: a page is written once more so that it is read more cheaply from then on, because its
//! effort scheme asked for it.
//!
//! It is rewritten right behind the read that gave the reason, or in idle time. In idle time the
//! page waits in a queue and is read once more. It is rewritten only if the scheme still wants it,
//! a place is at hand without cleaning, and all ends before the next request.

use rewear_flash::Nanos;

use crate::address::{Lpn, Ppn, SlotAddress};
use crate::effort::scheme::RewritesWhen;
use crate::error::FtlError;
use crate::front::Ftl;
use crate::hand::cause::{Cause, LogicalPage};
use crate::hand::path::General;
use crate::state::units::stream::Stream;

/// Pages that may wait for idle time; a page that finds no room is asked for again when it is read
/// the next time.
const MOST_WAITING: usize = 4096;

impl Ftl {
    /// A page was read that its scheme wants to have rewritten; the read ended at `at`.
    #[cold]
    pub(super) fn rewrite_when(
        &mut self,
        when: RewritesWhen,
        at: Nanos,
        lpn: Lpn,
        from: SlotAddress,
    ) -> Result<(), FtlError> {
        match when {
            RewritesWhen::Never => {}
            RewritesWhen::Idle => {
                let waiting = &mut self.rewriting;
                if waiting.len() < MOST_WAITING {
                    waiting.push_back(lpn);
                }
            }
            RewritesWhen::Now => self.rewrite(at, lpn, from)?,
        }
        Ok(())
    }

    /// Writes a page once more whose data is at hand.
    fn rewrite(&mut self, at: Nanos, lpn: Lpn, from: SlotAddress) -> Result<(), FtlError> {
        let mut at = at;
        loop {
            let to = match self.cleaner.place_slot(&mut self.hand, at, lpn, Stream::Host) {
                // Nobody needs the rewrite; a host write will say that the drive is full.
                Err(FtlError::OutOfSpace { .. }) => return Ok(()),
                placed => placed?,
            };
            // Cleaning may just have moved the page.
            let from = match self.hand.state().map.find(lpn) {
                Ppn::NONE => from,
                ppn => self.hand.state().layout.slot_address(ppn),
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
        from: SlotAddress,
        to: SlotAddress,
    ) -> Result<(Nanos, bool), FtlError> {
        let mut at = at;
        if self.hand.state().prepares {
            self.hand.load(from)?;
            let (ready_at, taken) = self.hand.prepare(at, to)?;
            if !taken {
                return Ok((ready_at, false));
            }
            at = ready_at;
        }
        let page = LogicalPage { lpn, stream: Stream::Host, cause: Cause::Rewritten { from } };
        let done = self.hand.program_page::<General>(at, page, to)?;
        Ok((done.end, !done.failed))
    }

    /// Rewrites pages that wait, as many as end before `until`.
    pub(super) fn rewrite_in_idle_time(&mut self, until: Nanos) -> Result<(), FtlError> {
        if self.rewriting.is_empty() {
            return Ok(());
        }
        let page_ns = self.hand.longest_move_ns();
        // Everything asked for so far ends by then, so a step that begins then takes its own time
        // only.
        let mut at = self.hand.state().array.idle_at();
        while at + page_ns + self.hand.commit_before_overwriting_ns() <= until {
            let Some(lpn) = self.rewriting.pop_front() else { break };
            let ppn = self.hand.state().map.find(lpn);
            let is_cached =
                |ppn| self.hand.state().units.is_cached(self.hand.state().layout.slot_address(ppn).unit);
            if ppn.is_none() || !self.hand.effort().wants_rewrite(lpn, ppn) || is_cached(ppn) {
                continue;
            }
            let Some(pool) = self.hand.units().choose_pool(lpn) else { break };
            let Some(to) = self.hand.units().take_slot(pool, Stream::Host) else {
                // The next host write makes room.
                self.rewriting.push_front(lpn);
                break;
            };
            let from = self.hand.state().layout.slot_address(ppn);
            let (read_at, pages) = self.hand.read_page(at, from)?;
            self.hand.counters().read.rewritten += pages;
            at = self.rewrite_at(read_at, lpn, from, to)?.0;
        }
        Ok(())
    }
}
