//! What a replay cannot be faster than: a greedy translation layer that only counts, as it comes and
//! with its tables fetched ahead, and the bare map update.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

const NONE: u32 = u32::MAX;

/// Uniform random page numbers.
pub(crate) struct Uniform(Xoshiro256PlusPlus);

impl Uniform {
    pub(crate) fn new(seed: u64) -> Uniform {
        Uniform(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    #[inline]
    pub(crate) fn below(&mut self, bound: u32) -> u32 {
        ((u64::from(self.0.next_u64() as u32) * u64::from(bound)) >> 32) as u32
    }
}

/// Writes by which the map is fetched ahead, and those by which the present place is, as replays do.
const MAP_AHEAD: usize = 8;
const PLACE_AHEAD: usize = MAP_AHEAD / 2;

/// Has the cache line of an element fetched, if there is one with this index.
#[inline(always)]
fn fetch<T>(all: &[T], index: u32) {
    #[cfg(target_arch = "x86_64")]
    if let Some(element) = all.get(index as usize) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing architecturally, wherever it points.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(element).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (all, index);
}

/// Map, inverse map and valid counts, updated at random.
pub(crate) struct BareMap {
    map: Vec<u32>,
    inverse: Vec<u32>,
    valid: Vec<u32>,
    block_shift: u32,
    next: u32,
}

impl BareMap {
    pub(crate) fn new(blocks: u32, pages_per_block: u32, logical: u32) -> BareMap {
        BareMap {
            map: (0..logical).collect(),
            inverse: vec![NONE; (blocks * pages_per_block) as usize],
            valid: vec![1 << 30; blocks as usize],
            block_shift: pages_per_block.trailing_zeros(),
            next: 0,
        }
    }

    #[inline]
    pub(crate) fn update(&mut self, lpn: u32) {
        let old = self.map[lpn as usize];
        self.valid[(old >> self.block_shift) as usize] -= 1;
        self.map[lpn as usize] = self.next;
        self.inverse[self.next as usize] = lpn;
        self.valid[(self.next >> self.block_shift) as usize] += 1;
        self.next = (self.next + 1) % self.inverse.len() as u32;
    }
}

/// A greedy page-mapped translation layer: one pool, one open block, victims by buckets of valid
/// counts.
pub(crate) struct CountsOnly {
    map: Vec<u32>,
    inverse: Vec<u32>,
    valid: Vec<u32>,
    closed: Vec<bool>,
    /// Circular lists: blocks, then one sentinel a valid count.
    next: Vec<u32>,
    previous: Vec<u32>,
    fewest: u32,
    free: Vec<u32>,
    open: u32,
    filled: u32,
    pages_per_block: u32,
    block_shift: u32,
}

impl CountsOnly {
    /// `pages_per_block` must be a power of two.
    pub(crate) fn new(blocks: u32, pages_per_block: u32, logical: u32) -> CountsOnly {
        assert!(pages_per_block.is_power_of_two());
        CountsOnly {
            map: vec![NONE; logical as usize],
            inverse: vec![NONE; (blocks * pages_per_block) as usize],
            valid: vec![0; blocks as usize],
            closed: vec![false; blocks as usize],
            next: (0..blocks + pages_per_block + 1).collect(),
            previous: (0..blocks + pages_per_block + 1).collect(),
            fewest: 0,
            free: (1..blocks).collect(),
            open: 0,
            filled: 0,
            pages_per_block,
            block_shift: pages_per_block.trailing_zeros(),
        }
    }

    /// Random writes, each of which is drawn before it comes: then what it changes is in the cache.
    pub(crate) fn write_ahead(&mut self, rng: &mut Uniform, writes: u64) {
        let logical = self.map.len() as u32;
        let mut coming: [u32; MAP_AHEAD] = std::array::from_fn(|_| rng.below(logical));
        for index in 0..writes as usize {
            let lpn = std::mem::replace(&mut coming[index % MAP_AHEAD], rng.below(logical));
            fetch(&self.map, coming[index % MAP_AHEAD]);
            let near = self.map[coming[(index + PLACE_AHEAD) % MAP_AHEAD] as usize];
            if near != NONE {
                fetch(&self.valid, near >> self.block_shift);
                fetch(&self.next, near >> self.block_shift);
                fetch(&self.previous, near >> self.block_shift);
            }
            self.write(lpn);
        }
    }

    #[inline]
    pub(crate) fn write(&mut self, lpn: u32) {
        let old = self.map[lpn as usize];
        if old != NONE {
            let block = old >> self.block_shift;
            self.valid[block as usize] -= 1;
            if self.closed[block as usize] {
                self.unlink(block);
                self.link(block);
            }
            self.map[lpn as usize] = NONE;
        }
        if self.filled == self.pages_per_block {
            self.make_room();
        }
        self.append(lpn);
    }

    #[inline]
    fn append(&mut self, lpn: u32) {
        let page = (self.open << self.block_shift) + self.filled;
        self.filled += 1;
        self.map[lpn as usize] = page;
        self.inverse[page as usize] = lpn;
        self.valid[self.open as usize] += 1;
    }

    #[inline]
    fn link(&mut self, block: u32) {
        let count = self.valid[block as usize];
        let sentinel = self.valid.len() as u32 + count;
        let last = self.previous[sentinel as usize];
        self.next[last as usize] = block;
        self.previous[block as usize] = last;
        self.next[block as usize] = sentinel;
        self.previous[sentinel as usize] = block;
        self.fewest = self.fewest.min(count);
    }

    #[inline]
    fn unlink(&mut self, block: u32) {
        let (next, previous) = (self.next[block as usize], self.previous[block as usize]);
        self.next[previous as usize] = next;
        self.previous[next as usize] = previous;
    }

    fn open_next(&mut self) {
        self.closed[self.open as usize] = true;
        self.link(self.open);
        self.open = self.free.pop().expect("one block is kept in reserve");
        self.filled = 0;
    }

    #[cold]
    fn make_room(&mut self) {
        while self.filled == self.pages_per_block {
            if self.free.len() > 1 {
                return self.open_next();
            }
            let victim = self.victim();
            self.unlink(victim);
            self.closed[victim as usize] = false;
            for page in victim << self.block_shift..(victim + 1) << self.block_shift {
                let lpn = self.inverse[page as usize];
                if let Some(&coming) = self.inverse.get(page as usize + MAP_AHEAD) {
                    fetch(&self.map, coming);
                }
                if self.map[lpn as usize] == page {
                    if self.filled == self.pages_per_block {
                        self.open_next();
                    }
                    self.append(lpn);
                }
            }
            self.valid[victim as usize] = 0;
            self.free.push(victim);
        }
    }

    fn victim(&mut self) -> u32 {
        loop {
            let sentinel = self.valid.len() as u32 + self.fewest;
            let first = self.next[sentinel as usize];
            if first != sentinel {
                return first;
            }
            self.fewest += 1;
        }
    }
}
