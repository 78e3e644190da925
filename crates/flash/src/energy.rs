//! How much energy operations take: an estimate from public figures, made from counts after a
//! replay.
//!
//! Programs and reads are counted by cause, not by kind of page, so that nothing is added to the
//! path of an operation: an operation is taken to cost the mean over the pages of a block. For
//! programs this is exact but for unfinished blocks, since every block is programmed page after
//! page (a code that skips pages in later passes deviates a little); for reads it supposes that
//! pages of all kinds are read equally often. Multi-plane commands are taken at the cost of plain
//! programs. What programming modes other than the normal one take is [`ModeEnergy`]'s choice.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::FlashConfig;
use crate::error::ConfigError;
use crate::page_kind::PageKinds;

/// The `[flash.energy]` table: energy of each operation. Without it a replay reports no energy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EnergyConfig {
    /// Sensing a page in nanojoules, per page kind: one value for all, or `flash.bits_per_cell`
    /// values.
    pub read_nj: Vec<f64>,
    /// Programming a page in nanojoules, per page kind.
    pub program_nj: Vec<f64>,
    /// Erasing a block in nanojoules.
    pub erase_nj: f64,
    /// Energy in programming modes other than the chip's normal one.
    #[serde(default, skip_serializing_if = "ModeEnergy::is_default")]
    pub modes: ModeEnergy,
    /// Source of the figures.
    pub source: String,
}

/// Energy in programming modes other than the chip's normal one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ModeEnergy {
    /// As much as in the normal mode; the default.
    #[default]
    AsNormal,
    /// In proportion to their time, at the power of the normal mode (Suh et al., JSSC 1995; Zhao et
    /// al., FAST '13). For reads an upper bound, since decoding is no work of the flash.
    ByTime,
}

impl ModeEnergy {
    // serde asks with a reference.
    #[allow(clippy::trivially_copy_pass_by_ref)]
    fn is_default(&self) -> bool {
        *self == ModeEnergy::AsNormal
    }
}

/// Checked energies of one operation each, in joules.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Energy {
    /// Sensing a page: mean over the pages of a block.
    pub read_j: f64,
    /// Programming a page, or its part of a page of the chip: mean over the pages of a block.
    pub program_j: f64,
    /// Erasing a block.
    pub erase_j: f64,
    /// What operations take in other modes.
    pub modes: ModeEnergy,
}

impl Energy {
    /// Checks the energies of a configuration, if it has any.
    ///
    /// # Errors
    /// A value below 0 or of more than a joule; a list whose length is neither 1 nor the bits per
    /// cell; an impossible array.
    pub fn new(config: &FlashConfig) -> Result<Option<Energy>, ConfigError> {
        let Some(energy) = &config.energy else { return Ok(None) };
        let kinds = PageKinds::of_blocks(config)?;
        let pages = kinds.counts(usize::from(config.bits_per_cell));
        Ok(Some(Energy {
            read_j: mean_j("flash.energy.read_nj", &energy.read_nj, &pages)?,
            program_j: mean_j("flash.energy.program_nj", &energy.program_nj, &pages)?
                / f64::from(config.pages_per_program),
            erase_j: checked("flash.energy.erase_nj", energy.erase_nj)? * 1e-9,
            modes: energy.modes,
        }))
    }
}

fn checked(key: &str, value: f64) -> Result<f64, ConfigError> {
    if (0.0..=1e9).contains(&value) {
        return Ok(value);
    }
    Err(ConfigError::new(key, format!("{value} is no energy of an operation"), "give 0 up to 1e9"))
}

/// The mean over the pages of a block, with `pages` of each kind.
fn mean_j(key: &str, values_nj: &[f64], pages: &[u32]) -> Result<f64, ConfigError> {
    let of_kind = |kind: usize| if values_nj.len() == 1 { values_nj[0] } else { values_nj[kind] };
    if values_nj.len() != 1 && values_nj.len() != pages.len() {
        return Err(ConfigError::new(
            key,
            format!("{} values for {} kinds of pages", values_nj.len(), pages.len()),
            format!("give 1 value or {}, one for each bit of flash.bits_per_cell", pages.len()),
        ));
    }
    for &value in values_nj {
        checked(key, value)?;
    }
    let sum: f64 = pages.iter().enumerate().map(|(kind, &count)| of_kind(kind) * f64::from(count)).sum();
    Ok(sum / f64::from(pages.iter().sum::<u32>().max(1)) * 1e-9)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timing::TimingConfig;

    fn config(energy: EnergyConfig) -> FlashConfig {
        FlashConfig {
            blocks_per_plane: 4,
            pages_per_block: 3,
            bits_per_cell: 2,
            energy: Some(energy),
            ..FlashConfig::single_plane(TimingConfig {
                read_ns: vec![1],
                program_ns: vec![1],
                erase_ns: 1,
                channel_mb_per_s: 100,
            })
        }
    }

    fn energy() -> EnergyConfig {
        EnergyConfig {
            read_nj: vec![10.0],
            program_nj: vec![30.0, 60.0],
            erase_nj: 500.0,
            modes: ModeEnergy::AsNormal,
            source: "made up".to_owned(),
        }
    }

    #[test]
    fn a_page_costs_the_mean_of_a_block() {
        let checked = Energy::new(&config(energy())).unwrap().unwrap();
        // Low, high, low.
        assert!((checked.program_j - 40e-9).abs() < 1e-20);
        assert!((checked.read_j - 10e-9).abs() < 1e-20);
        assert!((checked.erase_j - 500e-9).abs() < 1e-18);
    }

    #[test]
    fn without_figures_there_is_no_estimate() {
        let mut plain = config(energy());
        plain.energy = None;
        assert_eq!(Energy::new(&plain).unwrap(), None);
    }

    #[test]
    fn impossible_figures_are_refused_by_name() {
        let refused = |change: fn(&mut FlashConfig), key: &str| {
            let mut config = config(energy());
            change(&mut config);
            let error = Energy::new(&config).unwrap_err().to_string();
            assert!(error.contains(key), "{error}");
        };
        refused(|config| config.energy.as_mut().unwrap().read_nj = vec![], "flash.energy.read_nj");
        refused(
            |config| config.energy.as_mut().unwrap().program_nj = vec![1.0; 3],
            "flash.energy.program_nj",
        );
        refused(|config| config.energy.as_mut().unwrap().program_nj = vec![-1.0], "flash.energy.program_nj");
        refused(|config| config.energy.as_mut().unwrap().erase_nj = f64::NAN, "flash.energy.erase_nj");
    }
}
