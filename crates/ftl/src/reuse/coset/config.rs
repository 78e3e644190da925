//! Parameters of `coset`.

use rewear_codes::coset::measured::{self, Measured};
use rewear_flash::{ConfigError, FlashConfig};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of the `coset` scheme.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CosetConfig {
    /// Data bits for each bit of a cell: a rate of the measured codes of `flash.bits_per_cell`, with
    /// three decimals. 1 is the drive without a code.
    pub rate: f64,
    /// Valid pages of a unit that is written again.
    #[serde(default)]
    pub reopen: Reopening,
    /// Share of a page's cells that may be invalid, from 0 to below 1, which the error-correcting
    /// code corrects. A write that leaves more goes to another page. The code has as many writes as
    /// fewer than one page in 100 refuses.
    #[serde(default = "default_threshold")]
    pub ecc_threshold: f64,
}

/// How a unit that still takes writes is written again.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reopening {
    /// Its valid pages are moved away first.
    AfterMoving,
    /// Its valid pages stay and are skipped, and so are exhausted ones. The unit is the one with
    /// the most programmable pages. Units are erased only when no page is programmable.
    #[default]
    InPlaceAny,
}

fn default_threshold() -> f64 {
    0.02
}

/// Share of pages from which on a write is left out: those that refuse it are written elsewhere.
const MOST_REFUSALS: f64 = 0.01;

impl CosetConfig {
    /// A code of this rate, with all else as it comes.
    pub fn of_rate(rate: f64) -> CosetConfig {
        CosetConfig { rate, reopen: Reopening::default(), ecc_threshold: default_threshold() }
    }

    /// The code of the configured rate, and its writes.
    pub(super) fn measured(&self, flash: &FlashConfig) -> Result<Measured, ConfigError> {
        if !(0.0..1.0).contains(&self.ecc_threshold) {
            return Err(ConfigError::new(
                "reuse.ecc_threshold",
                format!("{} is no share of cells", self.ecc_threshold),
                "give a fraction from 0 to below 1, e.g. 0.02",
            ));
        }
        let bits = flash.bits_per_cell;
        let cells = (f64::from(8 * flash.page_bytes) / (f64::from(bits) * self.rate)) as usize;
        let limit = self.most_invalid(cells);
        let of_rate = || measured::of_cells(bits).filter(|of| (of.rate - self.rate).abs() < 5e-4);
        let takes = of_rate().filter(|of| of.exceeds(cells, limit) < MOST_REFUSALS);
        if let Some(code) = takes.max_by_key(|of| of.writes) {
            return Ok(*code);
        }
        let mut rates: Vec<String> = measured::of_cells(bits).map(|of| of.rate.to_string()).collect();
        rates.dedup();
        Err(match of_rate().map(|of| of.invalid).min_by(f64::total_cmp) {
            Some(least) => ConfigError::new(
                "reuse.ecc_threshold",
                format!("every code of the rate {} leaves {least:.4} of the cells and more", self.rate),
                "give half as much again at least, or a lower reuse.rate",
            ),
            None if rates.is_empty() => ConfigError::new(
                "flash.bits_per_cell",
                format!("cells of {bits} bits have no coset code"),
                "give 2, 3 or 4",
            ),
            None => ConfigError::new(
                "reuse.rate",
                format!("no code of cells of {bits} bits has the rate {}", self.rate),
                format!("give one of {}", rates.join(", ")),
            ),
        })
    }

    /// Most invalid cells of a page of `cells` cells.
    pub(super) fn most_invalid(&self, cells: usize) -> usize {
        (self.ecc_threshold * cells as f64).floor() as usize
    }
}
