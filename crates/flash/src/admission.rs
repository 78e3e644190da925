//! What a chip admits: the order of pages within a pass, and how often a page is programmed between
//! two erases.

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
    pub(crate) fn admit_read(&self, at: Address) -> Result<(), Illegal> {
        // Where word lines decide, no block counts as programmed.
        if at.page < self.blocks[at.block as usize].programmed {
            Ok(())
        } else {
            self.admit_read_on_word_line(at)
        }
    }

    /// Accepts a program or says why a chip would not: the order within the pass, and the limit of
    /// programs.
    #[inline(always)] // Twice a page in the loop that moves pages; a call there is felt.
    pub(crate) fn admit_program(&mut self, at: Address) -> Result<(), Illegal> {
        let block = &mut self.blocks[at.block as usize];
        if at.page < block.next_page || (at.page > block.next_page && block.passes_done == 0) {
            return self.admit_on_word_line(at);
        }
        if at.page >= self.geometry.pages_per_block {
            return Err(Illegal::Outside { at });
        }
        block.next_page = at.page + 1;
        if !self.programs.is_empty() {
            let limit = self.rule.limit();
            let page = at.block as usize * self.geometry.pages_per_block as usize + at.page as usize;
            let programs = u32::from(self.programs[page]);
            if programs >= limit && limit < u32::from(u16::MAX) {
                return Err(Illegal::ProgrammedBefore { at, programs, limit });
            }
            // The count of a rule without a limit stays at its highest value.
            self.programs[page] = self.programs[page].saturating_add(1);
            self.reprograms += u64::from(programs > 0);
        }
        block.programmed = block.programmed.max(at.page + 1);
        Ok(())
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
    fn admit_read_on_word_line(&self, at: Address) -> Result<(), Illegal> {
        let is_programmed = self.word_lines.as_ref().is_some_and(|word_lines| word_lines.is_programmed(at));
        if is_programmed { Ok(()) } else { Err(Illegal::NotProgrammed { at }) }
    }

    /// What the order of pages alone does not admit.
    #[inline(never)]
    fn admit_on_word_line(&mut self, at: Address) -> Result<(), Illegal> {
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
