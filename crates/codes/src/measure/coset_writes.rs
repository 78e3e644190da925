//! Invalid cells that the last write of a coset code leaves.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::Mean;
use crate::CodeError;
use crate::coset::{Code, Writer, capacity, correct};

/// A code on pages of random data.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct CosetRow {
    /// Bits of a cell.
    pub bits: u8,
    /// Requested data bits for each bit of a cell.
    pub rate: f64,
    /// Writes between two erases.
    pub writes: u32,
    /// Writes of this rate that the sum capacity has room for.
    pub bound: u32,
    /// Cells of all pages.
    pub cells: usize,
    /// Seed of the data.
    pub seed: u64,
    /// Share of a page's cells that are invalid behind the last write.
    pub invalid: Mean,
    /// Share of the bits of its cells that are wrong then, by the Gray code of levels.
    pub wrong_bits: Mean,
    /// Pages that were read wrong with their invalid cells corrected: none.
    pub wrong_pages: u32,
}

/// Writes a code's pages of random data from an erase to the last write, at least
/// `cells` cells.
///
/// # Errors
/// None: the buffers fit by construction.
pub fn measure_coset(code: &Code, rate: f64, cells: usize, seed: u64) -> Result<CosetRow, CodeError> {
    let pages = cells.div_ceil(code.cells());
    let mut writer = Writer::new(code);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let (mut data, mut read) = (vec![0; code.data_bytes()], vec![0; code.data_bytes()]);
    let (mut invalid, mut wrong_bits, mut wrong_pages) = (Vec::new(), Vec::new(), 0);
    let gray = |level: u8| level ^ level >> 1;
    for _ in 0..pages {
        let mut image = vec![0; code.image_bytes()];
        for write in 0..code.writes() {
            rng.fill_bytes(&mut data);
            let cells = writer.write(code, write, &data, &mut image)?;
            let mut whole = image.clone();
            correct(&mut whole, cells);
            code.decode(write, &whole, &mut read)?;
            wrong_pages += u32::from(read != data);
            if write + 1 < code.writes() {
                continue;
            }
            let pairs = image.iter().zip(&whole);
            let wrong: u32 = pairs
                .map(|(&is, &wanted)| {
                    let of = |shift: u32| (gray(is >> shift & 15) ^ gray(wanted >> shift & 15)).count_ones();
                    of(0) + of(4)
                })
                .sum();
            invalid.push(cells.len() as f64 / code.cells() as f64);
            wrong_bits.push(f64::from(wrong) / (code.cells() * usize::from(code.bits())) as f64);
        }
    }
    Ok(CosetRow {
        bits: code.bits(),
        rate,
        writes: code.writes(),
        bound: capacity::most_writes(code.bits(), rate * f64::from(code.bits())),
        cells: pages * code.cells(),
        seed,
        invalid: Mean::new(&invalid),
        wrong_bits: Mean::new(&wrong_bits),
        wrong_pages,
    })
}
