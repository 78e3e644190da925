//! No-read mode: a page is written without what its cells hold (`wom-v`, section 3.2.2).

use super::encode::{for_code, used_bits};
use super::{Code, lanes};
use crate::CodeError;
use crate::bits::u64_from;

impl Code {
    /// Writes `data` as generation `generation` (counted from 0) without knowing what the cells
    /// hold: the level of a cell depends on the generation and its data only (`wom-v`, no-read
    /// mode). Same-generation transitions are off.
    ///
    /// The cells never fall as long as a page is written in generations 0, 1, 2, ... after an
    /// erase.
    ///
    /// # Errors
    /// [`CodeError::Range`] for a generation the code does not have, [`CodeError::Size`] when
    /// `image` is not [`Code::image_bytes`] long.
    pub fn encode_no_read(&self, generation: u32, data: &[u8], image: &mut [u8]) -> Result<(), CodeError> {
        if generation >= self.generations() {
            let count = self.generations() as usize;
            return Err(CodeError::Range { what: "generation", count, got: generation as usize });
        }
        CodeError::check_bytes("the cell image", image.len(), self.image_bytes(data.len()))?;
        let base = u64::from(generation) * u64::from(self.step());
        for_code!(self, fill_words(base, data, image));
        Ok(())
    }
}

/// The levels of `data` when every cell starts at level `base`.
fn fill_words<const K: u32, const N: u32>(base: u64, data: &[u8], image: &mut [u8]) {
    let base = lanes::repeat(N, base);
    let mut words = image.chunks_exact_mut(8);
    let mut numbers = data.chunks_exact(lanes::data_bytes(K, N));
    for (word, number) in (&mut words).zip(&mut numbers) {
        let (level, _) = lanes::raise::<K, N>(base, lanes::spread::<K, N>(u64_from(number)));
        word.copy_from_slice(&level.to_le_bytes());
    }
    let rest = words.into_remainder();
    let (level, _) = lanes::raise::<K, N>(base, lanes::spread::<K, N>(u64_from(numbers.remainder())));
    let keep = used_bits::<K, N>(numbers.remainder().len());
    rest.copy_from_slice(&(level & keep).to_le_bytes()[..rest.len()]);
}
