//! The order of the store: entries ranked by class, among equals by age, with the exact rank of any
//! entry.
//!
//! Every class is a list; a rank is the entries of the classes above plus those before the entry in
//! its own list. An entry has a stamp, its place in the list: the list names the entry of each
//! stamp, and a bit tells whether it is still there. So an entry leaves by clearing a bit, whatever
//! its neighbours are. The next entry to leave a full store is known well ahead. For a rank, bits
//! are counted 64 at a time, and 1024 at a time where the list is long. Insertion and removal take
//! constant time on average.

use super::config::Ties;
use super::index::Digest;
use super::probability::Class;
use crate::address::Ppn;

/// Stamps that one word of counts sums up.
const BLOCK: usize = 1024;
/// Words of bits for as many stamps.
const BLOCK_WORDS: usize = BLOCK / 64;
/// Stamps that a list may use up for each of its entries before they are numbered anew.
const STAMPS_PER_ENTRY: usize = 4;
/// Stamps from which on a list is numbered anew in any case.
const LATEST_STAMP: usize = u32::MAX as usize - BLOCK;

/// What the order tells of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The page.
    pub ppn: Ppn,
    /// Of its key, so that the page need not be asked for it when the entry makes way.
    pub digest: Digest,
}

#[derive(Debug, Clone, Default)]
struct List {
    /// The entry of each stamp, the one that joined first at the front.
    entries: Vec<Entry>,
    /// A bit for each stamp in use.
    used: Vec<u64>,
    per_block: Vec<u32>,
    /// All words of bits before this one are zero.
    first_word: usize,
    /// The stamp of the entry at the front.
    base: u32,
}

impl List {
    /// Whether there is room for one more entry.
    #[inline]
    fn has_room(&self) -> bool {
        self.entries.len() < self.per_block.len() * BLOCK
    }

    /// Appends an entry, for which there must be room, and returns its stamp.
    #[inline]
    fn join(&mut self, entry: Entry) -> u32 {
        let place = self.entries.len();
        self.entries.push(entry);
        self.used[place / 64] |= 1 << (place % 64);
        self.per_block[place / BLOCK] += 1;
        self.base + place as u32
    }

    #[inline]
    fn leave(&mut self, stamp: u32) {
        let place = (stamp - self.base) as usize;
        self.used[place / 64] &= !(1 << (place % 64));
        self.per_block[place / BLOCK] -= 1;
    }

    /// The entry that joined first, and its stamp; the list must have one.
    #[inline]
    fn earliest(&mut self) -> (Entry, u32) {
        while self.used[self.first_word] == 0 {
            self.first_word += 1;
        }
        let place = self.first_word * 64 + self.used[self.first_word].trailing_zeros() as usize;
        (self.entries[place], self.base + place as u32)
    }

    /// The entry that joined last, and its stamp; the list must have one. Gives up the stamps
    /// behind it.
    #[inline]
    fn latest(&mut self) -> (Entry, u32) {
        let mut place = self.entries.len() - 1;
        while self.used[place / 64] >> (place % 64) & 1 == 0 {
            place -= 1;
        }
        self.entries.truncate(place + 1);
        self.first_word = self.first_word.min(place / 64);
        (self.entries[place], self.base + place as u32)
    }

    /// Entries that joined the list after the one with this stamp.
    fn later_than(&self, stamp: u32) -> u32 {
        let place = (stamp - self.base) as usize;
        let (word, block) = (place / 64, place / BLOCK);
        let own = self.used[word] >> (place % 64) >> 1;
        let near: u32 =
            self.used[word + 1..(block + 1) * BLOCK_WORDS].iter().map(|word| word.count_ones()).sum();
        own.count_ones() + near + self.per_block[block + 1..].iter().sum::<u32>()
    }

    /// Makes room for one more entry than the `len` that the list has. Many stamps before the first
    /// entry are given up, and all entries keep theirs. Where too many others are unused, the
    /// entries get the stamps 0, 1, ..., and `note` is told of each.
    #[cold]
    fn make_room(&mut self, len: u32, note: &mut impl FnMut(Ppn, u32)) {
        let unused = self.per_block.iter().take_while(|&&used| used == 0).count();
        let all = self.entries.len();
        if self.base as usize + all >= LATEST_STAMP || all > (len as usize * STAMPS_PER_ENTRY).max(BLOCK) {
            let before = std::mem::take(self);
            (0..=len as usize / BLOCK).for_each(|_| self.add_block());
            for (place, &entry) in before.entries.iter().enumerate() {
                if before.used[place / 64] >> (place % 64) & 1 == 1 {
                    note(entry.ppn, self.join(entry));
                }
            }
        } else if unused > 0 && 2 * unused >= self.per_block.len() {
            self.entries.drain(..unused * BLOCK);
            self.used.drain(..unused * BLOCK_WORDS);
            self.per_block.drain(..unused);
            self.first_word = self.first_word.saturating_sub(unused * BLOCK_WORDS);
            self.base += (unused * BLOCK) as u32;
        }
        if !self.has_room() {
            self.add_block();
        }
    }

    fn add_block(&mut self) {
        self.per_block.push(0);
        self.used.resize(self.per_block.len() * BLOCK_WORDS, 0);
        self.entries.reserve(self.per_block.len() * BLOCK - self.entries.len());
    }
}

/// Entries in order. Their owner keeps the class and the stamp of each.
#[derive(Debug, Clone)]
pub struct Ranking {
    lists: Vec<List>,
    /// Entries of each list; by themselves, since a rank sums up all above.
    lens: Vec<u32>,
    newest_first: bool,
    /// No class below this one has an entry.
    lowest: Class,
}

impl Ranking {
    /// No entries; classes 0 to `classes - 1`, the highest first in the order.
    pub fn new(classes: usize, ties: Ties) -> Ranking {
        Ranking {
            lists: vec![List::default(); classes],
            lens: vec![0; classes],
            newest_first: ties == Ties::NewestFirst,
            lowest: 0,
        }
    }

    /// Adds an entry, as the newest of its class. Tells `note` its stamp, and those of other
    /// entries of the class that changed.
    #[inline(always)]
    pub fn insert(&mut self, entry: Entry, class: Class, mut note: impl FnMut(Ppn, u32)) {
        let (list, len) = (&mut self.lists[usize::from(class)], &mut self.lens[usize::from(class)]);
        if !list.has_room() {
            list.make_room(*len, &mut note);
        }
        note(entry.ppn, list.join(entry));
        *len += 1;
        self.lowest = self.lowest.min(class);
    }

    /// Takes an entry out.
    #[inline(always)]
    pub fn remove(&mut self, class: Class, stamp: u32) {
        self.lists[usize::from(class)].leave(stamp);
        self.lens[usize::from(class)] -= 1;
    }

    pub(super) fn at(&self, class: Class, stamp: u32) -> Option<Entry> {
        let list = &self.lists[usize::from(class)];
        let place = stamp.checked_sub(list.base)? as usize;
        let is_used = list.used.get(place / 64)? >> (place % 64) & 1 == 1;
        list.entries.get(place).copied().filter(|_| is_used)
    }

    /// A number that rises with the rank of an entry, and costs nothing to know.
    #[inline]
    pub fn order_key(&self, class: Class, stamp: u32) -> u64 {
        let age = if self.newest_first { !stamp } else { stamp };
        u64::from(Class::MAX - class) << 32 | u64::from(age)
    }

    /// The class of the last entry of the order, if there is one.
    #[inline]
    fn last_class(&mut self) -> Option<Class> {
        let mut class = usize::from(self.lowest);
        while *self.lens.get(class)? == 0 {
            class += 1;
        }
        self.lowest = class as Class;
        Some(self.lowest)
    }

    /// Takes the last entry of the order out, if there is one.
    #[inline]
    pub fn take_last(&mut self) -> Option<Entry> {
        let class = self.last_class()?;
        let list = &mut self.lists[usize::from(class)];
        let (entry, stamp) = if self.newest_first { list.earliest() } else { list.latest() };
        self.remove(class, stamp);
        Some(entry)
    }

    /// An entry that may be the last of the order when the given number
    /// of others of its class are gone.
    /// A hint: it need not be in use.
    #[inline]
    pub fn last_in(&self, steps: usize) -> Option<Entry> {
        let list = &self.lists[usize::from(self.lowest)];
        if self.newest_first {
            let word = list.used.get(list.first_word)?;
            list.entries.get(list.first_word * 64 + word.trailing_zeros() as usize + steps).copied()
        } else {
            list.entries.len().checked_sub(1 + steps).map(|place| list.entries[place])
        }
    }

    /// Entries that a scan from the head compares until it is through with this one: its rank, from
    /// 1.
    pub fn rank(&self, class: Class, stamp: u32) -> u64 {
        let later = self.lists[usize::from(class)].later_than(stamp);
        let before = if self.newest_first { later } else { self.lens[usize::from(class)] - 1 - later };
        self.above(class) + u64::from(before) + 1
    }

    /// The rank that an entry added now would have.
    pub fn rank_of_new(&self, class: Class) -> u64 {
        let before = if self.newest_first { 0 } else { self.lens[usize::from(class)] };
        self.above(class) + u64::from(before) + 1
    }

    /// Whether an entry added now would be the last of the order.
    #[inline]
    pub fn would_be_last(&mut self, class: Class) -> bool {
        match self.last_class() {
            None => true,
            Some(last) => class < last || class == last && !self.newest_first,
        }
    }

    fn above(&self, class: Class) -> u64 {
        self.lens[usize::from(class) + 1..].iter().sum::<u32>().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry_of(ppn: Ppn) -> Entry {
        Entry { ppn, digest: Digest::default() }
    }

    /// Many more insertions than entries, with holes in the list.
    #[test]
    fn ranks_survive_renumbering() {
        for ties in [Ties::NewestFirst, Ties::OldestFirst] {
            let mut ranking = Ranking::new(1, ties);
            let mut stamps = vec![0; 40_000];
            for entry in 0..40_000 {
                ranking.insert(entry_of(Ppn(entry)), 0, |entry, stamp| stamps[entry.index()] = stamp);
                // Every seventh stays.
                if entry >= 600 && (entry - 600) % 7 > 0 {
                    ranking.remove(0, stamps[entry as usize - 600]);
                }
            }
            let rank = |entry: usize| ranking.rank(0, stamps[entry]);
            let (oldest, newest) = if ties == Ties::NewestFirst { (0, 39_999) } else { (39_999, 0) };
            let last = ranking.clone().take_last();
            assert_eq!((rank(newest), last), (1, Some(entry_of(Ppn(oldest)))));
            let of_the_first_hundred = |entry: usize| entry.div_ceil(7) as u64;
            let kept = 600 + of_the_first_hundred(39_400);
            let before = of_the_first_hundred(700);
            let expected = if ties == Ties::NewestFirst { kept - before } else { before + 1 };
            assert_eq!(rank(700), expected);
        }
    }

    /// As the store is full most of the time, the first entry to join leaves first, and stamps at
    /// the front are given up. That is tried from the beginning, and where stamps are about to run
    /// out.
    #[test]
    fn ranks_survive_giving_up_stamps() {
        for base in [0, LATEST_STAMP as u32 - 5 * BLOCK as u32] {
            let mut ranking = Ranking::new(1, Ties::NewestFirst);
            ranking.lists[0].base = base;
            let mut stamps = vec![0; 40_000];
            for ppn in 0..40_000 {
                ranking.insert(entry_of(Ppn(ppn)), 0, |page, stamp| stamps[page.index()] = stamp);
                if ppn >= 3000 {
                    assert_eq!(ranking.take_last(), Some(entry_of(Ppn(ppn - 3000))));
                }
                if ppn >= 3000 && ppn % 700 == 0 {
                    for behind in [0, 1, 63, 64, 1023, 1024, 2999] {
                        let page = ppn - behind;
                        assert_eq!(ranking.rank(0, stamps[page as usize]), u64::from(behind) + 1);
                    }
                }
            }
            let list = &ranking.lists[0];
            assert!(list.entries.len() <= 4 * 3000 + BLOCK, "{} stamps for 3000 entries", list.entries.len());
            // Given up from the beginning, numbered anew where they ran out.
            assert!(if base == 0 { list.base > 0 } else { list.base < base });
        }
    }
}
