//! Exact reuse distances: how many distinct others were accessed since the same one was accessed
//! last.
//!
//! Accesses take places in a row; a place is marked as long as it holds the last access of its
//! page. The distance of an access is the number of marks behind the page's last place, which a
//! Fenwick tree counts in O(log n) (Olken, "Efficient methods for calculating the success function
//! of fixed space replacement policies", 1981, with a tree over places). When the row is full, the
//! marked places move together, which costs O(1) an access since the row is at least twice as long
//! as there are pages.

/// Not accessed yet.
const NEVER: u32 = u32::MAX;
/// The shortest row.
const SHORTEST: usize = 1 << 12;

/// The accesses so far. About 24 bytes a page.
#[derive(Clone, Debug)]
pub(crate) struct ReuseDistance {
    /// For each page the place of its last access.
    place_of_page: Vec<u32>,
    /// For each place the page that was accessed there.
    page_of_place: Vec<u32>,
    /// Fenwick tree over the marks of the places, from 1.
    tree: Vec<u32>,
    /// The next place.
    next: usize,
    /// Pages accessed at least once, which is the number of marks.
    distinct: u32,
}

impl Default for ReuseDistance {
    fn default() -> Self {
        Self {
            place_of_page: Vec::new(),
            page_of_place: vec![0; SHORTEST],
            tree: vec![0; SHORTEST + 1],
            next: 0,
            distinct: 0,
        }
    }
}

impl ReuseDistance {
    /// Accesses `page`; returns how many distinct other pages were accessed since its last access,
    /// if there was one.
    #[inline]
    pub(crate) fn access(&mut self, page: u32) -> Option<u32> {
        if page as usize >= self.place_of_page.len() {
            self.place_of_page.resize(page as usize + 1, NEVER);
        }
        if self.next == self.page_of_place.len() {
            self.move_together();
        }
        let last = self.place_of_page[page as usize];
        let distance = if last == NEVER {
            self.distinct += 1;
            None
        } else {
            let up_to = self.marks_up_to(last as usize);
            self.change(last as usize, u32::MAX);
            Some(self.distinct - up_to)
        };
        let place = self.next;
        self.change(place, 1);
        self.page_of_place[place] = page;
        self.place_of_page[page as usize] = place as u32;
        self.next += 1;
        distance
    }

    /// The marks of the places 0 to `place`.
    #[inline]
    fn marks_up_to(&self, place: usize) -> u32 {
        let (mut index, mut sum) = (place + 1, 0u32);
        while index > 0 {
            sum = sum.wrapping_add(self.tree[index]);
            index &= index - 1;
        }
        sum
    }

    /// Adds `change` (modulo 2^32) to the mark of a place.
    #[inline]
    fn change(&mut self, place: usize, change: u32) {
        let mut index = place + 1;
        while index < self.tree.len() {
            self.tree[index] = self.tree[index].wrapping_add(change);
            index += index & index.wrapping_neg();
        }
    }

    /// Numbers the marked places anew from 0 and makes the row twice as long as they are many, or
    /// longer.
    #[cold]
    fn move_together(&mut self) {
        let mut kept = 0;
        for place in 0..self.next {
            let page = self.page_of_place[place];
            if self.place_of_page[page as usize] as usize == place {
                self.page_of_place[kept] = page;
                self.place_of_page[page as usize] = kept as u32;
                kept += 1;
            }
        }
        self.next = kept;
        let places = (2 * kept).max(SHORTEST);
        self.page_of_place.resize(places, 0);
        self.tree.clear();
        self.tree.resize(places + 1, 0);
        // A tree over `kept` ones: a node counts those of its own span.
        for index in 1..=places {
            let span = index & index.wrapping_neg();
            self.tree[index] = kept.min(index).saturating_sub(index - span) as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn by_counting(accesses: &[u32], position: usize) -> Option<u32> {
        let page = accesses[position];
        let last = accesses[..position].iter().rposition(|&other| other == page)?;
        let mut between = accesses[last + 1..position].to_vec();
        between.sort_unstable();
        between.dedup();
        Some(between.len() as u32)
    }

    proptest! {
        #[test]
        fn it_is_what_counting_finds(accesses in prop::collection::vec(0u32..40, 0..300)) {
            let mut distances = ReuseDistance::default();
            for position in 0..accesses.len() {
                prop_assert_eq!(distances.access(accesses[position]), by_counting(&accesses, position));
            }
        }
    }

    #[test]
    fn it_stays_exact_when_the_row_is_moved_together() {
        // Page 0 now and then among a cycle of 3,000 pages, over many rows: each page's distance is
        // the cycle without itself.
        let mut distances = ReuseDistance::default();
        for round in 0..20u32 {
            for page in 0..3000 {
                let expected = (round > 0).then_some(2999);
                assert_eq!(distances.access(page), expected, "page {page} in round {round}");
            }
        }
        assert_eq!(distances.access(2999), Some(0));
        assert_eq!(distances.access(0), Some(2999));
    }

    #[test]
    fn more_pages_than_the_row_had_places_lengthen_it() {
        let mut distances = ReuseDistance::default();
        assert!((0..50_000).all(|page| distances.access(page).is_none()));
        assert!((0..50_000).rev().all(|page| distances.access(page) == Some(49_999 - page)));
    }
}
