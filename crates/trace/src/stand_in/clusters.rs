//! Clusters: stretches of 1 MiB of the address space, remembered by the recency of their reads and of their writes.

use hashbrown::HashMap;

use super::profile::CLUSTER_PAGES;
use super::recency::Recency;
use super::sites::Touch;

/// Where a new site lies, by what was done in its cluster before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Neighbourhood {
    /// The same operation was here; that many clusters had it since.
    Own(u32),
    /// Only the other operation was here; likewise.
    Other(u32),
    /// Nothing was here, but something in the cluster before.
    Next,
    /// Nothing was here or in the cluster before.
    Fresh,
}

/// All clusters touched so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Clusters {
    index: HashMap<u64, u32, foldhash::fast::FixedState>,
    numbers: Vec<u64>,
    by_recency: [Recency; 2],
}

impl Clusters {
    /// What was done in a page's cluster before.
    pub(super) fn around(&self, touch: Touch, page: u64) -> Neighbourhood {
        let cluster = page / CLUSTER_PAGES;
        let Some(&index) = self.index.get(&cluster) else {
            let before = cluster.checked_sub(1).is_some_and(|before| self.index.contains_key(&before));
            return if before { Neighbourhood::Next } else { Neighbourhood::Fresh };
        };
        let own = touch.of_clusters();
        match self.by_recency[own].rank(index) {
            Some(rank) => Neighbourhood::Own(rank),
            None => Neighbourhood::Other(self.by_recency[1 - own].rank(index).unwrap_or(0)),
        }
    }

    /// Whether a cluster was touched.
    pub(super) fn holds(&self, cluster: u64) -> bool {
        self.index.contains_key(&cluster)
    }

    /// The cluster that has `rank` others with the same operation since: reads, or (1) writes and trims.
    pub(super) fn at_rank(&self, order: usize, rank: u32) -> Option<u64> {
        self.by_recency[order].at_rank(rank).map(|index| self.numbers[index as usize])
    }

    /// Clusters in an order.
    pub(super) fn count(&self, order: usize) -> u32 {
        self.by_recency[order].len()
    }

    /// The cluster that was touched as the last new one.
    pub(super) fn newest(&self) -> Option<u64> {
        self.numbers.last().copied()
    }

    /// A request touches pages.
    pub(super) fn touch(&mut self, touch: Touch, first: u64, pages: u64) {
        for cluster in first / CLUSTER_PAGES..=(first + pages.max(1) - 1) / CLUSTER_PAGES {
            let next = self.numbers.len() as u32;
            let index = *self.index.entry(cluster).or_insert(next);
            if index == next {
                self.numbers.push(cluster);
            }
            self.by_recency[touch.of_clusters()].used(index);
        }
    }
}
