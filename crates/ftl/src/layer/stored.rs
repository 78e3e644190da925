//! Data on stored cells: logical pages to cell levels and back.

use rewear_flash::Address;
use rewear_flash::medium::{Kind, RECORD_BYTES, Record};

use crate::address::NONE;
use crate::error::FtlError;
use crate::host::Content;
use crate::layer::buffers::Buffers;
use crate::recovery::{SpareMetadata, spare_area};
use crate::reuse::Reuse;
use crate::reuse::second_write::{Cells, Tried};
use crate::state::State;

/// Decodes the logical page that lies in a slot into `buffers.page`.
pub(crate) fn load(
    state: &State,
    reuse: &mut Reuse,
    buffers: &mut Buffers,
    place: (u32, u32),
) -> Result<(), FtlError> {
    if let (Some(first), Reuse::SecondWrite(scheme)) = (state.first_part_of(place), &mut *reuse) {
        if let Some((kind, group)) = state.group_at(first)
            && let Some(cells) = scheme.group_cells(kind)
        {
            return cells.decode(state, &group, first.1, &mut buffers.page);
        }
        if let (Some(second), Some(cells)) = (state.other_parts(first).next(), scheme.cells.as_deref_mut()) {
            return load_second(state, cells, &mut buffers.page, [first, second]);
        }
    }
    load_slot(state, reuse, buffers, place)
}

/// As [`load`], of a slot that is no half of a second write.
pub(crate) fn load_slot(
    state: &State,
    reuse: &Reuse,
    buffers: &mut Buffers,
    place: (u32, u32),
) -> Result<(), FtlError> {
    let right = load_image(state, buffers, place)?;
    let decoded = reuse.decode(place.0, place.1, &buffers.image, &mut buffers.page);
    buffers.scrambler.descramble(state, reuse, place, &mut buffers.page);
    unless_misread(right, decoded)
}

/// Encodes `buffers.page` onto the cells of a slot; [`raise`] must follow. `false` if the slot does not take it.
pub(crate) fn encode(
    state: &State,
    reuse: &mut Reuse,
    buffers: &mut Buffers,
    place: (u32, u32),
) -> Result<bool, FtlError> {
    if !load_image(state, buffers, place)? {
        // Cells whose levels are unknown cannot be raised to others before they are erased.
        reuse.exhaust(place.0, place.1);
        return Ok(false);
    }
    let data = buffers.scrambler.scramble(state, reuse, place, &buffers.page);
    reuse.encode(place.0, place.1, data, &mut buffers.image)
}

/// Raises the cells of a slot to the page that was encoded for it, with its record; the program must follow.
pub(crate) fn raise(
    state: &mut State,
    reuse: &Reuse,
    buffers: &mut Buffers,
    (unit, slot): (u32, u32),
    metadata: SpareMetadata,
) -> Result<(), FtlError> {
    let Some(format) = state.array.stored().map(|cells| cells.format().spare) else { return Ok(()) };
    let keeps_records = format.bytes > 0;
    let sequence = if keeps_records { state.next_sequence() } else { 0 };
    let pages = state.layout.slot_pages_of(unit);
    if keeps_records {
        reuse.side_information(unit, slot, &mut buffers.side);
    }
    for (page, image) in (0..pages).zip(buffers.image.chunks_exact(buffers.image_bytes)) {
        let address = state.layout.address(unit, slot * pages + page);
        if keeps_records {
            let made = (page, metadata, buffers.checksum);
            let mut record = spare_area::record(state, reuse, (unit, slot), made, (sequence, NONE));
            let share = buffers.side.len().div_ceil(pages as usize);
            let side = buffers.side.chunks(share.max(1)).nth(page as usize).unwrap_or(&[]);
            if format.bytes > RECORD_BYTES && format.coded {
                record.other = spare_area::checksum_of_side(side, format);
            }
            fill_spare(state, &mut buffers.spare, address, &record, side)?;
        }
        state.array.raise_cells(address, image, &buffers.spare)?;
    }
    Ok(())
}

/// The spare area of a page as it is to be programmed: what it holds, with one more record and what the code keeps there.
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

/// Encodes a second write onto the cells of two pages; [`raise_second`] must follow if it succeeded. See
/// [`Cells::encode`] for the attempts.
pub(crate) fn encode_second(
    state: &State,
    cells: &mut Cells,
    data: &[u8],
    attempts: Option<u8>,
    halves: [(u32, u32); 2],
) -> Result<Tried, FtlError> {
    if !load_halves(state, cells, halves)? {
        return Ok(Tried { failed: attempts.unwrap_or(1), success: false });
    }
    cells.encode(data, second_write_address(state, halves), attempts)
}

/// Raises the cells of two pages to the second write that was encoded for them, with its records; the program must follow.
pub(crate) fn raise_second(
    state: &mut State,
    reuse: &mut Reuse,
    buffers: &mut Buffers,
    halves: [(u32, u32); 2],
    (metadata, data): (SpareMetadata, &[u8]),
) -> Result<(), FtlError> {
    let keeps_records = state.keeps_records();
    let sequence = if keeps_records { state.next_sequence() } else { 0 };
    let checksum = spare_area::checksum_of(data);
    for (index, (unit, slot)) in halves.into_iter().enumerate() {
        let address = state.layout.address(unit, slot);
        if keeps_records {
            let kind = [Kind::SecondFirstHalf, Kind::SecondSecondHalf][index];
            let (other_unit, other_slot) = halves[1 - index];
            let other = state.layout.ppn(other_unit, other_slot);
            let made = (0, SpareMetadata { kind, ..metadata }, checksum);
            let record = spare_area::record(state, reuse, (unit, slot), made, (sequence, other));
            fill_spare(state, &mut buffers.spare, address, &record, &[])?;
        }
        let Some(cells) = reuse.cells() else { break };
        state.array.raise_cells(address, &cells.images()[index], &buffers.spare)?;
    }
    Ok(())
}

/// Decodes a second write whose place is known otherwise than from the map into `page`.
pub(crate) fn load_halves_of(
    state: &State,
    reuse: &mut Reuse,
    halves: [(u32, u32); 2],
    page: &mut [u8],
) -> Result<(), FtlError> {
    match reuse.cells() {
        Some(cells) => load_second(state, cells, page, halves),
        None => Err(FtlError::Code("a second write on a drive without them".into())),
    }
}

fn load_second(
    state: &State,
    cells: &mut Cells,
    page: &mut [u8],
    halves: [(u32, u32); 2],
) -> Result<(), FtlError> {
    let right = load_halves(state, cells, halves)?;
    unless_misread(right, cells.decode(second_write_address(state, halves), page))
}

/// Cells that were misread beyond correction may decode to nothing; the checksum in the page's record tells its readers.
fn unless_misread(right: bool, decoded: Result<(), FtlError>) -> Result<(), FtlError> {
    if right { decoded } else { Ok(()) }
}

/// Returns whether both images are right.
fn load_halves(state: &State, cells: &mut Cells, halves: [(u32, u32); 2]) -> Result<bool, FtlError> {
    let mut right = true;
    for (image, (unit, slot)) in cells.images().iter_mut().zip(halves) {
        right &= state.array.load_cells(state.layout.address(unit, slot), image)?;
    }
    Ok(right)
}

/// What a reader of a second write knows of its place.
fn second_write_address(state: &State, [(unit, slot), _]: [(u32, u32); 2]) -> u64 {
    u64::from(state.layout.ppn(unit, slot))
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

/// Returns whether the image is right.
fn load_image(state: &State, buffers: &mut Buffers, (unit, slot): (u32, u32)) -> Result<bool, FtlError> {
    let mut right = true;
    let pages = state.layout.slot_pages_of(unit);
    for (page, image) in (0..pages).zip(buffers.image.chunks_exact_mut(buffers.image_bytes)) {
        right &= state.array.load_cells(state.layout.address(unit, slot * pages + page), image)?;
    }
    Ok(right)
}
