//! One experiment on a pair of randomly written pages: does a second write succeed, and with which help?

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;

use crate::CodeError;
use crate::polar_wom::{Attempt, PolarWom, Workspace};

/// What helped.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Outcome {
    /// The first attempt.
    pub(super) first: bool,
    /// A second attempt with a new dither (made when the first failed).
    pub(super) dither: bool,
    /// A second attempt with another rotation (made when the first failed).
    pub(super) rotation: bool,
    /// Repair of the first attempt (made when it failed and repair is measured).
    pub(super) repair: bool,
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
    /// Pages of `page_bits` bits fill the code's cells; each is complemented if more than half ones.
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

    /// Runs `count` experiments, side by side in vector lanes, and returns their outcomes.
    pub(super) fn run(&mut self, count: usize, repair: bool) -> Result<Vec<Outcome>, CodeError> {
        let mut outcomes = Vec::with_capacity(count);
        while outcomes.len() < count {
            let pages = (count - outcomes.len()).min(self.slots.len());
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
                let mut outcome = Outcome { first: one.success, ..Outcome::default() };
                if !outcome.first {
                    if repair {
                        self.workspace.repair(self.code, one)?;
                        outcome.repair = one.success;
                    }
                    (one.attempt, one.rotation) = (1, 0);
                    self.workspace.encode(self.code, std::slice::from_mut(one))?;
                    outcome.dither = one.success;
                    one.rotation = 1;
                    self.workspace.encode(self.code, std::slice::from_mut(one))?;
                    outcome.rotation = one.success;
                }
                outcomes.push(outcome);
            }
        }
        Ok(outcomes)
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
