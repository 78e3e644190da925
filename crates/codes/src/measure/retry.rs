//! Is a retry on the same pages independent of the first attempt (`second-write`, section 5.6)?

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::trial::{Outcomes, Trials};
use super::{Proportion, Reading, Watch};
use crate::CodeError;
use crate::polar_wom::PolarWom;

/// Success of one retry at a storage.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct RetryRow {
    /// Required storage in percent of the logical page, extra bits in clean spare cells.
    pub storage_percent: f64,
    /// Seed of the pages and the data.
    pub seed: u64,
    /// P: success of the first attempt.
    pub first: Proportion,
    /// Success of a retry with a new dither where the first attempt failed.
    pub dither_after_failure: Proportion,
    /// Success of a retry with another rotation where the first attempt failed.
    pub rotation_after_failure: Proportion,
    /// P' after one retry with a new dither.
    pub with_dither: Proportion,
    /// P' after one retry with another rotation.
    pub with_rotation: Proportion,
    /// `1 - (1 - P)^2`, what an independent retry would give.
    pub independent: f64,
}

/// Measures retries at a storage, on `trials` pairs of 4 KB pages, as long as `watch` lets it.
///
/// # Errors
/// [`CodeError::Parameters`] for a storage without a code; [`CodeError::Interrupted`] as soon as
/// `watch` says so.
pub fn measure_retries(
    storage_percent: f64,
    trials: usize,
    seed: u64,
    watch: &mut Watch<'_>,
) -> Result<RetryRow, CodeError> {
    const CELLS: usize = 1 << 16;
    let code = PolarWom::new(CELLS, Reading::CleanSpare.message_bits(storage_percent, CELLS))?;
    let rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let Outcomes { trials, first, dither, rotation } =
        Trials::new(&code, CELLS / 2, rng).run(trials, watch)?;
    let p = Proportion::new(first, trials);
    Ok(RetryRow {
        storage_percent,
        seed,
        first: p,
        dither_after_failure: Proportion::new(dither, trials - first),
        rotation_after_failure: Proportion::new(rotation, trials - first),
        with_dither: Proportion::new(first + dither, trials),
        with_rotation: Proportion::new(first + rotation, trials),
        independent: 1.0 - (1.0 - p.rate).powi(2),
    })
}
