//! The scrambler (randomizer): data looks random to the code that puts it on the cells, whatever
//! the host writes.
//!
//! A logical page is combined with a keystream of its physical place and of the number of the
//! slot's write since the erase. All of that is known wherever the page is read, and nothing else
//! is: not the logical page, which may change without a program (a page is recycled or shared), and
//! no key of its own, for which modelled and stored drives would need room. So a page is scrambled
//! anew wherever it is moved, as by the randomizers that chips have between register and cells.
//!
//! The number matters to WOM codes: under the same keystream twice, what is equal in the old and
//! the new data would stay equal, and cells would be raised less often than by random data.
//!
//! Left out where no code can tell the difference (`reuse` `none`), and where a host is promised
//! that the bits that it clears are the cells that are programmed (`seal`): a keystream turns half
//! of the cleared bits into set ones. A second write is whitened by its own code, with a keystream
//! that depends on the attempt, too.

use rewear_codes::keystream::Keystream;
use rewear_flash::FlashConfig;

use crate::address::Ppn;

/// Sets these keystreams apart from those of second writes at the same place.
const OF_SLOTS: u64 = 1 << 63;

/// See the module's page.
#[derive(Debug, Clone)]
pub(crate) struct Scrambler {
    /// Work space: a scrambled page. Empty where nothing is scrambled.
    page: Vec<u8>,
}

impl Scrambler {
    /// That of a drive whose code needs one (`scrambles_data`).
    pub(crate) fn new(flash: &FlashConfig, scrambles: bool, logical_page_bytes: u32) -> Scrambler {
        let is_on = flash.scrambler && flash.stores_cells() && scrambles;
        Scrambler { page: vec![0; if is_on { logical_page_bytes as usize } else { 0 }] }
    }

    /// What write number `write` of a slot since its erase puts there for a page.
    pub(super) fn scramble<'a>(&'a mut self, ppn: Ppn, write: u16, page: &'a [u8]) -> &'a [u8] {
        if self.page.is_empty() {
            return page;
        }
        self.page.copy_from_slice(page);
        keystream(ppn, write).apply_to_bytes(&mut self.page);
        &self.page
    }

    /// Turns what a slot holds back into the page.
    pub(super) fn descramble(&self, ppn: Ppn, write: u16, page: &mut [u8]) {
        if !self.page.is_empty() {
            keystream(ppn, write).apply_to_bytes(page);
        }
    }
}

fn keystream(ppn: Ppn, write: u16) -> Keystream {
    Keystream::new(OF_SLOTS | u64::from(ppn), write)
}
