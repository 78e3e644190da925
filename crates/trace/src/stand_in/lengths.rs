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

/// Counts of shapes.
pub(super) type ShapeCounts = BTreeMap<Shape, u32>;
/// Orders of pages, of the first request and of requests, and the shape itself where it is named
/// exactly.
type RangeKey = (usize, usize, usize, Shape);

/// Totals of the shapes of a range.
#[derive(Clone, Copy, Debug)]
struct Range {
    least: u32,
    most: u32,
    /// Sums over the runs.
    first_pages: u64,
    requests: u64,
    runs: u32,
}

/// Ranges of sizes of runs, with the size of a run's first request and the number of its requests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lengths {
    /// The least and the most pages of a run, the pages of its first request, and its requests; a
    /// size is drawn evenly from its range.
    pub shapes: Vec<(u32, u32, u32, u32)>,
    /// How often each occurs.
    pub counts: Deck,
}

impl Lengths {
    /// The histogram of counted shapes.
    pub(super) fn of(counted: &ShapeCounts) -> Lengths {
        let mut by_count: Vec<(Shape, u32)> = counted.iter().map(|(&shape, &count)| (shape, count)).collect();
        by_count.sort_by_key(|&(shape, count)| (std::cmp::Reverse(count), shape));
        // Exact shapes stand by themselves; the others are kept by their orders.
        let mut ranges: BTreeMap<RangeKey, Range> = BTreeMap::new();
        for (place, (shape, count)) in by_count.into_iter().enumerate() {
            let Shape { pages, request_pages, requests } = shape;
            let first = if requests == 1 { usize::MAX } else { octave(u64::from(request_pages)) };
            let exactly = if place < EXACT { shape } else { Shape::default() };
            let key = (rank_bin(pages), first, octave(u64::from(requests)), exactly);
            let none = Range { least: pages, most: pages, first_pages: 0, requests: 0, runs: 0 };
            let range = ranges.entry(key).or_insert(none);
            (range.least, range.most) = (range.least.min(pages), range.most.max(pages));
            range.first_pages += u64::from(request_pages) * u64::from(count);
            range.requests += u64::from(requests) * u64::from(count);
            range.runs += count;
        }
        let shape = |range: &Range| {
            let mean = |sum: u64| ((sum + u64::from(range.runs) / 2) / u64::from(range.runs)).max(1) as u32;
            let requests = mean(range.requests);
            let first = if requests == 1 { range.most } else { mean(range.first_pages) };
            (range.least, range.most, first, requests)
        };
        Lengths {
            shapes: ranges.values().map(shape).collect(),
            counts: Deck::from(ranges.values().map(|range| range.runs).collect::<Vec<u32>>()),
        }
    }

    /// A shape; `None` if the histogram is empty.
    pub(super) fn draw(&mut self, random: &mut Xoshiro256PlusPlus) -> Option<Shape> {
        let (least, most, request_pages, requests) = *self.shapes.get(self.counts.draw(random)?)?;
        let pages = least + below(random, u64::from(most.saturating_sub(least)) + 1) as u32;
        Some(Shape { pages, request_pages, requests }.cut(pages))
    }
}
