//! The units of a fresh drive.

use std::collections::VecDeque;

use crate::address::Unit;
use crate::config::ftl::FtlConfig;
use crate::policies::streams::policy::MovedWith;
use crate::shape::layout::Layout;
use crate::shape::reserve::Reserve;
use crate::state::content_score::ContentScore;
use crate::state::units::cached;
use crate::state::units::cached::CachedUnits;
use crate::state::units::free_units::FreeUnits;
use crate::state::units::low_then_high::{Fill, FillOrder};
use crate::state::units::pool::{Open, PoolEntry};
use crate::state::units::stream::STREAMS;
use crate::state::units::stripe_order::StripeOrder;
use crate::state::units::valid_count_index::ValidCountIndex;
use crate::state::units::wear::PoolWear;
use crate::state::units::{UnitEntry, UnitState, Units};

impl Units {
    /// All units free, but for the last `bad_units` of each pool, which are retired from the start.
    /// `cached_slots` is how many slots a unit has in the cache, on a drive with one.
    pub fn new(
        layout: &Layout,
        fill_order: FillOrder,
        reserve: &Reserve,
        config: &FtlConfig,
        bad_units: &[u32],
        planes_per_die: u32,
        cached_slots: Option<u32>,
    ) -> Units {
        let unit = |unit: Unit| {
            let pool = layout.pool_of(unit);
            UnitEntry { valid: 0, pool, queue: pool.0, state: UnitState::Free, fill: Fill::All, stream: 0 }
        };
        let classes = config.streams.classes(config.moved_pages);
        let open_by_class = classes + u32::from(cached_slots.is_some());
        let pool = |index: u32| {
            let mut free = FreeUnits::default();
            let first = Unit(index * layout.units_per_pool);
            Unit::each(first..first + layout.units_per_pool).for_each(|unit| free.push(unit, 0));
            PoolEntry {
                open: [Open::none(layout.slots_per_unit); STREAMS],
                open_by_class: vec![Open::none(layout.slots_per_unit); open_by_class as usize],
                valid: 0,
                for_groups: 0,
                valid_limit: reserve.valid_limit,
                free,
                reopened: VecDeque::new(),
                wear: PoolWear::new(layout.units_per_pool),
                search_from: 0,
            }
        };
        let mut units = Units {
            units: Unit::all(layout.units()).map(unit).collect(),
            wear: vec![0; layout.units() as usize],
            pools: (0..layout.pools).map(pool).collect(),
            victims: ValidCountIndex::new(
                layout.units(),
                layout.pools * if fill_order.is_used() || cached_slots.is_some() { 2 } else { 1 },
                layout.slots_per_unit,
                config.victim.asks_for_age(),
            ),
            programmable: None,
            fill_order,
            content_score: ContentScore::none(config.victim.weighs_contents()),
            slots_per_unit: layout.slots_per_unit,
            slots: match cached_slots {
                Some(_) => vec![layout.slots_per_unit; layout.units() as usize],
                None => Vec::new(),
            },
            units_per_pool: layout.units_per_pool,
            reserved_units: reserve.free_units as usize,
            needed_units: reserve.needed_units as usize,
            counts_groups: reserve.counts_groups,
            counts_waiting: reserve.counts_waiting,
            moved_stream: match config.streams.moved_with(config.moved_pages) {
                MovedWith::Host => 0,
                MovedWith::Cold => 1,
                MovedWith::Nobody => 2,
            },
            classes: classes as u8,
            clock: 0,
            striping: config.striping,
            visits: StripeOrder::new(layout, planes_per_die),
            moves: StripeOrder::new(layout, planes_per_die),
            retired: 0,
            cache: cached_slots.map(|slots| {
                let fixed = config.slc_cache.fixed_units(layout.units_per_pool);
                Box::new(CachedUnits::new(layout.pools, slots, fixed))
            }),
            cache_index: cached_slots.map_or(cached::NO_CACHE, |_| cached::index_behind(classes)),
        };
        units.set_cache_aside();
        units.retire_bad(bad_units);
        units
    }

    /// Takes units out of the free ones of a fresh drive: they hold no data.
    pub(crate) fn set_aside(&mut self, units: std::ops::Range<Unit>) {
        for unit in Unit::each(units) {
            let pool = self.units[unit.index()].pool.index();
            self.pools[pool].free.remove(unit);
            self.retire(unit);
            self.retired -= 1;
        }
    }

    /// Retires the last units of each pool; a fresh drive's free units are in order.
    fn retire_bad(&mut self, bad_units: &[u32]) {
        for (index, &bad) in bad_units.iter().enumerate().filter(|&(_, &bad)| bad > 0) {
            let first = index as u32 * self.units_per_pool;
            let good = first..first + self.units_per_pool.saturating_sub(bad);
            let free = &mut self.pools[index].free;
            (good.end..first + self.units_per_pool).for_each(|unit| free.remove(Unit(unit)));
            (good.end..first + self.units_per_pool).for_each(|unit| self.retire(Unit(unit)));
        }
    }
}
