//! Where the bytes of stored cells lie: in memory, or in an image file.

use super::image::Image;
use super::memory::Memory;

/// The bytes of all blocks of an array. Bytes that were never written are zero.
#[derive(Debug)]
pub(super) enum Backing {
    /// In memory.
    Memory(Memory),
    /// In a file that outlives the process.
    File(Image),
}

impl Backing {
    pub(super) fn in_memory(blocks: usize, block_bytes: usize) -> Backing {
        Backing::Memory(Memory::new(blocks, block_bytes))
    }

    pub(super) fn blocks(&self) -> usize {
        match self {
            Backing::Memory(memory) => memory.blocks(),
            Backing::File(image) => image.blocks(),
        }
    }

    /// The bytes of a block; `None` if it was never written.
    #[inline]
    pub(super) fn get(&self, block: usize) -> Option<&[u8]> {
        match self {
            Backing::Memory(memory) => memory.get(block),
            Backing::File(image) => Some(image.block(block)),
        }
    }

    /// The bytes of a block that is to be written.
    #[inline]
    pub(super) fn get_mut(&mut self, block: usize) -> &mut [u8] {
        match self {
            Backing::Memory(memory) => memory.get_mut(block),
            Backing::File(image) => image.block_mut(block),
        }
    }

    /// The bytes of a block if it was ever written.
    pub(super) fn written_mut(&mut self, block: usize) -> Option<&mut [u8]> {
        match self {
            Backing::Memory(memory) => memory.written_mut(block),
            Backing::File(image) => Some(image.block_mut(block)),
        }
    }
}

impl Clone for Backing {
    /// A copy lies in memory: two drives cannot own one file.
    fn clone(&self) -> Backing {
        match self {
            Backing::Memory(memory) => Backing::Memory(memory.clone()),
            Backing::File(image) => {
                let mut memory = Memory::new(image.blocks(), image.block_bytes());
                for block in 0..image.blocks() {
                    let bytes = image.block(block);
                    if bytes.iter().any(|&byte| byte != 0) {
                        memory.get_mut(block).copy_from_slice(bytes);
                    }
                }
                Backing::Memory(memory)
            }
        }
    }
}
