//! Each victim policy chooses what its definition says, compared with a search over all closed
//! units.
#![allow(clippy::unwrap_used, missing_docs)]

use proptest::prelude::*;
use rewear_ftl::config::FtlConfig;
use rewear_ftl::policies::victim::d_choices::DChoicesConfig;
use rewear_ftl::policies::victim::policy::DriveFacts;
use rewear_ftl::policies::victim::{VictimConfig, VictimPolicy};
use rewear_ftl::shape::layout::{Layout, SlotShape};
use rewear_ftl::shape::reserve::Reserve;
use rewear_ftl::state::units::Units;
use rewear_ftl::state::units::low_then_high::FillOrder;
use rewear_ftl::state::units::stream::Stream;
use rewear_ftl::{Pool, Unit};

const UNITS: u32 = 40;
const SLOTS: u32 = 8;
const POOLS: u32 = 2;

/// A drive without a reuse scheme, with this seed.
fn seeded(seed: u64) -> DriveFacts {
    DriveFacts { seed, erases_victims: true }
}

/// Units of two pools together with the naive record of what happened to them.
struct Model {
    units: Units,
    /// For each closed unit its valid slots and the clock when it was closed or last lost one.
    closed: Vec<Option<(Vec<bool>, u64)>>,
    clock: u64,
}

fn model(victim: VictimConfig) -> Model {
    let geometry = rewear_flash::Geometry {
        channels: 1,
        dies_per_channel: 1,
        planes_per_die: POOLS,
        blocks_per_plane: UNITS,
        pages_per_block: SLOTS,
        page_bytes: 512,
        planes_per_service_unit: 1,
    };
    let slot = SlotShape::single(512);
    let config = FtlConfig { victim, over_provisioning: 0.5, ..FtlConfig::default() };
    let layout = Layout::new(&geometry, &config.division(), slot).unwrap();
    let reserve = Reserve {
        free_units: 1,
        needed_units: 1,
        counts_groups: false,
        counts_waiting: false,
        streams: 1,
        valid_limit: (UNITS - 2) * SLOTS,
    };
    Model {
        units: Units::new(&layout, FillOrder::default(), &reserve, &config, &[0, 0], POOLS, None),
        closed: vec![None; (POOLS * UNITS) as usize],
        clock: 0,
    }
}

impl Model {
    /// Fills a unit of a pool with pages, as host writes do, and closes it.
    fn fill(&mut self, pool: u32) {
        self.units.close(Pool(pool), Stream::Host);
        let Some(unit) = self.units.open(Pool(pool), Stream::Host) else { return };
        for _ in 0..SLOTS {
            self.units.take_slot(Pool(pool), Stream::Host).unwrap();
            self.units.valid_added(unit);
            self.clock += 1;
        }
        self.units.close(Pool(pool), Stream::Host);
        self.closed[unit.index()] = Some((vec![true; SLOTS as usize], self.clock));
    }

    fn invalidate(&mut self, unit: usize, slot: usize) {
        let clock = self.clock;
        let Some((valid, since)) = &mut self.closed[unit] else { return };
        if std::mem::replace(&mut valid[slot], false) {
            self.units.valid_removed(Unit(unit as u32));
            *since = clock;
        }
    }

    /// Empties and erases a unit, as cleaning does.
    fn clean(&mut self, unit: u32) {
        self.units.begin_cleaning(Unit(unit));
        let (valid, _) = self.closed[unit as usize].take().unwrap();
        valid.iter().filter(|&&valid| valid).for_each(|_| self.units.valid_removed(Unit(unit)));
        self.units.release(Unit(unit));
    }

    /// Closed units of a pool: unit, valid pages, clock.
    fn candidates(&self, pool: u32) -> Vec<(u32, u32, u64)> {
        (pool * UNITS..(pool + 1) * UNITS)
            .filter_map(|unit| {
                let (valid, since) = self.closed[unit as usize].as_ref()?;
                Some((unit, valid.iter().filter(|&&valid| valid).count() as u32, *since))
            })
            .collect()
    }

    fn play(&mut self, steps: &[(bool, u32, usize)], mut check: impl FnMut(&mut Model)) {
        for &(fills, at, slot) in steps {
            if fills {
                self.fill(at % POOLS);
            } else {
                self.invalidate(at as usize, slot);
            }
            check(self);
        }
    }
}

fn steps() -> impl Strategy<Value = Vec<(bool, u32, usize)>> {
    // More invalidations than fills, so that all counts of valid pages occur.
    let step = (prop::bool::weighted(0.15), 0..POOLS * UNITS, 0..SLOTS as usize);
    prop::collection::vec(step, 1..600)
}

/// age x (1 - u) / 2u in floating point, as the papers print it.
fn cost_benefit(now: u64, valid: u32, since: u64) -> f64 {
    let u = f64::from(valid) / f64::from(SLOTS);
    (now - since + 1) as f64 * (1.0 - u) / (2.0 * u)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn cost_benefit_takes_the_largest_ratio_of_all_closed_units(steps in steps(), cleans in any::<bool>()) {
        let mut policy = VictimPolicy::new(&VictimConfig::CostBenefit {}, seeded(1));
        let mut model = model(VictimConfig::CostBenefit {});
        model.play(&steps, |model| {
            for pool in 0..POOLS {
                let candidates = model.candidates(pool);
                let score = |&(_, valid, since): &(u32, u32, u64)| cost_benefit(model.clock, valid, since);
                let best = candidates.iter().filter(|&&(_, valid, _)| valid < SLOTS).map(score).fold(f64::NAN, f64::max);
                let chosen = policy.choose(&model.units, Pool(pool));
                match chosen.map(|unit| candidates.iter().find(|&&(other, ..)| Unit(other) == unit).unwrap()) {
                    None => assert!(best.is_nan()),
                    Some(found) => {
                        assert!(score(found) == best || score(found) > best * (1.0 - 1e-12), "{found:?} of {candidates:?}");
                        if cleans && found.1 <= 1 {
                            model.clean(found.0);
                        }
                    }
                }
            }
        });
    }

    #[test]
    fn cyclic_goes_round_the_pool(steps in steps(), cleans in any::<bool>()) {
        let mut policy = VictimPolicy::new(&VictimConfig::Cyclic {}, seeded(1));
        let mut next = 0;
        model(VictimConfig::Cyclic {}).play(&steps, |model| {
            let candidates = model.candidates(1);
            let distance = |unit: u32| (unit - UNITS + UNITS - next) % UNITS;
            let dirty = candidates.iter().filter(|&&(_, valid, _)| valid < SLOTS).map(|&(unit, ..)| unit);
            let expected = dirty.min_by_key(|&unit| distance(unit));
            let chosen = policy.choose(&model.units, Pool(1));
            assert_eq!(chosen, expected.map(Unit));
            if let Some(unit) = expected {
                next = (unit - UNITS + 1) % UNITS;
                if cleans {
                    model.clean(unit);
                }
            }
        });
    }

    #[test]
    fn greedy_highest_breaks_ties_by_number(steps in steps()) {
        let mut policy = VictimPolicy::new(&VictimConfig::GreedyHighest {}, seeded(1));
        model(VictimConfig::GreedyHighest {}).play(&steps, |model| {
            let candidates = model.candidates(0);
            let least = candidates.iter().map(|&(_, valid, _)| valid).min().filter(|&valid| valid < SLOTS);
            let expected = candidates.iter().filter(|&&(_, valid, _)| Some(valid) == least).map(|&(unit, ..)| Unit(unit)).max();
            assert_eq!(policy.choose(&model.units, Pool(0)), expected);
        });
    }

    #[test]
    fn greedy_takes_the_fewest_valid_pages(steps in steps()) {
        let mut policy = VictimPolicy::new(&VictimConfig::Greedy {}, seeded(1));
        model(VictimConfig::Greedy {}).play(&steps, |model| {
            let least = |model: &Model| model.candidates(0).iter().map(|&(_, valid, _)| valid).min();
            let chosen = policy.choose(&model.units, Pool(0));
            assert_eq!(chosen.map(|unit| model.units.valid(unit)), least(model).filter(|&valid| valid < SLOTS));
        });
    }

    /// With very many draws every closed unit is in the sample, so the best of all must come out;
    /// and whatever comes out is a closed unit of the pool that is not full, but for single draws.
    #[test]
    fn d_choices_takes_the_best_of_its_sample(steps in steps(), choices in 1u32..6, seed in any::<u64>()) {
        let config = |choices| VictimConfig::DChoices(DChoicesConfig { choices });
        let (mut few, mut many) = (VictimPolicy::new(&config(choices), seeded(seed)), VictimPolicy::new(&config(1000), seeded(seed)));
        let mut checks = 0;
        model(config(choices)).play(&steps, |model| {
            let candidates = model.candidates(1);
            let least = candidates.iter().map(|&(_, valid, _)| valid).min().filter(|&valid| valid < SLOTS);
            checks += 1;
            if checks % 50 == 0 {
                assert_eq!(many.choose(&model.units, Pool(1)).map(|unit| model.units.valid(unit)), least);
            }
            match few.choose(&model.units, Pool(1)) {
                None => assert!(least.is_none()),
                Some(unit) => assert!(candidates.iter().any(|&(other, valid, _)| Unit(other) == unit && (valid < SLOTS || choices == 1))),
            }
        });
    }
}

/// Half of the units are full. A single draw names one in half of all cases, and after 100 in a row
/// never; where a reuse scheme writes units again no draw does.
#[test]
fn a_single_draw_names_full_units_but_no_more_than_a_hundred_in_a_row() {
    let config = VictimConfig::DChoices(DChoicesConfig { choices: 1 });
    let mut model = model(config.clone());
    (0..8).for_each(|_| model.fill(0));
    assert_eq!(VictimPolicy::new(&config, seeded(1)).choose(&model.units, Pool(0)), None);
    (0..4).for_each(|unit| model.invalidate(unit, 0));
    let full = |facts: DriveFacts, model: &Model| -> Vec<bool> {
        let mut policy = VictimPolicy::new(&config, facts);
        (0..4000).map(|_| model.units.valid(policy.choose(&model.units, Pool(0)).unwrap()) == SLOTS).collect()
    };
    let named = full(seeded(1), &model).into_iter().filter(|&is_full| is_full).count();
    assert!((1850..2150).contains(&named), "{named}");
    assert!(!full(DriveFacts { seed: 1, erases_victims: false }, &model).contains(&true));
    // One unit of 30 has an invalid page.
    (1..4).for_each(|unit| model.clean(unit));
    (0..25).for_each(|_| model.fill(0));
    let run = full(seeded(1), &model);
    let longest = run.split(|&is_full| !is_full).map(<[bool]>::len).max().unwrap();
    assert!(longest == 100, "{longest}");
}

/// The best of d uniform draws with replacement has the rank r or a worse one with probability
/// ((n - r) / n)^d.
#[test]
fn d_choices_draws_uniformly() {
    const RUNS: usize = 40_000;
    for choices in [1, 2, 5] {
        let config = VictimConfig::DChoices(DChoicesConfig { choices });
        let mut model = model(config.clone());
        let mut policy = VictimPolicy::new(&config, seeded(1));
        // Seven units with 1 to 7 valid pages: rank and count agree.
        (0..7).for_each(|_| model.fill(0));
        for unit in 0..7 {
            (unit + 1..SLOTS as usize).for_each(|slot| model.invalidate(unit, slot));
        }
        let mut taken = [0usize; 7];
        for _ in 0..RUNS {
            taken[policy.choose(&model.units, Pool(0)).unwrap().index()] += 1;
        }
        for (rank, &count) in taken.iter().enumerate() {
            let at_least = |rank: usize| ((7 - rank) as f64 / 7.0).powi(choices as i32);
            let expected = RUNS as f64 * (at_least(rank) - at_least(rank + 1));
            let deviation = (expected * (1.0 - expected / RUNS as f64)).sqrt().max(1.0);
            assert!((count as f64 - expected).abs() < 5.0 * deviation, "d {choices}: {taken:?}, {expected}");
        }
    }
}
