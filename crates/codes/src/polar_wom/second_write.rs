//! Second writes on real pages and spare areas.

use std::ops::Range;

use super::code::{ATTEMPTS, Plan, PolarWom};
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
    /// After all attempts have failed, repair the conflicts of the best one.
    pub repair: bool,
}

impl Effort {
    /// The paper's: one retry on the same pages (section 5.6).
    pub const PAPER: Effort = Effort { attempts: 2, planned: false, repair: false };
    /// Everything: the best of eight attempts, repaired if it fails.
    pub const FULL: Effort = Effort { attempts: 8, planned: true, repair: true };
}

/// The outcome of a second write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecondWrite {
    /// Not tried yet.
    Pending,
    /// The pages and spare areas hold the data.
    Written {
        /// The attempt that succeeded.
        attempt: u8,
        /// Attempts that were made, a repair counting as one.
        tries: u8,
        /// Whether it took a repair.
        repaired: bool,
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
    /// The result.
    pub outcome: SecondWrite,
}

/// Memory for second writes and reads with one code.
#[derive(Clone)]
pub struct PairWorkspace {
    polar: Workspace,
    slots: Vec<Slot>,
}

/// The bitmaps of one pair at work.
#[derive(Clone)]
struct Slot {
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
        let polar = Workspace::new(code.polar());
        let (cell_words, message_words) = (code.polar().cell_words(), code.polar().message_words());
        let slot = |_| Slot {
            programmed: vec![0; cell_words],
            message: vec![0; message_words],
            cells: vec![0; cell_words],
        };
        PairWorkspace { slots: (0..polar.batch()).map(slot).collect(), polar }
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
        let attempts = if self.retry() == super::Retry::Dither { attempts.min(1) } else { attempts };
        let programmed = &mut work.slots[0].programmed;
        load_pages(programmed, pages);
        work.polar.plan(self.polar(), programmed, attempts)
    }

    /// Performs second writes; the first attempts of as many pairs as there are vector lanes are
    /// made side by side.
    ///
    /// # Errors
    /// [`CodeError::Size`] and [`CodeError::Range`] for buffers or an effort that do not fit,
    /// [`CodeError::NotACodeword`] when a spare area already has data of a second write. Nothing is
    /// written then.
    pub fn second_write(
        &self,
        work: &mut PairWorkspace,
        effort: Effort,
        pairs: &mut [PagePair<'_>],
    ) -> Result<(), CodeError> {
        if !(1..=ATTEMPTS).contains(&effort.attempts) {
            return Err(CodeError::Range { what: "attempts", count: 9, got: effort.attempts.into() });
        }
        self.check(pairs)?;
        let batch = work.slots.len();
        for pairs in pairs.chunks_mut(batch) {
            self.write_batch(work, effort, pairs)?;
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
        let slot = &mut work.slots[0];
        load_pages(&mut slot.cells, pages);
        let (polar, rotation) = (self.polar(), self.rotation(attempt));
        work.polar.decode_rotated(polar, &slot.cells, address, attempt, rotation, &mut slot.message)?;
        let (coded, raw) = data.split_at_mut(self.polar_bytes());
        bits::store(coded, &slot.message);
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

    fn check(&self, pairs: &[PagePair<'_>]) -> Result<(), CodeError> {
        for pair in pairs {
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

    fn write_batch(
        &self,
        work: &mut PairWorkspace,
        effort: Effort,
        pairs: &mut [PagePair<'_>],
    ) -> Result<(), CodeError> {
        let PairWorkspace { polar, slots } = work;
        let mut starts = [0; MAX_BATCH];
        for ((pair, slot), start) in pairs.iter().zip(slots.iter_mut()).zip(&mut starts) {
            load_pages(&mut slot.programmed, [&*pair.pages[0], &*pair.pages[1]]);
            bits::load(&mut slot.message, &pair.data[..self.polar_bytes()]);
            if effort.planned && self.retry() == super::Retry::Rotation {
                *start = polar.plan(self.polar(), &slot.programmed, effort.attempts)?.attempt;
            }
        }
        let mut tries: Vec<Attempt<'_>> = pairs
            .iter()
            .zip(slots.iter_mut())
            .zip(&starts)
            .map(|((pair, slot), start)| self.attempt(slot, pair.address, *start))
            .collect();
        polar.encode(self.polar(), &mut tries)?;
        for ((pair, one), start) in pairs.iter_mut().zip(tries).zip(starts) {
            pair.outcome = self.finish(polar, effort, one, start, pair)?;
        }
        Ok(())
    }

    fn attempt<'a>(&self, slot: &'a mut Slot, address: u64, attempt: u8) -> Attempt<'a> {
        Attempt {
            programmed: &slot.programmed,
            message: &slot.message,
            address,
            attempt,
            rotation: self.rotation(attempt),
            cells: &mut slot.cells,
            success: false,
        }
    }

    /// Retries and repairs after the first attempt, and writes the result to the pages.
    fn finish(
        &self,
        polar: &mut Workspace,
        effort: Effort,
        mut one: Attempt<'_>,
        start: u8,
        pair: &mut PagePair<'_>,
    ) -> Result<SecondWrite, CodeError> {
        let (tries, repaired) =
            persist(polar, self.polar(), effort, &mut one, start, |attempt| self.rotation(attempt))?;
        if !one.success {
            return Ok(SecondWrite::Failed);
        }
        let half = one.cells.len() / 2;
        let raw = pair.data[self.polar_bytes()..].chunks_exact(self.raw_bytes().max(1));
        for (page, cells) in pair.pages.iter_mut().zip(one.cells.chunks_exact(half)) {
            bits::store(page, cells);
        }
        for (spare, raw) in pair.spares.iter_mut().zip(raw) {
            spare[2 * FIELD_BYTES..self.spare_bytes()].copy_from_slice(raw);
        }
        for (spare, page) in pair.spares.iter_mut().zip([0, SECOND_PAGE]) {
            spare[SECOND_FIELD].copy_from_slice(&Field::new((one.attempt + 1) | page)?.to_cells());
        }
        Ok(SecondWrite::Written { attempt: one.attempt, tries, repaired })
    }
}

/// Attempts behind a first one that failed: the others, each once, and the repair of the first.
/// Returns the tries in all, and whether it was repaired.
fn persist(
    work: &mut Workspace,
    code: &PolarWom,
    effort: Effort,
    one: &mut Attempt<'_>,
    start: u8,
    rotation: impl Fn(u8) -> u8,
) -> Result<(u8, bool), CodeError> {
    let (mut tries, mut repaired) = (1, false);
    while !one.success && tries < effort.attempts {
        // Every attempt is made once, whichever came first.
        one.attempt = (start + tries) % effort.attempts;
        one.rotation = rotation(one.attempt);
        work.encode(code, std::slice::from_mut(one))?;
        tries += 1;
    }
    if !one.success && effort.repair {
        one.attempt = start;
        one.rotation = rotation(start);
        work.repair(code, one)?;
        (tries, repaired) = (tries + 1, true);
    }
    Ok((tries, repaired))
}

/// The most pairs side by side, whatever the processor.
const MAX_BATCH: usize = 16;

fn load_pages(words: &mut [u64], pages: [&[u8]; 2]) {
    let half = words.len() / 2;
    for (words, page) in words.chunks_exact_mut(half).zip(pages) {
        bits::load(words, page);
    }
}
