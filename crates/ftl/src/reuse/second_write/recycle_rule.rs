//! Which victims are recycled instead of erased (section 5.4), with at most 2R blocks recycled or
//! reused.
//!
//! [`Recycling::BeforeErasing`] is the paper's rule. Every used victim is recycled while two blocks
//! are clean, and recycled blocks count as clean ones. While they wait first writes take as many of
//! the clean blocks that cleaning keeps on the plain drive, which is spare space lent to second
//! writes. How long cleaning goes on the paper does not say; here it restores the sum, as it restores
//! the clean blocks of the plain drive.
//!
//! Under [`Recycling::ForHotWrites`] cleaning for room erases, as on the plain drive. A victim is
//! recycled where a hot write finds no pair.

use super::block_states::{BlockState, BlockStates, Plane};
use super::config::{Recycling, SecondWriteConfig};
use crate::address::{Pool, Unit};

/// Most blocks of a plane that wait for second writes where hot writes ask for them, since the other
/// plane of the pair may be late. Each holds invalid pages, and is no victim while it waits. Where
/// victims are recycled before they are erased, the threshold of cleaning bounds them.
const MOST_WAITING: usize = 2;
/// Clean blocks of a plane below which the paper erases its victim (section 5.4): one that takes
/// moved pages, and one for the next.
pub(super) const LEAST_CLEAN: u32 = 2;

/// What a victim must meet to be recycled.
#[derive(Debug, Clone, Copy)]
pub(super) struct Victim {
    pub(super) unit: Unit,
    pub(super) plane: Pool,
    /// Whether its plane has the clean blocks that cleaning needs.
    pub(super) has_clean: bool,
    /// Erases of the block.
    pub(super) erases: u32,
}

/// A plane as the rule sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlaneShape {
    pub(super) blocks: u32,
    /// Blocks that the exported capacity fills (U).
    pub(super) logical_blocks: f64,
}

/// The limits.
#[derive(Debug, Clone, Default)]
pub(super) struct RecycleRule {
    most_waiting: usize,
    blocks_per_plane: u32,
    /// Blocks of a plane that the exported capacity fills (U).
    logical_blocks: f64,
    /// Erases after which a block takes no second writes.
    erase_limit: u32,
}

impl RecycleRule {
    /// `cycles` are those for which a block is rated.
    pub(super) fn new(config: &SecondWriteConfig, plane: PlaneShape, cycles: Option<u32>) -> RecycleRule {
        // None of a life that nothing states is none.
        let unrated = if config.life_fraction == 0.0 { 0 } else { u32::MAX };
        let share_of = |cycles: u32| (f64::from(cycles) * config.life_fraction).round() as u32;
        RecycleRule {
            most_waiting: match config.recycling {
                Recycling::BeforeErasing => usize::MAX,
                Recycling::ForHotWrites => MOST_WAITING,
            },
            blocks_per_plane: plane.blocks,
            logical_blocks: plane.logical_blocks,
            erase_limit: cycles.map_or(unrated, share_of),
        }
    }

    /// Whether a victim is recycled, if its block still bears second writes.
    #[inline] // Asked for every hot write that finds no recycled blocks.
    pub(super) fn may_recycle(&self, blocks: &BlockStates, victim: Victim) -> bool {
        let plane = blocks.plane(victim.plane);
        blocks.of(victim.unit) == BlockState::First
            && victim.has_clean
            && plane.in_use() < self.limit(plane)
            && blocks.waiting(victim.plane).len() < self.most_waiting
            && self.bears_second_writes(victim.erases)
    }

    /// Whether a block after `erases` erases still reads well enough with the short
    /// error-correcting code that a second write leaves it (section 3): the cells of second writes
    /// take room in the spare area, and a worn block needs the longer code.
    pub(super) fn bears_second_writes(&self, erases: u32) -> bool {
        erases < self.erase_limit
    }

    /// Recycled and reused blocks of a plane, at most: 2R, with R = T - U. A block loses half of its
    /// pages to second writes.
    pub(super) fn limit(&self, plane: &Plane) -> u32 {
        (2.0 * (f64::from(self.blocks_per_plane - plane.lost) - self.logical_blocks)) as u32
    }
}
