//! The record that a page is programmed with.

use rewear_flash::medium::record::{data_checksum, is_blank};
use rewear_flash::medium::{Kind, Operation, RECORD_BYTES, Record, SpareFormat, Stored};
use rewear_flash::{ConfigError, Failures, ProgramMode};

use crate::address::{Lpn, Ppn, Slot, SlotAddress, Unit};
use crate::config::drive::DriveConfig;
use crate::reuse::Reuse;
use crate::shape::layout::Layout;
use crate::state::State;

/// What is known of a program that its place does not tell.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SpareMetadata {
    pub(crate) kind: Kind,
    pub(crate) lpn: Lpn,
    pub(crate) mode: ProgramMode,
    /// Index of the open unit that it goes through.
    pub(crate) stream: u8,
}

/// What a drive keeps in the spare areas of its stored pages.
///
/// # Errors
/// A spare area in which the records find no room.
pub(crate) fn spare_format(config: &DriveConfig, reuse: &Reuse) -> Result<SpareFormat, ConfigError> {
    if config.ftl.recovery.log().is_none() || !config.flash.stores_cells() {
        if config.flash.bit_errors.is_some() && config.flash.stores_cells() {
            return Err(ConfigError::new(
                "flash.bit_errors",
                "a page that cannot be corrected is told from others by its record, and none are kept",
                "set ftl.recovery.scheme = \"log\"",
            ));
        }
        return Ok(SpareFormat::NONE);
    }
    let spare = reuse.facts.spare;
    let needed = spare.record_bytes + spare.code_bytes;
    if (1..needed).contains(&config.flash.spare_bytes) {
        return Err(ConfigError::new(
            "flash.spare_bytes",
            format!(
                "{} bytes, and records (with what the code takes) need {needed}",
                config.flash.spare_bytes
            ),
            "give more (or 0, which leaves the spare area out of account), or ftl.recovery.scheme = \"none\"",
        ));
    }
    Ok(spare.format)
}

/// The record of one flash page of a logical page that is about to be programmed.
pub(crate) fn record(
    state: &State,
    reuse: &Reuse,
    SlotAddress { unit, slot }: SlotAddress,
    (part, metadata, checksum): (u32, SpareMetadata, u32),
    (sequence, other): (u64, Ppn),
) -> Record {
    let at = SlotAddress { unit, slot };
    let programs = match metadata.kind {
        Kind::SecondFirstHalf | Kind::SecondSecondHalf => 2,
        kind => reuse.programs_of(at, state.layout.ppn(unit, slot), kind == Kind::Again),
    };
    let address = state.layout.address(unit, slot.0 * state.layout.slot_pages + part);
    Record {
        kind: metadata.kind,
        mode: metadata.mode.0,
        stream: metadata.stream,
        exhausted: reuse.exhausted_word(unit, slot.0 / 64) >> (slot.0 % 64) & 1 == 1,
        lpn: metadata.lpn.0,
        sequence,
        erases: state.array.wear().erases()[address.block as usize],
        passes: state.units.wear(unit),
        programs,
        part: part as u16,
        other: other.0,
        data_checksum: checksum,
    }
}

/// Puts a record into the spare area of a page, which holds what it held before: behind the earlier
/// records, or, where the code covers the spare area, in the place of the last. `false` if there is
/// no room.
pub(crate) fn put(record: &Record, format: SpareFormat, spare: &mut [u8]) -> bool {
    let places = if format.coded { 1 } else { format.bytes / RECORD_BYTES };
    let is_free = |&place: &usize| format.coded || is_blank(&spare[place * RECORD_BYTES..][..RECORD_BYTES]);
    let Some(place) = (0..places).find(is_free) else { return false };
    let place = &mut spare[place * RECORD_BYTES..][..RECORD_BYTES];
    if format.coded {
        place.fill(0);
    }
    // A stray bit that is set already stays so; the record's checksums allow for it.
    place.iter_mut().zip(record.to_bytes()).for_each(|(old, new)| *old |= new);
    true
}

/// The record of a half with the place of the other one. Where the code covers the spare area that
/// lies behind the record, whose field for it holds a checksum.
pub(crate) fn with_other(record: Record, format: SpareFormat, spare: &[u8]) -> Record {
    match spare.get(RECORD_BYTES..).and_then(|side| side.first_chunk()) {
        Some(&other) if format.coded && is_half(&record) => {
            Record { other: u32::from_le_bytes(other), ..record }
        }
        _ => record,
    }
}

/// Whether it is that of a page of a second write.
pub(crate) fn is_half(record: &Record) -> bool {
    matches!(record.kind, Kind::SecondFirstHalf | Kind::SecondSecondHalf)
}

/// The newest record of a spare area, and whether something lies behind it that is no record: a
/// torn program.
pub(crate) fn newest(format: SpareFormat, spare: &[u8]) -> (Option<Record>, bool) {
    let records = if format.coded { spare.get(..RECORD_BYTES).unwrap_or(&[]) } else { spare };
    let (mut newest, mut torn) = (None, false);
    for place in records.chunks_exact(RECORD_BYTES) {
        match Record::from_bytes(place) {
            Some(record) => (newest, torn) = (Some(record), false),
            None => torn |= !is_blank(place),
        }
    }
    (newest, torn)
}

impl State {
    /// Whether pages are programmed with records.
    pub(crate) fn keeps_records(&self) -> bool {
        self.array.stored().is_some_and(|cells| cells.format().spare.bytes > 0)
    }

    /// The record of a slot, from the first of its pages that has one; `None` where there is none
    /// or it was torn.
    pub(crate) fn record_of(&self, SlotAddress { unit, slot }: SlotAddress) -> Option<Record> {
        let cells = self.array.stored()?;
        let pages = self.layout.slot_pages;
        (0..pages).find_map(|part| {
            let address = self.layout.address(unit, slot.0 * pages + part);
            let (format, spare) = (cells.format().spare, cells.spare(address));
            match newest(format, spare) {
                (Some(record), false) => Some(with_other(Record { part: 0, ..record }, format, spare)),
                _ => None,
            }
        })
    }

    /// Notes with the cells what is under way, so that a mount knows what can be torn.
    #[inline]
    pub(crate) fn begin(&mut self, operation: Operation) {
        self.array.stored_mut().into_iter().for_each(|cells| cells.begin(operation));
    }

    /// The program under way has ended.
    #[inline]
    pub(crate) fn end_program(&mut self) {
        self.array.stored_mut().into_iter().for_each(Stored::end_program);
    }

    pub(crate) fn end_erase(&mut self, unit: Unit) {
        let first = self.layout.ppn(unit, Slot(0)).0;
        let pages = first..first + self.layout.slots_per_unit;
        self.array.stored_mut().into_iter().for_each(|cells| cells.end_erase(unit.0, pages.clone()));
    }

    /// Whether the program of a log page that was just made failed.
    pub(crate) fn log_program_failed(&mut self) -> bool {
        self.failures.as_mut().is_some_and(Failures::program_fails)
    }
}

/// The checksum of a logical page, as its record holds it.
pub(crate) fn checksum_of(page: &[u8]) -> u32 {
    data_checksum(page)
}

/// The checksum of what a code leaves behind the record of a page, which is padded with zeros.
pub(crate) fn checksum_of_side(side: &[u8], format: SpareFormat) -> u32 {
    let padding = format.bytes - RECORD_BYTES - side.len();
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(side);
    std::iter::repeat_n(&[0], padding).for_each(|zero| hasher.update(zero));
    hasher.finalize()
}

/// Whether a page that lies in `layout` is one.
pub(crate) fn is_place(layout: &Layout, ppn: Ppn) -> bool {
    ppn.is_some() && ppn < Ppn(layout.slots())
}
