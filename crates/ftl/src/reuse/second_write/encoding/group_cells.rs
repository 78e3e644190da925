//! Second writes on stored cells: the real code on the images of the pages of a pair.

use std::fmt;

use rewear_codes::CodeError;
use rewear_codes::polar_wom::{Effort, PageCode, PagePair, PairWorkspace, SecondWrite};

use super::{Outcome, code_error};
use crate::error::FtlError;

/// A page for the real cells of a group, whose images were loaded.
#[derive(Debug, Clone, Copy)]
pub(in crate::reuse::second_write) struct PageForCells<'a> {
    pub(in crate::reuse::second_write) data: &'a [u8],
    /// The place of the write, which its reader knows.
    pub(in crate::reuse::second_write) address: u64,
    /// Whether the images are what the cells hold.
    pub(in crate::reuse::second_write) cells_are_known: bool,
}

/// The code, and the pages that it works on.
#[derive(Clone)]
pub(in crate::reuse::second_write) struct GroupCells {
    code: PageCode,
    work: Box<PairWorkspace>,
    /// The image of each page: its cells, then the part of its spare area that codes use.
    images: [Vec<u8>; 2],
}

impl fmt::Debug for GroupCells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GroupCells").field("pages", &self.images.len()).finish_non_exhaustive()
    }
}

impl GroupCells {
    /// On images of `image_bytes` bytes.
    pub(in crate::reuse::second_write) fn new(code: &PageCode, image_bytes: usize) -> GroupCells {
        GroupCells {
            code: code.clone(),
            work: Box::new(PairWorkspace::new(code)),
            images: [vec![0; image_bytes], vec![0; image_bytes]],
        }
    }

    /// Memory for the images of the pages of a write.
    pub(in crate::reuse::second_write) fn images(&mut self) -> &mut [Vec<u8>] {
        &mut self.images
    }

    /// Puts a page on the loaded images, in up to `attempts` attempts. Where the outcome was drawn
    /// already (`attempts` is `None`) nothing is left untried to bring about a success.
    pub(in crate::reuse::second_write) fn encode(
        &mut self,
        page: PageForCells<'_>,
        attempts: Option<u8>,
    ) -> Result<Outcome, FtlError> {
        if !page.cells_are_known {
            return Ok(Outcome { failed: attempts.unwrap_or(1), success: false });
        }
        let (code, work) = (&self.code, &mut self.work);
        let effort = match attempts {
            Some(attempts) => Effort { attempts, planned: false },
            None => Effort::FULL,
        };
        let [first, second] = &mut self.images;
        let (page_0, spare_0) = first.split_at_mut(code.page_bytes());
        let (page_1, spare_1) = second.split_at_mut(code.page_bytes());
        let mut pair = PagePair {
            pages: [page_0, page_1],
            spares: [spare_0, spare_1],
            data: page.data,
            address: page.address,
        };
        let outcome = match code.second_write(work, effort, &mut pair) {
            // A second write was torn here before the drive was mounted, without leaving a record.
            Err(CodeError::NotACodeword { .. }) => SecondWrite::Failed,
            done => done.map_err(code_error)?,
        };
        Ok(match outcome {
            SecondWrite::Written { tries, .. } => Outcome { failed: tries - 1, success: true },
            SecondWrite::Failed => Outcome { failed: effort.attempts, success: false },
        })
    }

    /// Reads the write on the loaded images.
    pub(in crate::reuse::second_write) fn decode(
        &mut self,
        address: u64,
        data: &mut [u8],
    ) -> Result<(), FtlError> {
        let (code, work) = (&self.code, &mut self.work);
        let [first, second] = &self.images;
        let (page_0, spare_0) = first.split_at(code.page_bytes());
        let (page_1, spare_1) = second.split_at(code.page_bytes());
        let (pages, spares) = ([page_0, page_1], [spare_0, spare_1]);
        code.read(work, pages, spares, address, data).map_err(code_error)
    }
}
