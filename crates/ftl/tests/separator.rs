//! The read and write separator against a literal transcription of section IV.A, access by access.
#![allow(clippy::unwrap_used, missing_docs)]

use std::collections::BTreeSet;

use proptest::prelude::*;
use rewear_ftl::Lpn;
use rewear_ftl::effort::differentiated_ecc::config::{AccessUnit, Age, SeparatorConfig};
use rewear_ftl::effort::differentiated_ecc::separator::{Class, Hotness, PAIRS, Separator};
use rewear_ftl::effort::scheme::Access;

const PAGES: u32 = 60;

/// The separator as one would say it: lists of sets, and ages looked up when they are needed.
struct Spoken {
    config: SeparatorConfig,
    /// For each pair the pages read and the pages written.
    pairs: Vec<[BTreeSet<u32>; 2]>,
    /// When each pair was updated and when it was reset last.
    updated: Vec<i64>,
    reset: Vec<i64>,
    last: usize,
    accesses: i64,
}

impl Spoken {
    fn new(config: &SeparatorConfig) -> Spoken {
        let pairs = PAIRS;
        // Before the first access the first pair is the oldest.
        let order: Vec<i64> = (0..pairs as i64).map(|pair| pair - pairs as i64).collect();
        Spoken {
            pairs: vec![Default::default(); pairs],
            updated: order.clone(),
            reset: order,
            last: pairs - 1,
            accesses: 0,
            config: config.clone(),
        }
    }

    /// The pairs, the youngest first.
    fn by_age(&self) -> Vec<usize> {
        let ages = if self.config.age == Age::Reset { &self.reset } else { &self.updated };
        let mut pairs: Vec<usize> = (0..self.pairs.len()).collect();
        pairs.sort_by_key(|&pair| -ages[pair]);
        pairs
    }

    fn hear(&mut self, lpn: u32, access: Access, begins: bool) {
        if begins || self.config.access == AccessUnit::Page {
            if self.accesses > 0 && self.accesses % i64::from(self.config.decay_accesses) == 0 {
                let oldest = *self.by_age().last().unwrap();
                self.pairs[oldest] = Default::default();
                self.reset[oldest] = self.accesses;
            }
            self.accesses += 1;
            self.last = (self.last + 1) % self.pairs.len();
            self.updated[self.last] = self.accesses;
        }
        self.pairs[self.last][access as usize].insert(lpn);
    }

    fn hotness(&self, lpn: u32) -> Hotness {
        let sum = |kind: usize| {
            let weights = (1..=PAIRS).rev().map(|rank| rank as f64 / 2.0);
            let pairs = self.by_age().into_iter().zip(weights);
            pairs.filter(|(pair, _)| self.pairs[*pair][kind].contains(&lpn)).map(|(_, weight)| weight).sum()
        };
        Hotness { read: sum(0), write: sum(1) }
    }
}

fn config() -> impl Strategy<Value = SeparatorConfig> {
    (1u32..40, any::<bool>(), any::<bool>()).prop_map(|(decay_accesses, requests, letter)| SeparatorConfig {
        decay_accesses,
        access: if requests { AccessUnit::Request } else { AccessUnit::Page },
        age: if letter { Age::Update } else { Age::Reset },
        ..SeparatorConfig::default()
    })
}

proptest! {
    /// Filters with room for all pages agree with the transcription, and small ones never know less.
    #[test]
    fn it_does_what_the_text_says(
        config in config(),
        accesses in prop::collection::vec((0..PAGES, any::<bool>(), any::<bool>()), 0..400),
    ) {
        let mut spoken = Spoken::new(&config);
        let mut exact = Separator::new(&SeparatorConfig { bits: 1 << 16, ..config.clone() });
        let mut bloom = Separator::new(&SeparatorConfig { bits: 256, ..config });
        for (index, (lpn, write, begins)) in accesses.into_iter().enumerate() {
            let access = if write { Access::Write } else { Access::Read };
            let begins = begins || index == 0;
            if begins {
                exact.begin_request();
                bloom.begin_request();
            }
            spoken.hear(lpn, access, begins);
            exact.hear(Lpn(lpn), access);
            bloom.hear(Lpn(lpn), access);
            for page in [lpn, (lpn + 1) % PAGES, index as u32 % PAGES] {
                let (said, found) = (spoken.hotness(page), bloom.hotness(Lpn(page)));
                prop_assert_eq!(said, exact.hotness(Lpn(page)));
                prop_assert!(found.read >= said.read && found.write >= said.write);
            }
        }
    }
}

/// The example of Figure 3: writes of x and y, reads of z and w go to the four pairs in turn.
#[test]
fn the_example_of_figure_3() {
    let mut separator = Separator::new(&SeparatorConfig { age: Age::Update, ..SeparatorConfig::default() });
    assert_eq!(separator.bytes(), 2048);
    let (x, y, z, w) = (10, 20, 30, 40);
    separator.hear(Lpn(x), Access::Write);
    separator.hear(Lpn(y), Access::Write);
    separator.hear(Lpn(z), Access::Read);
    separator.hear(Lpn(w), Access::Read);
    // The latest updated pair has the highest weight.
    assert_eq!(separator.hotness(Lpn(w)), Hotness { read: 2.0, write: 0.0 });
    assert_eq!(separator.hotness(Lpn(z)), Hotness { read: 1.5, write: 0.0 });
    assert_eq!(separator.hotness(Lpn(y)), Hotness { read: 0.0, write: 1.0 });
    assert_eq!(separator.hotness(Lpn(x)), Hotness { read: 0.0, write: 0.5 });
    assert_eq!(separator.hotness(Lpn(x)).class(), Class::WriteOnly);
    assert_eq!(separator.hotness(Lpn(z)).class(), Class::ReadOnly);
    separator.hear(Lpn(x), Access::Read);
    assert_eq!(separator.hotness(Lpn(x)).class(), Class::Overlapped);
    assert_eq!(separator.hotness(Lpn(99)).class(), Class::Unknown);
}

/// Why pairs age by their reset here: by the letter one and the same pair is reset for ever, and
/// the others fill up.
#[test]
fn by_the_letter_the_filters_fill_up() {
    let false_hits = |age| {
        let mut separator = Separator::new(&SeparatorConfig { age, ..SeparatorConfig::default() });
        (0..100_000u32).for_each(|lpn| separator.hear(Lpn(lpn), Access::Write));
        assert_eq!(separator.decays(), 99_999 / 512);
        separator.false_hits().unwrap()[1]
    };
    assert!(false_hits(Age::Update) > 0.95, "{}", false_hits(Age::Update));
    // A pair holds a quarter of at most 4 x 512 accesses: 512 pages, 1024 bits of 2048, two hashes.
    assert!(false_hits(Age::Reset) < 0.5, "{}", false_hits(Age::Reset));
}
