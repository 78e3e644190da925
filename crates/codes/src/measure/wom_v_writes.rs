//! Writes of random data a WOM-v page takes between erases.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use super::{Mean, Watch};
use crate::CodeError;
use crate::wom_v::{Code, DataModel, EccThreshold, Invalid, WriteCounts};

/// A number of writes, by the mathematics of a cell and on real pages.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct WritesPerPage {
    /// The mean of [`WriteCounts`].
    pub exact: f64,
    /// The mean over real pages.
    pub measured: Mean,
}

/// One code.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct WomVRow {
    /// Data bits in a cell.
    pub k: u8,
    /// A cell has `2^n` levels.
    pub n: u8,
    /// Generations, which is also the number of writes in no-read mode.
    pub generations: u32,
    /// Cells of the page.
    pub cells: usize,
    /// Seed of the data.
    pub seed: u64,
    /// Writes that stay within 3% invalid cells.
    pub pre_check: WritesPerPage,
    /// Writes up to and including the one that exceeds 3%.
    pub post_check: WritesPerPage,
    /// Writes without any invalid cell.
    pub without_ecc: WritesPerPage,
    /// Mean share of invalid cells after the write that exceeds 3%.
    pub invalid_share_at_crossing: Mean,
}

/// One code on `pages` pages of about 8192 cells, as long as `watch` lets it.
///
/// # Errors
/// [`CodeError::Interrupted`] as soon as `watch` says so.
pub fn measure_wom_v_code(
    code: Code,
    pages: usize,
    seed: u64,
    watch: &mut Watch<'_>,
) -> Result<WomVRow, CodeError> {
    let bytes = 8192 * usize::from(code.data_bits()) / 8;
    let cells = code.cells_for(bytes);
    let limit = EccThreshold::PAPER.limit(cells);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let (mut image, mut data) = (vec![0; code.image_bytes(bytes)], vec![0; bytes]);
    let mut invalid = Invalid::new(cells);
    let (mut without, mut within, mut shares) = (Vec::new(), Vec::new(), Vec::new());
    for page in 0..pages {
        if !watch(page as u64, pages as u64) {
            return Err(CodeError::Interrupted { done: page as u64 });
        }
        image.fill(0);
        invalid.clear();
        let (mut clean_writes, mut writes) = (0u32, 0u32);
        while invalid.count() <= limit {
            rng.fill_bytes(&mut data);
            code.encode(&data, &mut image, &mut invalid)?;
            writes += 1;
            clean_writes += u32::from(invalid.count() == 0);
        }
        without.push(f64::from(clean_writes));
        within.push(f64::from(writes - 1));
        shares.push(invalid.count() as f64 / cells as f64);
    }
    let exact = |threshold| WriteCounts::new(code, cells, DataModel::Random, threshold).mean();
    let post: Vec<f64> = within.iter().map(|writes| writes + 1.0).collect();
    let row =
        |threshold, samples: &[f64]| WritesPerPage { exact: exact(threshold), measured: Mean::new(samples) };
    Ok(WomVRow {
        k: code.data_bits(),
        n: code.cell_bits(),
        generations: code.generations(),
        cells,
        seed,
        pre_check: row(EccThreshold::SAFE, &within),
        post_check: row(EccThreshold::PAPER, &post),
        without_ecc: row(EccThreshold::NONE, &without),
        invalid_share_at_crossing: Mean::new(&shares),
    })
}
