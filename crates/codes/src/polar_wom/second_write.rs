//! Second writes on real pages and spare areas.

use std::ops::Range;

use super::code::{ATTEMPTS, Plan, Retry};
use super::field::{FIELD_BYTES, Field};
use super::page_code::PageCode;
use super::workspace::{Attempt, Workspace};
use crate::{CodeError, bits};

/// How hard to try.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Effort {
    /// Attempts in all, 1 to 8. The paper makes 2.
    pub attempts: u8,
    /// Start with the attempt that determines the fewest message bits instead of the first one.
    pub planned: bool,
}

impl Effort {
    /// The paper's: one retry on the same pages (section 5.6).
    pub const PAPER: Effort = Effort { attempts: 2, planned: false };
    /// Everything: eight attempts, the best one first.
    pub const FULL: Effort = Effort { attempts: 8, planned: true };
}

/// The outcome of a second write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecondWrite {
    /// The pages and spare areas hold the data.
    Written {
        /// The attempt that succeeded.
        attempt: u8,
        /// Attempts that were made.
        tries: u8,
    },
    /// Every attempt failed; the pages and spare areas are as they were.
    Failed,
}

/// A second write of `data` on two pages.
#[derive(Debug)]
pub struct PagePair<'a> {
    /// The two pages as they are; the result is written over them. A one is a programmed cell.
    pub pages: [&'a mut [u8]; 2],
    /// Their spare areas, at least [`PageCode::spare_bytes`] long.
    pub spares: [&'a mut [u8]; 2],
    /// The data, [`PageCode::page_bytes`] long.
    pub data: &'a [u8],
    /// An address that a reader will know again.
    pub address: u64,
}

/// Memory for second writes and reads with one code.
#[derive(Clone)]
pub struct PairWorkspace {
    polar: Workspace,
    programmed: Vec<u64>,
    message: Vec<u64>,
    cells: Vec<u64>,
}

/// Bytes of the spare area; the field of the first write lies before it.
const SECOND_FIELD: Range<usize> = FIELD_BYTES..2 * FIELD_BYTES;
/// Set in the field of the second page of a pair.
const SECOND_PAGE: u8 = 16;

impl PairWorkspace {
    /// Memory for `code`.
    pub fn new(code: &PageCode) -> PairWorkspace {
        let cell_words = code.polar().cell_words();
        PairWorkspace {
            polar: Workspace::new(code.polar()),
            programmed: vec![0; cell_words],
            message: vec![0; code.polar().message_words()],
            cells: vec![0; cell_words],
        }
    }
}

impl PageCode {
    /// D and the best attempt for two pages as they are, before there is any data: a D of 0 is
    /// certain success.
    ///
    /// # Errors
    /// [`CodeError::Size`] for pages of another size, [`CodeError::Range`] for 0 or more than 8
    /// attempts.
    pub fn plan(&self, work: &mut PairWorkspace, pages: [&[u8]; 2], attempts: u8) -> Result<Plan, CodeError> {
        pages
            .iter()
            .try_for_each(|page| CodeError::check_bytes("the page", page.len(), self.page_bytes()))?;
        let attempts = if self.retry() == Retry::Dither { attempts.min(1) } else { attempts };
        load_pages(&mut work.programmed, pages);
        work.polar.plan(self.polar(), &work.programmed, attempts)
    }

    /// Performs a second write.
    ///
    /// # Errors
    /// [`CodeError::Size`] and [`CodeError::Range`] for buffers or an effort that do not fit,
    /// [`CodeError::NotACodeword`] when a spare area already has data of a second write. Nothing is
    /// written then.
    pub fn second_write(
        &self,
        work: &mut PairWorkspace,
        effort: Effort,
        pair: &mut PagePair<'_>,
    ) -> Result<SecondWrite, CodeError> {
        if !(1..=ATTEMPTS).contains(&effort.attempts) {
            let count = usize::from(ATTEMPTS) + 1;
            return Err(CodeError::Range { what: "attempts", count, got: effort.attempts.into() });
        }
        self.check(pair)?;
        let PairWorkspace { polar, programmed, message, cells } = work;
        load_pages(programmed, [&*pair.pages[0], &*pair.pages[1]]);
        bits::load(message, &pair.data[..self.polar_bytes()]);
        let start = if effort.planned && self.retry() == Retry::Rotation {
            polar.plan(self.polar(), programmed, effort.attempts)?.attempt
        } else {
            0
        };
        for tries in 0..effort.attempts {
            // Every attempt is made once, whichever came first.
            let attempt = (start + tries) % effort.attempts;
            let mut one = Attempt {
                programmed,
                message,
                address: pair.address,
                attempt,
                rotation: self.rotation(attempt),
                cells,
                success: false,
            };
            polar.encode(self.polar(), &mut one)?;
            if one.success {
                self.store(cells, attempt, pair)?;
                return Ok(SecondWrite::Written { attempt, tries: tries + 1 });
            }
        }
        Ok(SecondWrite::Failed)
    }

    /// Writes the result of an attempt to the pages and spare areas.
    fn store(&self, cells: &[u64], attempt: u8, pair: &mut PagePair<'_>) -> Result<(), CodeError> {
        let raw = pair.data[self.polar_bytes()..].chunks_exact(self.raw_bytes().max(1));
        for (page, cells) in pair.pages.iter_mut().zip(cells.chunks_exact(cells.len() / 2)) {
            bits::store(page, cells);
        }
        for (spare, raw) in pair.spares.iter_mut().zip(raw) {
            spare[2 * FIELD_BYTES..self.spare_bytes()].copy_from_slice(raw);
        }
        for (spare, page) in pair.spares.iter_mut().zip([0, SECOND_PAGE]) {
            spare[SECOND_FIELD].copy_from_slice(&Field::new((attempt + 1) | page)?.to_cells());
        }
        Ok(())
    }

    /// Reads the data of a second write.
    ///
    /// # Errors
    /// [`CodeError::Size`] for buffers that do not fit. [`CodeError::NotACodeword`] when the fields
    /// are not those of a second write on these two pages in this order, or have more than three
    /// wrong bits each. Wrong bits elsewhere give wrong data.
    pub fn read(
        &self,
        work: &mut PairWorkspace,
        pages: [&[u8]; 2],
        spares: [&[u8]; 2],
        address: u64,
        data: &mut [u8],
    ) -> Result<(), CodeError> {
        CodeError::check_bytes("the data", data.len(), self.page_bytes())?;
        pages
            .iter()
            .try_for_each(|page| CodeError::check_bytes("the page", page.len(), self.page_bytes()))?;
        spares.iter().try_for_each(|spare| self.check_spare(spare.len()))?;
        let attempt = self.read_attempt(spares)?;
        load_pages(&mut work.cells, pages);
        let (polar, rotation) = (self.polar(), self.rotation(attempt));
        work.polar.decode_rotated(polar, &work.cells, address, attempt, rotation, &mut work.message)?;
        let (coded, raw) = data.split_at_mut(self.polar_bytes());
        bits::store(coded, &work.message);
        for (raw, spare) in raw.chunks_exact_mut(self.raw_bytes().max(1)).zip(spares) {
            raw.copy_from_slice(&spare[2 * FIELD_BYTES..self.spare_bytes()]);
        }
        Ok(())
    }

    /// The attempt in the second-write fields; one readable field is enough.
    fn read_attempt(&self, spares: [&[u8]; 2]) -> Result<u8, CodeError> {
        let fields = [0, 1].map(|i| {
            let cells = [spares[i][SECOND_FIELD.start], spares[i][SECOND_FIELD.start + 1]];
            let first_cell = 8 * (self.page_bytes() + SECOND_FIELD.start);
            let number = Field::from_cells(cells, first_cell)?.number();
            let page = if i == 0 { 0 } else { SECOND_PAGE };
            let attempt = (number ^ page).wrapping_sub(1);
            let error =
                CodeError::NotACodeword { code: "a second write", cell: first_cell, found: number.into() };
            if attempt < ATTEMPTS { Ok(attempt) } else { Err(error) }
        });
        match fields {
            [Ok(a), Ok(b)] if a == b => Ok(a),
            [Ok(a), Ok(_)] => {
                let cell = 8 * (self.page_bytes() + SECOND_FIELD.start);
                Err(CodeError::NotACodeword { code: "a pair of second writes", cell, found: a.into() })
            }
            [Ok(a), Err(_)] | [Err(_), Ok(a)] => Ok(a),
            [Err(error), Err(_)] => Err(error),
        }
    }

    fn check(&self, pair: &PagePair<'_>) -> Result<(), CodeError> {
        CodeError::check_bytes("the data", pair.data.len(), self.page_bytes())?;
        for page in &pair.pages {
            CodeError::check_bytes("the page", page.len(), self.page_bytes())?;
        }
        for spare in &pair.spares {
            self.check_spare(spare.len())?;
            let written = &spare[SECOND_FIELD.start..self.spare_bytes()];
            if let Some(i) = written.iter().position(|byte| *byte != 0) {
                let cell = 8 * (self.page_bytes() + SECOND_FIELD.start + i);
                let found = written[i].into();
                return Err(CodeError::NotACodeword { code: "a clean spare area", cell, found });
            }
        }
        Ok(())
    }

    fn check_spare(&self, got: usize) -> Result<(), CodeError> {
        let expected = self.spare_bytes();
        if got >= expected {
            return Ok(());
        }
        Err(CodeError::Size { what: "the spare area (at least)", unit: "bytes", expected, got })
    }
}

fn load_pages(words: &mut [u64], pages: [&[u8]; 2]) {
    let half = words.len() / 2;
    for (words, page) in words.chunks_exact_mut(half).zip(pages) {
        bits::load(words, page);
    }
}
