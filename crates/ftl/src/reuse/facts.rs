//! What a scheme is: shapes, rates and needs that do not change while the drive runs.

use rewear_flash::medium::{CellFormat, RECORD_BYTES, SpareFormat};
use rewear_flash::{FlashConfig, ProgramAgain};

use crate::shape::layout::SlotShape;
use crate::state::groups::GroupsShape;

/// The facts of a scheme. A scheme states what differs from [`Facts::plain`].
#[derive(Debug, Clone)]
pub struct Facts {
    /// The flash pages and data bytes of one logical page.
    pub slot_shape: SlotShape,
    /// How cell levels are packed on stored cells.
    pub cell_format: CellFormat,
    /// Which programs of a programmed page are legal, and how many there are between two erases.
    pub programs: ProgramRule,
    /// The layer or the scheme: which of them names the places of host writes.
    pub places: Places,
    /// What records and the code take of spare areas.
    pub spare: SpareUse,
    /// How the slots of a unit are written between two erases.
    pub passes: Passes,
    /// Slots that are read before a page is written.
    pub reads_before_write: ReadsBeforeWrite,
    /// Whether a page's cells may be copied as they are to another place (so that copyback is
    /// possible).
    pub copies_cells: bool,
    /// Whether data is whitened by a scrambler, because the code works on data that looks random.
    pub scrambles_data: bool,
    /// Whether the scheme counts programs, and so must be asked before each (see
    /// [`SlotCode`](super::slot_code::SlotCode)).
    pub counts_programs: bool,
    /// Which rows of a block's pages are filled first, where units are also filled by kinds of
    /// pages.
    pub low_rows: Option<Vec<bool>>,
    /// Which slots hold a logical page together, where several do.
    pub(crate) groups: Option<GroupsShape>,
    /// Units that a pool keeps in reserve beside those of any drive. A unit that pages were moved
    /// off may wait for host writes although some of its slots refuse them. Another is then at hand
    /// for the next pages to be moved.
    pub reserve_units: u32,
    /// Units of a pool that cleaning keeps free where those reopened for groups count as free ones
    /// towards its threshold. Absent: they do not.
    pub least_free_units: Option<u32>,
    /// Whether units that wait to be written again count into the reserve of cleaning by their
    /// programmable slots.
    pub counts_waiting_units: bool,
    /// Whether closed units are ranked by their programmable slots
    /// ([`Units::most_programmable`](crate::state::units::Units::most_programmable)).
    pub ranks_units: bool,
    /// Open units that each pool has beside those of the translation layer's own streams.
    pub open_units: u32,
    /// What the scheme keeps in the memory of the model.
    pub remembers: Remembers,
}

/// How the slots of a unit are written between two erases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passes {
    /// Once: every unit is erased before it is written again.
    Never,
    /// In order, from the first slot to the last; pages may be programmed again where the scheme
    /// says.
    InOrder,
    /// An open unit goes on wherever slots take a write, and is closed when all were written.
    Whole,
    /// As `Whole`, but units are closed at other times, too.
    Parts,
}

impl Passes {
    /// Whether an open unit goes on wherever slots take a write.
    pub(crate) fn go_on_anywhere(self) -> bool {
        matches!(self, Passes::Whole | Passes::Parts)
    }
}

/// Slots that are read before a page is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadsBeforeWrite {
    /// None.
    Never,
    /// The one that is written.
    One,
    /// The one that is written, and before it those that refuse the data.
    Several,
}

/// The tables of a scheme, in the memory of the model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Remembers {
    /// Bytes for every slot.
    pub bytes_per_slot: u64,
    /// Whether there is a bit for every slot, too.
    pub bit_a_slot: bool,
    /// Bytes for every unit.
    pub bytes_per_unit: u64,
}

/// Which programs of a programmed page a code makes legal. A scheme that states the first field
/// must state the others. Without them erase equivalents, the limits of wear and the report's
/// expectations would be those of a drive without a code.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProgramRule {
    /// What the array permits.
    pub again: ProgramAgain,
    /// Programs of a page between two erases that are expected: a whole cycle of a block.
    pub per_erase: f64,
    /// Times that a unit is expected to be emptied between two erases.
    pub passes_per_erase: f64,
}

/// The layer or the scheme: which of them names the places of host writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Places {
    /// The translation layer: the next slot of an open unit.
    InOrder,
    /// The scheme, for every write, which has a path of its own (see
    /// [`second_write`](super::second_write)).
    Chosen,
    /// The scheme, for writes by the overwrite command (see [`seal`](super::seal)).
    InPlace,
}

/// What lies in the spare area of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpareUse {
    /// On stored cells: room for records, and whether the code covers the spare area.
    pub format: SpareFormat,
    /// Bytes that records take on the flash.
    pub record_bytes: u32,
    /// Bytes that the code takes.
    pub code_bytes: u32,
}

impl SpareUse {
    /// `count` records, one behind the other.
    pub fn records(count: u32, code_bytes: u32) -> SpareUse {
        let bytes = count as usize * RECORD_BYTES;
        let format = SpareFormat { bytes, coded: false };
        SpareUse { format, record_bytes: bytes as u32, code_bytes }
    }
}

impl Facts {
    /// The facts of a drive without a scheme: erase before write.
    pub fn plain(flash: &FlashConfig) -> Facts {
        Facts {
            slot_shape: SlotShape::single(flash.page_bytes),
            cell_format: CellFormat::binary(flash.page_bytes),
            programs: ProgramRule { again: ProgramAgain::Never, per_erase: 1.0, passes_per_erase: 1.0 },
            places: Places::InOrder,
            spare: SpareUse::records(1, 0),
            passes: Passes::InOrder,
            reads_before_write: ReadsBeforeWrite::Never,
            copies_cells: true,
            scrambles_data: false,
            counts_programs: false,
            low_rows: None,
            groups: None,
            reserve_units: 0,
            least_free_units: None,
            counts_waiting_units: false,
            ranks_units: false,
            open_units: 0,
            remembers: Remembers::default(),
        }
    }
}
