//! Maximal stretches of touched pages.

use std::collections::BTreeMap;

/// Pages by the stretches that they form.
#[derive(Clone, Debug, Default)]
pub(super) struct Extents {
    /// Pages of each stretch, by its first page.
    pages_from: BTreeMap<u64, u64>,
}

impl Extents {
    /// Pages are touched.
    pub(super) fn add(&mut self, first: u64, pages: u64) {
        let (mut first, mut behind) = (first, first + pages);
        if let Some((&before, &held)) = self.pages_from.range(..=first).next_back()
            && before + held >= first
        {
            if before + held >= behind {
                return;
            }
            first = before;
        }
        // Extents that begin within or right behind are swallowed.
        while let Some((&next, &held)) = self.pages_from.range(first..=behind).next() {
            self.pages_from.remove(&next);
            behind = behind.max(next + held);
        }
        self.pages_from.insert(first, behind - first);
    }

    /// Touched pages from a page on without a gap.
    pub(super) fn held_from(&self, page: u64) -> u64 {
        match self.pages_from.range(..=page).next_back() {
            Some((&first, &held)) => (first + held).saturating_sub(page),
            None => 0,
        }
    }

    /// Untouched pages from an untouched page on, as far as the end of the space.
    pub(super) fn free_from(&self, page: u64, space_pages: u64) -> u64 {
        let next = self.pages_from.range(page..).next().map_or(space_pages, |(&first, _)| first);
        next.min(space_pages).saturating_sub(page)
    }

    /// Places where a run of some pages may begin within touched ones: the `nth` stretch that holds
    /// that many, counted round, or the longest one; its first page and its pages.
    pub(super) fn room_for(&self, pages: u64, nth: u64) -> Option<(u64, u64)> {
        let fitting = || self.pages_from.iter().filter(|&(_, &held)| held >= pages);
        let count = fitting().count() as u64;
        let longest = || self.pages_from.iter().max_by_key(|&(_, &held)| held);
        let found = if count > 0 { fitting().nth((nth % count) as usize) } else { longest() };
        found.map(|(&first, &held)| (first, held))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn they_agree_with_a_set_of_pages(runs in prop::collection::vec((0u64..300, 1u64..20), 1..80)) {
            let (mut extents, mut pages) = (Extents::default(), BTreeSet::new());
            for (first, count) in runs {
                extents.add(first, count);
                pages.extend(first..first + count);
            }
            for page in 0..330 {
                let held = (page..).take_while(|page| pages.contains(page)).count() as u64;
                prop_assert_eq!(extents.held_from(page), held);
                if held == 0 {
                    let free = (page..350).take_while(|page| !pages.contains(page)).count() as u64;
                    prop_assert_eq!(extents.free_from(page, 350), free);
                }
            }
            let (first, held) = extents.room_for(7, 3).unwrap();
            prop_assert_eq!(extents.held_from(first), held);
            prop_assert!(!pages.contains(&first.wrapping_sub(1)));
            prop_assert!(held >= 7 || (0..330).all(|page| extents.held_from(page) < 7));
        }
    }
}
