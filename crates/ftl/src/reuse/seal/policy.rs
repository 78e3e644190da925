//! Victim selection: how full an overwrite block counts (section IV, "Victim Selection Policies").
//!
//! A full write block has its last page programmed; a full overwrite block holds valid data on its low pages only, and its high
//! pages are erased. The block with fewer valid pages is the victim. `seal` counts the high pages as invalid, `seal-preserve`
//! as valid, so that an overwrite block is touched only if there is no better write block. The paper finds `seal` better for a
//! small overwrite region and `seal-preserve` between 20% and 30% of the data set under a skew above 60%, and suggests to
//! switch between the two; `automatic` does so.

use rewear_flash::ConfigError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Lpn;
use crate::host_write::Command;

/// How full an overwrite block counts as a victim.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// As many pages as are valid.
    #[default]
    Seal,
    /// Its valid pages and all its high pages, which are worth preserving.
    SealPreserve,
    /// One or the other, by the share of overwritten pages and of overwrites that the drive has seen lately.
    Automatic,
}

/// When the automatic switch preserves high pages. The defaults are the conditions that the paper names.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AutomaticConfig {
    /// From this share of overwritten pages among the written ones, 0 to 1.
    pub region_from: f64,
    /// Up to this share.
    pub region_to: f64,
    /// And above this share of overwrites among recent host writes, 0 to 1.
    pub skew_above: f64,
}

impl Default for AutomaticConfig {
    fn default() -> Self {
        AutomaticConfig { region_from: 0.2, region_to: 0.3, skew_above: 0.6 }
    }
}

impl AutomaticConfig {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        for (key, value) in [
            ("region_from", self.region_from),
            ("region_to", self.region_to),
            ("skew_above", self.skew_above),
        ] {
            if !(0.0..=1.0).contains(&value) {
                return Err(ConfigError::new(
                    format!("reuse.automatic.{key}"),
                    format!("{value} is no share"),
                    "give 0 to 1",
                ));
            }
        }
        Ok(())
    }
}

/// Host writes over which the share of overwrites is averaged: each counts for 2^-RECENT.
const RECENT: u32 = 12;

/// What the automatic switch knows: which pages were last overwritten, and how often overwrites come.
#[derive(Debug, Clone)]
pub(crate) struct Automatic {
    config: AutomaticConfig,
    /// A bit a logical page: it was written; its last write was an overwrite.
    written: Vec<u64>,
    overwritten: Vec<u64>,
    written_pages: u32,
    overwritten_pages: u32,
    /// Share of overwrites, decaying, scaled by 2^32.
    skew: i64,
}

impl Automatic {
    pub(super) fn new(config: &AutomaticConfig) -> Automatic {
        Automatic {
            config: config.clone(),
            written: Vec::new(),
            overwritten: Vec::new(),
            written_pages: 0,
            overwritten_pages: 0,
            skew: 0,
        }
    }

    pub(super) fn prepare(&mut self, logical_pages: u32) {
        let words = logical_pages.div_ceil(64) as usize;
        (self.written, self.overwritten) = (vec![0; words], vec![0; words]);
    }

    /// A host write was placed.
    pub(super) fn note(&mut self, lpn: Lpn, command: Command) {
        let (word, bit) = ((lpn / 64) as usize, 1u64 << (lpn % 64));
        self.written_pages += u32::from(self.written[word] & bit == 0);
        self.written[word] |= bit;
        let (was, is) = (self.overwritten[word] & bit != 0, command == Command::Overwrite);
        if was != is {
            self.overwritten[word] ^= bit;
            self.overwritten_pages = if is { self.overwritten_pages + 1 } else { self.overwritten_pages - 1 };
        }
        let now = if is { 1 << 32 } else { 0 };
        self.skew += (now - self.skew) >> RECENT;
    }

    /// Whether high pages are preserved now.
    pub(super) fn preserves(&self) -> bool {
        let region = f64::from(self.overwritten_pages) / f64::from(self.written_pages.max(1));
        let skew = self.skew as f64 / (1u64 << 32) as f64;
        (self.config.region_from..=self.config.region_to).contains(&region) && skew > self.config.skew_above
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_switch_follows_the_shares_of_pages_and_of_commands() {
        let mut automatic = Automatic::new(&AutomaticConfig::default());
        automatic.prepare(100);
        (0..100).for_each(|lpn| automatic.note(lpn, Command::Write));
        assert!(!automatic.preserves());
        for round in 0..400 {
            (0..25).for_each(|lpn| automatic.note(lpn, Command::Overwrite));
            // One write to five overwrites: a skew of 83%.
            (0..5).for_each(|step| automatic.note(25 + (round * 5 + step) % 75, Command::Write));
        }
        assert!(automatic.preserves());
        (25..50).for_each(|lpn| automatic.note(lpn, Command::Overwrite));
        assert!(!automatic.preserves(), "half of the pages are overwritten");
        (25..50).for_each(|lpn| automatic.note(lpn, Command::Write));
        assert!(automatic.preserves());
        (0..20_000).for_each(|step| automatic.note(25 + step % 75, Command::Write));
        assert!(!automatic.preserves(), "no overwrites lately");
    }
}
