//! Which victims are recycled instead of erased (section 5.4): enough clean blocks, and at most 2R
//! blocks recycled or reused.

use super::block_states::{BlockState, BlockStates, Plane, STEP};
use super::config::SecondWriteConfig;
use super::guard::WHOLE;
use crate::address::{Pool, Unit};

/// What a victim must meet to be recycled.
#[derive(Debug, Clone, Copy)]
pub(super) struct Victim {
    pub(super) unit: Unit,
    pub(super) plane: Pool,
    pub(super) valid: u32,
    /// Whether its plane has as many clean blocks as cleaning needs: `min_clean_blocks`, and one
    /// more where blocks may go out of service, or what was open be lost with the power. With fewer
    /// the plane would be short of them still after a recycling, and every victim be recycled until
    /// 2R is used up.
    pub(super) has_clean: bool,
    /// Erases of the block.
    pub(super) erases: u32,
}

/// A plane as the rule sees it.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlaneShape {
    pub(super) blocks: u32,
    pub(super) pages_per_block: u32,
    /// Blocks that the exported capacity fills (U).
    pub(super) logical_blocks: f64,
}

/// The limits.
#[derive(Debug, Clone, Default)]
pub(super) struct RecycleRule {
    /// Writes of a page between two erases.
    writes: u8,
    /// Whether such writes go to several planes.
    parallel: bool,
    blocks_per_plane: u32,
    /// Blocks of a plane that the exported capacity fills (U).
    logical_blocks: f64,
    max_valid: u32,
    /// Erases after which a block takes no second writes.
    erase_limit: u32,
    /// Part of the limit that may be used now, of [`WHOLE`](super::guard::WHOLE).
    pub(super) share: u32,
}

impl RecycleRule {
    pub(super) fn new(config: &SecondWriteConfig, plane: PlaneShape, erase_limit: u32) -> RecycleRule {
        RecycleRule {
            writes: config.writes,
            parallel: config.parallel,
            blocks_per_plane: plane.blocks,
            logical_blocks: plane.logical_blocks,
            max_valid: (config.recycle_max_valid_fraction * f64::from(plane.pages_per_block)).floor() as u32,
            erase_limit,
            share: WHOLE,
        }
    }

    /// Whether half of what may be recycled or reused is.
    pub(super) fn uses_share(&self, planes: &[Plane]) -> bool {
        let used: u32 = planes.iter().map(|plane| plane.eighths_lost).sum();
        let allowed: u32 = planes.iter().map(|plane| self.limit(plane) * self.share / WHOLE).sum();
        2 * used >= allowed
    }

    /// Whether a victim is recycled, if its block still bears second writes.
    #[inline] // Asked for every hot write while a plane is short of blocks.
    pub(super) fn may_recycle(&self, blocks: &BlockStates, victim: Victim) -> bool {
        let (plane, state) = (blocks.plane(victim.plane), blocks.of(victim.unit));
        let next = state.writes() + 1;
        matches!(state, BlockState::First | BlockState::Reused(_))
            && state.writes() < self.writes
            && victim.has_clean
            && victim.valid <= self.max_valid
            && plane.eighths_lost - state.eighths_lost() + BlockState::Recycled(next).eighths_lost()
                <= self.limit(plane) * self.share / WHOLE
            && (self.writes == 2 || keeps_step(blocks, victim.plane, next))
            && self.bears_second_writes(victim.erases)
            && (!self.parallel || finds_partners(blocks, victim.plane, next))
    }

    /// Whether a block that was erased so often still reads well enough with the short
    /// error-correcting code that a second write leaves it (see
    /// [`endurance_limit`](super::endurance_limit)).
    pub(super) fn bears_second_writes(&self, erases: u32) -> bool {
        erases < self.erase_limit
    }

    /// Eighths of blocks that recycled and reused blocks of a plane may lose: R = T - U of them. A
    /// block loses half of its pages to second writes, so there may be 2R of such blocks; to third
    /// writes 3/4, to fourth ones 7/8.
    pub(super) fn limit(&self, plane: &Plane) -> u32 {
        (8.0 * (f64::from(self.blocks_per_plane - plane.lost) - self.logical_blocks)) as u32
    }
}

/// Whether a plane has hardly more blocks waiting for such writes than those that must take part in
/// them. Otherwise one plane may wait for partners for its second writes while another waits for
/// partners for its third ones.
fn keeps_step(blocks: &BlockStates, plane: Pool, writes: u8) -> bool {
    let planes = 1 << (writes - 1);
    let first = Pool(plane.0 / planes * planes);
    blocks.waiting_for(plane, writes) <= blocks.least_waiting(first..first + planes, writes) + STEP
}

/// Whether the other planes that take part in such writes recycle blocks, too. At the end of second
/// writes one may have none left that bear them, and what is recycled on the others would wait for
/// ever.
fn finds_partners(blocks: &BlockStates, plane: Pool, writes: u8) -> bool {
    let planes = 1 << (writes - 1);
    let first = Pool(plane.0 / planes * planes);
    Pool::each(first..first + planes).all(|other| other == plane || blocks.may_match(other, plane, writes))
}
