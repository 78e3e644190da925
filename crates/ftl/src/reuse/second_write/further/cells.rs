//! Third and fourth writes on stored cells.

use std::fmt;

use rewear_codes::CodeError;
use rewear_codes::polar_wom::{Effort, GroupCode, GroupWorkspace, SecondWrite};

use crate::error::FtlError;
use crate::reuse::second_write::encoding::Tried;
use crate::state::State;
use crate::state::groups::Group;

/// A code, and memory for its work.
#[derive(Clone)]
pub(crate) struct GroupCells {
    code: GroupCode,
    work: GroupWorkspace,
    /// The image of each page: its cells, then the part of its spare area that codes use.
    images: Vec<Vec<u8>>,
    /// Where this write's part of the spare area begins in an image.
    spare_at: usize,
    page_bytes: usize,
    pages: Vec<u8>,
    spares: Vec<u8>,
}

impl fmt::Debug for GroupCells {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GroupCells").field("code", &self.code).finish_non_exhaustive()
    }
}

impl GroupCells {
    pub(in crate::reuse::second_write) fn new(
        code: &GroupCode,
        page_bytes: usize,
        image_bytes: usize,
        spare_at: usize,
    ) -> GroupCells {
        GroupCells {
            work: GroupWorkspace::new(code),
            images: vec![vec![0; image_bytes]; code.pages()],
            spare_at,
            page_bytes,
            pages: vec![0; code.pages() * page_bytes],
            spares: vec![0; code.pages() * code.spare_bytes()],
            code: code.clone(),
        }
    }

    /// Puts a write of `data` on a slot of the group's units, as [`Cells::encode`](super::super::Cells) does;
    /// [`raise`](Self::raise) must follow if it succeeded.
    pub(super) fn encode(
        &mut self,
        state: &State,
        (group, slot): (&Group, u32),
        data: &[u8],
        attempts: Option<u8>,
    ) -> Result<Tried, FtlError> {
        self.load(state, group, slot)?;
        let effort = match attempts {
            Some(attempts) => Effort { attempts, planned: false, repair: false },
            None => Effort::FULL,
        };
        let cells = (self.pages.as_mut_slice(), self.spares.as_mut_slice());
        let address = u64::from(state.layout.ppn(group.first(), slot));
        let done = self.code.write(&mut self.work, effort, cells, data, address).map_err(code_error)?;
        Ok(match done {
            SecondWrite::Written { tries, .. } => Tried { failed: tries - 1, success: true },
            SecondWrite::Failed | SecondWrite::Pending => Tried { failed: effort.attempts, success: false },
        })
    }

    /// Raises the cells of the pages to what was encoded for them; the program must follow.
    pub(super) fn raise(&mut self, state: &mut State, group: &Group, slot: u32) -> Result<(), FtlError> {
        let spare = self.spare_at..self.spare_at + self.code.spare_bytes();
        let pages = self.pages.chunks_exact(self.page_bytes);
        let spares = self.spares.chunks_exact(self.code.spare_bytes());
        for ((&unit, image), (cells, own)) in
            group.units().iter().zip(&mut self.images).zip(pages.zip(spares))
        {
            image[..self.page_bytes].copy_from_slice(cells);
            image[spare.clone()].copy_from_slice(own);
            state.array.raise_cells(state.layout.address(unit, slot), image, &[])?;
        }
        Ok(())
    }

    /// Reads the write on a slot of the group's units.
    pub(crate) fn decode(
        &mut self,
        state: &State,
        group: &Group,
        slot: u32,
        data: &mut [u8],
    ) -> Result<(), FtlError> {
        self.load(state, group, slot)?;
        let address = u64::from(state.layout.ppn(group.first(), slot));
        self.code.read(&mut self.work, (&self.pages, &self.spares), address, data).map_err(code_error)
    }

    fn load(&mut self, state: &State, group: &Group, slot: u32) -> Result<(), FtlError> {
        let spare = self.spare_at..self.spare_at + self.code.spare_bytes();
        let pages = self.pages.chunks_exact_mut(self.page_bytes);
        let spares = self.spares.chunks_exact_mut(self.code.spare_bytes());
        for ((&unit, image), (cells, own)) in
            group.units().iter().zip(&mut self.images).zip(pages.zip(spares))
        {
            state.array.load_cells(state.layout.address(unit, slot), image)?;
            cells.copy_from_slice(&image[..self.page_bytes]);
            own.copy_from_slice(&image[spare.clone()]);
        }
        Ok(())
    }
}

#[allow(clippy::needless_pass_by_value)] // The shape `map_err` asks for.
fn code_error(error: CodeError) -> FtlError {
    FtlError::Code(error.to_string())
}
