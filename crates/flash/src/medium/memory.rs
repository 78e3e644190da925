//! Cells in memory: regions of blocks, taken from the system when one of their blocks is first programmed.
//!
//! A page of memory that is used for the first time costs a page fault, more than all else that a write does. So regions are
//! large and ask for huge pages, of which one fault brings in 512 times as much. The price is that a drive of which little is
//! written takes more memory than that.

use std::ops::{Deref, DerefMut};

use memmap2::MmapMut;

/// Bytes of a region, unless a block is larger.
const REGION_BYTES: usize = 32 << 20;
/// Bytes of a huge page: arrays that are no larger take block by block what they need.
const HUGE_PAGE_BYTES: usize = 2 << 20;

/// The bytes of all blocks of an array. Bytes that were never written are zero.
#[derive(Debug)]
pub(super) struct Memory {
    regions: Vec<Option<Region>>,
    blocks_per_region: usize,
    block_bytes: usize,
    /// Whether a block was ever to be written.
    written: Vec<bool>,
}

/// Zeros, at first.
#[derive(Debug)]
enum Region {
    Mapped(MmapMut),
    Heap(Box<[u8]>),
}

impl Memory {
    pub(super) fn new(blocks: usize, block_bytes: usize) -> Memory {
        let is_small = blocks * block_bytes <= HUGE_PAGE_BYTES;
        let blocks_per_region =
            if is_small { 1 } else { (REGION_BYTES / block_bytes.max(1)).clamp(1, blocks.max(1)) };
        Memory {
            regions: (0..blocks.div_ceil(blocks_per_region)).map(|_| None).collect(),
            blocks_per_region,
            block_bytes,
            written: vec![false; blocks],
        }
    }

    pub(super) fn blocks(&self) -> usize {
        self.written.len()
    }

    /// The bytes of a block; `None` if it was never written.
    #[inline]
    pub(super) fn get(&self, block: usize) -> Option<&[u8]> {
        if !self.written[block] {
            return None;
        }
        let start = block % self.blocks_per_region * self.block_bytes;
        let region = self.regions[block / self.blocks_per_region].as_ref()?;
        Some(&region[start..start + self.block_bytes])
    }

    /// The bytes of a block that is to be written.
    #[inline]
    pub(super) fn get_mut(&mut self, block: usize) -> &mut [u8] {
        self.written[block] = true;
        let start = block % self.blocks_per_region * self.block_bytes;
        let region_bytes = self.blocks_per_region * self.block_bytes;
        let region = &mut self.regions[block / self.blocks_per_region];
        let region = region.get_or_insert_with(|| Region::new(region_bytes));
        &mut region[start..start + self.block_bytes]
    }

    /// The bytes of a block if it was ever written.
    pub(super) fn written_mut(&mut self, block: usize) -> Option<&mut [u8]> {
        if self.written[block] { Some(self.get_mut(block)) } else { None }
    }
}

impl Clone for Memory {
    fn clone(&self) -> Memory {
        let mut copy = Memory::new(self.blocks(), self.block_bytes);
        for block in 0..self.blocks() {
            if let Some(bytes) = self.get(block) {
                copy.get_mut(block).copy_from_slice(bytes);
            }
        }
        copy
    }
}

impl Region {
    fn new(bytes: usize) -> Region {
        if bytes < HUGE_PAGE_BYTES {
            return Region::Heap(vec![0; bytes].into_boxed_slice());
        }
        match MmapMut::map_anon(bytes) {
            Ok(mapped) => {
                // A system without huge pages gives small ones.
                #[cfg(target_os = "linux")]
                let _ = mapped.advise(memmap2::Advice::HugePage);
                Region::Mapped(mapped)
            }
            Err(_) => Region::Heap(vec![0; bytes].into_boxed_slice()),
        }
    }
}

impl Deref for Region {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        match self {
            Region::Mapped(mapped) => mapped,
            Region::Heap(bytes) => bytes,
        }
    }
}

impl DerefMut for Region {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        match self {
            Region::Mapped(mapped) => mapped,
            Region::Heap(bytes) => bytes,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_lie_apart_in_regions_of_every_kind() {
        // One block a region on the heap; several; the last region partly used; a block larger than a region.
        for (blocks, block_bytes) in [(5, 1000), (70, 1 << 20), (33, 3 << 20), (3, 40 << 20)] {
            let mut memory = Memory::new(blocks, block_bytes);
            let ends = |memory: &Memory, block| {
                memory.get(block).map(|bytes| (bytes.len(), bytes[0], bytes[block_bytes - 1]))
            };
            let odd = || (1..blocks).step_by(2);
            for block in odd() {
                let bytes = memory.get_mut(block);
                assert!(bytes[0] == 0 && bytes[block_bytes - 1] == 0);
                (bytes[0], bytes[block_bytes - 1]) = (block as u8, !(block as u8));
            }
            let mut copy = memory.clone();
            for memory in [&mut memory, &mut copy] {
                for block in odd() {
                    assert_eq!(ends(memory, block), Some((block_bytes, block as u8, !(block as u8))));
                    assert_eq!(ends(memory, block - 1), None);
                    assert!(memory.written_mut(block - 1).is_none());
                }
            }
            copy.written_mut(1).unwrap().fill(7);
            assert_eq!(ends(&memory, 1), Some((block_bytes, 1, !1)));
            assert_eq!(ends(&copy, 1), Some((block_bytes, 7, 7)));
        }
    }
}
