//! A steady state that is drawn instead of reached: every slot is written once, in such an order
//! that erase units hold as many valid pages as after a long time of uniformly random writes.
//!
//! Under them a unit loses valid pages at a rate in proportion to those that it has. So in order of
//! age the valid shares fall exponentially, from 1 in the newest unit to `least` in the one that is
//! cleaned next, and their mean is the share of slots in use that hold data. Cyclic cleaning takes
//! units as chance left them. Greedy cleaning takes the emptiest, so units differ by their age
//! alone; that is the large-block law for units half a page larger: P. Desnoyers, *Analytic models
//! of SSD write performance*, ACM Transactions on Storage 10(2), 2014, sections 4.1 and 4.2.
//!
//! Slots are written from the oldest to the newest. One that is to stay valid takes the next page
//! of a random permutation, and one that is not takes a page whose turn is still to come, which
//! will make it invalid. So nothing is cleaned and nothing moved, and each slot is programmed once.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_ftl::policies::slc_cache::SlcCacheConfig;
use rewear_ftl::policies::streams::StreamsConfig;
use rewear_ftl::policies::victim::VictimConfig;
use rewear_ftl::recycle::RecycleConfig;
use rewear_ftl::reuse::ReuseConfig;
use rewear_ftl::{DriveConfig, Shape};

use crate::error::SimError;

/// Halvings after which a number between 0 and 1 is known to its last digit.
const HALVINGS: u32 = 200;

/// Refuses drives whose steady state has more to it than how many pages of a unit are valid.
///
/// # Errors
/// Such a drive; the message names the key.
pub fn check(config: &DriveConfig) -> Result<(), SimError> {
    let failures = &config.flash.failures;
    let wrong = [
        (
            !matches!(config.reuse, ReuseConfig::Nothing {}),
            "reuse.scheme",
            "units are written several times between two erases, each at another point of that",
        ),
        (
            !matches!(config.recycle, RecycleConfig::Nothing {}),
            "recycle.scheme",
            "what recycling knows of dead contents comes from the writes that are left out",
        ),
        (
            !matches!(config.ftl.streams, StreamsConfig::One {}),
            "ftl.streams",
            "what it has learnt of pages comes from the writes that are left out",
        ),
        (
            config.ftl.write_buffer.buffer().is_some(),
            "ftl.write_buffer",
            "it absorbs writes, so slots are not written in the order that is drawn",
        ),
        (
            config.ftl.slc_cache != SlcCacheConfig::default(),
            "ftl.slc_cache",
            "host writes land in it, so slots are not written in the order that is drawn",
        ),
        (
            config.ftl.recovery.log().is_some(),
            "ftl.recovery",
            "the log takes room that is not known beforehand",
        ),
        (
            failures.operations_fail() || failures.factory_bad_fraction > 0.0,
            "flash.failures",
            "pools differ by the blocks that they lost",
        ),
    ];
    match wrong.into_iter().find(|&(is_so, ..)| is_so) {
        None => Ok(()),
        Some((_, key, because)) => Err(SimError::Options(format!(
            "a drawn state does not hold for a drive with {key}: {because}; give the precondition \"steady\""
        ))),
    }
}

/// The order in which a drive is written.
#[derive(Debug)]
pub struct Drawn {
    shuffle: Shuffle,
    rng: Xoshiro256PlusPlus,
    shares: Shares,
    /// What each pool's valid slots are behind its shares; `None` where chance decides.
    owed: Option<Vec<f64>>,
    slots: u64,
    written: u64,
    /// Pages whose last write was.
    placed: u32,
}

impl Drawn {
    /// An order for a drive: over the slots that are in use when a victim is chosen.
    ///
    /// # Errors
    /// A drive of which the law does not hold, or without a spare slot.
    pub fn new(config: &DriveConfig, seed: u64) -> Result<Drawn, SimError> {
        check(config)?;
        let Shape { layout, reserve, .. } = Shape::new(config)?;
        let units = layout.units_per_pool.saturating_sub(reserve.free_units);
        let slots = u64::from(units) * u64::from(layout.pools) * u64::from(layout.slots_per_unit);
        let greedy = config.ftl.victim != VictimConfig::Cyclic {};
        let unit_slots = if greedy { Some(layout.slots_per_unit) } else { None };
        Drawn::over(layout.exported_pages, slots, unit_slots, layout.pools, seed)
    }

    fn over(
        pages: u32,
        slots: u64,
        unit_slots: Option<u32>,
        pools: u32,
        seed: u64,
    ) -> Result<Drawn, SimError> {
        if slots <= u64::from(pages) {
            return Err(SimError::Options(
                "a drawn state needs spare slots beyond the reserve of cleaning; give more ftl.over_provisioning, or the precondition \
                 \"steady\""
                    .into(),
            ));
        }
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        Ok(Drawn {
            shuffle: Shuffle::new(pages, seed),
            shares: Shares::new(f64::from(pages) / slots as f64, unit_slots.map(f64::from)),
            owed: unit_slots.map(|_| (0..pools).map(|_| unit_interval(&mut rng)).collect()),
            rng,
            slots,
            written: 0,
            placed: 0,
        })
    }

    /// The write amplification of uniformly random writes that the state stands for.
    pub fn write_amplification(&self) -> f64 {
        1.0 / (1.0 - self.shares.least())
    }

    /// Slots that are written at most.
    pub fn slots(&self) -> u64 {
        self.slots
    }

    /// Whether the next slot is to stay valid, where units of its age have this share of such.
    fn stays(&mut self, share: f64) -> bool {
        match &mut self.owed {
            None => unit_interval(&mut self.rng) < share,
            Some(pools) => {
                let index = ((self.written - 1) % pools.len() as u64) as usize;
                pools[index] += share;
                let due = pools[index] >= 1.0;
                pools[index] -= f64::from(u8::from(due));
                due
            }
        }
    }
}

impl Iterator for Drawn {
    type Item = u32;

    /// The next page to write; all slots are written when there is none.
    fn next(&mut self) -> Option<u32> {
        let left = u64::from(self.shuffle.pages - self.placed);
        let slots_left = self.slots - self.written;
        if left == 0 || slots_left == 0 {
            return None;
        }
        self.written += 1;
        // Chance and rounding aside, as many pages are left as shares of slots are.
        let age = slots_left as f64 / self.slots as f64;
        let share = self.shares.at(age) * left as f64 / (self.shares.sum_to(age) * self.slots as f64);
        if left == slots_left || self.stays(share) {
            self.placed += 1;
            return Some(self.shuffle.at(self.placed - 1));
        }
        let later = (u128::from(self.rng.next_u64()) * u128::from(left)) >> 64;
        Some(self.shuffle.at(self.placed + later as u32))
    }
}

fn unit_interval(rng: &mut Xoshiro256PlusPlus) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

/// Valid shares by age, from 0 (the newest unit) to 1 (the oldest).
#[derive(Debug)]
struct Shares {
    /// Logarithm of how much emptier the oldest unit is than the newest.
    fall: f64,
    /// Half a page, in units: what a unit has on the mean while its valid pages are a whole number
    /// is half a page above what it falls to.
    half_page: f64,
}

impl Shares {
    /// With a mean of `mean`, of units of so many slots; `None` for the law of large ones.
    fn new(mean: f64, unit_slots: Option<f64>) -> Shares {
        let half_page = unit_slots.map_or(0.0, |slots| 0.5 / slots);
        let mean = mean / (1.0 + half_page);
        // The mean of an exponential fall from 1 to `low` grows with `low`.
        let (mut low, mut high) = (0.0f64, 1.0f64);
        for _ in 0..HALVINGS {
            let middle = f64::midpoint(low, high);
            if (1.0 - middle) / -middle.ln() < mean { low = middle } else { high = middle }
        }
        Shares { fall: -low.clamp(f64::MIN_POSITIVE, 1.0 - f64::EPSILON).ln(), half_page }
    }

    fn at(&self, age: f64) -> f64 {
        (1.0 + self.half_page) * (-self.fall * age).exp()
    }

    /// Of the unit that is cleaned next.
    fn least(&self) -> f64 {
        (self.at(1.0) - self.half_page).max(0.0)
    }

    /// The shares of all ages up to one, as an integral.
    fn sum_to(&self, age: f64) -> f64 {
        let sum = (1.0 + self.half_page) * (1.0 - (-self.fall * age).exp()) / self.fall;
        sum.max(f64::MIN_POSITIVE)
    }
}

/// A pseudorandom permutation of `0..pages` that takes no memory: a Feistel network of four rounds
/// over the next even power of two, applied again until the result is a page.
#[derive(Debug)]
struct Shuffle {
    pages: u32,
    half_bits: u32,
    keys: [u32; 4],
}

impl Shuffle {
    fn new(pages: u32, seed: u64) -> Shuffle {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(!seed);
        let bits = u64::from(pages).next_power_of_two().trailing_zeros().max(2);
        Shuffle { pages, half_bits: bits.div_ceil(2), keys: [(); 4].map(|()| rng.next_u32()) }
    }

    fn at(&self, index: u32) -> u32 {
        let (mask, mut at) = ((1u32 << self.half_bits) - 1, index);
        loop {
            let (mut left, mut right) = (at >> self.half_bits & mask, at & mask);
            for key in self.keys {
                let mut mixed = (right ^ key).wrapping_mul(0x85eb_ca6b);
                mixed ^= mixed >> 13;
                mixed = mixed.wrapping_mul(0xc2b2_ae35);
                (left, right) = (right, left ^ (mixed ^ mixed >> 16) & mask);
            }
            at = left << self.half_bits | right;
            if at < self.pages {
                return at;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_has_one_last_write_and_shares_fall_with_age() {
        let (pages, slots) = (70_000u32, 90_000u64);
        for unit_slots in [None, Some(64)] {
            let order: Vec<u32> = Drawn::over(pages, slots, unit_slots, 4, 3).expect("spare slots").collect();
            let mut last = vec![usize::MAX; pages as usize];
            order.iter().enumerate().for_each(|(at, &page)| last[page as usize] = at);
            assert!(last.iter().all(|&at| at != usize::MAX));
            assert!(order.len() as u64 > slots - 100, "{}", order.len());
            let shares = Shares::new(f64::from(pages) / slots as f64, unit_slots.map(f64::from));
            for tenth in 0..10 {
                let part = slots as usize / 10;
                let valid = last.iter().filter(|&&at| at / part == tenth).count() as f64 / part as f64;
                let expected = shares.at(1.0 - (tenth as f64 + 0.5) / 10.0);
                assert!((valid - expected).abs() < 0.02, "tenth {tenth}: {valid} for {expected}");
            }
        }
    }

    #[test]
    fn a_shuffle_is_a_permutation() {
        for pages in [1, 2, 3, 5, 64, 1000, 65_537] {
            let shuffle = Shuffle::new(pages, 7);
            let mut seen: Vec<u32> = (0..pages).map(|index| shuffle.at(index)).collect();
            seen.sort_unstable();
            assert!(seen.iter().copied().eq(0..pages), "{pages}");
        }
    }

    #[test]
    fn the_write_amplification_is_that_of_the_closed_forms() {
        // Xiang and Kurkoski, 2012, and the formula for units of 64 pages in Desnoyers, 2014, which
        // `tests/closed_forms.rs` holds against drives.
        for (over_provisioning, unit_slots, expected) in
            [(0.3, None, 2.36), (0.07, Some(64), 7.001), (0.28, Some(64), 2.402)]
        {
            let slots = 100_000_000u64;
            let pages = (slots as f64 / (1.0 + over_provisioning)) as u32;
            let drawn = Drawn::over(pages, slots, unit_slots, 1, 1).expect("spare slots");
            let found = drawn.write_amplification();
            assert!((found / expected - 1.0).abs() < 0.005, "{found} for {expected}");
        }
    }
}
