//! Victim selection: how full an overwrite block counts (section IV, "Victim Selection Policies").
//!
//! A full write block has its last page programmed; a full overwrite block holds valid data on its
//! low pages only, and its high pages are erased. The block with fewer valid pages is the victim.
//! `seal` counts the high pages as invalid, `seal-preserve` as valid, so that an overwrite block is
//! touched only if there is no better write block.
//!
//! The paper finds that each is better under other workloads, since `seal-preserve` collapses when
//! write blocks are nearly full of valid pages, and suggests to switch between the two. `automatic`
//! does so by what the collapse consists of: it preserves high pages as long as the write block
//! that would be cleaned instead is not too full.

use rewear_flash::ConfigError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How full an overwrite block counts as a victim.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// As many pages as are valid.
    #[default]
    Seal,
    /// Its valid pages and all its high pages, which are worth preserving.
    SealPreserve,
    /// As `seal-preserve` while the best write block has at most `preserve_below` of its pages
    /// valid, else as `seal`.
    Automatic,
}

/// A policy with its bounds in pages.
#[derive(Debug, Clone, Copy)]
pub(super) struct Counting {
    policy: Policy,
    preserve_below: f64,
}

impl Counting {
    pub(super) fn new(policy: Policy, preserve_below: f64) -> Result<Counting, ConfigError> {
        if (0.0..=1.0).contains(&preserve_below) {
            return Ok(Counting { policy, preserve_below });
        }
        let problem = format!("{preserve_below} is no share of a block's pages");
        Err(ConfigError::new("reuse.preserve_below", problem, "give 0 to 1"))
    }

    /// Whether high pages count as valid where the write block that would be cleaned instead has
    /// `valid` of `slots` pages valid; `None`: there is no such block.
    pub(super) fn preserves(self, valid: Option<u32>, slots: u32) -> bool {
        match self.policy {
            Policy::Seal => false,
            Policy::SealPreserve => true,
            Policy::Automatic => {
                valid.is_some_and(|valid| f64::from(valid) <= self.preserve_below * f64::from(slots))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_switch_follows_the_valid_pages_of_the_write_block() {
        let counting = |policy| Counting::new(policy, 0.75).expect("a share");
        assert!(!counting(Policy::Seal).preserves(Some(0), 128));
        assert!(counting(Policy::SealPreserve).preserves(Some(128), 128));
        assert!(counting(Policy::Automatic).preserves(Some(96), 128));
        assert!(!counting(Policy::Automatic).preserves(Some(97), 128));
        assert!(!counting(Policy::Automatic).preserves(None, 128));
        assert!(Counting::new(Policy::Seal, 1.5).is_err());
    }
}
