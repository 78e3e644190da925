//! Streams `by-update-frequency`: a small table of decaying counters says which pages are hot.
//!
//! # Idea
//! Every write of a page raises two counters that its number is hashed to; all counters are halved
//! now and then. A page is hot if both its counters stand high. Pages that share one counter with a
//! hot page are told apart by the other.
//!
//! # Paper
//! Hsieh, Kuo, Chang: Efficient Identification of Hot Data for Flash Memory Storage Systems, ACM
//! Transactions on Storage 2(1), 2006: multiple hash functions over 4-bit counters, hot where a
//! high bit of every counter is set.
//!
//! # Parameters
//! None. A page is hot from 4 writes on, where the first of the paper's high bits is set. There are
//! 65,536 counters, halved every 65,536 page writes; four times as many of both clean 2% less on the
//! drive of docs/notebook/policies.md.
//!
//! # Cost
//! A byte a counter, whatever the size of the drive; two random accesses into the table a host
//! write.
//!
//! Controller RAM: `65536`, a byte a counter.
//!
//! # Deviations
//! A byte where the paper has four bits, though counters stop at 15 as there. The write under way
//! counts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::policy::Policy;
use crate::address::Lpn;
use crate::shape::layout::Layout;
use crate::state::units::stream::Stream;

const MOST: u8 = 15;
const HOT_WRITES: u8 = 4;

/// The size of `by-update-frequency`, which tests make smaller: no keys.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct UpdateFrequencyConfig {
    /// Counters in the table, a power of two; each takes a byte.
    #[serde(skip)]
    pub counters: u32,
    /// Host pages written between two halvings of all counters.
    #[serde(skip)]
    pub decay_writes: u32,
}

impl Default for UpdateFrequencyConfig {
    fn default() -> Self {
        UpdateFrequencyConfig { counters: 1 << 16, decay_writes: 1 << 16 }
    }
}

/// See the module's page.
#[derive(Debug, Clone)]
pub struct UpdateFrequency {
    counters: Vec<u8>,
    decay_writes: u32,
    until_decay: u32,
}

impl Policy for UpdateFrequency {
    type Config = UpdateFrequencyConfig;
    const SORTS_MOVES: bool = false;

    fn table_bytes(config: &UpdateFrequencyConfig, _: &Layout) -> u64 {
        u64::from(config.counters)
    }

    fn new(config: &UpdateFrequencyConfig) -> UpdateFrequency {
        UpdateFrequency {
            counters: vec![0; config.counters as usize],
            decay_writes: config.decay_writes,
            until_decay: config.decay_writes,
        }
    }

    #[inline]
    fn stream_of(&mut self, lpn: Lpn) -> Stream {
        Stream::of_hot(self.is_hot(lpn))
    }
}

impl UpdateFrequency {
    /// A page is written: counts it and says whether it is hot.
    #[inline(never)]
    fn is_hot(&mut self, lpn: Lpn) -> bool {
        if self.until_decay == 0 {
            self.counters.iter_mut().for_each(|counter| *counter /= 2);
            self.until_decay = self.decay_writes;
        }
        self.until_decay -= 1;
        // The halves of a 64-bit mix (the finaliser of SplitMix64) are two independent hashes.
        let mut mixed = u64::from(lpn).wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        let mask = self.counters.len() - 1;
        let places = [mixed as usize & mask, (mixed >> 32) as usize & mask];
        if self.counters[places[0]] < MOST {
            self.counters[places[0]] += 1;
        }
        if places[1] != places[0] && self.counters[places[1]] < MOST {
            self.counters[places[1]] += 1;
        }
        places.iter().all(|&place| self.counters[place] >= HOT_WRITES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// A page with this number of writes since the last halving is always recognised.
        #[test]
        fn no_hot_page_is_missed(lpns in prop::collection::vec(0u32..300, 1..400)) {
            let config = UpdateFrequencyConfig { counters: 64, decay_writes: 1 << 30 };
            let mut policy = UpdateFrequency::new(&config);
            let mut writes = [0u32; 300];
            for lpn in lpns {
                writes[lpn as usize] += 1;
                let hot = policy.is_hot(Lpn(lpn));
                prop_assert!(hot || writes[lpn as usize] < u32::from(HOT_WRITES));
            }
        }
    }

    #[test]
    fn few_cold_pages_are_taken_for_hot_and_hot_ones_cool_down() {
        let mut policy = UpdateFrequency::new(&UpdateFrequencyConfig::default());
        for _ in 0..4 {
            (0..1000).for_each(|lpn| {
                policy.is_hot(Lpn(lpn));
            });
        }
        assert!((0..1000).all(|lpn| policy.is_hot(Lpn(lpn))));
        // 2000 of 65536 counters are high: a page that was never written meets two of them once in
        // a thousand times.
        let wrong = (100_000..110_000).filter(|&lpn| policy.is_hot(Lpn(lpn))).count();
        assert!(wrong < 60, "{wrong}");
        // Counters stop at 15, so four halvings forget everything but the writes since.
        policy.decay_writes = 1000;
        policy.until_decay = 0;
        (0..4001).for_each(|_| {
            policy.is_hot(Lpn(1_000_000));
        });
        let still_hot = (0..1000).filter(|&lpn| policy.is_hot(Lpn(lpn))).count();
        assert!(still_hot < 5, "{still_hot}");
    }
}
