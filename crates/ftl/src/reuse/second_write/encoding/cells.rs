//! First and second writes on stored cells: the image of a page is its cells, then the part of its spare area that the
//! code uses.

use std::fmt;

use rewear_codes::CodeError;
use rewear_codes::polar_wom::{
    Effort, FIELD_BYTES, PageCode, PagePair, PairWorkspace, SecondWrite, first_write, read_first_write,
};

use super::Tried;
use crate::error::FtlError;

/// The code, and memory for its work.
#[derive(Clone)]
pub(crate) struct Cells {
    code: PageCode,
    work: PairWorkspace,
    images: [Vec<u8>; 2],
}

impl fmt::Debug for Cells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cells").field("code", &self.code).finish_non_exhaustive()
    }
}

impl Cells {
    /// Images have `further_bytes` beside those of first and second writes.
    pub(crate) fn new(code: &PageCode, further_bytes: usize) -> Cells {
        let image = vec![0; image_bytes(code) + further_bytes];
        Cells { code: code.clone(), work: PairWorkspace::new(code), images: [image.clone(), image] }
    }

    /// Memory for the images of the two halves of a second write.
    pub(crate) fn images(&mut self) -> &mut [Vec<u8>; 2] {
        &mut self.images
    }

    /// Puts a second write of `data` on the two images, in up to `attempts` attempts. Where the outcome was drawn
    /// already (`attempts` is `None`) nothing is left untried to bring about a success.
    pub(crate) fn encode(
        &mut self,
        data: &[u8],
        address: u64,
        attempts: Option<u8>,
    ) -> Result<Tried, FtlError> {
        let effort = match attempts {
            Some(attempts) => Effort { attempts, planned: false, repair: false },
            None => Effort::FULL,
        };
        let page_bytes = self.code.page_bytes();
        let [first, second] = &mut self.images;
        let (page_0, spare_0) = first.split_at_mut(page_bytes);
        let (page_1, spare_1) = second.split_at_mut(page_bytes);
        let mut pair = [PagePair {
            pages: [page_0, page_1],
            spares: [spare_0, spare_1],
            data,
            address,
            outcome: SecondWrite::Pending,
        }];
        match self.code.second_write(&mut self.work, effort, &mut pair) {
            // A second write was torn here before the drive was mounted, without leaving a record.
            Err(CodeError::NotACodeword { .. }) => {}
            done => done.map_err(code_error)?,
        }
        Ok(match pair[0].outcome {
            SecondWrite::Written { tries, .. } => Tried { failed: tries - 1, success: true },
            SecondWrite::Failed | SecondWrite::Pending => Tried { failed: effort.attempts, success: false },
        })
    }

    /// Reads the second write on the two images.
    pub(crate) fn decode(&mut self, address: u64, data: &mut [u8]) -> Result<(), FtlError> {
        let page_bytes = self.code.page_bytes();
        let (page_0, spare_0) = self.images[0].split_at(page_bytes);
        let (page_1, spare_1) = self.images[1].split_at(page_bytes);
        self.code
            .read(&mut self.work, [page_0, page_1], [spare_0, spare_1], address, data)
            .map_err(code_error)
    }
}

/// Bytes of a page's image that first and second writes use.
pub(crate) fn image_bytes(code: &PageCode) -> usize {
    code.page_bytes() + code.spare_bytes()
}

/// Turns the image of an erased page into that of a first write: at most half of its cells are programmed.
pub(crate) fn encode_first(data: &[u8], image: &mut [u8]) -> Result<(), FtlError> {
    let (page, spare) = image.split_at_mut(data.len());
    let mut field = [0; FIELD_BYTES];
    first_write(data, page, &mut field).map_err(code_error)?;
    spare[..FIELD_BYTES].copy_from_slice(&field);
    Ok(())
}

/// Reads the first write of an image.
pub(crate) fn decode_first(image: &[u8], data: &mut [u8]) -> Result<(), FtlError> {
    let (page, spare) = image.split_at(data.len());
    let mut field = [0; FIELD_BYTES];
    field.copy_from_slice(&spare[..FIELD_BYTES]);
    read_first_write(page, field, data).map_err(code_error)
}

#[allow(clippy::needless_pass_by_value)] // The shape `map_err` asks for.
fn code_error(error: CodeError) -> FtlError {
    FtlError::Code(error.to_string())
}
