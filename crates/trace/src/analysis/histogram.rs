//! Histograms over powers of two.

use serde::Serialize;

/// One class of a histogram: the values above the class before it, up to and including `up_to`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Class {
    /// The largest value of the class: a power of two. The first class holds 0 and 1.
    pub up_to: u64,
    /// How many values fell into it.
    pub count: u64,
    /// The sum of what they weigh; what that is, the field that holds the histogram says.
    pub weight: u64,
}

/// Counts values in classes that end at powers of two: 66 of them cover every `u64`.
#[derive(Clone, Debug)]
pub(crate) struct PowerHistogram {
    counts: [u64; 65],
    weights: [u64; 65],
}

impl Default for PowerHistogram {
    fn default() -> Self {
        Self { counts: [0; 65], weights: [0; 65] }
    }
}

impl PowerHistogram {
    /// Counts `value`, which weighs `weight`.
    #[inline]
    pub(crate) fn add(&mut self, value: u64, weight: u64) {
        let class = (u64::BITS - value.saturating_sub(1).leading_zeros()) as usize;
        self.counts[class] += 1;
        self.weights[class] = self.weights[class].saturating_add(weight);
    }

    /// The classes from the first to the last that is not empty.
    pub(crate) fn classes(&self) -> Vec<Class> {
        let occupied = |class: &usize| self.counts[*class] > 0;
        let (Some(first), Some(last)) = ((0..65).find(occupied), (0..65).rev().find(occupied)) else {
            return Vec::new();
        };
        (first..=last)
            .map(|class| Class {
                up_to: 1u64.checked_shl(class as u32).unwrap_or(u64::MAX),
                count: self.counts[class],
                weight: self.weights[class],
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn powers_of_two_end_their_class() {
        let mut histogram = PowerHistogram::default();
        for value in [0, 1, 2, 3, 4, 5, 4096, 4097, u64::MAX] {
            histogram.add(value, 1);
        }
        let classes = histogram.classes();
        let count = |up_to| classes.iter().find(|class| class.up_to == up_to).map(|class| class.count);
        assert_eq!([count(1), count(2), count(4), count(8)], [Some(2), Some(1), Some(2), Some(1)]);
        assert_eq!([count(4096), count(8192), count(u64::MAX)], [Some(1), Some(1), Some(1)]);
    }

    proptest! {
        #[test]
        fn every_value_lies_in_its_class_and_nothing_is_lost(values in prop::collection::vec(any::<u64>(), 1..50)) {
            let mut histogram = PowerHistogram::default();
            values.iter().for_each(|&value| histogram.add(value, value >> 8));
            let classes = histogram.classes();
            let mut below = None;
            for class in classes {
                let within = |value: &&u64| **value <= class.up_to && below.is_none_or(|below| **value > below);
                prop_assert_eq!(class.count, values.iter().filter(within).count() as u64);
                prop_assert_eq!(class.weight, values.iter().filter(within).map(|value| value >> 8).sum::<u64>());
                below = Some(class.up_to);
            }
            prop_assert!(values.iter().all(|&value| below.is_some_and(|last| value <= last)));
        }
    }
}
