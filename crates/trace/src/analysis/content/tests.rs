use super::*;
use proptest::prelude::*;

/// The content of a page; `None` is unknown content, which equals nothing.
type Known = Option<Fingerprint>;

#[derive(Clone, Debug)]
struct Naive {
    content: Known,
    page: u32,
    valid: bool,
    /// When it became invalid last.
    since: usize,
    reads: usize,
    accesses: usize,
}

/// The same drive as one vector that is searched from end to end, with the counts of every value
/// kept for ever.
#[derive(Default)]
struct Slow {
    all_writes: u64,
    copies: Vec<Naive>,
    accesses: std::collections::BTreeMap<Fingerprint, usize>,
    clock: usize,
    part: Part,
    same: u64,
    duplicates: u64,
    reads: [PopularityClass; CLASSES],
    values: [PopularityClass; CLASSES],
    versions: [u64; CLASSES],
}

impl Slow {
    fn valid(&self, page: u32) -> Option<usize> {
        self.copies.iter().position(|copy| copy.valid && copy.page == page)
    }

    fn touch(&mut self, content: Known) {
        if let Some(content) = content {
            self.accesses.entry(content).and_modify(|count| *count = (*count + 1).min(15)).or_insert(0);
        }
    }

    fn invalidate(&mut self, page: u32) {
        let Some(index) = self.valid(page) else { return };
        self.clock += 1;
        self.part.invalidated += 1;
        let copy = &mut self.copies[index];
        (copy.valid, copy.since) = (false, self.clock);
        copy.accesses = copy.content.map_or(0, |content| self.accesses[&content]);
        self.reads[copy.reads].invalid += 1;
        self.values[copy.accesses].invalid += 1;
    }

    fn write(&mut self, page: u32, content: Known) {
        self.part.page_writes += 1;
        self.touch(content);
        let equal = |copy: &Naive| content.is_some() && copy.content == content;
        self.same += u64::from(self.valid(page).is_some_and(|index| equal(&self.copies[index])));
        self.duplicates += u64::from(self.copies.iter().any(|copy| copy.valid && equal(copy)));
        let found = (0..self.copies.len())
            .filter(|&index| !self.copies[index].valid && equal(&self.copies[index]))
            .max_by_key(|&index| self.copies[index].since);
        if let Some(index) = found {
            let copy = self.copies[index].clone();
            let newer = |other: &&Naive| !other.valid && other.page == copy.page && other.since > copy.since;
            self.versions[15 - self.copies.iter().filter(newer).count().min(15)] += 1;
            for class in [&mut self.reads[copy.reads], &mut self.values[copy.accesses]] {
                class.recycled += 1;
                class.recycled_in_second_half += u64::from(self.part.page_writes > self.all_writes / 2);
            }
            self.part.recycled += 1;
            // Not found again by the page that it has just left.
            self.copies[index].page = u32::MAX;
            self.copies[index].valid = true;
        }
        self.invalidate(page);
        match found {
            Some(index) => self.copies[index].page = page,
            None => self.copies.push(Naive { content, page, valid: true, since: 0, reads: 0, accesses: 0 }),
        }
    }

    fn read(&mut self, page: u32, content: Known) {
        if self.valid(page).is_none() {
            self.copies.push(Naive { content, page, valid: true, since: 0, reads: 0, accesses: 0 });
            if let Some(content) = content {
                self.accesses.entry(content).or_insert(0);
            }
        }
        let index = self.valid(page).unwrap();
        let held = self.copies[index].content;
        self.copies[index].reads = (self.copies[index].reads + 1).min(15);
        self.touch(held);
    }
}

proptest! {
    #[test]
    fn it_agrees_with_a_search_of_all_copies(
        steps in prop::collection::vec((0u8..10, 0u32..12, prop::option::weighted(0.9, 0u128..8)), 1..400),
    ) {
        let writes = steps.iter().filter(|(kind, ..)| *kind < 6).count() as u64;
        let mut contents = Contents::new(writes, true, DRIVE_PAGES);
        let mut slow = Slow { all_writes: writes, ..Slow::default() };
        let mut table = PageTable::default();
        for (at_ns, (kind, page, content)) in (0u64..).zip(steps) {
            match kind {
                0..6 => {
                    contents.write(table.number(u64::from(page)).unwrap(), content, at_ns);
                    slow.write(page, content);
                }
                6..9 => {
                    contents.read(table.number(u64::from(page)).unwrap(), content);
                    slow.read(page, content);
                }
                _ => {
                    contents.trim(u64::from(page)..u64::from(page) + 3, &table);
                    (page..page + 3).for_each(|page| slow.invalidate(page));
                }
            }
        }
        let found = contents.finish();
        prop_assert_eq!(found.whole, slow.part);
        if let Some(last) = found.moments.last() {
            prop_assert!(last.recycled == found.whole.recycled && last.page_writes == writes);
        }
        let recycling = found.recycling.unwrap();
        prop_assert_eq!(recycling.distinct_values, slow.accesses.len() as u64);
        prop_assert_eq!((recycling.writes_of_same_content, recycling.writes_of_valid_content), (slow.same, slow.duplicates));
        prop_assert_eq!(recycling.by_page_reads, slow.reads.to_vec());
        prop_assert_eq!(recycling.by_value_accesses, slow.values.to_vec());
        prop_assert_eq!(recycling.recycled_by_version, slow.versions.to_vec());
    }

    /// A drive without room forgets the oldest invalid pages; nothing else may change, and nothing
    /// may be lost count of.
    #[test]
    fn a_small_drive_forgets_and_stays_consistent(
        writes in prop::collection::vec((0u32..8, 0u128..30), 1..300),
        pages in 1usize..20,
    ) {
        let mut small = Contents::new(writes.len() as u64, true, pages);
        let mut large = Contents::new(writes.len() as u64, true, DRIVE_PAGES);
        for &(page, content) in &writes {
            small.write(page, Some(content), 0);
            large.write(page, Some(content), 0);
        }
        let (small, large) = (small.finish(), large.finish());
        prop_assert!(small.whole.recycled <= large.whole.recycled);
        prop_assert_eq!(small.whole.invalidated, large.whole.invalidated);
        let forgotten = small.recycling.unwrap().forgotten;
        // Programmed pages are valid, invalid, or forgotten, and no more than the drive has room
        // for are left.
        let programmed = small.whole.page_writes - small.whole.recycled;
        let valid = small.moments.last().unwrap().valid;
        prop_assert_eq!(programmed - forgotten, valid + small.whole.invalidated - small.whole.recycled - forgotten);
        prop_assert!(programmed - forgotten <= (pages as u64).max(valid + 1));
    }
}

#[test]
fn the_page_that_is_replaced_is_not_revived_but_its_earlier_version_is() {
    let mut contents = Contents::new(5, true, DRIVE_PAGES);
    for value in [1, 1, 2, 1, 1] {
        contents.write(0, Some(value), 0);
    }
    let found = contents.finish();
    let recycling = found.recycling.unwrap();
    // The fourth write finds the first or second copy; the fifth the other one.
    assert_eq!((found.whole.recycled, recycling.writes_of_same_content), (2, 2));
    assert_eq!(recycling.recycled_by_version[15] + recycling.recycled_by_version[14], 2);
    assert_eq!((found.overwrite_share, found.second_half.page_writes), (Some(0.8), 3));
}

#[test]
fn without_content_only_validity_is_told() {
    let mut contents = Contents::new(2, false, DRIVE_PAGES);
    contents.read(1, None);
    contents.write(0, None, 5);
    contents.write(1, None, 9);
    let found = contents.finish();
    assert_eq!(found.recycling, None);
    let last = found.moments.last().copied().unwrap();
    assert_eq!((last.valid, last.invalid, last.at_ns, found.distinct_pages), (2, 1, 9, 2));
}
