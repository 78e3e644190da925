//! The word lines of MLC blocks: low pages programmed again in place, and the orders that corrupt
//! nothing.
//!
//! Two pages share the cells of a word line (`seal`: Margaglia and Brinkmann, MSST '15, section
//! III). A block is written in ascending order of its pages, as the manufacturer says. Or first all
//! low pages are, each programmed again as often as the limit says, and then, once, the high pages.
//! [`rewear_codes::mlc_cell`] is the cell behind the rule: every order admitted here is one that it
//! finds no corruption for.

use std::ops::Range;

use rewear_codes::mlc_cell::{Page, Refusal, corrupted_cells};

use crate::config::FlashConfig;
use crate::error::{ConfigError, Illegal};
use crate::page_kind::PageKinds;
use crate::{Address, Geometry};

/// Where a page of a block lies among the word lines.
#[derive(Debug, Clone, Copy)]
struct Place {
    page: Page,
    /// Word line: its number among the pages of its kind.
    word_line: u32,
    /// Pages of the other kind that the manufacturer's order programs before it.
    others_before: u32,
}

/// Pages of each kind that were programmed since the erase; both kinds go in ascending order.
#[derive(Debug, Clone, Copy, Default)]
struct Progress {
    low: u32,
    high: u32,
}

/// What is programmed in the blocks of an array under
/// [`ProgramAgain::LowPages`](crate::ProgramAgain::LowPages).
#[derive(Debug, Clone)]
pub(crate) struct WordLines {
    places: Vec<Place>,
    /// Page with which each page shares its cells.
    partners: Vec<u32>,
    limit: u16,
    blocks: Vec<Progress>,
    /// Programs of each page since its erase.
    programs: Vec<u16>,
}

impl WordLines {
    /// Erased blocks whose low pages take `limit` programs.
    pub(crate) fn new(
        config: &FlashConfig,
        geometry: &Geometry,
        limit: u16,
    ) -> Result<WordLines, ConfigError> {
        let refused = |problem: String| {
            ConfigError::new(
                "flash.bits_per_cell",
                problem,
                "use cells of 2 bits and blocks of whole word lines",
            )
        };
        if config.bits_per_cell != 2 {
            let bits = config.bits_per_cell;
            return Err(refused(format!("low pages are programmed again in cells of 2 bits, not of {bits}")));
        }
        if !config.pages_per_block.is_multiple_of(2) {
            return Err(refused(format!("{} pages of a block do not make pairs", config.pages_per_block)));
        }
        let kinds = PageKinds::new(config.page_order, 2, config.pages_per_block)?;
        let mut seen = [0u32; 2];
        let mut numbers = [Vec::new(), Vec::new()];
        let mut places = Vec::new();
        for (number, kind) in (0u32..).zip(kinds.iter()) {
            let page = if kind == 0 { Page::Low } else { Page::High };
            places.push(Place { page, word_line: seen[kind], others_before: seen[1 - kind] });
            seen[kind] += 1;
            numbers[kind].push(number);
        }
        let partners = places
            .iter()
            .map(|place| numbers[usize::from(place.page == Page::Low)][place.word_line as usize])
            .collect();
        Ok(WordLines {
            places,
            partners,
            limit,
            blocks: vec![Progress::default(); geometry.blocks() as usize],
            programs: vec![0; geometry.pages() as usize],
        })
    }

    /// Bytes of memory that they take.
    pub(crate) fn model_bytes(geometry: &Geometry) -> u64 {
        geometry.pages() * size_of::<u16>() as u64
            + u64::from(geometry.blocks()) * size_of::<Progress>() as u64
    }

    /// Programs of a page since its erase, or why it may not be programmed now.
    pub(crate) fn check(&self, at: Address) -> Result<u32, Illegal> {
        let Some(&place) = self.places.get(at.page as usize) else { return Err(Illegal::Outside { at }) };
        let Progress { low, high } = self.blocks[at.block as usize];
        let programs = u32::from(self.programs[self.index(at)]);
        let others = if place.page == Page::Low { high } else { low };
        let next = if place.page == Page::Low { low } else { high };
        let out_of_order = || Err(Illegal::OutOfOrder { at, expected: self.number_of(place.page, next) });
        match place.page {
            Page::High if place.word_line < high => {
                Err(Illegal::Corrupts { at, refusal: Refusal::HighTwice })
            }
            Page::High if place.word_line > high || others < place.others_before => out_of_order(),
            Page::Low if place.word_line < high => {
                Err(Illegal::Corrupts { at, refusal: Refusal::LowAfterHigh })
            }
            Page::Low if place.word_line < low && high > 0 => Err(Illegal::Sealed { at }),
            Page::Low if place.word_line < low && programs >= u32::from(self.limit) => {
                Err(Illegal::ProgrammedBefore { at, programs, limit: u32::from(self.limit) })
            }
            Page::Low if place.word_line > low => out_of_order(),
            Page::Low if place.word_line == low && high > 0 && others != place.others_before => {
                out_of_order()
            }
            Page::Low | Page::High => Ok(programs),
        }
    }

    /// Notes a program; returns how often the page was programmed before, or why it may not be
    /// programmed.
    #[inline]
    pub(crate) fn program(&mut self, at: Address) -> Result<u32, Illegal> {
        if self.is_next(at.block, at.page) {
            self.program_row(at.block, at.page..at.page + 1);
            return Ok(0);
        }
        self.program_out_of_turn(at)
    }

    /// Whether a page is the next in the manufacturer's order, of a block that was written in that
    /// order so far.
    #[inline]
    pub(crate) fn is_next(&self, block: u32, page: u32) -> bool {
        let Some(place) = self.places.get(page as usize) else { return false };
        let Progress { low, high } = self.blocks[block as usize];
        let (own, others) = if place.page == Page::Low { (low, high) } else { (high, low) };
        (own, others) == (place.word_line, place.others_before)
    }

    /// Notes programs of the next pages in the manufacturer's order.
    #[inline]
    pub(crate) fn program_row(&mut self, block: u32, pages: Range<u32>) {
        let progress = &mut self.blocks[block as usize];
        let first = block as usize * self.places.len();
        for page in pages.start as usize..pages.end as usize {
            match self.places[page].page {
                Page::Low => progress.low += 1,
                Page::High => progress.high += 1,
            }
            self.programs[first + page] += 1;
        }
    }

    /// As [`program`](Self::program), of a page that is not the next in the manufacturer's order.
    #[inline(never)]
    fn program_out_of_turn(&mut self, at: Address) -> Result<u32, Illegal> {
        let before = self.check(at)?;
        let index = self.index(at);
        self.programs[index] += 1;
        if before == 0 {
            let progress = &mut self.blocks[at.block as usize];
            match self.places[at.page as usize].page {
                Page::Low => progress.low += 1,
                Page::High => progress.high += 1,
            }
        }
        Ok(before)
    }

    /// Whether a page was programmed since its erase.
    #[inline]
    pub(crate) fn is_programmed(&self, at: Address) -> bool {
        at.page < self.places.len() as u32 && self.programs[self.index(at)] > 0
    }

    /// Programs of each page of a block since its erase.
    pub(crate) fn programs_of(&self, block: u32) -> &[u16] {
        &self.programs[block as usize * self.places.len()..][..self.places.len()]
    }

    /// All cells of a block are erased.
    pub(crate) fn erase(&mut self, block: u32) {
        self.blocks[block as usize] = Progress::default();
        let first = block as usize * self.places.len();
        self.programs[first..first + self.places.len()].fill(0);
    }

    /// Says how often each page of a block was programmed before the drive was mounted.
    pub(crate) fn restore(&mut self, block: u32, programs: &[u16]) {
        let first = block as usize * self.places.len();
        self.programs[first..first + programs.len()].copy_from_slice(programs);
        let behind_last = |wanted: Page| {
            let programmed = self.places.iter().zip(programs).filter(|(_, programs)| **programs > 0);
            let lines =
                programmed.filter(|(place, _)| place.page == wanted).map(|(place, _)| place.word_line + 1);
            lines.max().unwrap_or(0)
        };
        self.blocks[block as usize] = Progress { low: behind_last(Page::Low), high: behind_last(Page::High) };
    }

    /// Pages of a block that were programmed since its erase.
    pub(crate) fn programmed_pages(&self, block: u32) -> u32 {
        let Progress { low, high } = self.blocks[block as usize];
        low + high
    }

    /// The page that shares its cells with a page.
    pub(crate) fn partner(&self, at: Address) -> Address {
        Address { page: self.partners[at.page as usize], ..at }
    }

    /// The first cell that programming `new` would corrupt. `old` and `partner` are the levels of
    /// the page and of the page that shares its cells; level 0 is a bit that reads 1.
    pub(crate) fn first_corrupted(&self, at: Address, old: &[u8], partner: &[u8], new: &[u8]) -> Option<u32> {
        let Place { page, word_line, .. } = self.places[at.page as usize];
        let high_programmed = word_line < self.blocks[at.block as usize].high;
        let mut bytes = old.iter().zip(partner).zip(new);
        let first = bytes
            .position(|((old, partner), new)| corrupted(page, !old, !partner, high_programmed, !new) != 0)?;
        let cells = corrupted(page, !old[first], !partner[first], high_programmed, !new[first]);
        Some(first as u32 * 8 + cells.trailing_zeros())
    }

    fn number_of(&self, kind: Page, word_line: u32) -> u32 {
        let found = self.places.iter().position(|place| place.page == kind && place.word_line == word_line);
        found.unwrap_or(self.places.len()) as u32
    }

    #[inline]
    fn index(&self, at: Address) -> usize {
        at.block as usize * self.places.len() + at.page as usize
    }
}

/// Bits of the page and of its partner as they read; a bit for each of eight cells that the program
/// would corrupt.
#[inline]
fn corrupted(page: Page, own: u8, partner: u8, high_programmed: bool, data: u8) -> u8 {
    let (low, high) = if page == Page::Low { (own, partner) } else { (partner, own) };
    corrupted_cells(low, high, high_programmed, page, data)
}
