//! Third and fourth writes on real pages and spare areas: one page of data on four or eight pages
//! that were written two or three times. Section 7 of `second-write` names them as future work.

use super::code::PolarWom;
use super::field::{FIELD_BYTES, Field};
use super::second_write::{Effort, SecondWrite, persist};
use super::workspace::{Attempt, Workspace};
use crate::{CodeError, bits};

/// What a further write makes of the cells that the writes before it left.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GroupPreset {
    /// Pages for the data of one.
    pub pages: usize,
    /// Share of the cells that is programmed before it, where every write before it was made with
    /// its own preset ([`Preset::PaperP95`](super::Preset) for second writes); measured by `cargo
    /// run --release -p rewear-codes --example group_codes`.
    pub programmed_share: f64,
    /// Bytes of the data in the spare area of each page, of pages of 4096 bytes.
    pub raw_of_4096: usize,
}

impl GroupPreset {
    /// Third writes: 88.4% of the data in the code, as in second writes.
    pub const THIRD: GroupPreset = GroupPreset { pages: 4, programmed_share: 0.733, raw_of_4096: 119 };
    /// Fourth writes: 90% of the data in the code.
    pub const FOURTH: GroupPreset = GroupPreset { pages: 8, programmed_share: 0.853, raw_of_4096: 51 };

    /// Spare bytes that each page of `page_bytes` bytes contributes.
    pub fn raw_bytes(&self, page_bytes: usize) -> usize {
        (page_bytes * self.raw_of_4096).div_ceil(4096)
    }
}

/// A write of one page's data on a group of pages: the polar code on their cells, the rest raw in
/// their spare areas.
///
/// The part of a spare area that belongs to one such write: a field with the attempt, then the raw
/// bytes.
#[derive(Debug, Clone)]
pub struct GroupCode {
    polar: PolarWom,
    page_bytes: usize,
    pages: usize,
    raw_bytes: usize,
}

/// Memory for writes and reads with one code.
#[derive(Clone)]
pub struct GroupWorkspace {
    polar: Workspace,
    programmed: Vec<u64>,
    message: Vec<u64>,
    cells: Vec<u64>,
}

impl GroupWorkspace {
    /// Memory for `code`.
    pub fn new(code: &GroupCode) -> GroupWorkspace {
        let words = code.polar.cell_words();
        GroupWorkspace {
            polar: Workspace::new(&code.polar),
            programmed: vec![0; words],
            message: vec![0; code.polar.message_words()],
            cells: vec![0; words],
        }
    }
}

impl GroupCode {
    /// The code of a preset for pages of `page_bytes` bytes.
    ///
    /// # Errors
    /// [`CodeError::Parameters`] for a page size that is no power of two, or groups of fewer than
    /// 64 or more than 2^20 cells.
    pub fn new(page_bytes: usize, preset: GroupPreset) -> Result<GroupCode, CodeError> {
        let raw_bytes = preset.raw_bytes(page_bytes);
        let polar_bits = 8 * page_bytes.saturating_sub(preset.pages * raw_bytes);
        let cells = 8 * page_bytes * preset.pages;
        let polar = PolarWom::for_programmed_share(cells, polar_bits, preset.programmed_share)?;
        Ok(GroupCode { polar, page_bytes, pages: preset.pages, raw_bytes })
    }

    /// The code on the cells of the pages, one page after the other.
    pub fn polar(&self) -> &PolarWom {
        &self.polar
    }

    /// Pages of a group.
    pub fn pages(&self) -> usize {
        self.pages
    }

    /// Bytes of the spare area of each page.
    pub fn spare_bytes(&self) -> usize {
        FIELD_BYTES + self.raw_bytes
    }

    /// Writes `data` on the pages and their parts of the spare areas, each one after the other. The
    /// effort says how often it is tried; the result is written over the old content if it
    /// succeeds.
    ///
    /// # Errors
    /// [`CodeError::Size`] and [`CodeError::Range`] for buffers or an effort that do not fit,
    /// [`CodeError::NotACodeword`] when a spare area has data of such a write already. Nothing is
    /// written then.
    pub fn write(
        &self,
        work: &mut GroupWorkspace,
        effort: Effort,
        (pages, spares): (&mut [u8], &mut [u8]),
        data: &[u8],
        address: u64,
    ) -> Result<SecondWrite, CodeError> {
        self.check(pages, spares, data)?;
        if let Some(cell) = spares.iter().position(|&byte| byte != 0) {
            let found = spares[cell].into();
            return Err(CodeError::NotACodeword { code: "a clean spare area", cell: 8 * cell, found });
        }
        bits::load(&mut work.programmed, pages);
        bits::load(&mut work.message, &data[..self.polar_bytes()]);
        let start = match effort.planned {
            true => work.polar.plan(&self.polar, &work.programmed, effort.attempts)?.attempt,
            false => 0,
        };
        let mut one = Attempt {
            programmed: &work.programmed,
            message: &work.message,
            address,
            attempt: start,
            rotation: start,
            cells: &mut work.cells,
            success: false,
        };
        work.polar.encode(&self.polar, std::slice::from_mut(&mut one))?;
        let (tries, repaired) =
            persist(&mut work.polar, &self.polar, effort, &mut one, start, |attempt| attempt)?;
        if !one.success {
            return Ok(SecondWrite::Failed);
        }
        let field = Field::new(one.attempt + 1)?.to_cells();
        bits::store(pages, one.cells);
        let raw = data[self.polar_bytes()..].chunks_exact(self.raw_bytes.max(1));
        for spare in spares.chunks_exact_mut(self.spare_bytes()) {
            spare[..FIELD_BYTES].copy_from_slice(&field);
        }
        for (spare, raw) in spares.chunks_exact_mut(self.spare_bytes()).zip(raw) {
            spare[FIELD_BYTES..].copy_from_slice(raw);
        }
        Ok(SecondWrite::Written { attempt: one.attempt, tries, repaired })
    }

    /// Reads what was written.
    ///
    /// # Errors
    /// [`CodeError::Size`] for buffers that do not fit; [`CodeError::NotACodeword`] when no field
    /// can be read.
    pub fn read(
        &self,
        work: &mut GroupWorkspace,
        (pages, spares): (&[u8], &[u8]),
        address: u64,
        data: &mut [u8],
    ) -> Result<(), CodeError> {
        self.check(pages, spares, data)?;
        let attempt = self.read_attempt(spares)?;
        bits::load(&mut work.cells, pages);
        work.polar.decode(&self.polar, &work.cells, address, attempt, &mut work.message)?;
        let (coded, raw) = data.split_at_mut(self.polar_bytes());
        bits::store(coded, &work.message);
        for (raw, spare) in
            raw.chunks_exact_mut(self.raw_bytes.max(1)).zip(spares.chunks_exact(self.spare_bytes()))
        {
            raw.copy_from_slice(&spare[FIELD_BYTES..]);
        }
        Ok(())
    }

    /// The attempt; one readable field is enough.
    fn read_attempt(&self, spares: &[u8]) -> Result<u8, CodeError> {
        let mut result = Err(CodeError::NotACodeword { code: "a further write", cell: 0, found: 0 });
        for (index, spare) in spares.chunks_exact(self.spare_bytes()).enumerate() {
            let first_cell = 8 * index * self.spare_bytes();
            result = Field::from_cells([spare[0], spare[1]], first_cell).and_then(|field| {
                let found = field.number().into();
                let attempt = field.number().wrapping_sub(1);
                let error = CodeError::NotACodeword { code: "a further write", cell: first_cell, found };
                if attempt < super::ATTEMPTS { Ok(attempt) } else { Err(error) }
            });
            if result.is_ok() {
                break;
            }
        }
        result
    }

    fn polar_bytes(&self) -> usize {
        self.page_bytes - self.pages * self.raw_bytes
    }

    fn check(&self, pages: &[u8], spares: &[u8], data: &[u8]) -> Result<(), CodeError> {
        CodeError::check_bytes("the data", data.len(), self.page_bytes)?;
        CodeError::check_bytes("the pages", pages.len(), self.pages * self.page_bytes)?;
        CodeError::check_bytes("the spare areas", spares.len(), self.pages * self.spare_bytes())
    }
}
