//! Wear: erases per block against the endurance of its cells.

/// Erase counts of all blocks.
#[derive(Debug, Clone)]
pub struct Wear {
    erases: Vec<u32>,
    endurance_cycles: u32,
    total: u64,
}

impl Wear {
    /// No block erased yet. `None` means unlimited endurance.
    pub fn new(blocks: u32, endurance_cycles: Option<u32>) -> Wear {
        Wear {
            erases: vec![0; blocks as usize],
            endurance_cycles: endurance_cycles.unwrap_or(u32::MAX),
            total: 0,
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
        self.erases[block as usize] >= self.endurance_cycles
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
