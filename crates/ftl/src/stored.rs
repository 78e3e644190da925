//! Data on stored cells: logical pages to cell levels and back.

use crate::core::Core;
use crate::error::FtlError;
use crate::host_write::Content;
use crate::reuse::Reuse;
use crate::reuse::second_write::{Cells, Tried};

/// Work space for one logical page, so that no operation allocates.
#[derive(Debug, Clone)]
pub struct Buffers {
    /// A logical page.
    pub page: Vec<u8>,
    /// The cell images of its slot: as many as it may have in any unit.
    image: Vec<u8>,
    /// Bytes of one of them.
    image_bytes: usize,
}

impl Buffers {
    /// Buffers for the pages of a drive.
    pub fn new(logical_page_bytes: u32, most_slot_pages: u32, image_bytes: usize) -> Buffers {
        Buffers {
            page: vec![0; logical_page_bytes as usize],
            image: vec![0; most_slot_pages as usize * image_bytes],
            image_bytes,
        }
    }
}

/// Decodes the logical page that lies in a slot into `buffers.page`.
pub(crate) fn load(
    core: &Core,
    reuse: &mut Reuse,
    buffers: &mut Buffers,
    place: (u32, u32),
) -> Result<(), FtlError> {
    if let (Some(halves), Some(cells)) = (core.halves_of(place), reuse.cells()) {
        return load_second(core, cells, &mut buffers.page, halves);
    }
    load_image(core, buffers, place)?;
    reuse.decode(place.0, place.1, &buffers.image, &mut buffers.page)
}

/// Encodes `buffers.page` onto the cells of a slot, whose program must follow. `false` if the slot does not take it.
pub(crate) fn store(
    core: &mut Core,
    reuse: &mut Reuse,
    buffers: &mut Buffers,
    place: (u32, u32),
) -> Result<bool, FtlError> {
    load_image(core, buffers, place)?;
    let (unit, slot) = place;
    if !reuse.encode(unit, slot, &buffers.page, &mut buffers.image)? {
        return Ok(false);
    }
    let pages = core.layout.slot_pages_of(unit);
    for (page, image) in (0..pages).zip(buffers.image.chunks_exact(buffers.image_bytes)) {
        core.array.raise_cells(core.layout.address(unit, slot * pages + page), image)?;
    }
    Ok(true)
}

/// Encodes a second write onto the cells of two pages, whose program must follow if it succeeded. See
/// [`Cells::encode`] for the attempts.
pub(crate) fn store_second(
    core: &mut Core,
    cells: &mut Cells,
    data: &[u8],
    attempts: Option<u8>,
    halves: [(u32, u32); 2],
) -> Result<Tried, FtlError> {
    load_halves(core, cells, halves)?;
    let tried = cells.encode(data, second_write_address(core, halves), attempts)?;
    if tried.success {
        for (image, (unit, slot)) in cells.images().iter().zip(halves) {
            core.array.raise_cells(core.layout.address(unit, slot), image)?;
        }
    }
    Ok(tried)
}

fn load_second(
    core: &Core,
    cells: &mut Cells,
    page: &mut [u8],
    halves: [(u32, u32); 2],
) -> Result<(), FtlError> {
    load_halves(core, cells, halves)?;
    cells.decode(second_write_address(core, halves), page)
}

fn load_halves(core: &Core, cells: &mut Cells, halves: [(u32, u32); 2]) -> Result<(), FtlError> {
    for (image, (unit, slot)) in cells.images().iter_mut().zip(halves) {
        core.array.load_cells(core.layout.address(unit, slot), image)?;
    }
    Ok(())
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

fn load_image(core: &Core, buffers: &mut Buffers, (unit, slot): (u32, u32)) -> Result<(), FtlError> {
    let pages = core.layout.slot_pages_of(unit);
    for (page, image) in (0..pages).zip(buffers.image.chunks_exact_mut(buffers.image_bytes)) {
        core.array.load_cells(core.layout.address(unit, slot * pages + page), image)?;
    }
    Ok(())
}
