//! Data on stored cells: logical pages to cell levels and back.

use rewear_flash::Address;
use rewear_flash::medium::{Kind, Operation, RECORD_BYTES, Record};

use crate::address::{Ppn, SlotAddress};
use crate::error::FtlError;
use crate::hand::buffers::Buffers;
use crate::hand::recovery::{SpareMetadata, spare_area};
use crate::host::Content;
use crate::reuse::Reuse;
use crate::state::State;
use crate::state::groups::{GroupSlot, PARTS};

/// Decodes the logical page that lies in a slot into `buffers.page`.
pub(crate) fn load(
    state: &State,
    reuse: &mut Reuse,
    buffers: &mut Buffers,
    place: SlotAddress,
) -> Result<(), FtlError> {
    match state.group_of(place) {
        Some(slots) => load_group(state, reuse, &mut buffers.page, slots),
        None => load_slot(state, reuse, buffers, place),
    }
}

/// As [`load`], of a slot that holds a page alone.
pub(crate) fn load_slot(
    state: &State,
    reuse: &Reuse,
    buffers: &mut Buffers,
    place: SlotAddress,
) -> Result<(), FtlError> {
    if as_it_is(reuse, buffers) {
        return load_pages(state, &mut buffers.page, buffers.image_bytes, place).map(drop);
    }
    let right = load_image(state, buffers, place)?;
    let decoded = reuse.decode(place, &buffers.image, &mut buffers.page);
    let ppn = state.layout.ppn(place.unit, place.slot);
    buffers.scrambler.descramble(ppn, reuse.programs_of(place, ppn, false), &mut buffers.page);
    unless_misread(right, decoded)
}

/// Encodes `buffers.page` onto the cells of a slot; [`raise`] must follow. `false` if the slot does
/// not take it.
pub(crate) fn encode(
    state: &State,
    reuse: &mut Reuse,
    buffers: &mut Buffers,
    place: SlotAddress,
) -> Result<bool, FtlError> {
    if as_it_is(reuse, buffers) && state.array.misreads().is_none() {
        return Ok(true);
    }
    if !load_image(state, buffers, place)? {
        // Cells whose levels are unknown cannot be raised to others before they are erased.
        reuse.exhaust(place);
        return Ok(false);
    }
    let ppn = state.layout.ppn(place.unit, place.slot);
    let written = reuse.programs_of(place, ppn, false);
    let write = if reuse.facts.counts_programs { written.saturating_add(1) } else { written };
    let data = buffers.scrambler.scramble(ppn, write, &buffers.page);
    reuse.encode(place, data, &mut buffers.image)
}

/// Raises the cells of a slot to the page that was encoded for it, with its record; the program
/// must follow.
pub(crate) fn raise(
    state: &mut State,
    reuse: &Reuse,
    buffers: &mut Buffers,
    SlotAddress { unit, slot }: SlotAddress,
    metadata: SpareMetadata,
) -> Result<(), FtlError> {
    let Some(format) = state.array.stored().map(|cells| cells.format().spare) else { return Ok(()) };
    let keeps_records = format.bytes > 0;
    let sequence = if keeps_records { state.next_sequence() } else { 0 };
    let pages = state.layout.slot_pages;
    if keeps_records {
        buffers.side.clear();
        reuse.side_information(SlotAddress { unit, slot }, &mut buffers.side);
        let place = state.layout.ppn(unit, slot).0;
        state.begin(Operation::Program { sequence, places: [Some(place), None] });
    }
    let images = if as_it_is(reuse, buffers) { &buffers.page } else { &buffers.image };
    for (page, image) in (0..pages).zip(images.chunks_exact(buffers.image_bytes)) {
        let address = state.layout.address(unit, slot.0 * pages + page);
        if keeps_records {
            let made = (page, metadata, buffers.checksum);
            let mut record =
                spare_area::record(state, reuse, SlotAddress { unit, slot }, made, (sequence, Ppn::NONE));
            let share = buffers.side.len().div_ceil(pages as usize);
            let side = buffers.side.chunks(share.max(1)).nth(page as usize).unwrap_or(&[]);
            if format.bytes > RECORD_BYTES && format.coded {
                record.other = spare_area::checksum_of_side(side, format);
            }
            fill_spare(state, &mut buffers.spare, address, &record, side)?;
        }
        state.array.raise_cells(address, image, &buffers.spare)?;
    }
    if keeps_records {
        state.end_program();
    }
    Ok(())
}

/// The spare area of a page as it is to be programmed: what it holds, with one more record and what
/// the code keeps there.
fn fill_spare(
    state: &State,
    spare: &mut Vec<u8>,
    address: Address,
    record: &Record,
    side: &[u8],
) -> Result<(), FtlError> {
    let Some(cells) = state.array.stored() else { return Ok(()) };
    let format = cells.format().spare;
    spare.clear();
    spare.extend_from_slice(cells.spare(address));
    spare.resize(format.bytes, 0);
    if !spare_area::put(record, format, spare) {
        return Err(FtlError::Code(format!("{address}: its spare area has no room for another record")));
    }
    if format.coded {
        let rest = &mut spare[RECORD_BYTES..];
        rest.fill(0);
        rest[..side.len()].copy_from_slice(side);
    }
    Ok(())
}

/// Raises the cells of several slots to the write that was encoded for them, with its records; the
/// program must follow.
pub(crate) fn raise_group(
    state: &mut State,
    reuse: &mut Reuse,
    buffers: &mut Buffers,
    slots: GroupSlot,
    metadata: SpareMetadata,
) -> Result<(), FtlError> {
    let Some(format) = state.array.stored().map(|cells| cells.format().spare) else { return Ok(()) };
    let keeps_records = format.bytes > 0;
    let sequence = if keeps_records { state.next_sequence() } else { 0 };
    if keeps_records {
        let place = |index: usize| {
            let SlotAddress { unit, slot } = state.part_of(slots, index);
            Some(state.layout.ppn(unit, slot).0)
        };
        state.begin(Operation::Program { sequence, places: [place(0), place(1)] });
    }
    for index in 0..PARTS {
        let SlotAddress { unit, slot } = state.part_of(slots, index);
        let address = state.layout.address(unit, slot.0);
        if keeps_records {
            let kind = [Kind::SecondFirstHalf, Kind::SecondSecondHalf][index];
            let other = state.part_of(slots, 1 - index);
            let other = state.layout.ppn(other.unit, other.slot);
            let made = (0, SpareMetadata { kind, ..metadata }, buffers.checksum);
            let record =
                spare_area::record(state, reuse, SlotAddress { unit, slot }, made, (sequence, other));
            fill_spare(state, &mut buffers.spare, address, &record, &[])?;
        }
        let image = &reuse.second_write().images()[index];
        state.array.raise_cells(address, image, &buffers.spare)?;
    }
    if keeps_records {
        state.end_program();
    }
    Ok(())
}

/// Decodes the write in several slots into `page`.
pub(crate) fn load_group(
    state: &State,
    reuse: &mut Reuse,
    page: &mut [u8],
    slots: GroupSlot,
) -> Result<(), FtlError> {
    let scheme = reuse.second_write();
    let right = scheme.load_images(state, slots)?;
    unless_misread(right, scheme.decode_parts(state.place_of(slots), page))
}

/// Cells that were misread beyond correction may decode to nothing; the checksum in the page's
/// record tells its readers.
fn unless_misread(right: bool, decoded: Result<(), FtlError>) -> Result<(), FtlError> {
    if right { decoded } else { Ok(()) }
}

/// Stored cells need bytes to store.
pub(crate) fn bytes_of(content: Content<'_>) -> Result<&[u8], FtlError> {
    match content {
        Content::Page(data) => Ok(data),
        Content::Unknown | Content::Fingerprint(_) => {
            Err(FtlError::Code("stored cells need the bytes of every write".into()))
        }
    }
}

/// Whether cells hold the logical page as it is, so that no image of it is made.
fn as_it_is(reuse: &Reuse, buffers: &Buffers) -> bool {
    reuse.is_nothing() && buffers.image.len() == buffers.page.len()
}

/// Returns whether the image is right.
fn load_image(state: &State, buffers: &mut Buffers, place: SlotAddress) -> Result<bool, FtlError> {
    load_pages(state, &mut buffers.image, buffers.image_bytes, place)
}

/// Loads the cells of a slot's pages, one after the other. Returns whether all are right.
fn load_pages(
    state: &State,
    into: &mut [u8],
    image_bytes: usize,
    SlotAddress { unit, slot }: SlotAddress,
) -> Result<bool, FtlError> {
    let mut right = true;
    let pages = state.layout.slot_pages;
    for (page, image) in (0..pages).zip(into.chunks_exact_mut(image_bytes)) {
        right &= state.array.load_cells(state.layout.address(unit, slot.0 * pages + page), image)?;
    }
    Ok(right)
}
