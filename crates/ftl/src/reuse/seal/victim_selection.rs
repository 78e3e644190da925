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

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The share of valid pages up to which a write block is cleaned for the sake of the high pages of
/// an overwrite block. Between those with which `seal-preserve` wins and those with which it
/// collapses (`docs/notebook/seal.md`).
const PRESERVE_BELOW: f64 = 0.7;

/// How full an overwrite block counts as a victim.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Policy {
    /// As many pages as are valid.
    #[default]
    Seal,
    /// Its valid pages and all its high pages, which are worth preserving.
    SealPreserve,
    /// As `seal-preserve` while the best write block has at most 70% of its pages valid, else as
    /// `seal`.
    Automatic,
}

impl Policy {
    /// Whether high pages count as valid where the write block that would be cleaned instead has
    /// `valid` of `slots` pages valid; `None`: there is no such block.
    pub(super) fn preserves(self, valid: Option<u32>, slots: u32) -> bool {
        match self {
            Policy::Seal => false,
            Policy::SealPreserve => true,
            Policy::Automatic => {
                valid.is_some_and(|valid| f64::from(valid) <= PRESERVE_BELOW * f64::from(slots))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_switch_follows_the_valid_pages_of_the_write_block() {
        assert!(!Policy::Seal.preserves(Some(0), 128));
        assert!(Policy::SealPreserve.preserves(Some(128), 128));
        assert!(Policy::Automatic.preserves(Some(89), 128));
        assert!(!Policy::Automatic.preserves(Some(90), 128));
        assert!(!Policy::Automatic.preserves(None, 128));
    }
}
