//! What a chip admits: the order of pages within a pass, and how often a page is programmed between
//! two erases.
//!
//! Where an address goes to a function that is not inlined, it goes as three numbers. A structure
//! would lie in memory on the way of every page, be stored in halves and loaded as a whole, and a
//! processor waits for such a load.

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

    /// As [`admit_read`](Self::admit_read) and [`admit_program`](Self::admit_program) of several
    /// pages of one block that are copied to pages in a row, where it takes no look at each: those
    /// that are read are the last and those before it, and the programs are the next of a block in
    /// order. Otherwise nothing is admitted, and the answer is `false`.
    #[inline]
    pub(crate) fn admits_copies(
        &mut self,
        (from, last): (u32, u32),
        (to, first): (u32, u32),
        pages: u32,
    ) -> bool {
        let is_read = last < self.blocks[from as usize].programmed;
        let (end, place) = (first + pages, &mut self.blocks[to as usize]);
        let is_next = place.next_page == first && end <= self.geometry.pages_per_block;
        if !(is_read && is_next && self.programs.is_empty()) {
            return false;
        }
        place.next_page = end;
        place.programmed = place.programmed.max(end);
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
