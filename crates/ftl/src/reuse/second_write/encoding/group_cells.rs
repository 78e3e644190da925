//! Second writes on stored cells: the real code on the images of the pages of a pair.

use std::fmt;
use std::ops::Range;

use rewear_codes::CodeError;
use rewear_codes::polar_wom::{Effort, PageCode, PagePair, PairWorkspace, SecondWrite};

use super::pair_cells::PairCells;
use super::{Outcome, PairCode, code_error, first_write};
use crate::error::FtlError;

/// What a reader of a write knows: its place, and its number among the writes of these pages, from 0
/// on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WriteOfPair {
    pub(crate) address: u64,
    pub(crate) write: u8,
}

/// A page for the real cells of a group, whose images were loaded.
#[derive(Debug, Clone, Copy)]
pub(in crate::reuse::second_write) struct PageForCells<'a> {
    pub(in crate::reuse::second_write) data: &'a [u8],
    pub(in crate::reuse::second_write) place: WriteOfPair,
    /// Whether the images are what the cells hold.
    pub(in crate::reuse::second_write) cells_are_known: bool,
}

/// A code, and memory for its work.
#[derive(Clone)]
enum Code {
    Polar { code: Box<PageCode>, work: Box<PairWorkspace> },
    Coset(Box<PairCells>),
}

/// A code, and the pages that it works on.
#[derive(Clone)]
pub(in crate::reuse::second_write) struct GroupCells {
    code: Code,
    /// The image of each page: its cells, then the part of its spare area that codes use.
    images: [Vec<u8>; 2],
}

impl fmt::Debug for GroupCells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GroupCells").field("pages", &self.images.len()).finish_non_exhaustive()
    }
}

impl GroupCells {
    /// On images of so many bytes, of a drive with so many slots.
    pub(in crate::reuse::second_write) fn new(
        code: &PairCode,
        image_bytes: usize,
        slots: usize,
    ) -> GroupCells {
        let code = match code {
            PairCode::Polar(code) => {
                Code::Polar { work: Box::new(PairWorkspace::new(code)), code: Box::new(code.clone()) }
            }
            PairCode::Coset(code) => Code::Coset(Box::new(PairCells::new(code, slots))),
        };
        GroupCells { code, images: [vec![0; image_bytes], vec![0; image_bytes]] }
    }

    /// Memory for the images of the pages of a write.
    pub(in crate::reuse::second_write) fn images(&mut self) -> &mut [Vec<u8>] {
        &mut self.images
    }

    /// Turns the image of an erased page into that of a first write.
    pub(in crate::reuse::second_write) fn write_first(
        &mut self,
        data: &[u8],
        image: &mut [u8],
    ) -> Result<(), FtlError> {
        match &mut self.code {
            Code::Polar { .. } => first_write::encode(data, image),
            Code::Coset(cells) => cells.write_first(data, image).map_err(code_error),
        }
    }

    /// Reads the first write of an image.
    pub(in crate::reuse::second_write) fn read_first(
        &self,
        image: &[u8],
        data: &mut [u8],
    ) -> Result<(), FtlError> {
        match &self.code {
            Code::Polar { .. } => first_write::decode(image, data),
            Code::Coset(cells) => cells.read_first(image, data).map_err(code_error),
        }
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
        let WriteOfPair { address, write } = page.place;
        let (code, work) = match &mut self.code {
            Code::Polar { code, work } => (code, work),
            Code::Coset(cells) => {
                let success =
                    cells.write((address, write), page.data, &mut self.images).map_err(code_error)?;
                return Ok(Outcome { failed: u8::from(!success), success });
            }
        };
        let effort = match attempts {
            Some(attempts) => Effort { attempts, planned: false, repair: false },
            None => Effort::FULL,
        };
        let [first, second] = &mut self.images;
        let (page_0, spare_0) = first.split_at_mut(code.page_bytes());
        let (page_1, spare_1) = second.split_at_mut(code.page_bytes());
        let mut pair = [PagePair {
            pages: [page_0, page_1],
            spares: [spare_0, spare_1],
            data: page.data,
            address,
            outcome: SecondWrite::Pending,
        }];
        match code.second_write(work, effort, &mut pair) {
            // A second write was torn here before the drive was mounted, without leaving a record.
            Err(CodeError::NotACodeword { .. }) => {}
            done => done.map_err(code_error)?,
        }
        Ok(match pair[0].outcome {
            SecondWrite::Written { tries, .. } => Outcome { failed: tries - 1, success: true },
            SecondWrite::Failed | SecondWrite::Pending => Outcome { failed: effort.attempts, success: false },
        })
    }

    /// Reads the write on the loaded images.
    pub(in crate::reuse::second_write) fn decode(
        &mut self,
        WriteOfPair { address, write }: WriteOfPair,
        data: &mut [u8],
    ) -> Result<(), FtlError> {
        let (code, work) = match &mut self.code {
            Code::Polar { code, work } => (code, work),
            Code::Coset(cells) => {
                return cells.read((address, write), &self.images, data).map_err(code_error);
            }
        };
        let [first, second] = &self.images;
        let (page_0, spare_0) = first.split_at(code.page_bytes());
        let (page_1, spare_1) = second.split_at(code.page_bytes());
        let (pages, spares) = ([page_0, page_1], [spare_0, spare_1]);
        code.read(work, pages, spares, address, data).map_err(code_error)
    }

    /// What the code left wrong in a half of a write, for the spare area of its page.
    pub(in crate::reuse::second_write) fn side_of_half(
        &self,
        place: WriteOfPair,
        half: usize,
        side: &mut Vec<u8>,
    ) {
        if let Code::Coset(cells) = &self.code {
            cells.side_of_half(place.address, half, side);
        }
    }

    /// A mount found a half of the write that begins in a slot, with what lies behind its record.
    pub(in crate::reuse::second_write) fn restore_half(&mut self, first: u32, half: usize, side: &[u8]) {
        if let Code::Coset(cells) = &mut self.code {
            cells.restore_half(first, half, side);
        }
    }

    /// The writes that begin in some slots are gone.
    pub(in crate::reuse::second_write) fn erased(&mut self, slots: Range<usize>) {
        if let Code::Coset(cells) = &mut self.code {
            cells.erased(slots);
        }
    }
}
