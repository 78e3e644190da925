//! Wear: erases per block against the endurance of its cells.

/// Erase counts of all blocks.
#[derive(Debug, Clone)]
pub struct Wear {
    erases: Vec<u32>,
    endurance_cycles: u32,
    total: u64,
    /// What programs without an erase cost; absent where they cost nothing.
    reprograms: Option<Box<ReprogramWear>>,
}

/// What programs of pages that already held data cost their cells.
#[derive(Debug, Clone)]
struct ReprogramWear {
    /// Part of a block's cycle for each.
    cycles_each: f64,
    /// How many each block had, up to its last erase.
    counts: Vec<u64>,
}

impl Wear {
    /// No block erased yet. `None` means unlimited endurance.
    pub fn new(blocks: u32, endurance_cycles: Option<u32>) -> Wear {
        Wear {
            erases: vec![0; blocks as usize],
            endurance_cycles: endurance_cycles.unwrap_or(u32::MAX),
            total: 0,
            reprograms: None,
        }
    }

    /// Counts programs without an erase from now on: each costs a page of `pages_per_block` a part `wear` of a cycle.
    #[must_use]
    pub fn with_reprograms(mut self, wear: f64, pages_per_block: u32) -> Wear {
        let counts = || vec![0; self.erases.len()];
        self.reprograms = (wear > 0.0).then(|| {
            Box::new(ReprogramWear { cycles_each: wear / f64::from(pages_per_block), counts: counts() })
        });
        self
    }

    /// Whether programs without an erase wear.
    #[inline]
    pub(crate) fn counts_reprograms(&self) -> bool {
        self.reprograms.is_some()
    }

    /// A block that is about to be erased had so many programs without an erase.
    pub(crate) fn reprogrammed(&mut self, block: u32, programs: u64) {
        if let Some(reprograms) = &mut self.reprograms {
            reprograms.counts[block as usize] += programs;
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
        match &self.reprograms {
            None => erases >= self.endurance_cycles,
            Some(reprograms) => {
                let by_programs = reprograms.counts[block as usize] as f64 * reprograms.cycles_each;
                f64::from(erases) + by_programs >= f64::from(self.endurance_cycles)
            }
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
    fn programs_without_an_erase_wear_as_much_as_is_said() {
        let worn_after = |wear: f64| {
            let mut block = Wear::new(1, Some(100)).with_reprograms(wear, 8);
            let mut erases = 0;
            while !block.is_worn_out(0) {
                // Every page was programmed once more in the cycle.
                block.reprogrammed(0, 8);
                block.erased(0);
                erases += 1;
            }
            erases
        };
        assert_eq!([0.0, 0.25, 1.0].map(worn_after), [100, 80, 50]);
    }
}
