//! Data on stored cells: logical pages to cell levels and back.

use rewear_flash::Address;
use rewear_flash::medium::{Kind, RECORD_BYTES, Record};

use crate::NONE;
use crate::core::Core;
use crate::error::FtlError;
use crate::host_write::Content;
use crate::layout::Layout;
use crate::recovery::{SpareMetadata, spare_area};
use crate::reuse::Reuse;
use crate::reuse::second_write::{Cells, Tried};
use crate::scrambler::Scrambler;

/// Work space for one logical page, so that no operation allocates.
#[derive(Debug, Clone)]
pub struct Buffers {
    /// A logical page.
    pub page: Vec<u8>,
    /// The checksum that the record of the page shall have: that of the page, or, of a page that was moved, its record's, so that
    /// damage stays visible.
    checksum: u32,
    /// The cell images of its slot: as many as it may have in any unit.
    image: Vec<u8>,
    /// Bytes of one of them.
    image_bytes: usize,
    /// What the code keeps beside the cells of the slot.
    side: Vec<u8>,
    /// The kept part of a flash page's spare area.
    spare: Vec<u8>,
    scrambler: Scrambler,
}

impl Buffers {
    /// Buffers for the pages of a drive.
    pub fn new(layout: &Layout, image_bytes: usize, scrambler: Scrambler) -> Buffers {
        Buffers {
            page: vec![0; layout.logical_page_bytes as usize],
            checksum: 0,
            image: vec![0; layout.most_slot_pages as usize * image_bytes],
            image_bytes,
            side: Vec::new(),
            spare: Vec::new(),
            scrambler,
        }
    }

    /// The page was filled.
    pub(crate) fn note_content(&mut self) {
        self.checksum = spare_area::checksum_of(&self.page);
    }

    /// The page was read from the flash, where its record gives a checksum.
    pub(crate) fn note_checksum(&mut self, checksum: u32) {
        self.checksum = checksum;
    }

    /// Whether the page is what its checksum says.
    pub(crate) fn is_intact(&self) -> bool {
        self.checksum == spare_area::checksum_of(&self.page)
    }
}

/// Decodes the logical page that lies in a slot into `buffers.page`.
pub(crate) fn load(
    core: &Core,
    reuse: &mut Reuse,
    buffers: &mut Buffers,
    place: (u32, u32),
) -> Result<(), FtlError> {
    if let (Some(first), Reuse::SecondWrite(scheme)) = (core.first_part_of(place), &mut *reuse) {
        if let Some((kind, group)) = core.group_at(first)
            && let Some(cells) = scheme.group_cells(kind)
        {
            return cells.decode(core, &group, first.1, &mut buffers.page);
        }
        if let (Some(second), Some(cells)) = (core.other_parts(first).next(), scheme.cells.as_deref_mut()) {
            return load_second(core, cells, &mut buffers.page, [first, second]);
        }
    }
    load_slot(core, reuse, buffers, place)
}

/// As [`load`], of a slot that is no half of a second write.
pub(crate) fn load_slot(
    core: &Core,
    reuse: &Reuse,
    buffers: &mut Buffers,
    place: (u32, u32),
) -> Result<(), FtlError> {
    let right = load_image(core, buffers, place)?;
    let decoded = reuse.decode(place.0, place.1, &buffers.image, &mut buffers.page);
    buffers.scrambler.descramble(core, reuse, place, &mut buffers.page);
    unless_misread(right, decoded)
}

/// Encodes `buffers.page` onto the cells of a slot; [`raise`] must follow. `false` if the slot does not take it.
pub(crate) fn encode(
    core: &Core,
    reuse: &mut Reuse,
    buffers: &mut Buffers,
    place: (u32, u32),
) -> Result<bool, FtlError> {
    if !load_image(core, buffers, place)? {
        // Cells whose levels are unknown cannot be raised to others before they are erased.
        reuse.exhaust(place.0, place.1);
        return Ok(false);
    }
    let data = buffers.scrambler.scramble(core, reuse, place, &buffers.page);
    reuse.encode(place.0, place.1, data, &mut buffers.image)
}

/// Raises the cells of a slot to the page that was encoded for it, with its record; the program must follow.
pub(crate) fn raise(
    core: &mut Core,
    reuse: &Reuse,
    buffers: &mut Buffers,
    (unit, slot): (u32, u32),
    metadata: SpareMetadata,
) -> Result<(), FtlError> {
    let Some(format) = core.array.stored().map(|cells| cells.format().spare) else { return Ok(()) };
    let keeps_records = format.bytes > 0;
    let sequence = if keeps_records { core.next_sequence() } else { 0 };
    let pages = core.layout.slot_pages_of(unit);
    if keeps_records {
        reuse.side_information(unit, slot, &mut buffers.side);
    }
    for (page, image) in (0..pages).zip(buffers.image.chunks_exact(buffers.image_bytes)) {
        let address = core.layout.address(unit, slot * pages + page);
        if keeps_records {
            let made = (page, metadata, buffers.checksum);
            let mut record = spare_area::record(core, reuse, (unit, slot), made, (sequence, NONE));
            let share = buffers.side.len().div_ceil(pages as usize);
            let side = buffers.side.chunks(share.max(1)).nth(page as usize).unwrap_or(&[]);
            if format.bytes > RECORD_BYTES && format.coded {
                record.other = spare_area::checksum_of_side(side, format);
            }
            fill_spare(core, &mut buffers.spare, address, &record, side)?;
        }
        core.array.raise_cells(address, image, &buffers.spare)?;
    }
    Ok(())
}

/// The spare area of a page as it is to be programmed: what it holds, with one more record and what the code keeps there.
fn fill_spare(
    core: &Core,
    spare: &mut Vec<u8>,
    address: Address,
    record: &Record,
    side: &[u8],
) -> Result<(), FtlError> {
    let Some(cells) = core.array.stored() else { return Ok(()) };
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
    core: &Core,
    cells: &mut Cells,
    data: &[u8],
    attempts: Option<u8>,
    halves: [(u32, u32); 2],
) -> Result<Tried, FtlError> {
    if !load_halves(core, cells, halves)? {
        return Ok(Tried { failed: attempts.unwrap_or(1), success: false });
    }
    cells.encode(data, second_write_address(core, halves), attempts)
}

/// Raises the cells of two pages to the second write that was encoded for them, with its records; the program must follow.
pub(crate) fn raise_second(
    core: &mut Core,
    reuse: &mut Reuse,
    buffers: &mut Buffers,
    halves: [(u32, u32); 2],
    (metadata, data): (SpareMetadata, &[u8]),
) -> Result<(), FtlError> {
    let keeps_records = core.keeps_records();
    let sequence = if keeps_records { core.next_sequence() } else { 0 };
    let checksum = spare_area::checksum_of(data);
    for (index, (unit, slot)) in halves.into_iter().enumerate() {
        let address = core.layout.address(unit, slot);
        if keeps_records {
            let kind = [Kind::SecondFirstHalf, Kind::SecondSecondHalf][index];
            let (other_unit, other_slot) = halves[1 - index];
            let other = core.layout.ppn(other_unit, other_slot);
            let made = (0, SpareMetadata { kind, ..metadata }, checksum);
            let record = spare_area::record(core, reuse, (unit, slot), made, (sequence, other));
            fill_spare(core, &mut buffers.spare, address, &record, &[])?;
        }
        let Some(cells) = reuse.cells() else { break };
        core.array.raise_cells(address, &cells.images()[index], &buffers.spare)?;
    }
    Ok(())
}

/// Decodes a second write whose place is known otherwise than from the map into `page`.
pub(crate) fn load_halves_of(
    core: &Core,
    reuse: &mut Reuse,
    halves: [(u32, u32); 2],
    page: &mut [u8],
) -> Result<(), FtlError> {
    match reuse.cells() {
        Some(cells) => load_second(core, cells, page, halves),
        None => Err(FtlError::Code("a second write on a drive without them".into())),
    }
}

fn load_second(
    core: &Core,
    cells: &mut Cells,
    page: &mut [u8],
    halves: [(u32, u32); 2],
) -> Result<(), FtlError> {
    let right = load_halves(core, cells, halves)?;
    unless_misread(right, cells.decode(second_write_address(core, halves), page))
}

/// Cells that were misread beyond correction may decode to nothing; the checksum in the page's record tells its readers.
fn unless_misread(right: bool, decoded: Result<(), FtlError>) -> Result<(), FtlError> {
    if right { decoded } else { Ok(()) }
}

/// Returns whether both images are right.
fn load_halves(core: &Core, cells: &mut Cells, halves: [(u32, u32); 2]) -> Result<bool, FtlError> {
    let mut right = true;
    for (image, (unit, slot)) in cells.images().iter_mut().zip(halves) {
        right &= core.array.load_cells(core.layout.address(unit, slot), image)?;
    }
    Ok(right)
}

/// What a reader of a second write knows of its place.
fn second_write_address(core: &Core, [(unit, slot), _]: [(u32, u32); 2]) -> u64 {
    u64::from(core.layout.ppn(unit, slot))
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
fn load_image(core: &Core, buffers: &mut Buffers, (unit, slot): (u32, u32)) -> Result<bool, FtlError> {
    let mut right = true;
    let pages = core.layout.slot_pages_of(unit);
    for (page, image) in (0..pages).zip(buffers.image.chunks_exact_mut(buffers.image_bytes)) {
        right &= core.array.load_cells(core.layout.address(unit, slot * pages + page), image)?;
    }
    Ok(right)
}
