//! Touched granules of volumes, as sorted ranges.
//!
//! Ranges gather in a buffer that is sorted and merged whenever it has doubled, so memory follows
//! the number of separate ranges, not of requests, and a trim of a whole drive costs one entry.

use std::ops::Range;

/// A range of granules of a volume. Volumes sort before granules.
type Stretch = (u16, u64, u64);

/// Gathers ranges.
#[derive(Clone, Debug, Default)]
pub(crate) struct Footprint {
    stretches: Vec<Stretch>,
    merged: usize,
}

/// The least size of the buffer.
const BUFFER: usize = 1 << 16;

impl Footprint {
    /// Adds a range of granules; empty ones are ignored.
    #[inline]
    pub(crate) fn add(&mut self, volume: u16, granules: Range<u64>) {
        if granules.is_empty() {
            return;
        }
        // Sequential requests extend the latest stretch in place.
        if self.stretches.len() > self.merged
            && let Some((last_volume, start, end)) = self.stretches.last_mut()
            && *last_volume == volume
            && granules.start >= *start
            && granules.start <= *end
        {
            *end = granules.end.max(*end);
            return;
        }
        if self.stretches.len() >= (2 * self.merged).max(BUFFER) {
            self.merge();
        }
        self.stretches.push((volume, granules.start, granules.end));
    }

    fn merge(&mut self) {
        self.stretches.sort_unstable();
        self.stretches.dedup_by(|next, kept| {
            let touches = kept.0 == next.0 && next.1 <= kept.2;
            if touches {
                kept.2 = kept.2.max(next.2);
            }
            touches
        });
        self.merged = self.stretches.len();
    }

    /// The touched granules, numbered in order.
    pub(crate) fn finish(mut self) -> Numbering {
        self.merge();
        let mut total = 0u64;
        let mut firsts = Vec::with_capacity(self.stretches.len());
        for &(_, start, end) in &self.stretches {
            firsts.push(total);
            total = total.saturating_add(end - start);
        }
        self.stretches.shrink_to_fit();
        Numbering { stretches: self.stretches, firsts, total }
    }
}

/// Touched granules and their numbers: volume by volume, in address order, without gaps.
#[derive(Clone, Debug)]
pub(crate) struct Numbering {
    stretches: Vec<Stretch>,
    firsts: Vec<u64>,
    total: u64,
}

impl Numbering {
    /// How many granules there are.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// The number of a granule; `None` if it was not touched.
    pub(crate) fn of(&self, volume: u16, granule: u64) -> Option<u64> {
        let behind = self.stretches.partition_point(|&(other, start, _)| (other, start) <= (volume, granule));
        let index = behind.checked_sub(1)?;
        let (found, start, end) = self.stretches[index];
        (found == volume && granule < end).then(|| self.firsts[index] + (granule - start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_are_those_of_a_sorted_set(ranges in prop::collection::vec((0u16..3, 0u64..200, 0u64..20), 0..100)) {
            let mut footprint = Footprint::default();
            let mut set = std::collections::BTreeSet::new();
            for (volume, start, length) in ranges {
                footprint.add(volume, start..start + length);
                set.extend((start..start + length).map(|granule| (volume, granule)));
            }
            let numbering = footprint.finish();
            prop_assert_eq!(numbering.total(), set.len() as u64);
            for (number, &(volume, granule)) in set.iter().enumerate() {
                prop_assert_eq!(numbering.of(volume, granule), Some(number as u64));
            }
            prop_assert_eq!(numbering.of(1, 5000), None);
        }
    }
}
