//! Wear: erases per block against the endurance of its cells.

/// Erase counts of all blocks.
#[derive(Debug, Clone)]
pub struct Wear {
    erases: Vec<u32>,
    endurance_cycles: u32,
    total: u64,
    /// What else wears; absent where erases alone do.
    programs: Option<Box<ProgramWear>>,
}

/// What programs cost their cells beyond the erase that their cycle ends with.
#[derive(Debug, Clone)]
struct ProgramWear {
    /// Part of a block's cycle for a program of a page that already held data.
    reprogram_cycles: f64,
    /// The same for a program with a coarse step.
    coarse_cycles: f64,
    /// Part of a cycle that one with one bit a cell does not wear.
    one_bit_saves: f64,
    /// Cycles that each block was worn by this up to its last erase, beside its erases.
    cycles: Vec<f64>,
}

impl Wear {
    /// No block erased yet. `None` means unlimited endurance.
    pub fn new(blocks: u32, endurance_cycles: Option<u32>) -> Wear {
        Wear {
            erases: vec![0; blocks as usize],
            endurance_cycles: endurance_cycles.unwrap_or(u32::MAX),
            total: 0,
            programs: None,
        }
    }

    /// Counts programs, too, from now on: one without an erase costs a page of `pages_per_block` a
    /// part `reprogram` of a cycle, one with a coarse step a part `coarse`.
    #[must_use]
    pub fn with_programs(mut self, (reprogram, coarse): (f64, f64), pages_per_block: u32) -> Wear {
        let pages = f64::from(pages_per_block);
        self.programs = (reprogram > 0.0 || coarse > 0.0).then(|| {
            let cycles = vec![0.0; self.erases.len()];
            Box::new(ProgramWear {
                reprogram_cycles: reprogram / pages,
                coarse_cycles: coarse / pages,
                one_bit_saves: 0.0,
                cycles,
            })
        });
        self
    }

    /// Whether programs without an erase wear.
    #[inline]
    pub(crate) fn counts_reprograms(&self) -> bool {
        self.programs.as_ref().is_some_and(|programs| programs.reprogram_cycles > 0.0)
    }

    /// Whether programs with a coarse step wear more than others.
    pub fn counts_coarse(&self) -> bool {
        self.programs.as_ref().is_some_and(|programs| programs.coarse_cycles > 0.0)
    }

    /// A block that is about to be erased had `programs` programs without an erase.
    pub(crate) fn reprogrammed(&mut self, block: u32, programs: u64) {
        if let Some(wear) = &mut self.programs {
            wear.cycles[block as usize] += programs as f64 * wear.reprogram_cycles;
        }
    }

    /// A page of a block that is about to be erased was programmed with a coarse step.
    pub(crate) fn programmed_coarsely(&mut self, block: u32) {
        if let Some(wear) = &mut self.programs {
            wear.cycles[block as usize] += wear.coarse_cycles;
        }
    }

    /// From now on cycles with one bit a cell may wear less than others.
    pub(crate) fn count_one_bit_cycles(&mut self, cycle_wear: f64) {
        let blocks = self.erases.len();
        let programs = self.programs.get_or_insert_with(|| {
            let cycles = vec![0.0; blocks];
            Box::new(ProgramWear { reprogram_cycles: 0.0, coarse_cycles: 0.0, one_bit_saves: 0.0, cycles })
        });
        programs.one_bit_saves = 1.0 - cycle_wear;
    }

    /// The cells of a block that is about to be erased held one bit each.
    pub(crate) fn held_one_bit(&mut self, block: u32) {
        if let Some(wear) = &mut self.programs {
            wear.cycles[block as usize] -= wear.one_bit_saves;
        }
    }

    pub(crate) fn erased(&mut self, block: u32) {
        self.erases[block as usize] += 1;
        self.total += 1;
    }

    pub(crate) fn restore(&mut self, block: u32, erases: u32) {
        let known = &mut self.erases[block as usize];
        self.total = self.total + u64::from(erases) - u64::from(*known);
        *known = erases;
    }

    /// Whether a block has used up its endurance and should hold no new data.
    pub fn is_worn_out(&self, block: u32) -> bool {
        let erases = self.erases[block as usize];
        match &self.programs {
            None => erases >= self.endurance_cycles,
            Some(wear) => f64::from(erases) + wear.cycles[block as usize] >= f64::from(self.endurance_cycles),
        }
    }

    /// Erases of each block since the array was made.
    pub fn erases(&self) -> &[u32] {
        &self.erases
    }

    /// Erases of all blocks since the array was made.
    pub fn total(&self) -> u64 {
        self.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_wear_as_much_as_is_said() {
        let worn_after = |wear: (f64, f64)| {
            let mut block = Wear::new(1, Some(100)).with_programs(wear, 8);
            let mut erases = 0;
            while !block.is_worn_out(0) {
                // Every page was programmed once more in the cycle, and half of them coarsely.
                block.reprogrammed(0, 8);
                (0..4).for_each(|_| block.programmed_coarsely(0));
                block.erased(0);
                erases += 1;
            }
            erases
        };
        let wears = [(0.0, 0.0), (0.25, 0.0), (1.0, 0.0), (0.0, 0.5), (0.5, 1.0)];
        assert_eq!(wears.map(worn_after), [100, 80, 50, 80, 50]);
    }
}
