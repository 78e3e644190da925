//! Drawing without putting back: after as many draws as were counted, everything came as often as
//! it was counted.

use rand_xoshiro::Xoshiro256PlusPlus;

use crate::workloads::random::below;

/// Counted events. The few large runs of a workload decide much of what it does to a drive, so a
/// stand-in draws each as often as it was counted; independent draws would scatter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Deck {
    counts: Vec<u32>,
    left: Vec<u32>,
    total_left: u64,
}

impl From<Vec<u32>> for Deck {
    fn from(counts: Vec<u32>) -> Deck {
        Deck { counts, left: Vec::new(), total_left: 0 }
    }
}

impl Deck {
    /// How often each event was counted.
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// Events counted.
    pub fn total(&self) -> u64 {
        self.counts.iter().map(|&count| u64::from(count)).sum()
    }

    /// Draws an event; `None` if there are none. Everything is put back when nothing is left.
    pub(super) fn draw(&mut self, random: &mut Xoshiro256PlusPlus) -> Option<usize> {
        if self.total_left == 0 {
            self.put_back();
        }
        self.draw_left(random)
    }

    /// Events that are left.
    pub(super) fn left(&self) -> u64 {
        self.total_left
    }

    /// Puts everything back.
    pub(super) fn put_back(&mut self) {
        self.total_left = self.total();
        self.left.clone_from(&self.counts);
    }

    /// Draws an event of those that are left; `None` if none is.
    pub(super) fn draw_left(&mut self, random: &mut Xoshiro256PlusPlus) -> Option<usize> {
        if self.total_left == 0 {
            return None;
        }
        let mut rest = below(random, self.total_left);
        for (event, left) in self.left.iter_mut().enumerate() {
            if rest < u64::from(*left) {
                *left -= 1;
                self.total_left -= 1;
                return Some(event);
            }
            rest -= u64::from(*left);
        }
        None
    }

    /// Draws between no (event 0) and yes (event 1).
    pub(super) fn draw_yes(&mut self, random: &mut Xoshiro256PlusPlus) -> bool {
        self.draw(random) == Some(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rand::SeedableRng;

    proptest! {
        #[test]
        fn everything_comes_as_often_as_counted(counts in prop::collection::vec(0u32..20, 0..12), seed: u64) {
            let mut deck = Deck::from(counts.clone());
            let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
            for _ in 0..2 {
                let mut drawn = vec![0; counts.len()];
                for _ in 0..deck.total() {
                    drawn[deck.draw(&mut random).unwrap()] += 1;
                }
                prop_assert_eq!(&drawn, &counts);
            }
            if deck.total() == 0 {
                prop_assert_eq!(deck.draw(&mut random), None);
            }
        }
    }
}
