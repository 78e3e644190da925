//! No-read mode: a page is written without what its cells hold (`wom-v`, section 3.2.2).

use super::encode::{for_code, for_isa, used_bits};
#[cfg(target_arch = "x86_64")]
use super::vbmi;
use super::{Code, lanes};
use crate::CodeError;
use crate::bits::u64_from;
use crate::isa::{Isa, Level};

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
        for_code!(self, fill_page(Isa::best(), base, self.cells_for(data.len()), data, image));
        Ok(())
    }
}

for_isa!(fill_rest, fill_words, (base: u64, data: &[u8], image: &mut [u8]));

/// The levels of `data` on a page whose cells all start at level `base`, by the best code for
/// `isa`.
fn fill_page<const K: u32, const N: u32>(isa: Isa, base: u64, cells: usize, data: &[u8], image: &mut [u8]) {
    #[cfg(target_arch = "x86_64")]
    if isa.0 == Level::Avx512 && vbmi::is_available() {
        // SAFETY: the processor has the instructions.
        return unsafe { vbmi::fill_page::<K, N>(base, cells, data, image) };
    }
    fill_rest::<K, N>(isa, base, data, image);
}

/// The levels of `data` when every cell starts at level `base`.
#[inline(always)]
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
