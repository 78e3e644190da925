//! Axis `reuse`: where can it be written without an erase?
//!
//! A scheme says what shape a logical page has on the flash, which programs of a programmed page its code makes legal,
//! which unit cleaning should take and what becomes of it, and (on stored cells) how data turns into cell levels.

pub mod none;
pub mod seal;
pub mod second_write;
pub mod wom_v;

use rewear_flash::medium::{CellFormat, Kind, RECORD_BYTES, Record, SpareFormat};
use rewear_flash::{Array, ConfigError, FlashConfig, Geometry, ProgramAgain};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Ppn;
use crate::config::FtlConfig;
use crate::core::Core;
use crate::error::FtlError;
use crate::layout::{Layout, SlotShape};
use crate::units::Stream;
use crate::units::fill::FillOrder;
use crate::victim::VictimPolicy;

/// The `[reuse]` table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "scheme", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ReuseConfig {
    /// Every erase unit is erased before it is written again.
    #[serde(rename = "none")]
    Nothing {},
    /// WOM-v codes: several generations of writes between two erases.
    WomV(wom_v::WomVConfig),
    /// Second writes on the invalid pages of used blocks.
    SecondWrite(second_write::SecondWriteConfig),
    /// Extended P/E cycles: MLC pages overwritten in place, blocks sealed.
    Seal(seal::SealConfig),
}

impl Default for ReuseConfig {
    fn default() -> Self {
        ReuseConfig::Nothing {}
    }
}

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

/// The reuse scheme of a drive.
#[derive(Debug, Clone)]
pub enum Reuse {
    /// See [`none`].
    Nothing(none::Nothing),
    /// See [`wom_v`].
    WomV(Box<wom_v::WomV>),
    /// See [`second_write`].
    SecondWrite(Box<second_write::SecondWrite>),
    /// See [`seal`].
    Seal(Box<seal::Seal>),
}

/// Calls a method on whichever scheme is configured: a predictable branch instead of a virtual call.
macro_rules! dispatch {
    ($self:ident, $scheme:ident => $call:expr) => {
        match $self {
            Reuse::Nothing($scheme) => $call,
            Reuse::WomV($scheme) => $call,
            Reuse::SecondWrite($scheme) => $call,
            Reuse::Seal($scheme) => $call,
        }
    };
}

impl Reuse {
    /// Builds the scheme of a configuration for a flash array.
    ///
    /// # Errors
    /// Parameters that the scheme or its code cannot have on such cells.
    pub fn new(config: &ReuseConfig, flash: &FlashConfig) -> Result<Reuse, ConfigError> {
        match config {
            ReuseConfig::Nothing {} => Ok(Reuse::Nothing(none::Nothing::new(flash))),
            ReuseConfig::WomV(config) => Ok(Reuse::WomV(Box::new(wom_v::WomV::new(config, flash)?))),
            ReuseConfig::SecondWrite(config) => {
                Ok(Reuse::SecondWrite(Box::new(second_write::SecondWrite::new(config, flash)?)))
            }
            ReuseConfig::Seal(config) => Ok(Reuse::Seal(Box::new(seal::Seal::new(config, flash)?))),
        }
    }

    /// Checks the scheme against the rest of the translation layer.
    ///
    /// # Errors
    /// A policy under which the scheme cannot work.
    pub fn check(&self, config: &FtlConfig) -> Result<(), ConfigError> {
        match self {
            Reuse::Nothing(_) | Reuse::WomV(_) | Reuse::SecondWrite(_) => Ok(()),
            Reuse::Seal(scheme) => scheme.check(config),
        }
    }

    /// Makes room for state of units and slots, once the layout is known.
    ///
    /// # Errors
    /// A code that cannot be worked out for these parameters.
    pub fn prepare(&mut self, flash: &FlashConfig, layout: &Layout) -> Result<(), ConfigError> {
        match self {
            Reuse::Nothing(_) => {}
            Reuse::WomV(scheme) => scheme.prepare(layout),
            Reuse::SecondWrite(scheme) => scheme.prepare(flash, layout)?,
            Reuse::Seal(scheme) => scheme.prepare(layout),
        }
        Ok(())
    }

    /// Checks what the scheme asks of the layout.
    ///
    /// # Errors
    /// A layout on which the scheme cannot work.
    pub fn check_layout(&self, layout: &Layout, geometry: &Geometry) -> Result<(), ConfigError> {
        match self {
            Reuse::Nothing(_) | Reuse::WomV(_) | Reuse::Seal(_) => Ok(()),
            Reuse::SecondWrite(scheme) => scheme.check_layout(layout, geometry),
        }
    }

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

    /// Bytes that the scheme's model keeps for each slot.
    pub fn bytes_per_slot(&self) -> u64 {
        u64::from(matches!(self, Reuse::Seal(_)))
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
            // Both halves of a second write go over pages that were programmed once.
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

    /// What records take of a page's spare area in a stored medium, and what else the code must find there again.
    pub fn spare_format(&self) -> SpareFormat {
        match self {
            Reuse::Nothing(_) => SpareFormat { bytes: RECORD_BYTES, coded: false },
            Reuse::SecondWrite(_) => SpareFormat { bytes: 2 * RECORD_BYTES, coded: false },
            Reuse::Seal(scheme) => {
                SpareFormat { bytes: scheme.programs_per_page() as usize * RECORD_BYTES, coded: false }
            }
            Reuse::WomV(scheme) => scheme.spare_format(),
        }
    }

    /// Bytes that records take of the spare area of a page on the flash.
    pub(crate) fn record_bytes_on_flash(&self) -> u32 {
        let bytes = RECORD_BYTES as u32;
        match self {
            Reuse::Nothing(_) => bytes,
            Reuse::SecondWrite(_) => 2 * bytes,
            Reuse::Seal(scheme) => scheme.programs_per_page() * bytes,
            Reuse::WomV(scheme) => scheme.coded_bytes(bytes),
        }
    }

    /// Bytes that the code takes of the spare area of a page.
    pub(crate) fn spare_bytes_of_code(&self) -> u32 {
        match self {
            Reuse::Nothing(_) | Reuse::WomV(_) => 0,
            Reuse::SecondWrite(scheme) => scheme.spare_bytes_of_code(),
            Reuse::Seal(scheme) => scheme.spare_bytes_of_code(),
        }
    }

    /// Programs of a slot since its erase, the one of this kind that was just encoded included.
    pub(crate) fn programs_of(&self, kind: Kind, (unit, slot): (u32, u32), ppn: Ppn) -> u16 {
        match (self, kind) {
            (_, Kind::SecondFirstHalf | Kind::SecondSecondHalf) => 2,
            (Reuse::WomV(scheme), _) => scheme.written(unit, slot),
            (Reuse::Seal(scheme), Kind::Again) => scheme.programs_of(ppn),
            _ => 1,
        }
    }

    /// Whether the next program of a slot goes over one that was made since the erase.
    #[inline]
    pub(crate) fn goes_over_data(&self, unit: u32, slot: u32) -> bool {
        match self {
            Reuse::Nothing(_) | Reuse::SecondWrite(_) | Reuse::Seal(_) => false,
            Reuse::WomV(scheme) => scheme.written(unit, slot) > 0,
        }
    }

    /// On stored cells: what the code knows of a slot beside its levels, which belongs into its spare area.
    pub(crate) fn side_information(&self, unit: u32, slot: u32, side: &mut Vec<u8>) {
        side.clear();
        if let Reuse::WomV(scheme) = self {
            scheme.side_information(unit, slot, side);
        }
    }

    /// A mount found a slot: its newest record, and what lies behind it in the spare areas of its pages. Without a record
    /// the slot was torn.
    pub(crate) fn restore_slot(
        &mut self,
        unit: u32,
        slot: u32,
        ppn: Ppn,
        record: Option<&Record>,
        side: &[u8],
    ) {
        match self {
            Reuse::Nothing(_) | Reuse::SecondWrite(_) => {}
            Reuse::WomV(scheme) => scheme.restore_slot(unit, slot, record, side),
            Reuse::Seal(scheme) => {
                scheme.restore_programs(ppn, record.map_or(u16::MAX, |record| record.programs))
            }
        }
    }

    /// A mount found a unit that takes no second writes before it is erased.
    pub(crate) fn restore_reused(&mut self, unit: u32) {
        if let Reuse::SecondWrite(scheme) = self {
            scheme.restore_reused(unit);
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

    /// The writes that follow belong to a request of this length.
    #[inline]
    pub(crate) fn announce(&mut self, bytes: u64) {
        if let Reuse::SecondWrite(scheme) = self {
            scheme.announce(bytes);
        }
    }

    /// The clock starts at 0 again.
    pub(crate) fn restart_clock(&mut self) {
        if let Reuse::SecondWrite(scheme) = self {
            scheme.restart_clock();
        }
    }

    /// The counters start at 0 again.
    pub(crate) fn reset_figures(&mut self) {
        if let Reuse::SecondWrite(scheme) = self {
            scheme.reset_figures();
        }
    }

    /// Where second writes lie, if the scheme has any.
    pub(crate) fn pairs(&self, layout: &Layout) -> Option<Box<second_write::Pairs>> {
        match self {
            Reuse::Nothing(_) | Reuse::WomV(_) | Reuse::Seal(_) => None,
            Reuse::SecondWrite(scheme) => Some(Box::new(scheme.pairs(layout))),
        }
    }

    /// Work space for second writes on stored cells.
    pub(crate) fn cells(&mut self) -> Option<&mut second_write::Cells> {
        match self {
            Reuse::Nothing(_) | Reuse::WomV(_) | Reuse::Seal(_) => None,
            Reuse::SecondWrite(scheme) => scheme.cells.as_deref_mut(),
        }
    }

    /// Compares the scheme's own records with each other.
    pub(crate) fn audit(&self) -> Result<(), String> {
        match self {
            Reuse::Nothing(_) | Reuse::WomV(_) | Reuse::Seal(_) => Ok(()),
            Reuse::SecondWrite(scheme) => scheme.audit(),
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

    /// Whether a slot must be read before it is written.
    pub fn reads_first(&self, unit: u32, slot: u32) -> bool {
        match self {
            Reuse::Nothing(_) | Reuse::SecondWrite(_) | Reuse::Seal(_) => false,
            Reuse::WomV(scheme) => scheme.reads_first(unit, slot),
        }
    }

    /// Slots of a unit that take no further write before an erase, as bits: bit `i` of word `w` is slot `64 w + i`.
    pub fn exhausted_word(&self, unit: u32, word: u32) -> u64 {
        match self {
            Reuse::Nothing(_) | Reuse::SecondWrite(_) | Reuse::Seal(_) => 0,
            Reuse::WomV(scheme) => scheme.exhausted_word(unit, word),
        }
    }

    /// A slot takes no further write before an erase.
    pub(crate) fn exhaust(&mut self, unit: u32, slot: u32) {
        if let Reuse::WomV(scheme) = self {
            scheme.exhaust(unit, slot);
        }
    }

    /// On modelled cells: whether a slot takes the write that comes to it. If it does the write is counted.
    pub fn admit(&mut self, unit: u32, slot: u32) -> bool {
        match self {
            Reuse::Nothing(_) | Reuse::SecondWrite(_) | Reuse::Seal(_) => true,
            Reuse::WomV(scheme) => scheme.admit(unit, slot),
        }
    }

    /// On stored cells: turns a logical page into the cell levels of its slot. `image` holds the present levels and receives
    /// the new. Returns whether the slot takes the write; if it does it is counted.
    ///
    /// # Errors
    /// A buffer of the wrong size.
    pub fn encode(&mut self, unit: u32, slot: u32, data: &[u8], image: &mut [u8]) -> Result<bool, FtlError> {
        dispatch!(self, scheme => scheme.encode(unit, slot, data, image))
    }

    /// Turns the cell levels of a slot into the logical page.
    ///
    /// # Errors
    /// A buffer of the wrong size.
    pub fn decode(&self, unit: u32, slot: u32, image: &[u8], data: &mut [u8]) -> Result<(), FtlError> {
        dispatch!(self, scheme => scheme.decode(unit, slot, image, data))
    }
}
