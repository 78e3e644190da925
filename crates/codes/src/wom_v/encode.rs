//! Encoding and decoding of pages.

use super::{Code, Invalid, lanes};
use crate::CodeError;
use crate::bits::u64_from;

/// The result of a write with same-generation transitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// Cells that became invalid in this write.
    pub newly_invalid: usize,
    /// Invalid cells of the page, old and new.
    pub invalid: usize,
}

/// Calls the generic function `$run::<K, N>` for the parameters of `$code`.
macro_rules! for_code {
    ($code:expr, $run:ident ( $($argument:expr),* )) => {
        match ($code.data_bits(), $code.cell_bits()) {
            (1, 2) => $run::<1, 2>($($argument),*),
            (1, 3) => $run::<1, 3>($($argument),*),
            (2, 3) => $run::<2, 3>($($argument),*),
            (1, 4) => $run::<1, 4>($($argument),*),
            (2, 4) => $run::<2, 4>($($argument),*),
            (3, 4) => $run::<3, 4>($($argument),*),
            (1, 5) => $run::<1, 5>($($argument),*),
            (2, 5) => $run::<2, 5>($($argument),*),
            (3, 5) => $run::<3, 5>($($argument),*),
            (4, 5) => $run::<4, 5>($($argument),*),
            (1, 6) => $run::<1, 6>($($argument),*),
            (2, 6) => $run::<2, 6>($($argument),*),
            (3, 6) => $run::<3, 6>($($argument),*),
            (4, 6) => $run::<4, 6>($($argument),*),
            // `Code::new` admits no other pair.
            _ => $run::<5, 6>($($argument),*),
        }
    };
}

pub(super) use for_code;

impl Code {
    /// Writes `data` over what `image` holds: every cell is raised to the next level that holds its
    /// data, within its generation where that is possible. Cells that cannot be raised far enough
    /// go to the highest level and into `invalid`.
    ///
    /// # Errors
    /// [`CodeError::Size`] when `image` or `invalid` do not fit `data`; [`CodeError::NotACodeword`]
    /// when a cell of `image` has a level above [`Code::max_level`]. Nothing is changed on an
    /// error.
    pub fn encode(&self, data: &[u8], image: &mut [u8], invalid: &mut Invalid) -> Result<Written, CodeError> {
        self.check(data.len(), image, invalid)?;
        let before = invalid.count();
        for_code!(self, raise_words(data, image, invalid));
        Ok(Written { newly_invalid: invalid.count() - before, invalid: invalid.count() })
    }

    /// The outcome [`Code::encode`] would have, without writing: for a check before the write.
    ///
    /// # Errors
    /// As [`Code::encode`].
    pub fn preview(&self, data: &[u8], image: &[u8], invalid: &Invalid) -> Result<Written, CodeError> {
        self.check(data.len(), image, invalid)?;
        let mut newly_invalid = 0;
        for_code!(self, preview_page(data, image, invalid, &mut newly_invalid));
        Ok(Written { newly_invalid, invalid: invalid.count() + newly_invalid })
    }

    /// Reads the data back. Invalid cells give whatever their level stands for: erasures for the
    /// error-correcting code.
    ///
    /// # Errors
    /// [`CodeError::Size`] when `image` does not fit `data`; [`CodeError::NotACodeword`] when a
    /// cell of `image` has a level above [`Code::max_level`].
    pub fn decode(&self, image: &[u8], data: &mut [u8]) -> Result<(), CodeError> {
        CodeError::check_bytes("the cell image", image.len(), self.image_bytes(data.len()))?;
        self.check_levels(image)?;
        for_code!(self, read_words(image, data));
        Ok(())
    }

    fn check(&self, data_bytes: usize, image: &[u8], invalid: &Invalid) -> Result<(), CodeError> {
        CodeError::check_bytes("the cell image", image.len(), self.image_bytes(data_bytes))?;
        let expected = self.cells_for(data_bytes);
        if invalid.cells() != expected {
            let got = invalid.cells();
            return Err(CodeError::Size { what: "the set of invalid cells", unit: "cells", expected, got });
        }
        self.check_levels(image)
    }

    fn check_levels(&self, image: &[u8]) -> Result<(), CodeError> {
        let illegal = lanes::illegal_bits(u32::from(self.cell_bits()));
        if illegal == 0 || image.iter().fold(0, |all, byte| all | byte) & illegal as u8 == 0 {
            return Ok(());
        }
        let cells = 0..image.len() * (8 / self.lane_bits() as usize);
        for cell in cells {
            let level = self.level(image, cell)?;
            if level > self.max_level() {
                return Err(CodeError::NotACodeword { code: "WOM-v", cell, found: level.into() });
            }
        }
        Ok(())
    }
}

/// Adds the cells of whole words that do not hold their data; the first one is cell `first`.
fn note_stopped<const K: u32, const N: u32>(first: usize, image: &[u8], data: &[u8], invalid: &mut Invalid) {
    let words = image.chunks_exact(8).zip(data.chunks_exact(lanes::data_bytes(K, N)));
    for (i, (word, number)) in words.enumerate() {
        let wanted = lanes::spread::<K, N>(u64_from(number));
        let mask = lanes::mismatches::<K, N>(u64_from(word), wanted);
        invalid.add(first + lanes::cells(N) as usize * i, mask);
    }
}

/// Words whose overflow is looked at together, so that the loop over them stays free of branches.
const BLOCK: usize = 16;

/// Raises the cells of a page.
fn raise_words<const K: u32, const N: u32>(data: &[u8], image: &mut [u8], invalid: &mut Invalid) {
    let mut first = 0;
    let per_word = lanes::data_bytes(K, N);
    let cells = lanes::cells(N) as usize;
    let mut blocks = image.chunks_exact_mut(8 * BLOCK);
    let mut numbers = data.chunks_exact(per_word * BLOCK);
    for (block, number) in (&mut blocks).zip(&mut numbers) {
        let mut stopped = 0;
        for i in 0..BLOCK {
            let word = &mut block[8 * i..8 * i + 8];
            let wanted = lanes::spread::<K, N>(u64_from(&number[per_word * i..per_word * (i + 1)]));
            let (level, over) = lanes::raise::<K, N>(u64_from(word), wanted);
            stopped |= over;
            word.copy_from_slice(&level.to_le_bytes());
        }
        if stopped != 0 {
            note_stopped::<K, N>(first, block, number, invalid);
        }
        first += cells * BLOCK;
    }
    let rest = blocks.into_remainder();
    for (word, number) in rest.chunks_mut(8).zip(numbers.remainder().chunks(per_word)) {
        let keep = used_bits::<K, N>(number.len());
        let old = u64_from(word);
        let wanted = lanes::spread::<K, N>(u64_from(number));
        let (level, _) = lanes::raise::<K, N>(old & keep, wanted);
        word.copy_from_slice(&(level | old & !keep).to_le_bytes()[..word.len()]);
        invalid.add(first, lanes::mismatches::<K, N>(level, wanted));
        first += cells;
    }
}

fn preview_page<const K: u32, const N: u32>(data: &[u8], image: &[u8], invalid: &Invalid, fresh: &mut usize) {
    let cells = lanes::cells(N) as usize;
    for (i, (word, number)) in image.chunks(8).zip(data.chunks(lanes::data_bytes(K, N))).enumerate() {
        let level = u64_from(word) & used_bits::<K, N>(number.len());
        let wanted = lanes::spread::<K, N>(u64_from(number));
        let (level, over) = lanes::raise::<K, N>(level, wanted);
        if over != 0 {
            *fresh += invalid.count_fresh(cells * i, lanes::mismatches::<K, N>(level, wanted));
        }
    }
}

fn read_words<const K: u32, const N: u32>(image: &[u8], data: &mut [u8]) {
    let per_word = lanes::data_bytes(K, N);
    let mut words = image.chunks_exact(8);
    let mut numbers = data.chunks_exact_mut(per_word);
    for (number, word) in (&mut numbers).zip(&mut words) {
        number.copy_from_slice(&lanes::gather::<K, N>(u64_from(word)).to_le_bytes()[..per_word]);
    }
    let rest = numbers.into_remainder();
    let number = lanes::gather::<K, N>(u64_from(words.remainder())).to_le_bytes();
    rest.copy_from_slice(&number[..rest.len()]);
}

/// The bits of a word of cells that `data_bytes` bytes of data use; the rest is padding and stays
/// as it is.
#[inline(always)]
pub(super) fn used_bits<const K: u32, const N: u32>(data_bytes: usize) -> u64 {
    let bits = (8 * data_bytes).div_ceil(K as usize) * lanes::width(N) as usize;
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}
