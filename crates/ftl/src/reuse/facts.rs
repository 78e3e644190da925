//! What a scheme is: shapes, rates and needs that do not change while the drive runs.

use rewear_flash::ProgramAgain;
use rewear_flash::medium::CellFormat;

use super::{Reuse, dispatch};
use crate::shape::layout::{Layout, SlotShape};
use crate::shape::memory::bit_a_slot;
use crate::state::units::fill::FillOrder;

impl Reuse {
    /// Free units of a pool below which victims are always erased, where the scheme would do something else with them.
    pub fn min_free_units(&self) -> Option<u32> {
        match self {
            Reuse::Nothing(_) | Reuse::WomV(_) | Reuse::Seal(_) => None,
            Reuse::SecondWrite(scheme) => Some(scheme.min_clean_blocks()),
        }
    }

    /// With which slots units are filled, where not with all in order.
    pub fn fill_order(&self, layout: &Layout) -> FillOrder {
        match self {
            Reuse::Nothing(_) | Reuse::WomV(_) | Reuse::SecondWrite(_) => FillOrder::default(),
            Reuse::Seal(scheme) => scheme.fill_order(layout),
        }
    }

    /// Bytes that the model takes at most for what the scheme remembers of slots and units.
    pub(crate) fn model_bytes(&self, layout: &Layout) -> u64 {
        let (slots, units) = (u64::from(layout.slots()), u64::from(layout.units()));
        match self {
            Reuse::Nothing(_) => 0,
            // Two counts and a bit a slot, and the counts of units.
            Reuse::WomV(_) => 4 * slots + bit_a_slot(layout) + 32 * units,
            Reuse::SecondWrite(scheme) => {
                let (shape, states) = (scheme.groups_shape(), units);
                let bits = u64::from(shape.kinds) * bit_a_slot(layout);
                let tables = if shape.parallel { shape.kinds } else { 0 };
                let members = (0..tables).map(|kind| 4 * units * u64::from(shape.pools(kind))).sum::<u64>();
                bits + members + states
            }
            Reuse::Seal(_) => slots,
        }
    }

    /// Open units that each pool has beside those of the translation layer's own streams.
    pub fn open_units(&self) -> u32 {
        u32::from(matches!(self, Reuse::Seal(_)))
    }

    /// The flash pages and data bytes of one logical page.
    pub fn slot_shape(&self) -> SlotShape {
        dispatch!(self, scheme => scheme.slot_shape())
    }

    /// Which programs of a programmed page the code makes legal.
    pub fn program_again(&self) -> ProgramAgain {
        dispatch!(self, scheme => scheme.program_again())
    }

    /// Programs of a page between two erases that are expected: a whole cycle of a block.
    pub fn programs_per_erase(&self) -> f64 {
        match self {
            Reuse::Nothing(_) | Reuse::Seal(_) => 1.0,
            Reuse::WomV(scheme) => scheme.programs_per_erase(),
            // All parts of a second or further write go over pages that were programmed before.
            Reuse::SecondWrite(scheme) => scheme.writes().into(),
        }
    }

    /// Times that a unit is expected to be emptied between two erases.
    pub fn passes_per_erase(&self) -> f64 {
        match self {
            Reuse::Nothing(_) | Reuse::SecondWrite(_) | Reuse::Seal(_) => 1.0,
            Reuse::WomV(scheme) => scheme.passes_per_erase(),
        }
    }

    /// How cell levels are packed on stored cells.
    pub fn cell_format(&self) -> CellFormat {
        dispatch!(self, scheme => scheme.cell_format())
    }

    /// Whether a logical page takes more flash pages in some units than in others.
    pub(crate) fn varies(&self) -> bool {
        matches!(self, Reuse::WomV(scheme) if scheme.varies())
    }

    /// Bytes that the code takes of the spare area of a page.
    pub(crate) fn spare_bytes_of_code(&self) -> u32 {
        match self {
            Reuse::Nothing(_) | Reuse::WomV(_) => 0,
            Reuse::SecondWrite(scheme) => scheme.spare_bytes_of_code(),
            Reuse::Seal(scheme) => scheme.spare_bytes_of_code(),
        }
    }

    /// Whether every unit is erased before it is written again.
    pub(crate) fn erases_before_writing(&self) -> bool {
        matches!(self, Reuse::Nothing(_))
    }

    /// Whether slots of a unit are written in passes, so that an open unit goes on wherever slots take a write.
    pub(crate) fn writes_in_passes(&self) -> bool {
        matches!(self, Reuse::WomV(_))
    }

    /// Whether a page's cells may be copied as they are to another place (so that copyback is possible).
    pub fn copies_verbatim(&self) -> bool {
        match self {
            Reuse::Nothing(_) | Reuse::Seal(_) => true,
            // First writes only; second writes go through the controller wherever they are moved.
            Reuse::SecondWrite(_) => true,
            // Cells of another generation hold other levels, so data passes through the controller.
            Reuse::WomV(_) => false,
        }
    }

    /// Whether the scheme counts programs, and so must be asked before each ([`admit`](Self::admit)).
    pub fn counts_programs(&self) -> bool {
        matches!(self, Reuse::WomV(_))
    }

    /// Whether slots may have to be read before they are written.
    pub fn ever_reads_first(&self) -> bool {
        match self {
            Reuse::Nothing(_) | Reuse::SecondWrite(_) | Reuse::Seal(_) => false,
            Reuse::WomV(scheme) => scheme.ever_reads_first(),
        }
    }

    /// Whether slots may refuse a write.
    pub fn ever_refuses(&self) -> bool {
        match self {
            Reuse::Nothing(_) | Reuse::SecondWrite(_) | Reuse::Seal(_) => false,
            Reuse::WomV(scheme) => scheme.ever_refuses(),
        }
    }

    /// Units that a pool keeps in reserve beside those of any drive: a unit that pages were moved off may wait for host writes
    /// although some of its slots refuse them, while another is at hand for the next pages to be moved.
    pub fn reserve_units(&self) -> u32 {
        match self {
            Reuse::Nothing(_) | Reuse::SecondWrite(_) | Reuse::Seal(_) => 0,
            Reuse::WomV(scheme) => scheme.reserve_units(),
        }
    }
}
