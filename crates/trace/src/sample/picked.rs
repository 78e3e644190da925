//! Which pages are in a sample, and their numbers in it.

use std::ops::Range;

use strength_reduce::StrengthReducedU64;

use crate::mix::mix;

/// One page of each group of neighbours, picked by a hash of the group.
///
/// Numbers follow from page numbers by arithmetic alone: nothing is kept for a page, order stays
/// order, and a run of pages becomes a run of numbers. Where fewer pages than groups are asked for,
/// groups are left out at even distances, so that two samples of nearly the same size share nearly
/// all of their pages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Picked {
    group_pages: StrengthReducedU64,
    groups: StrengthReducedU64,
    kept: u64,
    seed: u64,
}

impl Picked {
    /// `kept` pages of `pages`, one of each `group_pages` at most. The caller has seen to it that
    /// there are as many groups, and fewer than 2^32 pages.
    pub(super) fn new(pages: u64, group_pages: u64, kept: u64, seed: u64) -> Self {
        Self {
            group_pages: StrengthReducedU64::new(group_pages),
            groups: StrengthReducedU64::new(pages / group_pages),
            kept,
            seed: mix(seed),
        }
    }

    /// The sampled page of a group, if there is one.
    #[inline]
    pub(super) fn page_of_group(&self, group: u64) -> Option<u64> {
        let kept = group < self.groups.get() && self.groups_before(group) < self.groups_before(group + 1);
        let hash = u128::from(mix(self.seed ^ group));
        let within = (hash * u128::from(self.group_pages.get())) >> 64;
        kept.then(|| group * self.group_pages.get() + within as u64)
    }

    /// The group of a page.
    #[inline]
    pub(super) fn group_of(&self, page: u64) -> u64 {
        page / self.group_pages
    }

    /// How many of the first groups are in the sample, which is the number of the next one's page.
    #[inline]
    pub(super) fn groups_before(&self, group: u64) -> u64 {
        group.min(self.groups.get()) * self.kept / self.groups
    }

    /// How many sampled pages lie before a page.
    #[inline]
    fn before(&self, page: u64) -> u64 {
        let group = self.group_of(page);
        let own = self.page_of_group(group).is_some_and(|picked| picked < page);
        self.groups_before(group) + u64::from(own)
    }

    /// The numbers of the sampled pages of a range.
    #[inline]
    pub(super) fn numbers(&self, pages: Range<u64>) -> Range<u64> {
        self.before(pages.start)..self.before(pages.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The sampled pages in order.
    fn all(picked: &Picked, groups: u64) -> Vec<u64> {
        (0..groups).filter_map(|group| picked.page_of_group(group)).collect()
    }

    proptest! {
        #[test]
        fn numbers_are_those_of_the_sampled_pages_in_order(
            (pages, group) in (1u64..3000).prop_flat_map(|pages| (Just(pages), 1..=pages)),
            part in 0.01f64..=1.0,
            seed in any::<u64>(),
            (start, length) in (0u64..3000, 0u64..500),
        ) {
            let groups = pages / group;
            let kept = ((groups as f64 * part) as u64).max(1);
            let picked = Picked::new(pages, group, kept, seed);
            let sampled = all(&picked, groups);
            prop_assert_eq!(sampled.len() as u64, kept);
            prop_assert!(sampled.is_sorted() && sampled.iter().all(|&page| page < pages));
            let end = start + length;
            let inside = sampled.iter().filter(|&&page| page < start).count() as u64
                ..sampled.iter().filter(|&&page| page < end).count() as u64;
            prop_assert_eq!(picked.numbers(start..end), inside);
        }
    }

    #[test]
    fn each_page_is_as_likely_as_any_other_and_another_seed_picks_others() {
        let (groups, group_pages) = (20_000, 10);
        let picked = |seed| all(&Picked::new(groups * group_pages, group_pages, groups, seed), groups);
        let mut counts = [0; 10];
        picked(1).iter().for_each(|page| counts[(page % group_pages) as usize] += 1);
        assert!(counts.iter().all(|&count| (1800..2200).contains(&count)), "{counts:?}");
        let shared = picked(1).iter().zip(picked(2)).filter(|&(&one, two)| one == two).count();
        assert!((1800..2200).contains(&shared), "{shared}");
        assert_eq!(picked(3), picked(3));
    }

    #[test]
    fn samples_of_nearly_the_same_size_share_their_pages() {
        let picked = |kept| all(&Picked::new(100_000, 10, kept, 7), 10_000);
        let (all_groups, fewer) = (picked(10_000), picked(9_700));
        assert!(fewer.iter().all(|page| all_groups.binary_search(page).is_ok()));
    }
}
