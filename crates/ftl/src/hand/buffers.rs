//! Work space for the pages of stored cells.

use rewear_flash::copies::Copied;

use crate::hand::scrambler::Scrambler;
use crate::shape::layout::Layout;

/// Work space for one logical page, so that no operation allocates.
#[derive(Debug, Clone)]
pub(crate) struct Buffers {
    /// A logical page.
    pub page: Vec<u8>,
    /// The checksum that the record of the page shall have: that of the page, or, of a page that
    /// was moved, its record's, so that damage stays visible.
    pub(super) checksum: u32,
    /// The cell images of its slot: as many as it may have in any unit.
    pub(super) image: Vec<u8>,
    pub(super) image_bytes: usize,
    /// What the code keeps beside the cells of the slot.
    pub(super) side: Vec<u8>,
    /// The kept part of a flash page's spare area.
    pub(super) spare: Vec<u8>,
    pub(super) scrambler: Scrambler,
    /// Pages that are copied in a row, in which modes.
    pub(super) copies: Vec<Copied>,
}

impl Buffers {
    /// Buffers for the pages of a drive.
    pub(crate) fn new(layout: &Layout, image_bytes: usize, scrambler: Scrambler) -> Buffers {
        Buffers {
            page: vec![0; layout.logical_page_bytes as usize],
            checksum: 0,
            image: vec![0; layout.slot_pages as usize * image_bytes],
            image_bytes,
            side: Vec::new(),
            spare: Vec::new(),
            scrambler,
            copies: Vec::new(),
        }
    }

    /// The page was filled.
    pub(super) fn note_content(&mut self) {
        self.checksum = crate::hand::recovery::spare_area::checksum_of(&self.page);
    }

    /// The page was read from the flash, where its record gives a checksum.
    pub(super) fn note_checksum(&mut self, checksum: u32) {
        self.checksum = checksum;
    }

    /// The page was read from the flash, and nothing tells what it should be: a later
    /// read, wherever it is moved to, shall find it damaged.
    pub(super) fn note_damaged(&mut self) {
        self.checksum = !crate::hand::recovery::spare_area::checksum_of(&self.page);
    }

    /// Whether the page is what its checksum says.
    pub(super) fn is_intact(&self) -> bool {
        self.checksum == crate::hand::recovery::spare_area::checksum_of(&self.page)
    }
}
