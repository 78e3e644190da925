//! Slots and units as a mount finds them.

use rewear_flash::medium::Record;

use crate::address::Unit;
use crate::state::units::low_then_high::Fill;

/// A slot as a mount finds it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SlotFound {
    /// Its newest record; `None` where it is blank or was torn.
    pub(super) record: Option<Record>,
    /// Whether all of it is erased.
    pub(super) blank: bool,
    /// Programs since the erase, torn ones included as far as they show.
    pub(super) programs: u16,
    /// Whether it cannot be read as it was written although no program of it was under way. Its
    /// record may be known yet.
    pub(super) damaged: bool,
    /// Whether it holds a stray bit and nothing else.
    pub(super) is_stray: bool,
    /// The highest number of a program in any of its records: it must not be given again, even if
    /// the program was torn.
    pub(super) sequence: u64,
}

/// A unit as a mount finds it.
#[derive(Debug, Clone, Copy)]
pub(super) struct UnitFound {
    pub(super) unit: Unit,
    /// Sequence and open unit of its newest program; 0 where there is none.
    pub(super) newest: u64,
    pub(super) stream: u8,
    /// Whether all of it is erased.
    pub(super) is_blank: bool,
    /// With which of its slots it was filled.
    pub(super) fill: Fill,
    /// The first slot behind those that are not blank, counted in the order of `fill`.
    pub(super) next_slot: u32,
    /// Whether nothing is left to be filled.
    pub(super) is_full: bool,
    /// Whether blank slots lie between others: an erase was torn.
    pub(super) has_holes: bool,
    /// Whether a slot holds no whole program.
    pub(super) has_torn: bool,
    /// Whether a blank slot holds a stray bit: neither it nor the page that shares its cells takes
    /// a program.
    pub(super) has_stray: bool,
    /// Times that it was emptied.
    pub(super) passes: u32,
}

impl UnitFound {
    /// A fully erased unit.
    pub(super) fn blank(unit: Unit, slots: u32, passes: u32) -> UnitFound {
        UnitFound { is_blank: true, is_full: false, next_slot: 0, ..UnitFound::full(unit, slots, passes) }
    }

    /// A unit whose slots all hold whole programs, as far as is known.
    pub(super) fn full(unit: Unit, slots: u32, passes: u32) -> UnitFound {
        UnitFound {
            unit,
            newest: 0,
            stream: 0,
            is_blank: false,
            fill: Fill::All,
            next_slot: slots,
            is_full: true,
            has_holes: false,
            has_torn: false,
            has_stray: false,
            passes,
        }
    }
}
