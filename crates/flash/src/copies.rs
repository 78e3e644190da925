//! Several pages of a block as one operation of the model: copies within their plane, and reads and
//! programs of the pages of one logical page.
//!
//! All are asked for at the same time and follow each other on one plane. So the end of the last copy
//! is known from the sum of their times, and the pages of the block that is written are the next ones.

use crate::array::{Array, Clock};
use crate::error::Illegal;
use crate::timing::{ProgramMode, Timing, Transfer};
use crate::{Address, Nanos};

/// A page of a block that is copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Copied {
    /// Its number.
    pub page: u32,
    /// The mode in which it was programmed.
    pub read: ProgramMode,
    /// The mode in which its copy is programmed.
    pub program: ProgramMode,
}

/// Where a row of pages begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowStart {
    /// Their block, counted over the whole array.
    pub block: u32,
    /// The first page.
    pub first: u32,
}

impl Array {
    /// Copies pages of a block, in ascending order, to pages in a row of another block of the
    /// plane: as [`copy_back`](Self::copy_back) of each in the normal mode.
    /// Returns the end of the last; `asked_at` if there is none.
    ///
    /// # Errors
    /// As [`copy_back`](Self::copy_back); the copies before the first illegal one were made.
    #[inline]
    pub fn copy_back_row(
        &mut self,
        asked_at: Nanos,
        plane: u32,
        (from, pages): (u32, impl ExactSizeIterator<Item = u32> + DoubleEndedIterator + Clone),
        to: RowStart,
    ) -> Result<Nanos, Illegal> {
        let normal = ProgramMode::NORMAL;
        let copies = pages.clone().map(|page| Copied { page, read: normal, program: normal });
        let places = to.first..to.first + pages.len() as u32;
        let both_ns = |timing: &Timing| timing.reads_ns(pages) + timing.programs_ns(places);
        self.copy_row(asked_at, plane, (from, copies), to, both_ns)
    }

    /// As [`copy_back_row`](Self::copy_back_row), each page in modes of its own.
    ///
    /// # Errors
    /// As [`copy_back_row`](Self::copy_back_row).
    #[inline]
    pub fn copy_back_row_in_modes(
        &mut self,
        asked_at: Nanos,
        plane: u32,
        (from, copies): (u32, impl ExactSizeIterator<Item = Copied> + DoubleEndedIterator + Clone),
        to: RowStart,
    ) -> Result<Nanos, Illegal> {
        let each = copies.clone().zip(to.first..);
        let both_ns = |timing: &Timing| {
            let copy = |(copy, place): (Copied, u32)| {
                timing.of(copy.read, copy.page).read_ns + timing.of(copy.program, place).program_ns
            };
            each.map(copy).sum()
        };
        self.copy_row(asked_at, plane, (from, copies), to, both_ns)
    }

    #[inline(always)]
    fn copy_row(
        &mut self,
        asked_at: Nanos,
        plane: u32,
        (from, copies): (u32, impl ExactSizeIterator<Item = Copied> + DoubleEndedIterator + Clone),
        to: RowStart,
        both_ns: impl FnOnce(&Timing) -> Nanos,
    ) -> Result<Nanos, Illegal> {
        let count = copies.len() as u32;
        let pages = copies.clone().map(|copy| copy.page);
        if count == 0 {
            return Ok(asked_at);
        }
        if self.clock == Clock::IsHeard
            || !self.admits_copies((from, pages), to.block, to.first..to.first + count)
        {
            return self.copy_back_each(asked_at, plane, (from, copies), to);
        }
        if self.clock == Clock::Stands {
            return Ok(asked_at);
        }
        let both_ns = both_ns(&self.timing);
        let plane = &mut self.planes[plane as usize];
        plane.busy_ns += both_ns;
        let free_at = &mut self.free_at[plane.service_unit as usize];
        *free_at = asked_at.max(*free_at) + both_ns;
        Ok(*free_at)
    }

    #[inline(never)]
    fn copy_back_each(
        &mut self,
        asked_at: Nanos,
        plane: u32,
        (from, copies): (u32, impl Iterator<Item = Copied>),
        to: RowStart,
    ) -> Result<Nanos, Illegal> {
        let mut end = asked_at;
        for (Copied { page, read, program }, place) in copies.zip(to.first..) {
            let source = Address { plane, block: from, page };
            let place = Address { plane, block: to.block, page: place };
            end = end.max(self.copy_back(asked_at, (source, read), (place, program))?);
        }
        Ok(end)
    }

    /// Reads pages in a row of a block, from `first` on, as [`read`](Self::read) of each, with its
    /// transfer. Returns the end of the last.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    #[inline]
    pub fn read_row(
        &mut self,
        asked_at: Nanos,
        first: Address,
        pages: u32,
        mode: ProgramMode,
    ) -> Result<Nanos, Illegal> {
        let (mut end, last) = (asked_at, Address { page: first.page + pages - 1, ..first });
        if self.clock == Clock::Runs && self.word_lines.is_none() {
            // The last one was programmed, and those before it in the same pass or an earlier one.
            self.admit_read(last)?;
            for page in first.page..first.page + pages {
                end = self.book_read(asked_at, Address { page, ..first }, mode, Transfer::Channel).1.max(end);
            }
            return Ok(end);
        }
        for page in first.page..first.page + pages {
            end = end.max(self.read(asked_at, Address { page, ..first }, mode, Transfer::Channel)?);
        }
        Ok(end)
    }

    /// Programs pages in a row of a block, from `first` on, as [`program`](Self::program) of each,
    /// with its transfer. Returns the end of the last.
    ///
    /// # Errors
    /// As [`program`](Self::program); those before the first illegal one were made.
    #[inline]
    pub fn program_row(
        &mut self,
        asked_at: Nanos,
        first: Address,
        pages: u32,
        mode: ProgramMode,
    ) -> Result<Nanos, Illegal> {
        let (mut end, row) = (asked_at, first.page..first.page + pages);
        if self.clock == Clock::Runs && self.admits_row(first.block, row.clone()) {
            for page in row {
                end = self.book_program(asked_at, Address { page, ..first }, mode, Transfer::Channel);
            }
            return Ok(end);
        }
        for page in row {
            end = end.max(self.program(asked_at, Address { page, ..first }, mode, Transfer::Channel)?);
        }
        Ok(end)
    }
}
