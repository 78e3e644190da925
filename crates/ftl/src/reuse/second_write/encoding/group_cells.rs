//! Second, third and fourth writes on stored cells: the real codes on the images of the pages of a
//! group.

use std::fmt;
use std::ops::Range;

use rewear_codes::CodeError;
use rewear_codes::polar_wom::{
    Effort, GroupCode, GroupWorkspace, PageCode, PagePair, PairWorkspace, SecondWrite,
};

use super::{Outcome, code_error};
use crate::error::FtlError;
use crate::reuse::place::PageForCells;

/// A code, and memory for its work.
#[derive(Clone)]
pub(in crate::reuse::second_write) struct GroupCells {
    code: Code,
    page_bytes: usize,
    /// The image of each page: its cells, then the part of its spare area that codes use.
    images: Vec<Vec<u8>>,
}

#[derive(Clone)]
enum Code {
    /// Of second writes.
    Pair { code: PageCode, work: Box<PairWorkspace> },
    /// Of further writes.
    Group {
        code: GroupCode,
        work: Box<GroupWorkspace>,
        /// Where this write's part of the spare area lies in an image.
        spare: Range<usize>,
        pages: Vec<u8>,
        spares: Vec<u8>,
    },
}

impl fmt::Debug for GroupCells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GroupCells").field("pages", &self.images.len()).finish_non_exhaustive()
    }
}

impl GroupCells {
    /// Second writes, on images of so many bytes.
    pub(in crate::reuse::second_write) fn of_pair(code: &PageCode, image_bytes: usize) -> GroupCells {
        GroupCells {
            page_bytes: code.page_bytes(),
            images: vec![vec![0; image_bytes]; 2],
            code: Code::Pair { code: code.clone(), work: Box::new(PairWorkspace::new(code)) },
        }
    }

    /// Further writes, whose part of the spare area begins at `spare_at` of an image.
    pub(in crate::reuse::second_write) fn of_group(
        code: &GroupCode,
        page_bytes: usize,
        image_bytes: usize,
        spare_at: usize,
    ) -> GroupCells {
        GroupCells {
            page_bytes,
            images: vec![vec![0; image_bytes]; code.pages()],
            code: Code::Group {
                work: Box::new(GroupWorkspace::new(code)),
                spare: spare_at..spare_at + code.spare_bytes(),
                pages: vec![0; code.pages() * page_bytes],
                spares: vec![0; code.pages() * code.spare_bytes()],
                code: code.clone(),
            },
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
        let effort = match attempts {
            Some(attempts) => Effort { attempts, planned: false, repair: false },
            None => Effort::FULL,
        };
        let written = match &mut self.code {
            Code::Pair { code, work } => {
                let [first, second] = self.images.as_mut_slice() else {
                    unreachable!("a pair has two pages")
                };
                let (page_0, spare_0) = first.split_at_mut(self.page_bytes);
                let (page_1, spare_1) = second.split_at_mut(self.page_bytes);
                let mut pair = [PagePair {
                    pages: [page_0, page_1],
                    spares: [spare_0, spare_1],
                    data: page.data,
                    address: page.address,
                    outcome: SecondWrite::Pending,
                }];
                match code.second_write(work, effort, &mut pair) {
                    // A second write was torn here before the drive was mounted, without leaving a
                    // record.
                    Err(CodeError::NotACodeword { .. }) => {}
                    done => done.map_err(code_error)?,
                }
                pair[0].outcome
            }
            Code::Group { code, work, spare, pages, spares } => {
                gather(&self.images, self.page_bytes, spare, (&mut *pages, &mut *spares));
                let cells = (pages.as_mut_slice(), spares.as_mut_slice());
                let written = code.write(work, effort, cells, page.data, page.address).map_err(code_error)?;
                let parts = pages.chunks_exact(self.page_bytes).zip(spares.chunks_exact(spare.len()));
                for (image, (cells, own)) in self.images.iter_mut().zip(parts) {
                    image[..self.page_bytes].copy_from_slice(cells);
                    image[spare.clone()].copy_from_slice(own);
                }
                written
            }
        };
        Ok(match written {
            SecondWrite::Written { tries, .. } => Outcome { failed: tries - 1, success: true },
            SecondWrite::Failed | SecondWrite::Pending => Outcome { failed: effort.attempts, success: false },
        })
    }

    /// Reads the write on the loaded images.
    pub(in crate::reuse::second_write) fn decode(
        &mut self,
        address: u64,
        data: &mut [u8],
    ) -> Result<(), FtlError> {
        match &mut self.code {
            Code::Pair { code, work } => {
                let (page_0, spare_0) = self.images[0].split_at(self.page_bytes);
                let (page_1, spare_1) = self.images[1].split_at(self.page_bytes);
                code.read(work, [page_0, page_1], [spare_0, spare_1], address, data).map_err(code_error)
            }
            Code::Group { code, work, spare, pages, spares } => {
                gather(&self.images, self.page_bytes, spare, (&mut *pages, &mut *spares));
                code.read(work, (pages, spares), address, data).map_err(code_error)
            }
        }
    }
}

/// The cells of all pages in a row, and their parts of the spare areas.
fn gather(
    images: &[Vec<u8>],
    page_bytes: usize,
    spare: &Range<usize>,
    (pages, spares): (&mut [u8], &mut [u8]),
) {
    let parts = pages.chunks_exact_mut(page_bytes).zip(spares.chunks_exact_mut(spare.len()));
    for (image, (cells, own)) in images.iter().zip(parts) {
        cells.copy_from_slice(&image[..page_bytes]);
        own.copy_from_slice(&image[spare.clone()]);
    }
}
