//! The hand: programs, copies, reads and erases pages, and keeps the map, the counters and the log
//! with them.
//!
//! It knows nothing of victims, streams or write buffers. Who makes room
//! ([`cleaning`](crate::cleaning)) and who serves the host (`front`) tell it what to do. Its fields
//! are private: others look at the [`State`], and change flash and map by its methods alone.

mod bind;
pub(crate) mod buffers;
pub(crate) mod cause;
mod clock;
mod failures;
mod flash;
mod note;
pub(crate) mod path;
mod prepare;
mod program;
mod reclaim;
pub mod recovery;
mod rows;
pub(crate) mod scrambler;
pub(crate) mod stored;
pub(crate) mod units;

use rewear_flash::ProgramMode;
use rewear_flash::medium::Stored;

use crate::effort::Effort;
use crate::error::FtlError;
use crate::hand::buffers::Buffers;
use crate::hand::clock::Clock;
use crate::hand::prepare::Refusals;
use crate::hand::recovery::log::Log;
use crate::recycle::Recycle;
use crate::reuse::Reuse;
use crate::reuse::second_write::SecondWrite;
use crate::state::State;
use crate::state::counters::Counters;
use crate::state::units::Units;

/// See the module's page.
#[derive(Debug, Clone)]
pub(crate) struct Hand {
    state: State,
    recycle: Recycle,
    reuse: Reuse,
    effort: Effort,
    buffers: Buffers,
    refusals: Refusals,
    /// In which pages of the cache (`ftl.slc_cache`) are programmed, where there is one.
    cache_mode: Option<ProgramMode>,
    /// Where changes that program no page are noted (see [`recovery`]).
    log: Option<Box<Log>>,
    /// Flash pages programmed before the counters were last reset.
    programmed_before: u64,
}

impl Hand {
    pub(crate) fn new(
        state: State,
        (recycle, reuse, effort): (Recycle, Reuse, Effort),
        buffers: Buffers,
        cache_mode: Option<ProgramMode>,
        log: Option<Box<Log>>,
    ) -> Hand {
        let refusals = Refusals::default();
        Hand { state, recycle, reuse, effort, buffers, refusals, cache_mode, log, programmed_before: 0 }
    }

    /// What is so.
    #[inline(always)]
    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    /// The erase units, to open, close and offer them.
    #[inline(always)]
    pub(crate) fn units(&mut self) -> &mut Units {
        &mut self.state.units
    }

    #[inline(always)]
    pub(crate) fn counters(&mut self) -> &mut Counters {
        &mut self.state.counters
    }

    /// The clock of the array.
    #[inline(always)]
    pub(crate) fn clock(&mut self) -> Clock<'_> {
        Clock(&mut self.state.array)
    }

    /// The stored cells, for who gives them memory or tears an operation.
    pub(crate) fn cells(&mut self) -> Option<&mut Stored> {
        self.state.array.stored_mut()
    }

    #[inline(always)]
    pub(crate) fn recycle(&self) -> &Recycle {
        &self.recycle
    }

    #[inline(always)]
    pub(crate) fn recycle_mut(&mut self) -> &mut Recycle {
        &mut self.recycle
    }

    #[inline(always)]
    pub(crate) fn reuse(&self) -> &Reuse {
        &self.reuse
    }

    /// The reuse scheme, with the state that it looks at.
    #[inline(always)]
    pub(crate) fn reuse_mut(&mut self) -> (&mut Reuse, &State) {
        (&mut self.reuse, &self.state)
    }

    /// Second writes, with the state: they have a path of their own, and change it. Only on a drive
    /// that has them.
    #[inline(always)]
    pub(crate) fn second_writes(&mut self) -> (&mut SecondWrite, &mut State) {
        (self.reuse.second_write(), &mut self.state)
    }

    #[inline(always)]
    pub(crate) fn effort(&self) -> &Effort {
        &self.effort
    }

    #[inline(always)]
    pub(crate) fn effort_mut(&mut self) -> &mut Effort {
        &mut self.effort
    }

    /// The stored cells, which the drive ends with.
    pub(crate) fn into_cells(self) -> Option<Stored> {
        self.state.array.into_stored()
    }

    /// Whether the drive keeps a log.
    #[inline(always)]
    pub(crate) fn keeps_log(&self) -> bool {
        self.log.is_some()
    }

    /// Flash pages programmed since the drive was made or mounted.
    pub(crate) fn programmed_total(&self) -> u64 {
        self.programmed_before + self.state.counters.programmed.total()
    }

    /// Starts counting anew.
    pub(crate) fn reset_counters(&mut self) {
        self.programmed_before = self.programmed_total();
        self.state.counters = Counters::default();
        self.effort.reset_counts();
        self.reuse.reset_figures();
        self.state.array.reset_busy_ns();
    }

    /// The next operation finds an idle array at time 0.
    pub(crate) fn restart_clock(&mut self) {
        self.state.array.restart_clock();
        self.recycle.restart_clock();
        self.reuse.restart_clock();
    }

    pub(crate) fn out_of_space(&self) -> FtlError {
        FtlError::OutOfSpace { retired_units: self.state.units.retired(), units: self.state.units.count() }
    }
}
