//! An inode: what it is, and which blocks are its content and its tree of extents (`struct
//! ext4_inode`, `struct ext4_extent_header`).

use super::bytes::{u16_at, u32_at};

const EXTENTS: u32 = 0x8_0000;
const EXTENT_MAGIC: u16 = 0xf30a;
/// Deepest tree that ext4 makes.
const DEEPEST: u16 = 5;
/// Lengths above mean extents that are allocated and not yet written.
const LONGEST_EXTENT: u64 = 0x8000;

/// A first block and a number of blocks.
pub(super) type Extent = (u64, u64);

/// Blocks of an inode as of a commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Inode {
    pub(super) is_directory: bool,
    /// Another one than before: another file under the same number.
    pub(super) generation: u32,
    pub(super) content: Vec<Extent>,
    /// Blocks of its tree, and of its attributes.
    pub(super) tree: Vec<u64>,
}

/// Whether what tells an inode's blocks differs: mode, links, flags, tree, generation, attributes.
pub(super) fn differs(old: &[u8], new: &[u8]) -> bool {
    let parts = [0..2, 26..28, 32..36, 40..108, 118..120];
    parts.into_iter().any(|part| old.get(part.clone()) != new.get(part))
}

/// The mode of an inode whose content may have changed: by its times, or as another file. Reading
/// changes the time of access alone.
pub(super) fn touched(old: &[u8], new: &[u8]) -> Option<u16> {
    let parts = [0..2, 12..24, 100..104, 132..140];
    let differs = parts.into_iter().any(|part| old.get(part.clone()) != new.get(part));
    differs.then(|| u16_at(new, 0) & 0xf000)
}

impl Inode {
    /// The inode that `bytes` describe; `read` gives the block of a number as it is committed.
    pub(super) fn of(bytes: &[u8], blocks: u64, read: &mut dyn FnMut(u64) -> Vec<u8>) -> Self {
        let mode = u16_at(bytes, 0) & 0xf000;
        let mut inode =
            Self { is_directory: mode == 0x4000, generation: u32_at(bytes, 100), ..Self::default() };
        if ![0x4000, 0x8000, 0xa000].contains(&mode) {
            return inode;
        }
        let attributes = u64::from(u32_at(bytes, 104)) | u64::from(u16_at(bytes, 118)) << 32;
        if attributes != 0 && attributes < blocks {
            inode.tree.push(attributes);
        }
        if u32_at(bytes, 32) & EXTENTS != 0 {
            inode.node(&bytes[40..100], DEEPEST, blocks, read);
        }
        inode
    }

    /// Follows a node of the tree; what points outside of the device, or is no node, ends it.
    fn node(&mut self, node: &[u8], deepest: u16, blocks: u64, read: &mut dyn FnMut(u64) -> Vec<u8>) {
        let (entries, depth) = (usize::from(u16_at(node, 2)), u16_at(node, 6));
        if u16_at(node, 0) != EXTENT_MAGIC || depth > deepest {
            return;
        }
        for entry in node[12..].chunks_exact(12).take(entries) {
            if depth == 0 {
                let first = u64::from(u32_at(entry, 8)) | u64::from(u16_at(entry, 6)) << 32;
                let length = u64::from(u16_at(entry, 4));
                let length = if length > LONGEST_EXTENT { length - LONGEST_EXTENT } else { length };
                if first != 0 && length != 0 && first + length <= blocks {
                    self.content.push((first, length));
                }
            } else {
                let child = u64::from(u32_at(entry, 4)) | u64::from(u16_at(entry, 8)) << 32;
                if child != 0 && child < blocks {
                    self.tree.push(child);
                    let bytes = read(child);
                    self.node(&bytes, depth - 1, blocks, read);
                }
            }
        }
    }
}

/// Parts of `these` extents that are not in `those`; both are in the order of a file.
pub(super) fn without(these: &[Extent], those: &[Extent]) -> Vec<Extent> {
    let mut known = those.to_vec();
    known.sort_unstable();
    these.iter().filter(|extent| known.binary_search(extent).is_err()).copied().collect()
}
