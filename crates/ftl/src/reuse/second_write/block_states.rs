//! The life of blocks (figure 5): clean, used, recycled, reused, clean; and which victims may be recycled. Where third and
//! fourth writes are made a reused block is recycled once or twice more.

use std::collections::VecDeque;

use crate::reuse::second_write::config::SecondWriteConfig;
use crate::shape::layout::Layout;

/// Second, third and fourth writes.
const KINDS: usize = 3;

/// Blocks that a plane may have waiting beyond those of its partners, where there are third writes (docs/schemes/second-write.md).
const STEP: usize = 2;

/// How often the pages of a block were or may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Life {
    /// Clean, or used: first writes only.
    First,
    /// Its invalid pages take second writes, or those of this number.
    Recycled(u8),
    /// They took them. The next time it is cleaned it is recycled for further ones, or, if these were the last, erased.
    Reused(u8),
    /// As `Reused`, and the next time it is cleaned it is erased whatever writes there are.
    Spent(u8),
}

impl Life {
    /// The last writes that its pages took or take.
    fn writes(self) -> u8 {
        match self {
            Life::First => 1,
            Life::Recycled(writes) | Life::Reused(writes) | Life::Spent(writes) => writes,
        }
    }

    /// Eighths of a block that hold no data if all of it is taken by such writes: they put a page on 2, 4 or 8.
    fn eighths_lost(self) -> u32 {
        8 - (8 >> (self.writes() - 1))
    }
}

/// Recycled and reused blocks of one plane.
#[derive(Debug, Clone, Default)]
struct Plane {
    /// Recycled blocks that wait for second, third and fourth writes, oldest first.
    waiting: [VecDeque<u32>; KINDS],
    recycled: u32,
    reused: u32,
    /// What both lose at most (see [`Life::eighths_lost`]).
    eighths_lost: u32,
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
    /// Writes of a page between two erases.
    writes: u8,
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
            writes: config.writes,
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
        let life = self.life[victim.unit as usize];
        matches!(life, Life::First | Life::Reused(_))
            && life.writes() < self.writes
            && victim.clean >= self.min_clean
            && plane.eighths_lost - life.eighths_lost() + Life::Recycled(life.writes() + 1).eighths_lost()
                <= self.limit(plane)
            && victim.valid <= self.max_valid
            && (self.writes == 2 || self.keeps_step(victim.plane, life.writes() + 1))
            && self.bears_second_writes(victim.erases)
    }

    /// Whether a plane has hardly more blocks waiting for such writes than those that must take part in them. Otherwise one
    /// plane may wait for partners for its second writes while another waits for partners for its third ones.
    fn keeps_step(&self, plane: u32, writes: u8) -> bool {
        let planes = 1 << (writes - 1);
        let first = (plane / planes * planes) as usize;
        let waiting = |plane: &Plane| plane.waiting[kind(writes)].len();
        let least = self.planes[first..first + planes as usize].iter().map(waiting).min().unwrap_or(0);
        waiting(&self.planes[plane as usize]) <= least + STEP
    }

    /// Whether a block that was erased so often still reads well enough with the short error-correcting code that a
    /// second write leaves it (see [`endurance_limit`](super::endurance_limit)).
    pub(super) fn bears_second_writes(&self, erases: u32) -> bool {
        erases < self.erase_limit
    }

    /// Eighths of blocks that recycled and reused blocks of a plane may lose: R = T - U of them. A block loses half of its pages
    /// to second writes, so there may be 2R of such blocks; to third writes 3/4, to fourth ones 7/8.
    fn limit(&self, plane: &Plane) -> u32 {
        (8.0 * (f64::from(self.blocks_per_plane - plane.lost) - self.logical_blocks)) as u32
    }

    /// A used block is recycled, or a reused one once more.
    pub(super) fn recycle(&mut self, unit: u32) {
        let writes = self.life[unit as usize].writes() + 1;
        self.begin(unit, Life::Recycled(writes));
        self.most = self.most.max(self.recycled + self.reused);
        self.plane_of(unit).waiting[kind(writes)].push_back(unit);
    }

    /// The recycled block of a plane that takes second writes next, or those of this number.
    pub(super) fn next_recycled(&mut self, plane: u32, writes: u8) -> Option<u32> {
        self.planes[plane as usize].waiting[kind(writes)].pop_front()
    }

    /// Whether a recycled block of a plane waits for second writes, or for those of this number.
    pub(super) fn has_recycled(&self, plane: u32, writes: u8) -> bool {
        !self.planes[plane as usize].waiting[kind(writes)].is_empty()
    }

    /// Recycled blocks of a plane that wait, oldest first.
    pub(super) fn waiting(&self, plane: u32) -> impl Iterator<Item = u32> + '_ {
        self.planes[plane as usize].waiting.iter().flatten().copied()
    }

    /// How many of them there are.
    pub(super) fn waiting_blocks(&self, plane: u32) -> usize {
        self.planes[plane as usize].waiting.iter().map(VecDeque::len).sum()
    }

    /// A waiting block of a plane is needed otherwise: it will be erased.
    pub(super) fn withdraw(&mut self, unit: u32) {
        self.plane_of(unit).waiting.iter_mut().for_each(|waiting| waiting.retain(|&other| other != unit));
        let writes = self.life[unit as usize].writes();
        self.begin(unit, Life::Spent(writes));
    }

    /// A recycled block takes no more of the writes that it was recycled for.
    pub(super) fn reuse(&mut self, unit: u32) {
        let writes = self.life[unit as usize].writes();
        self.begin(unit, Life::Reused(writes));
    }

    /// A mount found a block that takes no second writes before it is erased.
    pub(super) fn restore_reused(&mut self, unit: u32) {
        self.begin(unit, Life::Spent(2));
        self.most = self.most.max(self.recycled + self.reused);
    }

    /// A block's next part of its life begins.
    fn begin(&mut self, unit: u32, life: Life) {
        self.leave(unit);
        self.life[unit as usize] = life;
        let is_recycled = matches!(life, Life::Recycled(_));
        let count = if is_recycled { &mut self.recycled } else { &mut self.reused };
        *count += 1;
        let plane = self.plane_of(unit);
        let count = if is_recycled { &mut plane.recycled } else { &mut plane.reused };
        *count += 1;
        plane.eighths_lost += life.eighths_lost();
    }

    /// A block was erased, or taken out of service.
    pub(super) fn leave(&mut self, unit: u32) {
        let life = std::mem::replace(&mut self.life[unit as usize], Life::First);
        let plane = self.plane_of(unit);
        plane.eighths_lost -= life.eighths_lost();
        match life {
            Life::First => {}
            Life::Recycled(_) => {
                plane.recycled -= 1;
                self.recycled -= 1;
            }
            Life::Reused(_) | Life::Spent(_) => {
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
            let count = |wanted: fn(&Life) -> bool| lives.iter().filter(|life| wanted(life)).count() as u32;
            let recycled = count(|life| matches!(life, Life::Recycled(_)));
            let reused = count(|life| matches!(life, Life::Reused(_) | Life::Spent(_)));
            let lost: u32 = lives.iter().map(|life| life.eighths_lost()).sum();
            if (recycled, reused, lost) != (plane.recycled, plane.reused, plane.eighths_lost) {
                return Err(format!(
                    "plane {index}: {recycled} blocks recycled and {reused} reused, {} and {} counted; {lost} and {} eighths",
                    plane.recycled, plane.reused, plane.eighths_lost
                ));
            }
            if plane.lost == 0 && lost > self.limit(plane) {
                return Err(format!(
                    "plane {index}: {recycled} recycled + {reused} reused blocks lose {lost} eighths, which exceeds R"
                ));
            }
            for (writes, waiting) in (2..).zip(&plane.waiting) {
                if waiting.iter().any(|&unit| self.life[unit as usize] != Life::Recycled(writes)) {
                    return Err(format!("plane {index}: a block waits that is not recycled"));
                }
            }
        }
        Ok(())
    }

    fn plane_of(&mut self, unit: u32) -> &mut Plane {
        &mut self.planes[(unit / self.blocks_per_plane) as usize]
    }
}

/// Index of second (2), third and fourth writes.
fn kind(writes: u8) -> usize {
    usize::from(writes) - 2
}
