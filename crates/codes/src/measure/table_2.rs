//! Table 2 of `second-write`: required storage against success rate, for 4 KB logical pages of
//! random data.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;

use super::trial::Trials;
use super::{Proportion, Watch};
use crate::CodeError;
use crate::polar_wom::PolarWom;

/// The paper's table: storage in percent of the logical page, success rate.
pub const PAPER_TABLE_2: [(f64, f64); 6] =
    [(200.0, 0.0), (206.0, 0.05), (208.0, 0.58), (210.0, 0.95), (212.0, 0.99), (214.0, 1.0)];

/// Bits of a logical page.
const LOGICAL_BITS: usize = 32768;

/// The meaning of "required storage".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reading {
    /// The cells beyond two pages are clean spare cells that take one raw bit each (figure 4): of a
    /// logical page the share `R = (3 - storage) / 2` goes to the polar code.
    CleanSpare,
    /// All cells are half programmed: a code of `cells / storage` message bits.
    AllProgrammed,
}

impl Reading {
    /// Message bits of the polar code on `cells` cells.
    pub fn message_bits(self, storage_percent: f64, cells: usize) -> usize {
        let storage = storage_percent / 100.0;
        let share = match self {
            Reading::CleanSpare => (3.0 - storage) / 2.0,
            Reading::AllProgrammed => 1.0 / storage,
        };
        (share * cells as f64).round() as usize
    }
}

/// One column of the table beside what the code does.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Table2Row {
    /// Required storage in percent of the logical page.
    pub storage_percent: f64,
    /// The meaning of the storage.
    pub reading: Reading,
    /// Length of the code.
    pub cells: usize,
    /// Message bits of the code.
    pub message_bits: usize,
    /// Raw bytes in each page's spare area for a 4 KB page; 0 when all cells are programmed.
    pub spare_bytes: f64,
    /// Seed of the pages and the data.
    pub seed: u64,
    /// The paper's success rate, where its table has the storage.
    pub paper: Option<f64>,
    /// One attempt.
    pub one_attempt: Proportion,
    /// One attempt and one retry with a new dither.
    pub with_dither: Proportion,
    /// One attempt and one retry with another rotation.
    pub with_rotation: Proportion,
}

/// One row from `trials` pairs of pages, as long as `watch` lets it.
///
/// # Errors
/// [`CodeError::Parameters`] for a length that is no power of two or a storage without a code;
/// [`CodeError::Interrupted`] as soon as `watch` says so.
pub fn measure_table_2_row(
    reading: Reading,
    storage_percent: f64,
    cells: usize,
    trials: usize,
    seed: u64,
    watch: &mut Watch<'_>,
) -> Result<Table2Row, CodeError> {
    let message_bits = reading.message_bits(storage_percent, cells);
    let code = PolarWom::new(cells, message_bits)?;
    let rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let outcomes = Trials::new(&code, LOGICAL_BITS, rng).run(trials, watch)?;
    let with = |helped: u64| Proportion::new(outcomes.first + helped, outcomes.trials);
    let raw_bits = match reading {
        Reading::CleanSpare => {
            LOGICAL_BITS as f64 * (1.0 - message_bits as f64 / cells as f64 * 2.0).max(0.0)
        }
        Reading::AllProgrammed => 0.0,
    };
    Ok(Table2Row {
        storage_percent,
        reading,
        cells,
        message_bits,
        spare_bytes: raw_bits / 16.0,
        seed,
        paper: PAPER_TABLE_2.iter().find(|(storage, _)| *storage == storage_percent).map(|(_, rate)| *rate),
        one_attempt: with(0),
        with_dither: with(outcomes.dither),
        with_rotation: with(outcomes.rotation),
    })
}
