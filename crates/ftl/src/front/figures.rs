//! What a drive says of itself.

use rewear_flash::{Nanos, ProgramAgain, ProgramMode};

use crate::address::{Lpn, Pool, Ppn, SlotAddress, Unit};
use crate::effort::counts::{Figures, ModeCounts};
use crate::front::Ftl;
use crate::policies::streams::figures::StreamFigures;
use crate::recycle::counters::RecycleCounters;
use crate::reuse::second_write::SecondWriteFigures;
use crate::shape::layout::Layout;
use crate::state::counters::Counters;
use crate::state::space_report::Space;
use crate::state::units::low_then_high::Fill;

impl Ftl {
    /// How the space is used now. Walks over all units.
    pub fn space(&self) -> Space {
        let slots = u64::from(self.hand.state().layout.slots());
        self.hand.state().units.space(Space { slots, ..Space::default() })
    }

    /// Whether a logical page holds data: it was written and not trimmed since. `false` beyond the
    /// exported capacity.
    pub fn holds(&self, lpn: Lpn) -> bool {
        if lpn >= Lpn(self.hand.state().map.logical_pages()) {
            return false;
        }
        let buffered = || self.write_buffer.as_ref().is_some_and(|buffer| buffer.find(lpn).is_some());
        self.hand.state().map.find(lpn).is_some() || buffered()
    }

    /// Logical pages that hold data. Walks over the map.
    pub fn pages_held(&self) -> u64 {
        (0..self.hand.state().map.logical_pages()).filter(|&lpn| self.holds(Lpn(lpn))).count() as u64
    }

    /// Starts counting anew. Data, wear, clock and queues stay.
    pub fn reset_counters(&mut self) {
        self.hand.reset_counters();
        self.cleaner.streams_mut().reset_counts();
        self.erases_before.copy_from_slice(self.hand.state().array.wear().erases());
        self.reprograms_before = self.hand.state().array.reprograms();
        self.unfinished_before = self.unfinished_cycles();
        self.hand.recycle_mut().count(|counters| *counters = RecycleCounters::default());
    }

    /// Empties all queues: the next operation finds an idle array at time 0.
    pub fn restart_clock(&mut self) {
        self.hand.restart_clock();
        if let Some(buffer) = &mut self.write_buffer {
            buffer.restart_clock();
        }
    }

    /// Stops the clock until it is [restarted](Self::restart_clock): as
    /// [`stop_clock`](Self::stop_clock), while the drive is prepared.
    pub fn pause_clock(&mut self) {
        self.hand.clock().pause();
    }

    /// Stops the clock for good: what happens, and in which order, stays as it is; every operation
    /// ends when it is asked for.
    ///
    /// What a drive does in idle time is lost, and what lies in a write buffer until its program
    /// ends leaves it at once.
    pub fn stop_clock(&mut self) {
        self.hand.clock().stop();
    }

    /// Keeps account from now on of how long the queues of the array are.
    pub fn watch_queues(&mut self) {
        self.hand.clock().watch_queues();
    }

    /// A request arrives now: counts the operations that each service unit has before it, if that
    /// is watched.
    pub fn look_at_queues(&mut self, now: Nanos) {
        self.hand.clock().look_at_queues(now);
    }

    /// Counters since the last reset.
    pub fn counters(&self) -> &Counters {
        &self.hand.state().counters
    }

    /// What the effort scheme did since the last reset; `None` for one that has no choice.
    pub fn effort_figures(&self) -> Option<Figures> {
        self.hand.effort().figures()
    }

    /// What was done in each programming mode since the last reset, by the mode's number; nothing
    /// where the effort scheme has no choice.
    pub fn mode_counts(&self) -> [ModeCounts; 4] {
        self.hand.effort().counts()
    }

    /// What the recycling scheme counted since the last reset; `None` if there is none.
    pub fn recycle_counters(&self) -> Option<RecycleCounters> {
        self.hand.recycle().counters()
    }

    /// Whether the drive asks for the content of writes.
    pub fn wants_content(&self) -> bool {
        self.hand.recycle().listens()
    }

    /// Erases of each block since the last reset.
    pub fn erases_per_block(&self) -> impl Iterator<Item = u32> + '_ {
        self.hand
            .state()
            .array
            .wear()
            .erases()
            .iter()
            .zip(&self.erases_before)
            .map(|(now, before)| now - before)
    }

    /// Erases since the last reset plus the change in the parts of their present cycles that blocks
    /// have used up.
    pub fn erase_equivalents(&self) -> f64 {
        self.hand.state().counters.erases as f64 + self.unfinished_cycles() - self.unfinished_before
    }

    fn unfinished_cycles(&self) -> f64 {
        self.hand.reuse().unfinished_cycles(self.hand.state())
    }

    /// Programs of pages that already held data, since the last reset.
    pub fn reprograms(&self) -> u64 {
        self.hand.state().array.reprograms() - self.reprograms_before
    }

    /// Flash pages programmed in modes that are faster than the chip's normal one, since the last
    /// reset.
    pub fn coarse_programs(&self) -> u64 {
        let programs = self.hand.effort().counts().map(|counts| counts.programs());
        let used = (0..).map(ProgramMode).zip(programs).filter(|&(_, programs)| programs > 0);
        let coarse = used.filter(|&(mode, _)| self.hand.state().array.is_coarse(mode));
        coarse.map(|(_, programs)| programs).sum::<u64>() * u64::from(self.hand.state().layout.slot_pages)
    }

    /// The unit and slot where a logical page lies; `None` if it was never written or was trimmed,
    /// or lies in the write buffer only.
    pub fn find(&self, lpn: Lpn) -> Option<SlotAddress> {
        let ppn = if lpn < Lpn(self.hand.state().map.logical_pages()) {
            self.hand.state().map.find(lpn)
        } else {
            Ppn::NONE
        };
        ppn.is_some().then(|| self.hand.state().layout.slot_address(ppn))
    }

    /// With which of its slots a unit is filled.
    pub fn fill(&self, unit: Unit) -> Fill {
        self.hand.state().units.fill(unit)
    }

    /// Which programs of a programmed page the reuse scheme's code makes legal.
    pub fn program_again(&self) -> ProgramAgain {
        self.hand.reuse().facts.programs.again
    }

    /// Free erase units of a pool.
    pub fn free_units(&self, pool: Pool) -> usize {
        self.hand.state().units.free(pool)
    }

    /// What the placement policy counted for each of its streams since the last reset; `None` for
    /// one that counts none.
    pub fn stream_figures(&self) -> Option<&StreamFigures> {
        self.cleaner.streams().figures()
    }

    /// Whether host writes go first to cells that hold one bit each.
    pub fn has_slc_cache(&self) -> bool {
        self.cleaner.has_slc_cache()
    }

    /// Recycled and reused blocks, on a drive with second writes.
    pub fn second_write_figures(&self) -> Option<SecondWriteFigures> {
        self.hand.reuse().second_write_figures()
    }

    /// How page numbers lie over the array.
    pub fn layout(&self) -> &Layout {
        &self.hand.state().layout
    }

    /// The flash array.
    pub fn array(&self) -> &rewear_flash::Array {
        &self.hand.state().array
    }

    /// Blocks that were bad from the factory or on which an operation failed since.
    pub fn bad_blocks(&self) -> u32 {
        self.hand.state().bad_blocks
    }

    /// Erase units that are out of service because a block is bad or worn out.
    pub fn retired_units(&self) -> u32 {
        self.hand.state().units.retired()
    }

    /// Whether the units in service hold the exported capacity, whatever part of it the host uses
    /// at present.
    pub fn keeps_exported_capacity(&self) -> bool {
        // As `Reserve` has it: one page a pool is written before its old copy becomes invalid.
        let layout = &self.hand.state().layout;
        self.hand.state().units.valid_limit().saturating_sub(u64::from(layout.pools))
            >= u64::from(layout.exported_pages)
    }
}
