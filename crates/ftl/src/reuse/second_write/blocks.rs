//! The life of blocks (figure 5): clean, used, recycled, reused, clean; and which victims may be recycled.

use std::collections::VecDeque;

use super::config::SecondWriteConfig;
use crate::layout::Layout;

/// How often the pages of a block were or may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Life {
    /// Clean, or used: first writes only.
    First,
    /// Its invalid pages take second writes.
    Recycled,
    /// The next time it is cleaned it is erased.
    Reused,
}

/// Recycled and reused blocks of one plane.
#[derive(Debug, Clone, Default)]
struct Plane {
    /// Recycled blocks that wait to be written, oldest first.
    waiting: VecDeque<u32>,
    recycled: u32,
    reused: u32,
    /// Blocks that went out of service.
    lost: u32,
}

/// What a victim must meet to be recycled.
#[derive(Debug, Clone, Copy)]
pub(super) struct Victim {
    pub(super) unit: u32,
    pub(super) plane: u32,
    pub(super) valid: u32,
    /// Clean blocks of its plane.
    pub(super) clean: u32,
    /// Erases of the block.
    pub(super) erases: u32,
}

/// The lives of all blocks.
#[derive(Debug, Clone, Default)]
pub(super) struct Blocks {
    life: Vec<Life>,
    planes: Vec<Plane>,
    blocks_per_plane: u32,
    /// Blocks of a plane that the exported capacity fills (U).
    logical_blocks: f64,
    min_clean: u32,
    max_valid: u32,
    /// Erases after which a block takes no second writes.
    erase_limit: u32,
    recycled: u32,
    reused: u32,
    /// Most blocks that were recycled or reused at a time.
    most: u32,
}

impl Blocks {
    pub(super) fn new(config: &SecondWriteConfig, layout: &Layout, erase_limit: u32) -> Blocks {
        let pools = layout.pools;
        let exported = f64::from(layout.exported_pages) / f64::from(layout.slots_per_unit);
        Blocks {
            life: vec![Life::First; layout.units() as usize],
            planes: vec![Plane::default(); pools as usize],
            blocks_per_plane: layout.units_per_pool,
            logical_blocks: exported / f64::from(pools),
            min_clean: config.min_clean_blocks,
            max_valid: (config.recycle_max_valid_fraction * f64::from(layout.slots_per_unit)).floor() as u32,
            erase_limit,
            recycled: 0,
            reused: 0,
            most: 0,
        }
    }

    /// Whether a victim is recycled instead of erased (section 5.4), if its block still bears second writes.
    pub(super) fn may_recycle(&self, victim: Victim) -> bool {
        let plane = &self.planes[victim.plane as usize];
        self.life[victim.unit as usize] == Life::First
            && victim.clean >= self.min_clean
            && plane.recycled + plane.reused < self.limit(plane)
            && victim.valid <= self.max_valid
            && self.bears_second_writes(victim.erases)
    }

    /// Whether a block that was erased so often still reads well enough with the short error-correcting code that a
    /// second write leaves it (see [`life`](super::life)).
    fn bears_second_writes(&self, erases: u32) -> bool {
        erases < self.erase_limit
    }

    /// 2R: blocks of a plane that may be recycled or reused, R = T - U.
    fn limit(&self, plane: &Plane) -> u32 {
        (2.0 * (f64::from(self.blocks_per_plane - plane.lost) - self.logical_blocks)) as u32
    }

    /// A used block is recycled.
    pub(super) fn recycle(&mut self, unit: u32) {
        self.life[unit as usize] = Life::Recycled;
        self.recycled += 1;
        self.most = self.most.max(self.recycled + self.reused);
        let plane = self.plane_of(unit);
        plane.recycled += 1;
        plane.waiting.push_back(unit);
    }

    /// The recycled block of a plane that is written next.
    pub(super) fn next_recycled(&mut self, plane: u32) -> Option<u32> {
        self.planes[plane as usize].waiting.pop_front()
    }

    /// Whether a recycled block of a plane waits.
    pub(super) fn has_recycled(&self, plane: u32) -> bool {
        !self.planes[plane as usize].waiting.is_empty()
    }

    /// Recycled blocks of a plane that wait, oldest first.
    pub(super) fn waiting(&self, plane: u32) -> impl Iterator<Item = u32> + '_ {
        self.planes[plane as usize].waiting.iter().copied()
    }

    /// A waiting block of a plane is needed otherwise.
    pub(super) fn withdraw(&mut self, unit: u32) {
        self.plane_of(unit).waiting.retain(|&other| other != unit);
    }

    /// A recycled block takes no more second writes.
    pub(super) fn reuse(&mut self, unit: u32) {
        self.leave(unit);
        self.life[unit as usize] = Life::Reused;
        self.reused += 1;
        self.plane_of(unit).reused += 1;
    }

    /// A block was erased, or taken out of service.
    pub(super) fn leave(&mut self, unit: u32) {
        let life = std::mem::replace(&mut self.life[unit as usize], Life::First);
        let plane = self.plane_of(unit);
        match life {
            Life::First => {}
            Life::Recycled => {
                plane.recycled -= 1;
                self.recycled -= 1;
            }
            Life::Reused => {
                plane.reused -= 1;
                self.reused -= 1;
            }
        }
    }

    /// A block went out of service: T shrinks, and so does R.
    pub(super) fn lose(&mut self, unit: u32) {
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

    /// Compares counts with lives.
    pub(super) fn audit(&self) -> Result<(), String> {
        for (index, plane) in (0..).zip(&self.planes) {
            let first = index * self.blocks_per_plane as usize;
            let lives = &self.life[first..first + self.blocks_per_plane as usize];
            let count = |wanted| lives.iter().filter(|&&life| life == wanted).count() as u32;
            let (recycled, reused) = (count(Life::Recycled), count(Life::Reused));
            if (recycled, reused) != (plane.recycled, plane.reused) {
                return Err(format!(
                    "plane {index}: {recycled} blocks recycled and {reused} reused, {} and {} counted",
                    plane.recycled, plane.reused
                ));
            }
            if plane.lost == 0 && recycled + reused > self.limit(plane) {
                return Err(format!("plane {index}: {recycled} recycled + {reused} reused blocks exceed 2R"));
            }
            if plane.waiting.iter().any(|&unit| self.life[unit as usize] != Life::Recycled) {
                return Err(format!("plane {index}: a block waits that is not recycled"));
            }
        }
        Ok(())
    }

    fn plane_of(&mut self, unit: u32) -> &mut Plane {
        &mut self.planes[(unit / self.blocks_per_plane) as usize]
    }
}
