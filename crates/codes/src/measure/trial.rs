//! One experiment on a pair of randomly written pages: does a second write succeed, and with which
//! help?

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;

use super::Watch;
use crate::CodeError;
use crate::polar_wom::{Attempt, PolarWom, Workspace};

/// In how many experiments what helped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Outcomes {
    /// Experiments.
    pub(super) trials: u64,
    /// The first attempt succeeded.
    pub(super) first: u64,
    /// It failed, and a second attempt with a new dither succeeded.
    pub(super) dither: u64,
    /// It failed, and a second attempt with another rotation succeeded.
    pub(super) rotation: u64,
}

/// Experiments on one code.
pub(super) struct Trials<'a> {
    code: &'a PolarWom,
    workspace: Workspace,
    programmed: Vec<u64>,
    message: Vec<u64>,
    cells: Vec<u64>,
    rng: Xoshiro256PlusPlus,
    page_bits: usize,
    address: u64,
}

impl<'a> Trials<'a> {
    /// Pages of `page_bits` bits fill the code's cells; each is complemented if more than half
    /// ones.
    pub(super) fn new(code: &'a PolarWom, page_bits: usize, rng: Xoshiro256PlusPlus) -> Trials<'a> {
        Trials {
            code,
            workspace: Workspace::new(code),
            programmed: vec![0; code.cell_words()],
            message: vec![0; code.message_words()],
            cells: vec![0; code.cell_words()],
            rng,
            page_bits,
            address: 0,
        }
    }

    /// Runs `count` experiments.
    ///
    /// # Errors
    /// [`CodeError::Interrupted`] as soon as `watch` says so.
    pub(super) fn run(&mut self, count: usize, watch: &mut Watch<'_>) -> Result<Outcomes, CodeError> {
        let mut outcomes = Outcomes::default();
        while outcomes.trials < count as u64 {
            if !watch(outcomes.trials, count as u64) {
                return Err(CodeError::Interrupted { done: outcomes.trials });
            }
            first_writes(&mut self.rng, &mut self.programmed, self.page_bits);
            self.message.fill_with(|| self.rng.next_u64());
            outcomes.trials += 1;
            if self.succeeds(0, 0)? {
                outcomes.first += 1;
            } else {
                outcomes.dither += u64::from(self.succeeds(1, 0)?);
                outcomes.rotation += u64::from(self.succeeds(1, 1)?);
            }
            self.address += 1;
        }
        Ok(outcomes)
    }

    /// Makes an attempt on the pages at hand.
    fn succeeds(&mut self, attempt: u8, rotation: u8) -> Result<bool, CodeError> {
        let Trials { code, workspace, programmed, message, cells, address, .. } = self;
        let mut one =
            Attempt { programmed, message, address: *address, attempt, rotation, cells, success: false };
        workspace.encode(code, &mut one)?;
        Ok(one.success)
    }
}

/// Random data on every page, complemented where more than half of its bits are ones.
fn first_writes(rng: &mut Xoshiro256PlusPlus, cells: &mut [u64], page_bits: usize) {
    for page in cells.chunks_mut((page_bits / 64).max(1)) {
        page.fill_with(|| rng.next_u64());
        if 2 * crate::bits::count_ones(page) > 64 * page.len() {
            page.iter_mut().for_each(|word| *word = !*word);
        }
    }
}
