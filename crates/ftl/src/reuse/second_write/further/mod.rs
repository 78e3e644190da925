//! Third and fourth writes: a reused block is recycled once more, and a page of data goes on four pages of four planes, or eight
//! of eight.
//!
//! Section 7 of the paper names them as future work "where the planes allow". Everything is as with second writes: the pages of
//! a group have the same slot in a block of each plane of a chip, are invalid, and are read and programmed together. A page
//! that took no second write is as good as one that did; its cells are less programmed. Hot data goes to a pair first,
//! then to a group of four, then to one of eight.

pub(super) mod cells;
mod parts;
mod place;
mod write;

use rewear_codes::polar_wom::{GroupCode, GroupPreset};
use rewear_flash::{ConfigError, FlashConfig, Nanos};

use super::SecondWrite;
use super::config::{Fidelity, SecondWriteConfig};
use super::encoding::Outcomes;
use super::lane::{Lane, Prefetch, TriedPair};
use crate::error::FtlError;
use crate::reuse::place::Place;
use crate::reuse::second_write::block_states::Blocks;
use crate::shape::layout::Layout;
use crate::state::State;
use crate::state::groups::{Group, Groups, MOST_PAGES};
use crate::state::map::Map;
use cells::GroupCells;

/// Chance that an attempt succeeds, of third and of fourth writes: `cargo run --release -p rewear-codes --example group_codes`.
pub(super) const SUCCESS_PROBABILITY: [f64; 2] = [0.97, 0.96];

/// Blocks that take further writes now, and the offset counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ActiveGroup {
    group: Group,
    /// No slot before it is written again.
    next: u32,
}

/// The writes of one kind.
#[derive(Debug, Clone)]
pub(super) struct Kind {
    /// 0 for third writes, 1 for fourth ones.
    index: usize,
    lanes: Vec<Lane<ActiveGroup>>,
    outcomes: Outcomes,
    /// Work space for real bits, where cells are stored.
    pub(super) cells: Option<Box<GroupCells>>,
}

/// The codes of third and fourth writes, as many as the configuration asks for.
///
/// # Errors
/// A page size on which there is no such code.
pub(super) fn codes(config: &SecondWriteConfig, flash: &FlashConfig) -> Result<Vec<GroupCode>, ConfigError> {
    let presets = [GroupPreset::THIRD, GroupPreset::FOURTH];
    let codes = presets.into_iter().take(config.further_kinds());
    codes
        .map(|preset| {
            GroupCode::new(flash.page_bytes as usize, preset).map_err(|error| {
                let problem =
                    format!("writes on {} pages of {} bytes: {error}", preset.pages, flash.page_bytes);
                ConfigError::new("flash.page_bytes", problem, "give smaller pages, or a smaller reuse.writes")
            })
        })
        .collect()
}

impl Kind {
    pub(super) fn new(
        index: usize,
        config: &SecondWriteConfig,
        layout: &Layout,
        cells: Option<GroupCells>,
    ) -> Kind {
        let probability = config.further_success_probability.unwrap_or(SUCCESS_PROBABILITY[index]);
        // Each kind draws a sequence of its own.
        let seed = config.seed.wrapping_add(index as u64 + 1);
        Kind {
            index,
            lanes: vec![Lane::IDLE; (layout.pools / pages_of(index)) as usize],
            outcomes: match config.fidelity {
                Fidelity::Full => Outcomes::undecided(seed),
                Fidelity::Table | Fidelity::Mask => Outcomes::of_probability(probability, seed),
            },
            cells: cells.map(Box::new),
        }
    }

    fn writes(&self) -> u8 {
        self.index as u8 + 3
    }

    /// Pages of a write.
    fn pages(&self) -> u32 {
        pages_of(self.index)
    }

    fn lane_of(&self, pool: u32) -> usize {
        (pool / self.pages()) as usize
    }

    fn planes(&self, lane: usize) -> std::ops::Range<u32> {
        let first = lane as u32 * self.pages();
        first..first + self.pages()
    }

    /// The next slot for such a write: of the active group, or of the next one.
    fn next_slot(&mut self, state: &mut State, blocks: &mut Blocks, lane: usize) -> Option<(u32, u32)> {
        loop {
            let Some(active) = self.lanes[lane].active else {
                self.open(state, blocks, lane)?;
                continue;
            };
            let groups = state.pairs.as_deref()?.groups()?;
            let slots = state.layout.slots_per_unit;
            if let Some(slot) = next_eligible(groups, &state.map, slots, self.index, active) {
                return Some((active.group.first(), slot));
            }
            self.close(state, blocks, lane);
        }
    }

    /// Takes the oldest recycled block of each plane; `None` if one has none.
    fn open(&mut self, state: &mut State, blocks: &mut Blocks, lane: usize) -> Option<()> {
        let (planes, writes) = (self.planes(lane), self.writes());
        if !planes.clone().all(|plane| blocks.has_recycled(plane, writes)) {
            return None;
        }
        let mut units = [0; MOST_PAGES];
        for (unit, plane) in units.iter_mut().zip(planes) {
            *unit = blocks.next_recycled(plane, writes)?;
        }
        let group = Group::of(&units[..self.pages() as usize]);
        state.pairs.as_deref_mut()?.link_group(self.index, &group);
        self.lanes[lane].active = Some(ActiveGroup { group, next: 0 });
        Some(())
    }

    /// Nothing is left to write on the active group, or it is wanted otherwise. Whether there was one.
    fn close(&mut self, state: &mut State, blocks: &mut Blocks, lane: usize) -> bool {
        let Some(active) = self.lanes[lane].active.take() else { return false };
        self.lanes[lane].prefetch = Prefetch::Nothing;
        self.lanes[lane].tried = TriedPair::NEVER;
        for &unit in active.group.units() {
            blocks.reuse(unit);
            state.units.end_reopened_for_groups(unit);
        }
        true
    }

    /// The offset counter moves past a slot.
    fn advance(
        &mut self,
        state: &mut State,
        blocks: &mut Blocks,
        (lane, slot): (usize, u32),
        wanted_at: Option<Nanos>,
    ) {
        let own = &mut self.lanes[lane];
        own.tried = TriedPair::NEVER;
        if let Some(active) = &mut own.active {
            active.next = slot + 1;
        }
        if let (Some(at), Some(_)) = (wanted_at, self.next_slot(state, blocks, lane)) {
            self.lanes[lane].prefetch = Prefetch::Due(at);
        }
    }

    /// As [`SecondWrite::settle_prefetch`].
    fn settle_prefetch(&mut self, state: &mut State, lane: usize, at: Nanos) -> Result<(), FtlError> {
        let Prefetch::Due(due) = self.lanes[lane].prefetch else { return Ok(()) };
        let idle_since = self.planes(lane).map(|plane| state.array.free_at(plane)).fold(due, Nanos::max);
        let Some(active) = self.lanes[lane].active.filter(|_| idle_since < at) else { return Ok(()) };
        let Some(groups) = state.pairs.as_deref().and_then(|pairs| pairs.groups()) else { return Ok(()) };
        let slots = state.layout.slots_per_unit;
        self.lanes[lane].prefetch = match next_eligible(groups, &state.map, slots, self.index, active) {
            None => Prefetch::Nothing,
            Some(slot) => {
                state.counters.read.before_write += u64::from(self.pages());
                state.counters.pages_prefetched += u64::from(self.pages());
                Prefetch::Done { at: state.read_group(due, &active.group, slot)?, slot }
            }
        };
        Ok(())
    }

    pub(super) fn restart_clock(&mut self) {
        self.lanes.iter_mut().for_each(|lane| lane.prefetch.restart_clock());
    }
}

impl SecondWrite {
    /// The next slot of a group that a pair of planes is a part of.
    #[inline(never)] // Not on the way of a page where there are no groups.
    pub(super) fn next_group(&mut self, state: &mut State, lane: usize) -> Option<Place> {
        let pool = self.pools_of(lane).start;
        for kind in 0..self.further.len() {
            if !self.has_group_capacity(state, kind, pool) {
                continue;
            }
            let further = &mut self.further[kind];
            let lane = further.lane_of(pool);
            if let Some((unit, slot)) = further.next_slot(state, &mut self.blocks, lane) {
                return Some(Place::Group { kind: kind as u8, unit, slot });
            }
        }
        None
    }

    /// Whether one more such write leaves room for every logical page.
    fn has_group_capacity(&self, state: &State, kind: usize, pool: u32) -> bool {
        let further = &self.further[kind];
        let planes = further.planes(further.lane_of(pool));
        // Two pages of a pair of planes beyond the data, where a second write has one; of the drive all but one.
        let more = (1, further.pages() - 2);
        planes.step_by(2).all(|plane| self.has_room_for(state, self.lane_of(plane), more))
    }

    /// A block waits for further writes: what lies there may be prefetched.
    pub(super) fn want_group(&mut self, state: &mut State, pool: u32, at: Nanos) {
        for further in &mut self.further {
            let lane = further.lane_of(pool);
            let was_idle = further.lanes[lane].active.is_none();
            if was_idle && self.config.prefetch && further.next_slot(state, &mut self.blocks, lane).is_some()
            {
                further.lanes[lane].prefetch = Prefetch::Due(at);
            }
        }
    }

    #[cold]
    pub(super) fn settle_groups(&mut self, state: &mut State, pool: u32, at: Nanos) -> Result<(), FtlError> {
        for further in &mut self.further {
            let lane = further.lane_of(pool);
            further.settle_prefetch(state, lane, at)?;
        }
        Ok(())
    }

    /// No unit of a plane can be cleaned: its groups are given up. Whether there was any.
    pub(super) fn close_groups(&mut self, state: &mut State, pool: u32) -> bool {
        let mut any = false;
        for further in &mut self.further {
            let lane = further.lane_of(pool);
            any |= further.close(state, &mut self.blocks, lane);
        }
        any
    }

    /// The code of third (0) or fourth writes on stored cells.
    pub(crate) fn group_cells(&mut self, kind: usize) -> Option<&mut GroupCells> {
        self.further.get_mut(kind)?.cells.as_deref_mut()
    }
}

/// Pages of third (0) and fourth writes.
fn pages_of(kind: usize) -> u32 {
    4 << kind
}

/// The next slot from the offset counter on at which all parts are invalid and took no such write yet.
fn next_eligible(
    groups: &Groups,
    map: &Map,
    slots_per_unit: u32,
    kind: usize,
    active: ActiveGroup,
) -> Option<u32> {
    for word in active.next / 64..map.words_per_unit() {
        let taken =
            active.group.units().iter().fold(0, |bits, &unit| {
                bits | map.valid_word(unit, word) | groups.written_word(kind, unit, word)
            });
        // Slots behind the last are never valid.
        let behind = (word + 1) * 64;
        let exists = if behind <= slots_per_unit { u64::MAX } else { u64::MAX >> (behind - slots_per_unit) };
        let mut eligible = !taken & exists;
        if word == active.next / 64 {
            eligible &= u64::MAX << (active.next % 64);
        }
        if eligible != 0 {
            return Some(word * 64 + eligible.trailing_zeros());
        }
    }
    None
}
