//! What a scheme says while units are cleaned: which one, and what becomes of it.

use rewear_flash::Array;

use super::{Reuse, seal};
use crate::core::Core;
use crate::layout::Layout;
use crate::units::Stream;
use crate::victim::VictimPolicy;

/// What becomes of a unit that cleaning takes. Said before its valid pages are moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// Its valid pages are moved, and it is erased.
    Erase,
    /// Its valid pages are moved, and it is written again without an erase.
    Reopen,
    /// As `Reopen`, but slots of it may refuse a write, so cleaning cannot rely on it as a place for pages.
    ReopenUncertain,
    /// Its valid pages stay; the other slots are written again.
    ReopenInPlace,
    /// Its valid pages stay; the others take second writes.
    Recycle,
    /// Its valid pages stay; the pages that are still erased are written.
    Seal,
}

impl Reuse {
    /// The unit of a pool that cleaning should take.
    pub(crate) fn victim(&mut self, policy: &mut VictimPolicy, core: &mut Core, pool: u32) -> Option<u32> {
        match self {
            Reuse::Nothing(_) | Reuse::SecondWrite(_) => policy.choose(&mut core.units, pool),
            Reuse::WomV(scheme) => scheme.victim(policy, core, pool),
            Reuse::Seal(scheme) => scheme.victim(policy, &mut core.units, pool),
        }
    }

    /// No unit of a pool can be cleaned: gives up something that the scheme holds back. Whether there was anything.
    pub(crate) fn yield_victims(&mut self, core: &mut Core, pool: u32) -> bool {
        match self {
            Reuse::Nothing(_) | Reuse::WomV(_) | Reuse::Seal(_) => false,
            Reuse::SecondWrite(scheme) => scheme.withdraw(core, pool),
        }
    }

    /// What becomes of a unit that cleaning takes. `needy` is the stream that has no open unit, if any: only then are units
    /// sealed.
    pub(crate) fn fate(&self, core: &Core, unit: u32, needy: Option<Stream>) -> Fate {
        match self {
            Reuse::Nothing(_) => Fate::Erase,
            Reuse::WomV(scheme) => scheme.fate(core, unit),
            Reuse::SecondWrite(scheme) => scheme.fate(core, unit),
            Reuse::Seal(_) => seal::fate(core, unit, needy),
        }
    }

    /// The valid pages of a unit are about to be moved.
    pub(crate) fn begins_to_empty(&mut self, core: &Core, unit: u32) {
        match self {
            Reuse::Nothing(_) | Reuse::Seal(_) => {}
            Reuse::WomV(scheme) => scheme.begins_to_empty(core, unit),
            Reuse::SecondWrite(scheme) => scheme.begins_to_empty(core, unit),
        }
    }

    /// A free unit was opened, for the pages of a `victim` under cleaning or for the host, where units may have different
    /// codes.
    pub(crate) fn opens(&mut self, core: &mut Core, unit: u32, victim: Option<u32>) {
        if let Reuse::WomV(scheme) = self {
            scheme.opens(core, unit, victim);
        }
    }

    /// The parts of their cycles that blocks have begun, in erases.
    pub(crate) fn unfinished_cycles(&self, array: &Array, layout: &Layout) -> f64 {
        match self {
            Reuse::WomV(scheme) if scheme.varies() => scheme.unfinished_cycles(layout),
            _ => array.unfinished_cycles(self.programs_per_erase()),
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
    pub(crate) fn erased(&mut self, core: &mut Core, unit: u32, lost: bool) {
        match self {
            Reuse::Nothing(_) | Reuse::Seal(_) => {}
            Reuse::WomV(scheme) => scheme.erased(unit),
            Reuse::SecondWrite(scheme) => scheme.erased(core, unit, lost),
        }
    }
}
