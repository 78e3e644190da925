//! Histograms of the shapes of runs: the most frequent ones exactly, the others in half octaves.

use std::collections::BTreeMap;

use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use super::bins::{octave, rank_bin};
use super::deck::Deck;
use super::sites::Shape;
use crate::workloads::random::below;

/// Shapes that are named exactly.
const EXACT: usize = 24;

/// Counts of shapes: pages of a run and of its first request.
pub(super) type ShapeCounts = BTreeMap<(u32, u32), u32>;
/// Orders of both sizes, and the sizes themselves where they are named exactly.
type RangeKey = (usize, usize, (u32, u32));
/// The least and the most pages, the sum of the pages of first requests, the runs.
type Range = (u32, u32, u64, u32);

/// Ranges of sizes of runs, with the size of a run's first request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lengths {
    /// The least and the most pages of a run, and the pages of its first request; a size is drawn evenly from its range.
    pub shapes: Vec<(u32, u32, u32)>,
    /// How often each occurs.
    pub counts: Deck,
}

impl Lengths {
    /// The histogram of counted shapes.
    pub(super) fn of(counted: &ShapeCounts) -> Lengths {
        let mut by_count: Vec<((u32, u32), u32)> =
            counted.iter().map(|(&shape, &count)| (shape, count)).collect();
        by_count.sort_by_key(|&(shape, count)| (std::cmp::Reverse(count), shape));
        // Exact shapes stand by themselves; the others are kept by the orders of both sizes.
        let mut ranges: BTreeMap<RangeKey, Range> = BTreeMap::new();
        for (place, ((pages, first), count)) in by_count.into_iter().enumerate() {
            let is_single = first >= pages;
            let order = if is_single { usize::MAX } else { octave(u64::from(first)) };
            let key = (rank_bin(pages), order, if place < EXACT { (pages, first) } else { (0, 0) });
            let range = ranges.entry(key).or_insert((pages, pages, 0, 0));
            let sum = range.2 + u64::from(first) * u64::from(count);
            *range = (range.0.min(pages), range.1.max(pages), sum, range.3 + count);
        }
        let shape = |(&(_, order, _), &(least, most, sum, count)): (&RangeKey, &Range)| {
            let first = if order == usize::MAX { most } else { (sum / u64::from(count)).max(1) as u32 };
            (least, most, first)
        };
        Lengths {
            shapes: ranges.iter().map(shape).collect(),
            counts: Deck::from(ranges.values().map(|range| range.3).collect::<Vec<u32>>()),
        }
    }

    /// A shape; `None` if the histogram is empty.
    pub(super) fn draw(&mut self, random: &mut Xoshiro256PlusPlus) -> Option<Shape> {
        let (least, most, first) = *self.shapes.get(self.counts.draw(random)?)?;
        let pages = least + below(random, u64::from(most.saturating_sub(least)) + 1) as u32;
        Some(Shape { pages, request_pages: first.min(pages) })
    }
}
