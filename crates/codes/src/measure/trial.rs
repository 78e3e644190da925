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
    /// It failed, and its repair succeeded (where repair is measured).
    pub(super) repair: u64,
}

/// Experiments on one code.
pub(super) struct Trials<'a> {
    code: &'a PolarWom,
    workspace: Workspace,
    slots: Vec<Slot>,
    rng: Xoshiro256PlusPlus,
    page_bits: usize,
    address: u64,
}

struct Slot {
    programmed: Vec<u64>,
    message: Vec<u64>,
    cells: Vec<u64>,
}

impl<'a> Trials<'a> {
    /// Pages of `page_bits` bits fill the code's cells; each is complemented if more than half
    /// ones.
    pub(super) fn new(code: &'a PolarWom, page_bits: usize, rng: Xoshiro256PlusPlus) -> Trials<'a> {
        let workspace = Workspace::new(code);
        let slots = (0..workspace.batch())
            .map(|_| Slot {
                programmed: vec![0; code.cell_words()],
                message: vec![0; code.message_words()],
                cells: vec![0; code.cell_words()],
            })
            .collect();
        Trials { code, workspace, slots, rng, page_bits, address: 0 }
    }

    /// Runs `count` experiments, side by side in vector lanes.
    ///
    /// # Errors
    /// [`CodeError::Interrupted`] as soon as `watch` says so.
    pub(super) fn run(
        &mut self,
        count: usize,
        repair: bool,
        watch: &mut Watch<'_>,
    ) -> Result<Outcomes, CodeError> {
        let mut outcomes = Outcomes::default();
        while outcomes.trials < count as u64 {
            if !watch(outcomes.trials, count as u64) {
                return Err(CodeError::Interrupted { done: outcomes.trials });
            }
            let pages = (count - outcomes.trials as usize).min(self.slots.len());
            for slot in &mut self.slots[..pages] {
                first_writes(&mut self.rng, &mut slot.programmed, self.page_bits);
                slot.message.fill_with(|| self.rng.next_u64());
            }
            let first_address = self.address;
            self.address += pages as u64;
            let mut attempts: Vec<Attempt<'_>> = self.slots[..pages]
                .iter_mut()
                .zip(first_address..)
                .map(|(slot, address)| Attempt {
                    programmed: &slot.programmed,
                    message: &slot.message,
                    address,
                    attempt: 0,
                    rotation: 0,
                    cells: &mut slot.cells,
                    success: false,
                })
                .collect();
            self.workspace.encode(self.code, &mut attempts)?;
            for one in &mut attempts {
                outcomes.trials += 1;
                if one.success {
                    outcomes.first += 1;
                } else {
                    help(&mut self.workspace, self.code, one, repair, &mut outcomes)?;
                }
            }
        }
        Ok(outcomes)
    }
}

/// Tries everything on an attempt that failed.
fn help(
    workspace: &mut Workspace,
    code: &PolarWom,
    one: &mut Attempt<'_>,
    repair: bool,
    outcomes: &mut Outcomes,
) -> Result<(), CodeError> {
    if repair {
        workspace.repair(code, one)?;
        outcomes.repair += u64::from(one.success);
    }
    (one.attempt, one.rotation) = (1, 0);
    workspace.encode(code, std::slice::from_mut(one))?;
    outcomes.dither += u64::from(one.success);
    one.rotation = 1;
    workspace.encode(code, std::slice::from_mut(one))?;
    outcomes.rotation += u64::from(one.success);
    Ok(())
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
