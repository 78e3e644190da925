//! How unevenly pages are accessed.

use serde::Serialize;

use super::histogram::{Class, PowerHistogram};

/// Points of a curve.
const POINTS: u32 = 64;

/// Share of the accesses that the most accessed pages receive.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Share {
    /// The most accessed pages.
    pub pages: u64,
    /// Their share of all accesses.
    pub accesses: f64,
}

/// Accesses of one kind by the rank of the page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Popularity {
    /// Pages accessed at least once.
    pub pages: u64,
    /// Accesses.
    pub accesses: u64,
    /// Accesses of the most accessed page.
    pub most: u32,
    /// Share of the most accessed pages, at ranks that grow by a constant factor.
    pub by_rank: Vec<Share>,
    /// The fewest pages that receive 50%, 80% and 90% of the accesses.
    pub pages_of_share: [Share; 3],
    /// Pages by their accesses; weight: accesses.
    pub pages_by_accesses: Vec<Class>,
}

/// Counts accesses. 8 bytes a page.
#[derive(Clone, Debug, Default)]
pub(crate) struct AccessCounts {
    /// For each page its reads and its writes.
    counts: Vec<[u32; 2]>,
}

/// A kind of access.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Access {
    Read = 0,
    Write = 1,
}

impl AccessCounts {
    pub(crate) fn add(&mut self, page: u32, access: Access) {
        if page as usize >= self.counts.len() {
            self.counts.resize(page as usize + 1, [0; 2]);
        }
        let count = &mut self.counts[page as usize][access as usize];
        *count = count.saturating_add(1);
    }

    /// Reads and writes of a page.
    pub(crate) fn of(&self, page: usize) -> [u32; 2] {
        self.counts.get(page).copied().unwrap_or_default()
    }

    pub(crate) fn finish(&self, access: Access) -> Popularity {
        let mut counts: Vec<u32> =
            self.counts.iter().map(|both| both[access as usize]).filter(|&count| count > 0).collect();
        counts.sort_unstable_by(|one, other| other.cmp(one));
        let accesses: u64 = counts.iter().map(|&count| u64::from(count)).sum();
        let mut histogram = PowerHistogram::default();
        counts.iter().for_each(|&count| histogram.add(u64::from(count), u64::from(count)));
        let ranks = ranks(counts.len() as u64);
        let wanted = [5, 8, 9];
        let mut fewest = [Share { pages: 0, accesses: 0.0 }; 3];
        let (mut by_rank, mut sum) = (Vec::with_capacity(ranks.len()), 0u64);
        for (rank, &count) in (1u64..).zip(&counts) {
            sum += u64::from(count);
            let share = Share { pages: rank, accesses: sum as f64 / accesses as f64 };
            for (tenths, fewest) in wanted.iter().zip(&mut fewest) {
                if fewest.pages == 0 && u128::from(sum) * 10 >= u128::from(accesses) * tenths {
                    *fewest = share;
                }
            }
            if ranks.get(by_rank.len()) == Some(&rank) {
                by_rank.push(share);
            }
        }
        Popularity {
            pages: counts.len() as u64,
            accesses,
            most: counts.first().copied().unwrap_or(0),
            by_rank,
            pages_of_share: fewest,
            pages_by_accesses: histogram.classes(),
        }
    }
}

/// Ranks from 1 to `last` that grow by a constant factor, each once.
fn ranks(last: u64) -> Vec<u64> {
    let factor = libm::pow(last as f64, 1.0 / f64::from(POINTS - 1));
    let mut ranks: Vec<u64> =
        (0..POINTS).map(|point| (libm::pow(factor, f64::from(point)) as u64).clamp(1, last.max(1))).collect();
    ranks.push(last);
    ranks.retain(|&rank| rank > 0);
    ranks.dedup();
    if last == 0 { Vec::new() } else { ranks }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_the_most_accessed_pages() {
        let mut counts = AccessCounts::default();
        for (page, writes) in [(0, 1), (1, 6), (2, 2), (3, 1)] {
            (0..writes).for_each(|_| counts.add(page, Access::Write));
        }
        counts.add(3, Access::Read);
        let writes = counts.finish(Access::Write);
        assert_eq!((writes.pages, writes.accesses, writes.most), (4, 10, 6));
        let shares: Vec<(u64, f64)> =
            writes.by_rank.iter().map(|share| (share.pages, share.accesses)).collect();
        assert_eq!(shares, [(1, 0.6), (2, 0.8), (3, 0.9), (4, 1.0)]);
        assert_eq!(writes.pages_of_share.map(|share| share.pages), [1, 2, 3]);
        let reads = counts.finish(Access::Read);
        assert_eq!((reads.pages, reads.accesses), (1, 1));
        assert_eq!(AccessCounts::default().finish(Access::Read).by_rank, []);
    }

    #[test]
    fn the_curve_of_many_pages_has_few_points_and_reaches_the_end() {
        let ranks = ranks(1_000_000);
        assert!(ranks.len() <= POINTS as usize + 1);
        assert!(ranks.is_sorted());
        assert_eq!((ranks[0], ranks[ranks.len() - 1]), (1, 1_000_000));
    }
}
