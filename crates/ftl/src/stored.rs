//! Data on stored cells: logical pages to cell levels and back.

use crate::core::Core;
use crate::error::FtlError;
use crate::reuse::Reuse;

/// Work space for one logical page, so that no operation allocates.
#[derive(Debug, Clone)]
pub struct Buffers {
    /// A logical page.
    pub page: Vec<u8>,
    /// The cell images of its slot.
    image: Vec<u8>,
}

impl Buffers {
    /// Buffers for the pages of a drive.
    pub fn new(logical_page_bytes: u32, slot_pages: u32, image_bytes: usize) -> Buffers {
        Buffers {
            page: vec![0; logical_page_bytes as usize],
            image: vec![0; slot_pages as usize * image_bytes],
        }
    }
}

/// Decodes the logical page that lies in a slot into `buffers.page`.
pub(crate) fn load(
    core: &Core,
    reuse: &Reuse,
    buffers: &mut Buffers,
    place: (u32, u32),
) -> Result<(), FtlError> {
    load_image(core, &mut buffers.image, place)?;
    reuse.decode(place.0, place.1, &buffers.image, &mut buffers.page)
}

/// Encodes `buffers.page` onto the cells of a slot, whose program must follow. `false` if the slot does not take it.
pub(crate) fn store(
    core: &mut Core,
    reuse: &mut Reuse,
    buffers: &mut Buffers,
    place: (u32, u32),
) -> Result<bool, FtlError> {
    load_image(core, &mut buffers.image, place)?;
    let (unit, slot) = place;
    if !reuse.encode(unit, slot, &buffers.page, &mut buffers.image)? {
        return Ok(false);
    }
    let pages = core.layout.slot_pages;
    let image_bytes = buffers.image.len() / pages as usize;
    for (page, image) in buffers.image.chunks_exact(image_bytes).enumerate() {
        core.array.raise_cells(core.layout.address(unit, slot * pages + page as u32), image)?;
    }
    Ok(true)
}

fn load_image(core: &Core, image: &mut [u8], (unit, slot): (u32, u32)) -> Result<(), FtlError> {
    let pages = core.layout.slot_pages;
    let image_bytes = image.len() / pages as usize;
    for (page, image) in image.chunks_exact_mut(image_bytes).enumerate() {
        core.array.load_cells(core.layout.address(unit, slot * pages + page as u32), image)?;
    }
    Ok(())
}
