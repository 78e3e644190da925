//! An index from contents to numbers (of pages, of values), for keys that look random already.
//!
//! A bucket is a cache line: twelve numbers, and for each a byte of its key's digest. So a look-up
//! touches one line, and one that finds nothing compares the digests all at once and hardly ever a
//! key. A number whose bucket is full lies in the next one that is not, and the full ones count how
//! many went past, which is where a look-up stops. The owner of the numbers knows their keys.

use crate::cache_hints::hint;
use crate::host::fingerprint::Fingerprint;
use crate::state::table::table;

/// Numbers of a bucket.
const SLOTS: usize = 12;
/// Numbers for each bucket, on average, from which on the index grows.
const MOST_PER_BUCKET: usize = 8;
const LEAST_BUCKETS: usize = 8;

/// A set of slots, the first one in the lowest bit.
type Slots = u32;
const ALL: Slots = (1 << SLOTS) - 1;

#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
struct Bucket {
    /// Of each slot, 0 where no number is.
    tags: [u8; SLOTS],
    /// Numbers that found the bucket full and went past.
    passed: u32,
    numbers: [u32; SLOTS],
}

const _: () = assert!(size_of::<Bucket>() == 64);

impl Bucket {
    const EMPTY: Bucket = Bucket { tags: [0; SLOTS], passed: 0, numbers: [0; SLOTS] };

    /// The slots with a tag, which are compared at once.
    #[inline(always)]
    #[cfg(target_arch = "x86_64")]
    fn with_tag(&self, tag: u8) -> Slots {
        use std::arch::x86_64::{_mm_cmpeq_epi8, _mm_load_si128, _mm_movemask_epi8, _mm_set1_epi8};
        // SAFETY: every x86-64 has SSE2, and a bucket is aligned and longer than the 16 bytes that
        // are read.
        let equal = unsafe {
            let tags = _mm_load_si128(std::ptr::from_ref(self).cast());
            _mm_movemask_epi8(_mm_cmpeq_epi8(tags, _mm_set1_epi8(tag.cast_signed())))
        };
        equal.cast_unsigned() & ALL
    }

    #[cfg(not(target_arch = "x86_64"))]
    fn with_tag(&self, tag: u8) -> Slots {
        (0..SLOTS).fold(0, |slots, slot| slots | Slots::from(self.tags[slot] == tag) << slot)
    }

    /// The slots with numbers.
    #[inline]
    fn in_use(&self) -> Slots {
        !self.with_tag(0) & ALL
    }
}

/// The slots of a set, in order.
#[inline(always)]
fn each(slots: Slots) -> impl Iterator<Item = usize> {
    let mut left = slots;
    std::iter::from_fn(move || {
        let slot = (left != 0).then(|| left.trailing_zeros() as usize)?;
        left &= left - 1;
        Some(slot)
    })
}

/// What the index asks of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Digest(u32);

impl Digest {
    /// Fingerprints are uniform where they come from a hash; where a trace numbers its contents,
    /// this spreads them.
    #[inline]
    pub(super) fn of(key: Fingerprint) -> Digest {
        let folded = key as u64 ^ (key >> 64) as u64;
        Digest((folded.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32)
    }

    #[inline]
    fn tag(self) -> u8 {
        (self.0 as u8).max(1)
    }
}

/// See the module's page.
#[derive(Debug, Clone)]
pub(super) struct Index {
    /// A power of two of them.
    buckets: Vec<Bucket>,
    used: usize,
    /// A digest's home is its topmost bits.
    shift: u32,
}

/// Where a search ended.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    bucket: usize,
    slot: usize,
}

impl Index {
    /// An empty index with room for `numbers` numbers before it grows.
    pub(super) fn with_room(numbers: usize) -> Index {
        Index::of_buckets(numbers.div_ceil(MOST_PER_BUCKET).next_power_of_two().max(LEAST_BUCKETS))
    }

    fn of_buckets(buckets: usize) -> Index {
        Index { buckets: table(Bucket::EMPTY, buckets), used: 0, shift: 32 - buckets.ilog2() }
    }

    #[inline]
    fn home(&self, digest: Digest) -> usize {
        (digest.0 >> self.shift) as usize
    }

    /// Brings the bucket of a key into the cache.
    #[inline]
    pub(super) fn hint(&self, digest: Digest) {
        hint(&self.buckets, self.home(digest));
    }

    /// A number that may be the key's, or 0 if there is none.
    #[inline]
    pub(super) fn likely(&self, digest: Digest) -> u32 {
        let bucket = &self.buckets[self.home(digest)];
        let equal = bucket.with_tag(digest.tag());
        let number = bucket.numbers[(equal.trailing_zeros() as usize).min(SLOTS - 1)];
        if equal == 0 { 0 } else { number }
    }

    /// The place of a number with this digest of its key that `is_it` accepts.
    #[inline(always)]
    pub(super) fn find(&self, digest: Digest, is_it: impl Fn(u32) -> bool) -> Option<Place> {
        let home = self.home(digest);
        let mut at = home;
        loop {
            let bucket = &self.buckets[at];
            if let Some(slot) = each(bucket.with_tag(digest.tag())).find(|&slot| is_it(bucket.numbers[slot]))
            {
                return Some(Place { bucket: at, slot });
            }
            at = (at + 1) & (self.buckets.len() - 1);
            if bucket.passed == 0 || at == home {
                return None;
            }
        }
    }

    /// The number at a place.
    #[inline]
    pub(super) fn at(&self, place: Place) -> u32 {
        self.buckets[place.bucket].numbers[place.slot]
    }

    /// Puts another number of the same key to a place.
    #[inline]
    pub(super) fn replace(&mut self, place: Place, number: u32) {
        self.buckets[place.bucket].numbers[place.slot] = number;
    }

    /// Adds a number. `key_of` tells the key of every number that is there already.
    #[inline(always)]
    pub(super) fn insert(&mut self, digest: Digest, number: u32, key_of: impl Fn(u32) -> Fingerprint) {
        if self.used >= self.buckets.len() * MOST_PER_BUCKET {
            self.grow(key_of);
        }
        self.put(digest, number);
    }

    #[inline(always)]
    fn put(&mut self, digest: Digest, number: u32) {
        self.used += 1;
        let mut at = self.home(digest);
        loop {
            let bucket = &mut self.buckets[at];
            if let Some(slot) = each(bucket.with_tag(0)).next() {
                (bucket.tags[slot], bucket.numbers[slot]) = (digest.tag(), number);
                return;
            }
            bucket.passed += 1;
            at = (at + 1) & (self.buckets.len() - 1);
        }
    }

    /// Takes out what is at a place that was found for a digest.
    #[inline]
    pub(super) fn remove(&mut self, digest: Digest, place: Place) {
        self.used -= 1;
        self.buckets[place.bucket].tags[place.slot] = 0;
        let mut at = self.home(digest);
        while at != place.bucket {
            self.buckets[at].passed -= 1;
            at = (at + 1) & (self.buckets.len() - 1);
        }
    }

    #[cold]
    fn grow(&mut self, key_of: impl Fn(u32) -> Fingerprint) {
        let before = std::mem::replace(self, Index::of_buckets(self.buckets.len() * 2));
        for bucket in &before.buckets {
            each(bucket.in_use()).for_each(|slot| {
                self.put(Digest::of(key_of(bucket.numbers[slot])), bucket.numbers[slot]);
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
        /// Keys of few digests and of many, so that buckets are full, runs of them wrap round, and
        /// the index grows.
        #[test]
        fn it_agrees_with_a_map(steps in prop::collection::vec((0u32..300, any::<bool>()), 1..900), scattered in any::<bool>()) {
            // A digest whose home is the last bucket, until the index is large.
            let last = (0..).find(|&key| Index::with_room(512).home(Digest::of(key)) == 63).unwrap_or(0);
            let key_of = |number: u32| match scattered {
                true => u128::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835),
                // Halves that fold to the same: one digest for all.
                false => u128::from(number) << 64 | u128::from(number) ^ last,
            };
            let digest_of = |number: u32| Digest::of(key_of(number));
            let mut index = Index::with_room(0);
            let mut map = BTreeMap::new();
            for (number, adds) in steps {
                let found = index.find(digest_of(number), |other| key_of(other & 0xffff) == key_of(number));
                prop_assert_eq!(found.map(|place| index.at(place)), map.get(&number).copied());
                match (found, adds) {
                    (None, true) => {
                        index.insert(digest_of(number), number, |other| key_of(other & 0xffff));
                        map.insert(number, number);
                    }
                    (Some(place), true) => {
                        index.replace(place, number | 0x1_0000);
                        map.insert(number, number | 0x1_0000);
                    }
                    (Some(place), false) => {
                        index.remove(digest_of(number), place);
                        map.remove(&number);
                    }
                    (None, false) => {}
                }
                prop_assert_eq!(index.used, map.len());
            }
            for (&number, &value) in &map {
                let found = index.find(digest_of(number), |other| other & 0xffff == number);
                prop_assert_eq!(found.map(|place| index.at(place)), Some(value));
            }
            map.keys().for_each(|&number| {
                let place = index.find(digest_of(number), |other| other & 0xffff == number);
                place.into_iter().for_each(|place| index.remove(digest_of(number), place));
            });
            prop_assert!(index.buckets.iter().all(|bucket| bucket.in_use() == 0 && bucket.passed == 0));
        }
    }

    /// Numbers whose bucket is no longer full stay where they are, so that in a small index all
    /// buckets can have been passed.
    #[test]
    fn a_look_up_ends_where_every_bucket_was_passed() {
        let mut index = Index::with_room(0);
        let mut keys = 1u128..;
        for home in 0..LEAST_BUCKETS {
            let at_home: Vec<_> = keys
                .by_ref()
                .map(Digest::of)
                .filter(|&digest| index.home(digest) == home)
                .take(SLOTS + 1)
                .collect();
            (0..).zip(&at_home).for_each(|(number, &digest)| index.insert(digest, number, |_| 0));
            for number in 0..SLOTS as u32 {
                let digest = at_home[number as usize];
                if let Some(place) = index.find(digest, |other| other == number) {
                    index.remove(digest, place);
                }
            }
        }
        assert_eq!(index.buckets.len(), LEAST_BUCKETS);
        assert!(index.buckets.iter().all(|bucket| bucket.passed > 0));
        assert!(index.find(Digest::of(0), |_| false).is_none());
    }
}
