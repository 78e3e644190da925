//! Reading: the syndromes of the bit planes.

use super::code::Code;
use super::matrix::{HEIGHT, Matrix};
use super::planes;
use crate::CodeError;
use crate::isa::{Isa, Level};

impl Code {
    /// Reads the data back that write `write` (from 0 on) left in `image`. Nothing is known of the
    /// writes before it.
    ///
    /// # Errors
    /// [`CodeError::Size`] when `image` or `data` have another size than a page;
    /// [`CodeError::Range`] for a write that the code does not have.
    pub fn decode(&self, write: u32, image: &[u8], data: &mut [u8]) -> Result<(), CodeError> {
        self.decode_with(Isa::best(), write, image, data)
    }

    /// [`Code::decode`] with given instructions; all read the same data.
    ///
    /// # Errors
    /// As [`Code::decode`].
    pub fn decode_with(&self, isa: Isa, write: u32, image: &[u8], data: &mut [u8]) -> Result<(), CodeError> {
        CodeError::check_bytes("the cell image", image.len(), self.image_bytes())?;
        CodeError::check_bytes("the data", data.len(), self.data_bytes())?;
        let bytes = self.words() / 8;
        let mut left = data;
        for (plane, plan) in self.plan(write)?.planes.iter().enumerate() {
            let length = left.len().min(plan.rows * bytes);
            let (now, behind) = left.split_at_mut(length);
            left = behind;
            let matrix = Matrix { rows: plan.rows, columns: self.columns() };
            match isa.0 {
                // SAFETY: an `Isa` of this level exists only where the processor has AVX2.
                #[cfg(target_arch = "x86_64")]
                Level::Avx2 if bytes == 8 => unsafe { read_avx2(matrix, image, plane, now) },
                _ => {
                    let columns = image.chunks_exact(4 * bytes).map(|cells| planes::plane(cells, plane));
                    syndromes(matrix, columns, bytes, now);
                }
            }
        }
        Ok(())
    }
}

/// Reads a plane of 64 words.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn read_avx2(matrix: Matrix, image: &[u8], plane: usize, data: &mut [u8]) {
    let columns = image.as_chunks::<32>().0.iter().map(|cells| planes::plane_avx2(cells, plane));
    syndromes(matrix, columns, 8, data);
}

/// The syndromes of words whose columns are given, `bytes` bytes a row. Rows behind the end of
/// `data` are left out.
#[inline(always)]
fn syndromes(matrix: Matrix, mut columns: impl Iterator<Item = u64>, bytes: usize, data: &mut [u8]) {
    let rows = data.chunks_mut(bytes);
    let put = |to: &mut [u8], row: u64| match to.first_chunk_mut() {
        Some(to) => *to = row.to_le_bytes(),
        None => to.copy_from_slice(&row.to_le_bytes()[..to.len()]),
    };
    if matrix.is_plain() {
        rows.zip(columns).for_each(|(to, row)| put(to, row));
        return;
    }
    // The rows that the columns so far reach.
    let mut band = [0u64; HEIGHT];
    for (row, to) in rows.enumerate() {
        for place in 0..matrix.block(row + 1) - matrix.block(row) {
            let column = matrix.column(row, place);
            let bits = columns.next().unwrap_or_default();
            for (reach, syndrome) in band.iter_mut().enumerate() {
                *syndrome ^= bits & 0u64.wrapping_sub(u64::from(column >> reach & 1));
            }
        }
        put(to, band[0]);
        band.copy_within(1.., 0);
        band[HEIGHT - 1] = 0;
    }
}
