//! The states of blocks (figure 5): clean, used, recycled, reused, clean.

use std::collections::VecDeque;
use std::ops::Range;

use super::reused_blocks::ReusedBlocks;
use crate::address::{Pool, Unit};
use crate::state::groups::{Group, PARTS};
use crate::state::units::Units;

/// How often the pages of a block were or may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockState {
    /// Clean, or used: first writes only.
    First,
    /// Its invalid pages take second writes.
    Recycled,
    /// They took them: the next time it is cleaned it is erased.
    Reused,
}

/// Recycled and reused blocks of one plane.
#[derive(Debug, Clone, Default)]
pub(super) struct Plane {
    /// Recycled blocks that wait for second writes, oldest first.
    waiting: VecDeque<Unit>,
    recycled: u32,
    reused: u32,
    /// Blocks that went out of service.
    pub(super) lost: u32,
    /// When its last block was erased, in erases of the drive.
    pub(super) erased_at: u64,
}

impl Plane {
    /// Recycled and reused blocks.
    pub(super) fn in_use(&self) -> u32 {
        self.recycled + self.reused
    }
}

#[derive(Debug, Clone, Default)]
pub(super) struct BlockStates {
    states: Vec<BlockState>,
    planes: Vec<Plane>,
    reused_blocks: ReusedBlocks,
    blocks_per_plane: u32,
    erases: u64,
    recycled: u32,
    reused: u32,
    /// Most blocks that were recycled or reused at a time.
    most: u32,
}

impl BlockStates {
    pub(super) fn new(planes: u32, blocks_per_plane: u32) -> BlockStates {
        BlockStates {
            states: vec![BlockState::First; (planes * blocks_per_plane) as usize],
            planes: vec![Plane::default(); planes as usize],
            reused_blocks: ReusedBlocks::new(planes, blocks_per_plane),
            blocks_per_plane,
            erases: 0,
            recycled: 0,
            reused: 0,
            most: 0,
        }
    }

    #[inline]
    pub(super) fn of(&self, unit: Unit) -> BlockState {
        self.states[unit.index()]
    }

    /// Recycled and reused blocks of a plane, and those that it lost.
    #[inline]
    pub(super) fn plane(&self, plane: Pool) -> &Plane {
        &self.planes[plane.index()]
    }

    /// A used block is recycled.
    pub(super) fn recycle(&mut self, unit: Unit) {
        debug_assert_eq!(self.of(unit), BlockState::First, "unit {unit} is a used block");
        self.begin(unit, BlockState::Recycled);
        self.most = self.most.max(self.recycled + self.reused);
        self.plane_of(unit).waiting.push_back(unit);
    }

    /// The oldest recycled block of each of some planes, or none if one of them has none.
    #[inline(never)] // Once a block.
    pub(super) fn next_group(&mut self, planes: Range<Pool>) -> Option<Group> {
        if !self.have_recycled(planes.clone()) {
            return None;
        }
        let (mut units, count) = ([Unit::NONE; PARTS], (planes.end - planes.start) as usize);
        for (unit, plane) in units.iter_mut().zip(Pool::each(planes)) {
            *unit = self.planes[plane.index()].waiting.pop_front()?;
        }
        Some(Group::of(&units[..count]))
    }

    /// Whether a recycled block waits on each of some planes.
    #[inline]
    pub(super) fn have_recycled(&self, planes: Range<Pool>) -> bool {
        let mut planes = self.planes[planes.start.index()..planes.end.index()].iter();
        planes.all(|plane| !plane.waiting.is_empty())
    }

    /// Recycled blocks of a plane that wait, oldest first.
    pub(super) fn waiting(&self, plane: Pool) -> impl ExactSizeIterator<Item = Unit> + '_ {
        self.planes[plane.index()].waiting.iter().copied()
    }

    /// The reused blocks of a plane in turn; `None` if the next blocks hold none.
    #[inline]
    pub(super) fn next_reused(&mut self, plane: Pool) -> Option<Unit> {
        if self.planes[plane.index()].reused == 0 { None } else { self.reused_blocks.next(plane) }
    }

    /// A waiting block of a plane is needed otherwise: it will be erased.
    pub(super) fn withdraw(&mut self, units: &mut Units, unit: Unit) {
        debug_assert_eq!(self.of(unit), BlockState::Recycled, "unit {unit} waits for second writes");
        self.plane_of(unit).waiting.retain(|&other| other != unit);
        self.begin(unit, BlockState::Reused);
        units.end_reopened_for_groups(unit);
    }

    /// All waiting blocks of a plane will be erased.
    pub(super) fn withdraw_all(&mut self, units: &mut Units, plane: Pool) {
        let waiting: Vec<Unit> = self.waiting(plane).collect();
        waiting.into_iter().for_each(|unit| self.withdraw(units, unit));
    }

    /// A recycled block takes no more second writes, and is a candidate for cleaning again.
    pub(super) fn reuse(&mut self, units: &mut Units, unit: Unit) {
        debug_assert_eq!(self.of(unit), BlockState::Recycled, "unit {unit} takes second writes");
        self.begin(unit, BlockState::Reused);
        units.end_reopened_for_groups(unit);
    }

    /// A block takes no second writes before it is erased.
    pub(super) fn bar_from_reuse(&mut self, unit: Unit) {
        debug_assert_ne!(self.of(unit), BlockState::Recycled, "unit {unit} takes second writes");
        self.begin(unit, BlockState::Reused);
        self.most = self.most.max(self.recycled + self.reused);
    }

    fn begin(&mut self, unit: Unit, state: BlockState) {
        self.leave(unit);
        self.states[unit.index()] = state;
        let is_recycled = state == BlockState::Recycled;
        self.reused_blocks.set(unit, !is_recycled);
        let count = if is_recycled { &mut self.recycled } else { &mut self.reused };
        *count += 1;
        let blocks = self.blocks_per_plane;
        let plane = self.plane_of(unit);
        let count = if is_recycled { &mut plane.recycled } else { &mut plane.reused };
        *count += 1;
        debug_assert!(plane.in_use() <= blocks, "{plane:?}");
        debug_assert_eq!(self.recycled + self.reused, self.planes.iter().map(Plane::in_use).sum::<u32>());
    }

    /// A block was erased, or taken out of service.
    pub(super) fn leave(&mut self, unit: Unit) {
        debug_assert!(!self.plane_of(unit).waiting.contains(&unit), "unit {unit} waits for second writes");
        let state = std::mem::replace(&mut self.states[unit.index()], BlockState::First);
        self.reused_blocks.set(unit, false);
        let plane = self.plane_of(unit);
        match state {
            BlockState::First => {}
            BlockState::Recycled => {
                plane.recycled -= 1;
                self.recycled -= 1;
            }
            BlockState::Reused => {
                plane.reused -= 1;
                self.reused -= 1;
            }
        }
    }

    /// A block was erased, and is clean.
    pub(super) fn count_erase(&mut self, unit: Unit) {
        self.erases += 1;
        self.plane_of(unit).erased_at = self.erases;
    }

    /// A block went out of service: T shrinks, and so does R.
    pub(super) fn lose(&mut self, unit: Unit) {
        debug_assert_eq!(self.of(unit), BlockState::First, "unit {unit} has left");
        self.plane_of(unit).lost += 1;
    }

    /// Recycled and reused blocks now, and the most of both together.
    pub(super) fn counts(&self) -> (u32, u32, u32) {
        (self.recycled, self.reused, self.most)
    }

    /// The most is counted anew.
    pub(super) fn reset_most(&mut self) {
        self.most = self.recycled + self.reused;
    }

    /// Compares counts with states; `limit` is how many blocks of a plane may be in either.
    pub(super) fn audit(&self, limit: impl Fn(&Plane) -> u32) -> Result<(), String> {
        for (index, plane) in (0..).zip(&self.planes) {
            let first = index * self.blocks_per_plane as usize;
            let states = &self.states[first..first + self.blocks_per_plane as usize];
            let count = |wanted| states.iter().filter(|&&state| state == wanted).count() as u32;
            let (recycled, reused) = (count(BlockState::Recycled), count(BlockState::Reused));
            let knows = |(unit, &state)| self.reused_blocks.has(Unit(unit)) == (state == BlockState::Reused);
            if !(first as u32..).zip(states).all(knows) {
                return Err(format!(
                    "plane {index}: the bits of reused blocks are not those of their states"
                ));
            }
            if (recycled, reused) != (plane.recycled, plane.reused) {
                return Err(format!(
                    "plane {index}: {recycled} blocks recycled and {reused} reused, {} and {} counted",
                    plane.recycled, plane.reused
                ));
            }
            if plane.lost == 0 && recycled + reused > limit(plane) {
                return Err(format!(
                    "plane {index}: {recycled} recycled + {reused} reused blocks, which exceeds 2R"
                ));
            }
            if plane.waiting.iter().any(|&unit| self.states[unit.index()] != BlockState::Recycled) {
                return Err(format!("plane {index}: a block waits that is not recycled"));
            }
        }
        Ok(())
    }

    fn plane_of(&mut self, unit: Unit) -> &mut Plane {
        &mut self.planes[(unit.0 / self.blocks_per_plane) as usize]
    }
}
