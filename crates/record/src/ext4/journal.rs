//! The journal as it is written: which blocks a transaction commits, and with which content
//! (`struct journal_header_s` and `struct journal_block_tag3_s` of Linux's jbd2).

use std::collections::BTreeMap;

use super::bytes::{be16_at, be32_at};
use super::inode::Extent;
use super::layout::BLOCK;
use crate::pages::Pages;

const MAGIC: u32 = 0xc03b_3998;
const DESCRIPTOR: u32 = 1;
const COMMIT: u32 = 2;

const INCOMPAT_64BIT: u32 = 2;
const CHECKSUM_V2: u32 = 8;
const CHECKSUM_V3: u32 = 16;

/// Flags of a tag.
const ESCAPED: u16 = 1;
const SAME_UUID: u16 = 2;
const LAST: u16 = 8;

/// A block of the file system, and its committed content.
pub(super) type Committed = (u64, Vec<u8>);

#[derive(Debug)]
pub(super) struct Journal {
    /// Its blocks on the device, in its order.
    extents: Vec<Extent>,
    /// Descriptors by transaction, as blocks of the journal, until the transaction commits.
    open: BTreeMap<u32, Vec<u64>>,
}

impl Journal {
    pub(super) fn new(extents: Vec<Extent>) -> Self {
        Self { extents, open: BTreeMap::new() }
    }

    /// Takes note of a block of the device that is the journal's and was just written. Of one that
    /// commits a transaction, the blocks that it commits.
    ///
    /// Revoked blocks need no care: they are for a replay after a crash, and here every transaction is
    /// taken when it commits.
    pub(super) fn written(&mut self, block: u64, pages: &Pages) -> Option<Vec<Committed>> {
        let mut header = Vec::new();
        pages.read(block * BLOCK, &mut header, 12);
        let (kind, sequence) = (be32_at(&header, 4), be32_at(&header, 8));
        if be32_at(&header, 0) != MAGIC {
            return None;
        }
        match kind {
            DESCRIPTOR => {
                let place = self.place_of(block)?;
                self.open.entry(sequence).or_default().push(place);
                None
            }
            COMMIT => {
                let descriptors = self.open.remove(&sequence).unwrap_or_default();
                // Those before it were never finished, as before an unmount.
                self.open.retain(|&open, _| open.wrapping_sub(sequence) < u32::MAX / 2);
                let superblock = self.read(0, pages);
                Some(descriptors.into_iter().flat_map(|at| self.committed(at, &superblock, pages)).collect())
            }
            _ => None,
        }
    }

    /// The blocks that a descriptor announces; their contents follow it in the journal.
    fn committed(&self, descriptor: u64, superblock: &[u8], pages: &Pages) -> Vec<Committed> {
        let features = be32_at(superblock, 0x28);
        let (length, first) = (u64::from(be32_at(superblock, 0x10)), u64::from(be32_at(superblock, 0x14)));
        let is_wide = features & INCOMPAT_64BIT != 0;
        let tag_bytes = if features & CHECKSUM_V3 != 0 {
            16
        } else {
            8 + if features & CHECKSUM_V2 != 0 { 2 } else { 0 } + if is_wide { 4 } else { 0 }
        };
        let tags = self.read(descriptor, pages);
        let (mut at, mut place, mut found) = (12, descriptor, Vec::new());
        while at + tag_bytes <= tags.len() {
            let flags = be16_at(&tags, at + 6);
            let high = if is_wide { u64::from(be32_at(&tags, at + 8)) } else { 0 };
            place = if place + 1 >= length { first } else { place + 1 };
            let mut content = self.read(place, pages);
            if flags & ESCAPED != 0 {
                content[..4].copy_from_slice(&MAGIC.to_be_bytes());
            }
            found.push((u64::from(be32_at(&tags, at)) | high << 32, content));
            at += tag_bytes + if flags & SAME_UUID == 0 { 16 } else { 0 };
            if flags & LAST != 0 {
                break;
            }
        }
        found
    }

    /// A block of the journal; zeros beyond its end.
    fn read(&self, place: u64, pages: &Pages) -> Vec<u8> {
        let (mut left, mut content) = (place, Vec::new());
        for &(first, count) in &self.extents {
            if left < count {
                pages.read((first + left) * BLOCK, &mut content, BLOCK as usize);
                break;
            }
            left -= count;
        }
        content.resize(BLOCK as usize, 0);
        content
    }

    /// Number in the journal of a block of the device.
    fn place_of(&self, block: u64) -> Option<u64> {
        let mut before = 0;
        for &(first, count) in &self.extents {
            if (first..first + count).contains(&block) {
                return Some(before + block - first);
            }
            before += count;
        }
        None
    }
}
