//! Stored cells: the real code on real levels, and what the error-correcting code gives back of
//! invalid cells.
//!
//! An invalid cell stands at the highest level and holds no data; for the page's error-correcting
//! code it is an erasure at a known place. That code is ideal here: it restores all cells that the
//! check let through. What it would work out from its parity is kept aside as the bytes in which
//! the decoded cells differ from what was written.

use rewear_codes::CodeError;
use rewear_codes::wom_v::{Code, EccCheck, Invalid};

/// What a slot needs beside its levels.
#[derive(Debug, Clone)]
struct SlotCells {
    invalid: Invalid,
    /// Byte and value.
    restored: Vec<(u32, u8)>,
}

/// What a write to a slot would do to its cells.
#[derive(Debug, Clone, Copy)]
pub(super) struct Outcome {
    /// Cells that count towards the limit, of the slot's page with the most of them.
    pub(super) most_of_a_page: usize,
    /// Cells of the slot that became invalid.
    pub(super) newly_invalid: usize,
}

/// The slots of a drive with stored cells.
#[derive(Debug, Clone)]
pub(super) struct Cells {
    code: Code,
    slots: Vec<Option<Box<SlotCells>>>,
    cells: usize,
    page_cells: usize,
    /// The level from which on a cell counts towards the limit; `None`: invalid cells count.
    counts_from: Option<u8>,
    /// Work space: a set of cells, and a decoded page.
    invalid: Invalid,
    decoded: Vec<u8>,
}

impl Cells {
    /// Erased slots of `cells` cells with data of `data_bytes`, in pages of `page_cells` cells.
    pub(super) fn new(code: Code, data_bytes: usize, page_cells: usize, check: EccCheck) -> Cells {
        let cells = code.cells_for(data_bytes);
        let counts_from = (check == EccCheck::LastGeneration).then(|| code.last_generation());
        Cells {
            code,
            slots: Vec::new(),
            cells,
            page_cells,
            counts_from,
            invalid: Invalid::new(cells),
            decoded: vec![0; data_bytes],
        }
    }

    /// Makes room for `slots` slots.
    pub(super) fn prepare(&mut self, slots: usize) {
        self.slots = vec![None; slots];
    }

    /// Raises the levels of `image` to `data`. Nothing is remembered until [`keep`](Self::keep).
    pub(super) fn raise(&mut self, slot: usize, data: &[u8], image: &mut [u8]) -> Result<Outcome, CodeError> {
        match &self.slots[slot] {
            Some(state) => self.invalid.clone_from(&state.invalid),
            None => self.invalid.clear(),
        }
        let written = self.code.encode(data, image, &mut self.invalid)?;
        let most_of_a_page = match self.counts_from {
            None if written.invalid == 0 => 0,
            None => self.most_of_a_page(self.invalid.iter()),
            Some(lowest) => {
                let counts = |&cell: &usize| self.code.level(image, cell).is_ok_and(|level| level >= lowest);
                self.most_of_a_page((0..self.cells).filter(counts))
            }
        };
        Ok(Outcome { most_of_a_page, newly_invalid: written.newly_invalid })
    }

    /// How many of some cells the page with the most of them has.
    fn most_of_a_page(&self, cells: impl Iterator<Item = usize>) -> usize {
        let mut counts = vec![0; self.cells.div_ceil(self.page_cells)];
        cells.for_each(|cell| counts[cell / self.page_cells] += 1);
        counts.into_iter().max().unwrap_or(0)
    }

    /// The write that was just encoded is made.
    pub(super) fn keep(&mut self, slot: usize, data: &[u8], image: &[u8]) -> Result<(), CodeError> {
        if self.invalid.count() == 0 {
            self.slots[slot] = None;
            return Ok(());
        }
        self.code.decode(image, &mut self.decoded)?;
        let state = self.slots[slot].get_or_insert_with(|| {
            Box::new(SlotCells { invalid: Invalid::new(self.cells), restored: Vec::new() })
        });
        state.invalid.clone_from(&self.invalid);
        state.restored.clear();
        let pairs = (0u32..).zip(self.decoded.iter().zip(data));
        state.restored.extend(
            pairs.filter(|(_, (decoded, wanted))| decoded != wanted).map(|(at, (_, &wanted))| (at, wanted)),
        );
        Ok(())
    }

    /// Decodes a slot and puts back what its error-correcting code restores.
    pub(super) fn decode(&self, slot: usize, image: &[u8], data: &mut [u8]) -> Result<(), CodeError> {
        self.code.decode(image, data)?;
        if let Some(state) = &self.slots[slot] {
            state.restored.iter().for_each(|&(at, value)| data[at as usize] = value);
        }
        Ok(())
    }

    /// Bytes of [`side_information`](Self::side_information): a bit a cell, a bit and a byte for
    /// each byte of data.
    pub(super) fn side_bytes(&self) -> usize {
        self.cells.div_ceil(8) + self.decoded.len().div_ceil(8) + self.decoded.len()
    }

    /// The invalid cells of a slot, and which bytes are restored to what. Nothing where all cells
    /// are valid.
    pub(super) fn side_information(&self, slot: usize, side: &mut Vec<u8>) {
        let Some(state) = &self.slots[slot] else { return };
        side.resize(self.side_bytes(), 0);
        let (invalid, rest) = side.split_at_mut(self.cells.div_ceil(8));
        let (places, values) = rest.split_at_mut(self.decoded.len().div_ceil(8));
        state.invalid.iter().for_each(|cell| invalid[cell / 8] |= 1 << (cell % 8));
        for &(at, value) in &state.restored {
            places[at as usize / 8] |= 1 << (at % 8);
            values[at as usize] = value;
        }
    }

    /// Takes over the side information of a slot; returns its invalid cells.
    pub(super) fn restore(&mut self, slot: usize, side: &[u8]) -> usize {
        if side.len() < self.side_bytes() || side.iter().all(|&byte| byte == 0) {
            return 0;
        }
        let (invalid, rest) = side.split_at(self.cells.div_ceil(8));
        let (places, values) = rest.split_at(self.decoded.len().div_ceil(8));
        let is_set = |bits: &[u8], bit: usize| bits[bit / 8] >> (bit % 8) & 1 == 1;
        let mut state = SlotCells { invalid: Invalid::new(self.cells), restored: Vec::new() };
        (0..self.cells).filter(|&cell| is_set(invalid, cell)).for_each(|cell| state.invalid.insert(cell));
        let restored = (0..self.decoded.len()).filter(|&at| is_set(places, at));
        state.restored.extend(restored.map(|at| (at as u32, values[at])));
        let count = state.invalid.count();
        self.slots[slot] = Some(Box::new(state));
        count
    }

    pub(super) fn erased(&mut self, slots: std::ops::Range<usize>) {
        if !self.slots.is_empty() {
            self.slots[slots].fill(None);
        }
    }

    pub(super) fn slot_cells(&self) -> usize {
        self.cells
    }
}
