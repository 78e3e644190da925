//! The record that a page is programmed with.

use rewear_flash::medium::record::data_checksum;
use rewear_flash::medium::{Kind, RECORD_BYTES, Record, SpareFormat};
use rewear_flash::{ConfigError, Nanos, ProgramMode};

use crate::address::{Lpn, Ppn, SlotAddress, Unit};
use crate::config::drive::DriveConfig;
use crate::error::FtlError;
use crate::layer::{Ftl, stored};
use crate::reuse::Reuse;
use crate::shape::layout::Layout;
use crate::state::State;
use crate::state::units::fill::Fill;
use crate::state::units::stream::Stream;

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
    if let (Some(_), Reuse::SecondWrite(scheme)) = (config.ftl.recovery.log(), reuse) {
        scheme.check_recovery()?;
    }
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
    if reuse.varies() {
        return Err(ConfigError::new(
            "reuse.denser_codes",
            "records do not tell which code a unit has, so a drive whose rate changes cannot be mounted",
            "leave it out, or set ftl.recovery.scheme = \"none\"",
        ));
    }
    let format = reuse.spare_format();
    let needed = reuse.record_bytes_on_flash() + reuse.spare_bytes_of_code();
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
    Ok(format)
}

/// The record of one flash page of a logical page that is about to be programmed.
pub(crate) fn record(
    state: &State,
    reuse: &Reuse,
    SlotAddress { unit, slot }: SlotAddress,
    (part, metadata, checksum): (u32, SpareMetadata, u32),
    (sequence, other): (u64, Ppn),
) -> Record {
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
        programs: reuse.programs_of(metadata.kind, SlotAddress { unit, slot }, state.layout.ppn(unit, slot)),
        part: part as u16,
        other: other.0,
        data_checksum: checksum,
    }
}

/// Puts a record into the spare area of a page, which holds what it held before: behind the earlier records, or, where the
/// code covers the spare area, in the place of the last. `false` if there is no room.
pub(crate) fn put(record: &Record, format: SpareFormat, spare: &mut [u8]) -> bool {
    let places = if format.coded { 1 } else { format.bytes / RECORD_BYTES };
    let is_free = |&place: &usize| {
        format.coded || spare[place * RECORD_BYTES..][..RECORD_BYTES].iter().all(|&byte| byte == 0)
    };
    let Some(place) = (0..places).find(is_free) else { return false };
    spare[place * RECORD_BYTES..][..RECORD_BYTES].copy_from_slice(&record.to_bytes());
    true
}

/// The newest record of a spare area, and whether something lies behind it that is no record: a torn program.
pub(crate) fn newest(format: SpareFormat, spare: &[u8]) -> (Option<Record>, bool) {
    let records = if format.coded { spare.get(..RECORD_BYTES).unwrap_or(&[]) } else { spare };
    let (mut newest, mut torn) = (None, false);
    for place in records.chunks_exact(RECORD_BYTES) {
        match Record::from_bytes(place) {
            Some(record) => (newest, torn) = (Some(record), false),
            None => torn |= place.iter().any(|&byte| byte != 0),
        }
    }
    (newest, torn)
}

impl State {
    /// Whether pages are programmed with records.
    pub(crate) fn keeps_records(&self) -> bool {
        self.array.stored().is_some_and(|cells| cells.format().spare.bytes > 0)
    }

    /// The record of a slot; `None` where there is none or it was torn.
    pub(crate) fn record_of(&self, SlotAddress { unit, slot }: SlotAddress) -> Option<Record> {
        let cells = self.array.stored()?;
        let address = self.layout.address(unit, slot.0 * self.layout.slot_pages);
        newest(cells.format().spare, cells.spare(address)).0
    }

    /// Whether the program of a log page that was just made failed.
    pub(crate) fn log_program_failed(&mut self, unit: Unit) -> bool {
        let block = self.layout.block_of(unit, 0).block as usize;
        let erases = self.array.wear().erases()[block];
        self.failures.as_mut().is_some_and(|failures| failures.program_fails(erases))
    }
}

impl Ftl {
    /// Sets the stored cells of a slot to the page that was prepared for it, and its record; the program must follow.
    #[inline(never)]
    pub(crate) fn store_with_record(
        &mut self,
        lpn: Lpn,
        SlotAddress { unit, slot }: SlotAddress,
        mode: ProgramMode,
        stream: Stream,
    ) -> Result<(), FtlError> {
        if !self.state.array.stores_cells() {
            return Ok(());
        }
        // The record shows how the unit is filled.
        let is_low = self.state.units.fill(unit) == Fill::Low;
        let stream = self.state.units.stream_index(if is_low { Stream::Overwrite } else { stream });
        let metadata = SpareMetadata { kind: Kind::Slot, lpn, mode, stream };
        stored::raise(&mut self.state, &self.reuse, &mut self.buffers, SlotAddress { unit, slot }, metadata)
    }

    /// As [`before_destroying`](Self::before_destroying), of a slot that a program goes over.
    pub(crate) fn before_overwriting(
        &mut self,
        at: Nanos,
        SlotAddress { unit, slot }: SlotAddress,
    ) -> Result<Nanos, FtlError> {
        let ppn = self.state.layout.ppn(unit, slot);
        self.before_destroying(at, ppn..ppn + 1)
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
