//! What a scheme says while units are cleaned: which one, and what becomes of it.

use rewear_flash::Array;

use crate::address::{Pool, Unit};
use crate::policies::victim::VictimPolicy;
use crate::reuse::reclaim_decision::ReclaimDecision;
use crate::reuse::{Reuse, seal};
use crate::shape::layout::Layout;
use crate::state::State;
use crate::state::units::stream::Stream;

impl Reuse {
    /// The unit of a pool that cleaning should take.
    pub(crate) fn victim(
        &mut self,
        policy: &mut VictimPolicy,
        state: &mut State,
        pool: Pool,
    ) -> Option<Unit> {
        match self {
            Reuse::Nothing(_) | Reuse::SecondWrite(_) => policy.choose(&mut state.units, pool),
            Reuse::WomV(scheme) => scheme.victim(policy, state, pool),
            Reuse::Seal(scheme) => scheme.victim(policy, &mut state.units, pool),
        }
    }

    /// No unit of a pool can be cleaned: gives up something that the scheme holds back. Whether there was anything.
    pub(crate) fn yield_victims(&mut self, state: &State, pool: Pool) -> bool {
        match self {
            Reuse::Nothing(_) | Reuse::WomV(_) | Reuse::Seal(_) => false,
            Reuse::SecondWrite(scheme) => scheme.withdraw(state, pool),
        }
    }

    /// What becomes of a unit that cleaning takes. `needy` is the stream that has no open unit, if any: only then are units
    /// sealed.
    pub(crate) fn fate(&self, state: &State, unit: Unit, needy: Option<Stream>) -> ReclaimDecision {
        match self {
            Reuse::Nothing(_) => ReclaimDecision::Erase,
            Reuse::WomV(scheme) => scheme.fate(state, unit),
            Reuse::SecondWrite(scheme) => scheme.fate(state, unit),
            Reuse::Seal(_) => seal::fate(state, unit, needy),
        }
    }

    /// The valid pages of a unit are about to be moved.
    pub(crate) fn begins_to_empty(&mut self, state: &State, unit: Unit) {
        match self {
            Reuse::Nothing(_) | Reuse::Seal(_) => {}
            Reuse::WomV(scheme) => scheme.begins_to_empty(state, unit),
            Reuse::SecondWrite(scheme) => scheme.begins_to_empty(state, unit),
        }
    }

    /// A free unit was opened, for the pages of a `victim` under cleaning or for the host, where units may have different
    /// codes.
    pub(crate) fn opens(&mut self, state: &mut State, unit: Unit, victim: Option<Unit>) {
        if let Reuse::WomV(scheme) = self {
            scheme.opens(state, unit, victim);
        }
    }

    /// The parts of their cycles that blocks have begun, in erases.
    pub(crate) fn unfinished_cycles(&self, array: &Array, layout: &Layout) -> f64 {
        match self {
            Reuse::WomV(scheme) if scheme.varies() => scheme.unfinished_cycles(layout),
            Reuse::SecondWrite(scheme) => scheme.unfinished_cycles(array),
            _ => array.unfinished_cycles(|_, programs| f64::from(programs) / self.programs_per_erase()),
        }
    }

    /// Units of each code, by data bits a cell, where units may have different ones.
    pub(crate) fn units_by_code(&self) -> Option<Vec<(u8, u32)>> {
        match self {
            Reuse::WomV(scheme) if scheme.varies() => Some(scheme.units_by_code()),
            _ => None,
        }
    }

    /// A unit was erased, or went out of service (`lost`).
    pub(crate) fn erased(&mut self, state: &mut State, unit: Unit, lost: bool) {
        if let Some(groups) = &mut state.groups {
            groups.forget(unit);
        }
        match self {
            Reuse::Nothing(_) | Reuse::Seal(_) => {}
            Reuse::WomV(scheme) => scheme.erased(unit),
            Reuse::SecondWrite(scheme) => scheme.erased(unit, lost),
        }
    }
}
