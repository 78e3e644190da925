//! Flip-N-Write: store a word or its complement, whichever changes fewer cells.
//!
//! The scheme behind the complement rule of first writes (`second-write`, section 3, its reference
//! 10: Cho and Lee, MICRO '09). A word of `N` bits and its flag change at most `(N + 1) / 2` cells,
//! rounded down, a write.

use crate::{CodeError, bits};

/// Flip-N-Write with words of `N` bits and a flag bit each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FlipNWrite {
    word_bytes: usize,
}

/// Cells a write changed, flags included.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Changes {
    /// From 0 to 1.
    pub set: usize,
    /// From 1 to 0.
    pub reset: usize,
}

impl Changes {
    /// Cells changed in either direction.
    pub fn total(&self) -> usize {
        self.set + self.reset
    }

    fn note(&mut self, old: u64, new: u64) {
        self.set += (new & !old).count_ones() as usize;
        self.reset += (old & !new).count_ones() as usize;
    }
}

impl FlipNWrite {
    /// Words of 8, 16, 32 or 64 bits; others are a [`CodeError::Parameters`].
    pub fn new(word_bits: usize) -> Result<FlipNWrite, CodeError> {
        if matches!(word_bits, 8 | 16 | 32 | 64) {
            return Ok(FlipNWrite { word_bytes: word_bits / 8 });
        }
        let problem = format!("words of {word_bits} bits; choose 8, 16, 32 or 64");
        Err(CodeError::Parameters { code: "Flip-N-Write", problem })
    }

    /// Bytes of flags for `data_bytes` bytes: a bit a word, the last word possibly short.
    pub fn flag_bytes(&self, data_bytes: usize) -> usize {
        data_bytes.div_ceil(self.word_bytes).div_ceil(8)
    }

    /// The most cells a write of a full word changes.
    pub fn max_changes_per_word(&self) -> usize {
        (8 * self.word_bytes).div_ceil(2)
    }

    /// Writes `data` over `cells` and `flags`, changing as few cells as flipping whole words
    /// allows; ties keep the flag.
    ///
    /// # Errors
    /// [`CodeError::Size`] when `cells` is not as long as `data` or `flags` not
    /// [`FlipNWrite::flag_bytes`] long.
    pub fn encode(&self, data: &[u8], cells: &mut [u8], flags: &mut [u8]) -> Result<Changes, CodeError> {
        self.check(data.len(), cells.len(), flags.len())?;
        let mut changes = Changes::default();
        let words = data.chunks(self.word_bytes).zip(cells.chunks_mut(self.word_bytes));
        for (i, (data, cells)) in words.enumerate() {
            let ones = u64::MAX >> (64 - 8 * data.len());
            let (wanted, old, flag) =
                (bits::u64_from(data), bits::u64_from(cells), flags[i / 8] >> (i % 8) & 1);
            let stored = |flag: u8| wanted ^ (ones * u64::from(flag));
            let keep = (stored(flag) ^ old).count_ones();
            let flip = (stored(flag ^ 1) ^ old).count_ones() + 1;
            let new_flag = if flip < keep { flag ^ 1 } else { flag };
            let new = stored(new_flag);
            changes.note(old, new);
            changes.note(flag.into(), new_flag.into());
            cells.copy_from_slice(&new.to_le_bytes()[..cells.len()]);
            flags[i / 8] ^= (flag ^ new_flag) << (i % 8);
        }
        Ok(changes)
    }

    /// Reads the data back.
    ///
    /// # Errors
    /// [`CodeError::Size`] as in [`FlipNWrite::encode`].
    pub fn decode(&self, cells: &[u8], flags: &[u8], data: &mut [u8]) -> Result<(), CodeError> {
        self.check(data.len(), cells.len(), flags.len())?;
        let words = data.chunks_mut(self.word_bytes).zip(cells.chunks(self.word_bytes));
        for (i, (data, cells)) in words.enumerate() {
            let flip = (flags[i / 8] >> (i % 8) & 1).wrapping_neg();
            for (byte, cell) in data.iter_mut().zip(cells) {
                *byte = cell ^ flip;
            }
        }
        Ok(())
    }

    fn check(&self, data: usize, cells: usize, flags: usize) -> Result<(), CodeError> {
        CodeError::check_bytes("the page", cells, data)?;
        CodeError::check_bytes("the flags", flags, self.flag_bytes(data))
    }
}
