//! What a chip admits: the order of pages within a pass, and how often a page is programmed between
//! two erases.
//!
//! Where an address goes to a function that is not inlined, it goes as three numbers. A structure
//! would lie in memory on the way of every page, be stored in halves and loaded as a whole, and a
//! processor waits for such a load.

use std::ops::Range;

use crate::array::Array;
use crate::error::Illegal;
use crate::{Address, ProgramAgain};

impl Array {
    /// Begins another pass over a block without an erase, where the code permits one.
    ///
    /// # Errors
    /// [`Illegal::NoPassLeft`].
    pub fn reopen(&mut self, block: u32) -> Result<(), Illegal> {
        let state = &mut self.blocks[block as usize];
        let (passes, limit) = (state.passes_done + 1, self.rule.passes());
        if passes >= limit {
            return Err(Illegal::NoPassLeft { block, passes, limit });
        }
        state.passes_done += 1;
        state.next_page = 0;
        Ok(())
    }

    /// Whether a page was programmed since its erase.
    pub fn is_programmed(&self, at: Address) -> bool {
        self.admit_read(at).is_ok()
    }

    #[inline]
    pub(crate) fn admit_read(&self, Address { plane, block, page }: Address) -> Result<(), Illegal> {
        // Where word lines decide, no block counts as programmed.
        if page < self.blocks[block as usize].programmed {
            Ok(())
        } else {
            self.admit_read_on_word_line(plane, block, page)
        }
    }

    /// Accepts a program or says why a chip would not: the order within the pass, and the limit of
    /// programs.
    #[inline(always)] // Twice a page in the loop that moves pages; a call there is felt.
    pub(crate) fn admit_program(&mut self, at: Address) -> Result<(), Illegal> {
        let Address { plane, block, page } = at;
        let state = &mut self.blocks[block as usize];
        if page < state.next_page || (page > state.next_page && state.passes_done == 0) {
            return self.admit_on_word_line(plane, block, page);
        }
        if page >= self.geometry.pages_per_block {
            return Err(outside(plane, block, page));
        }
        state.next_page = page + 1;
        if !self.programs.is_empty() {
            let limit = self.rule.limit();
            let counted = block as usize * self.geometry.pages_per_block as usize + page as usize;
            let programs = u32::from(self.programs[counted]);
            if programs >= limit && limit < u32::from(u16::MAX) {
                return Err(programmed_before(plane, block, page, programs, limit));
            }
            // The count of a rule without a limit stays at its highest value.
            self.programs[counted] = self.programs[counted].saturating_add(1);
            self.reprograms += u64::from(programs > 0);
        }
        state.programmed = state.programmed.max(page + 1);
        debug_assert!(state.next_page <= state.programmed, "a pass is beyond what is programmed");
        Ok(())
    }

    /// As [`admit_read`](Self::admit_read) of pages of a block, and [`admit_program`](Self::admit_program)
    /// of as many pages in a row of another block of its plane, where it takes no look at the order of
    /// each: the programs are the next of that block. Otherwise nothing is admitted, and the answer is
    /// `false`.
    #[inline]
    pub(crate) fn admits_copies(
        &mut self,
        (from, pages): (u32, impl DoubleEndedIterator<Item = u32> + Clone),
        to: u32,
        row: Range<u32>,
    ) -> bool {
        match &self.word_lines {
            None => {
                // Of pages in ascending order the last one decides.
                let are_read =
                    pages.clone().next_back().is_none_or(|last| last < self.blocks[from as usize].programmed);
                are_read && self.admits_row(to, row)
            }
            Some(word_lines) => {
                let plane = from / self.geometry.blocks_per_plane;
                let are_read =
                    pages.clone().all(|page| word_lines.is_programmed(Address { plane, block: from, page }));
                are_read && self.admits_row(to, row)
            }
        }
    }

    /// As [`admit_program`](Self::admit_program) of pages in a row, where the order of their block
    /// admits them. Otherwise nothing is admitted, and the answer is `false`.
    #[inline]
    pub(crate) fn admits_row(&mut self, block: u32, row: Range<u32>) -> bool {
        if row.end > self.geometry.pages_per_block {
            return false;
        }
        if let Some(word_lines) = &mut self.word_lines {
            let is_next = word_lines.is_next(block, row.start);
            if is_next {
                word_lines.program_row(block, row);
            }
            return is_next;
        }
        let state = &mut self.blocks[block as usize];
        let leaves_some_out = row.start > state.next_page;
        if row.start < state.next_page || leaves_some_out && state.passes_done == 0 {
            return false;
        }
        if !self.programs.is_empty() {
            let (limit, first) = (self.rule.limit(), block as usize * self.geometry.pages_per_block as usize);
            let counts = &mut self.programs[first + row.start as usize..first + row.end as usize];
            let is_full = |&programs: &u16| u32::from(programs) >= limit && limit < u32::from(u16::MAX);
            if counts.iter().any(is_full) {
                return false;
            }
            for programs in counts {
                self.reprograms += u64::from(*programs > 0);
                // The count of a rule without a limit stays at its highest value.
                *programs = programs.saturating_add(1);
            }
        }
        state.next_page = row.end;
        state.programmed = state.programmed.max(row.end);
        true
    }

    #[inline(always)] // As the admissions that it is made of.
    pub(crate) fn admit_copy_back(&mut self, from: Address, to: Address) -> Result<(), Illegal> {
        if from.plane != to.plane {
            return Err(Illegal::NotOnePlane { at: to });
        }
        self.admit_read(from)?;
        self.admit_program(to)
    }

    #[inline(never)]
    fn admit_read_on_word_line(&self, plane: u32, block: u32, page: u32) -> Result<(), Illegal> {
        let at = Address { plane, block, page };
        let is_programmed = self.word_lines.as_ref().is_some_and(|word_lines| word_lines.is_programmed(at));
        if is_programmed { Ok(()) } else { Err(Illegal::NotProgrammed { at }) }
    }

    /// What the order of pages alone does not admit.
    #[inline(never)]
    fn admit_on_word_line(&mut self, plane: u32, block: u32, page: u32) -> Result<(), Illegal> {
        let at = Address { plane, block, page };
        let Some(word_lines) = &mut self.word_lines else { return Err(self.refusal(at)) };
        let before = word_lines.program(at)?;
        self.reprograms += u64::from(before > 0);
        Ok(())
    }

    #[cold]
    fn refusal(&self, at: Address) -> Illegal {
        let block = self.blocks[at.block as usize];
        if at.page < block.next_page && self.rule == ProgramAgain::Never {
            return Illegal::ProgrammedBefore { at, programs: 1, limit: 1 };
        }
        Illegal::OutOfOrder { at, expected: block.next_page }
    }
}

#[cold]
fn outside(plane: u32, block: u32, page: u32) -> Illegal {
    Illegal::Outside { at: Address { plane, block, page } }
}

#[cold]
fn programmed_before(plane: u32, block: u32, page: u32, programs: u32, limit: u32) -> Illegal {
    Illegal::ProgrammedBefore { at: Address { plane, block, page }, programs, limit }
}
