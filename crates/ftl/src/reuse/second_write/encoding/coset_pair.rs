//! Further writes by a coset code: the cells of two full pages take a page together, up to three
//! times, so they cost no capacity.
//!
//! First writes use all of their cells. What the code leaves to the error-correcting code is
//! measured, as for the [`coset`](crate::reuse::coset) scheme.

use rewear_codes::coset::Code;
use rewear_codes::coset::measured::Measured;
use rewear_flash::medium::{RECORD_BYTES, SpareFormat};
use rewear_flash::{ConfigError, FlashConfig};

use super::pair_cells::{ENTRY_BYTES, PLACE_BYTES};
use crate::reuse::coset::CosetConfig;
use crate::reuse::second_write::config::CosetPairsConfig;

/// Bits of a cell, writes of a pair, and the shares of invalid cells and of wrong bits behind the
/// last: pages of 4096 bytes, 10^6 cells
/// (`cargo run --release -p rewear-codes --example coset_codes`).
const MEASURED: [(u8, u8, f64, f64); 6] = [
    (2, 1, 0.0053, 0.0032),
    (3, 1, 0.0012, 0.0007),
    (3, 2, 0.018, 0.010),
    (4, 1, 0.00043, 0.00027),
    (4, 2, 0.0038, 0.0022),
    (4, 3, 0.020, 0.011),
];
/// Share of refused writes from which on a code is not taken, as for `coset`.
const MOST_REFUSALS: f64 = 0.01;

/// The codes of a drive's pages.
#[derive(Debug, Clone)]
pub(in crate::reuse::second_write) struct CosetPair {
    /// Of a page alone.
    pub(super) first: Code,
    /// Of two full pages.
    pub(super) pair: Code,
    /// Invalid cells that a pair may have.
    pub(super) limit: usize,
    /// The probability that the last write of a pair leaves more, and times that it is written.
    pub(super) refusal: f64,
    pub(super) writes: u8,
}

impl CosetPair {
    pub(in crate::reuse::second_write) fn new(
        config: &CosetPairsConfig,
        flash: &FlashConfig,
    ) -> Result<CosetPair, ConfigError> {
        let &CosetPairsConfig { writes, ecc_threshold: share } = config;
        let (bits, bytes) = (flash.bits_per_cell, flash.page_bytes as usize);
        let measured = measured(writes, bits)?;
        let wrong = |error: rewear_codes::CodeError| {
            ConfigError::new("flash.page_bytes", error.to_string(), "give another size")
        };
        let first = Code::new(bits, 1.0, bytes, 1).map_err(wrong)?;
        let pair = Code::over_two_pages(bits, bytes, writes.into()).map_err(wrong)?;
        let limit = (share * pair.cells() as f64).floor() as usize;
        let refusal = measured.exceeds(pair.cells(), limit);
        if !(0.0..1.0).contains(&share) || refusal >= MOST_REFUSALS {
            return Err(ConfigError::new(
                "reuse.coset.ecc_threshold",
                format!(
                    "{share}, and the last of {writes} writes leaves {:.4} of the cells",
                    measured.invalid
                ),
                "give half as much again, below 1, or fewer reuse.coset.writes",
            ));
        }
        Ok(CosetPair { first, pair, limit, refusal, writes })
    }

    /// Bytes of a page's packed cells: half of a pair, or a page alone where that is more.
    pub(in crate::reuse::second_write) fn image_bytes(&self) -> usize {
        self.first.image_bytes().max(self.pair.image_bytes() / 2)
    }

    /// Room for a record, and for what the code leaves wrong in a half.
    pub(in crate::reuse::second_write) fn spare(&self) -> SpareFormat {
        SpareFormat { bytes: RECORD_BYTES + PLACE_BYTES + ENTRY_BYTES * self.limit, coded: true }
    }
}

/// The flash of a drive whose pages use whole cells: all pages are alike, and bits are wrong from
/// the start.
///
/// # Errors
/// Cells that no pair of can be written so often.
pub(in crate::reuse) fn flash(
    config: &CosetPairsConfig,
    flash: &FlashConfig,
) -> Result<FlashConfig, ConfigError> {
    let wrong_bits = measured(config.writes, flash.bits_per_cell)?.wrong_bits;
    Ok(FlashConfig { wrong_bits, ..CosetConfig::of_rate(1.0).flash(flash)? })
}

fn measured(writes: u8, bits: u8) -> Result<Measured, ConfigError> {
    let of_cells = || MEASURED.iter().filter(move |of| of.0 == bits);
    if let Some(&(bits, writes, invalid, wrong_bits)) = of_cells().find(|of| of.1 == writes) {
        return Ok(Measured {
            bits,
            rate: 0.5,
            writes: writes.into(),
            bound: writes.into(),
            invalid,
            wrong_bits,
        });
    }
    Err(match of_cells().count() {
        0 => ConfigError::new(
            "flash.bits_per_cell",
            format!("cells of {bits} bits have no coset code"),
            "give 2, 3 or 4, or leave reuse.coset out: the polar code is for any",
        ),
        most => ConfigError::new(
            "reuse.coset.writes",
            format!("two pages of cells of {bits} bits are not written {writes} times"),
            format!("give 1 to {most}"),
        ),
    })
}
