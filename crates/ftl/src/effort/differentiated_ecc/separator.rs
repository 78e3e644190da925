//! The read and write separator (section IV.A): which pages are read, which are written, and how
//! recently.

use super::bloom::Bloom;
use super::config::{AccessUnit, Age, SeparatorConfig};
use crate::address::Lpn;
use crate::effort::scheme::Access;

/// Pairs of filters (section IV.A). The oldest weighs 0.5, each younger one 0.5 more.
pub const PAIRS: usize = 4;
/// A bit for each pair.
pub(super) type PairSet = u8;

/// How hot a page is: for reads and writes the sum of the weights of the pairs that know it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hotness {
    /// Of reads.
    pub read: f64,
    /// Of writes.
    pub write: f64,
}

/// What is known of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Nothing.
    Unknown = 0,
    /// It is read.
    ReadOnly = 1,
    /// It is written.
    WriteOnly = 2,
    /// It is read and written.
    Overlapped = 3,
}

impl Hotness {
    /// The class of a page of this hotness (section IV.A).
    pub fn class(self) -> Class {
        match (self.read > 0.0, self.write > 0.0) {
            (false, false) => Class::Unknown,
            (true, false) => Class::ReadOnly,
            (false, true) => Class::WriteOnly,
            (true, true) => Class::Overlapped,
        }
    }

    /// Whether a page of this hotness should be written at low cost (section IV.B, rule m); `None`
    /// if nothing is known of it.
    #[inline]
    pub fn favours_low_cost(self, m: f64) -> Option<bool> {
        match self.class() {
            Class::Unknown => None,
            Class::ReadOnly => Some(false),
            Class::WriteOnly => Some(true),
            Class::Overlapped => Some(self.write - self.read > m),
        }
    }

    /// Whether a page of this hotness that was written at low cost should be rewritten (section
    /// IV.B, rule n).
    #[inline]
    pub fn favours_rewrite(self, n: f64) -> bool {
        let excess = self.read - self.write;
        excess > 0.0 && excess > n
    }
}

/// The separator.
///
/// Each access goes to the filter of its kind in one pair, taken in turn: one turn for reads and
/// writes, as in the example of Figure 3. Every `decay_accesses`
/// accesses, before the one that follows, the oldest pair is reset.
#[derive(Debug, Clone)]
pub struct Separator {
    filters: Bloom,
    /// The pairs by age, the youngest first.
    by_age: [u8; PAIRS],
    /// The sum of the weights that the pairs of each set have at their present age.
    weight_of: [f64; 1 << PAIRS],
    /// The pair to which the last access went.
    turn: usize,
    age: Age,
    unit: AccessUnit,
    /// The next page begins an access.
    begins: bool,
    accesses: u32,
    decay_accesses: u32,
    decays: u64,
    /// Sums over the decays of the probability of a false hit of each kind.
    false_hits: [f64; 2],
}

impl Separator {
    /// An empty separator.
    pub fn new(config: &SeparatorConfig) -> Separator {
        let mut separator = Separator {
            filters: Bloom::new(config.bits),
            // The first pair is the oldest, so that it is the first to be reset.
            by_age: std::array::from_fn(|age| (PAIRS - 1 - age) as u8),
            weight_of: [0.0; 1 << PAIRS],
            turn: PAIRS - 1,
            age: config.age,
            unit: config.access,
            begins: true,
            accesses: 0,
            decay_accesses: config.decay_accesses,
            decays: 0,
            false_hits: [0.0; 2],
        };
        separator.weigh();
        separator
    }

    /// The pages that follow belong to another request.
    #[inline]
    pub fn begin_request(&mut self) {
        self.begins = true;
    }

    /// The host accesses a page.
    #[inline]
    pub fn hear(&mut self, lpn: Lpn, access: Access) {
        if self.begins || self.unit == AccessUnit::Page {
            self.begins = false;
            self.begin_access();
        }
        self.filters.add(access, self.turn, lpn);
    }

    fn begin_access(&mut self) {
        if self.accesses == self.decay_accesses {
            self.accesses = 0;
            self.decay();
        }
        self.accesses += 1;
        let next = self.turn + 1;
        self.turn = if next >= PAIRS { 0 } else { next };
        if self.age == Age::Update {
            self.rejuvenate(self.turn as u8);
        }
    }

    /// Resets the oldest pair.
    fn decay(&mut self) {
        self.decays += 1;
        self.false_hits[0] += self.filters.false_hits(Access::Read);
        self.false_hits[1] += self.filters.false_hits(Access::Write);
        let oldest = self.by_age[PAIRS - 1];
        self.filters.reset(usize::from(oldest));
        if self.age == Age::Reset {
            self.rejuvenate(oldest);
        }
    }

    /// A pair becomes the youngest.
    fn rejuvenate(&mut self, pair: u8) {
        let place = self.by_age.iter().position(|&other| other == pair).unwrap_or(0);
        self.by_age.copy_within(..place, 1);
        self.by_age[0] = pair;
        self.weigh();
    }

    fn weigh(&mut self) {
        for (age, pair) in self.by_age.into_iter().enumerate() {
            self.weight_of[1 << pair] = (PAIRS - age) as f64 / 2.0;
        }
        for set in 1..1usize << PAIRS {
            let rest = set & (set - 1);
            self.weight_of[set] = self.weight_of[rest] + self.weight_of[set ^ rest];
        }
    }

    /// How hot a page is.
    #[inline]
    pub fn hotness(&self, lpn: Lpn) -> Hotness {
        let [read, write] = self.filters.find(lpn);
        Hotness { read: self.weight_of[usize::from(read)], write: self.weight_of[usize::from(write)] }
    }

    /// Memory that it takes in the drive.
    pub fn bytes(&self) -> u64 {
        self.filters.bytes()
    }

    /// Times that a pair was reset.
    pub fn decays(&self) -> u64 {
        self.decays
    }

    /// The probability that the filters of reads, and those of writes, know a page which they were
    /// never told of: estimated at every decay, and averaged. `None` before the first decay.
    pub fn false_hits(&self) -> Option<[f64; 2]> {
        (self.decays > 0).then(|| self.false_hits.map(|sum| sum / self.decays as f64))
    }

    /// Starts counting decays anew.
    pub(super) fn reset_counts(&mut self) {
        (self.decays, self.false_hits) = (0, [0.0; 2]);
    }
}
