//! Where the bytes of stored cells lie: in memory, or in an image file.

use super::image::Image;
use super::progress;

/// The bytes of all blocks of an array. Bytes that were never written are zero.
#[derive(Debug)]
pub(super) enum Backing {
    /// In memory, taken block by block when first programmed.
    Memory { blocks: Vec<Option<Box<[u8]>>>, block_bytes: usize, progress: Box<[u8]> },
    /// In a file that outlives the process.
    File(Image),
}

impl Backing {
    pub(super) fn in_memory(blocks: usize, block_bytes: usize) -> Backing {
        Backing::Memory { blocks: vec![None; blocks], block_bytes, progress: progress::fresh() }
    }

    pub(super) fn blocks(&self) -> usize {
        match self {
            Backing::Memory { blocks, .. } => blocks.len(),
            Backing::File(image) => image.blocks(),
        }
    }

    /// Whether the bytes outlive the process.
    pub(super) fn is_file(&self) -> bool {
        matches!(self, Backing::File(_))
    }

    /// The bytes of a block; `None` if it was never written.
    #[inline]
    pub(super) fn get(&self, block: usize) -> Option<&[u8]> {
        match self {
            Backing::Memory { blocks, .. } => blocks[block].as_deref(),
            Backing::File(image) => Some(image.block(block)),
        }
    }

    /// The bytes of a block that is to be written.
    #[inline]
    pub(super) fn get_mut(&mut self, block: usize) -> &mut [u8] {
        match self {
            Backing::Memory { blocks, block_bytes, .. } => {
                blocks[block].get_or_insert_with(|| vec![0; *block_bytes].into_boxed_slice())
            }
            Backing::File(image) => image.block_mut(block),
        }
    }

    /// Takes the memory of all blocks at once. The system gives a page of it when the page is first
    /// written, which takes longer than all else that a program of it takes.
    pub(super) fn take_memory(&mut self) {
        const SYSTEM_PAGE_BYTES: usize = 4096;
        if matches!(self, Backing::Memory { .. }) {
            for block in 0..self.blocks() {
                for page in self.get_mut(block).chunks_mut(SYSTEM_PAGE_BYTES) {
                    // A write of what is there would be left out if the compiler knew.
                    page[0] = std::hint::black_box(page[0]);
                }
            }
        }
    }

    /// Where [`progress`](super::progress) is kept.
    #[inline]
    pub(super) fn progress(&self) -> &[u8] {
        match self {
            Backing::Memory { progress, .. } => progress,
            Backing::File(image) => image.progress(),
        }
    }

    #[inline]
    pub(super) fn progress_mut(&mut self) -> &mut [u8] {
        match self {
            Backing::Memory { progress, .. } => progress,
            Backing::File(image) => image.progress_mut(),
        }
    }

    /// The bytes of a block if it was ever written.
    pub(super) fn written_mut(&mut self, block: usize) -> Option<&mut [u8]> {
        match self {
            Backing::Memory { blocks, .. } => blocks[block].as_deref_mut(),
            Backing::File(image) => Some(image.block_mut(block)),
        }
    }
}

impl Clone for Backing {
    /// A copy lies in memory: two drives cannot own one file.
    fn clone(&self) -> Backing {
        match self {
            Backing::Memory { blocks, block_bytes, progress } => Backing::Memory {
                blocks: blocks.clone(),
                block_bytes: *block_bytes,
                progress: progress.clone(),
            },
            Backing::File(image) => Backing::Memory {
                blocks: (0..image.blocks())
                    .map(|block| {
                        let bytes = image.block(block);
                        bytes.iter().any(|&byte| byte != 0).then(|| bytes.into())
                    })
                    .collect(),
                block_bytes: image.block_bytes(),
                progress: image.progress().into(),
            },
        }
    }
}
