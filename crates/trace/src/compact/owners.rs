//! Who wrote: the file or the part of the file system behind every byte that is written or trimmed.
//!
//! The ranges of all writes and trims of a file, one behind the other, are one row of bytes. Runs cut
//! it: an owner and a length each. A run is written when its owner is known, which may be after the
//! block with its requests.

use schemars::JsonSchema;
use serde::Serialize;

use super::varint::{put, take};

/// Part of a file system to which bytes on the device belong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OwnerKind {
    /// Blocks that no file has: written for content that was removed before it was committed, or
    /// trimmed again. With the name of the only file that the same commits changed.
    Free,
    /// Superblocks, tables, bitmaps, directories, trees of extents, extended attributes.
    Metadata,
    /// The journal.
    Journal,
    /// The content of a file.
    File,
}

impl OwnerKind {
    /// All kinds, by their number in the file.
    pub const ALL: [Self; 4] = [Self::Free, Self::Metadata, Self::Journal, Self::File];
}

/// A file, or another part of the file system.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
pub struct Owner {
    /// What it is.
    pub kind: OwnerKind,
    /// Path of a file in its file system, as `/folder/name`; mostly empty of free blocks, and empty for
    /// journal and metadata.
    pub name: String,
}

/// A number of bytes of one owner: its index, and the bytes.
pub(crate) type Run = (u32, u64);

/// What a block of owners says: those that are new to the file, and the next runs.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct OwnerBlock {
    pub(crate) new: Vec<Owner>,
    pub(crate) runs: Vec<Run>,
}

impl OwnerBlock {
    /// Appends bytes of an owner.
    pub(crate) fn push(&mut self, owner: u32, bytes: u64) {
        match self.runs.last_mut() {
            Some((last, length)) if *last == owner => *length += bytes,
            _ => self.runs.push((owner, bytes)),
        }
    }

    pub(crate) fn encode(&self, into: &mut Vec<u8>) {
        put(into, self.new.len() as u64);
        for owner in &self.new {
            into.push(owner.kind as u8);
            put(into, owner.name.len() as u64);
            into.extend_from_slice(owner.name.as_bytes());
        }
        let unit = 1 << self.runs.iter().fold(4096, |bits, (_, bytes)| bits | bytes).trailing_zeros();
        put(into, unit);
        self.runs.iter().for_each(|&(owner, _)| put(into, u64::from(owner)));
        self.runs.iter().for_each(|&(_, bytes)| put(into, bytes / unit));
    }

    /// The block of `count` runs that `data` holds; `None` where it holds something else.
    pub(crate) fn decode(mut data: &[u8], count: u64) -> Option<Self> {
        let mut block = Self::default();
        for _ in 0..take(&mut data)? {
            let (&kind, rest) = data.split_first()?;
            data = rest;
            let length = usize::try_from(take(&mut data)?).ok()?;
            let (name, rest) = data.split_at_checked(length)?;
            data = rest;
            let name = std::str::from_utf8(name).ok()?.to_owned();
            block.new.push(Owner { kind: *OwnerKind::ALL.get(usize::from(kind))?, name });
        }
        let unit = take(&mut data)?;
        for _ in 0..count {
            block.runs.push((u32::try_from(take(&mut data)?).ok()?, 0));
        }
        for (_, bytes) in &mut block.runs {
            *bytes = take(&mut data)?.checked_mul(unit)?;
        }
        data.is_empty().then_some(block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block() -> OwnerBlock {
        let file = Owner { kind: OwnerKind::File, name: "/a/b".to_owned() };
        let journal = Owner { kind: OwnerKind::Journal, name: String::new() };
        let mut block = OwnerBlock { new: vec![file, journal], runs: Vec::new() };
        [(0, 4096), (0, 8192), (1, 4096), (0, 512)]
            .iter()
            .for_each(|&(owner, bytes)| block.push(owner, bytes));
        block
    }

    #[test]
    fn runs_of_an_owner_are_one_and_come_back() {
        let block = block();
        assert_eq!(block.runs, [(0, 12_288), (1, 4096), (0, 512)]);
        let mut data = Vec::new();
        block.encode(&mut data);
        assert_eq!(OwnerBlock::decode(&data, 3), Some(block));
        // A kind, a length and a name of each; the unit of 512; the owners; their lengths.
        assert_eq!(data, b"\x02\x03\x04/a/b\x02\0\x80\x04\0\x01\0\x18\x08\x01");
    }

    #[test]
    fn damage_is_refused_without_a_panic() {
        let mut data = Vec::new();
        block().encode(&mut data);
        for count in [0, 2, 4, u64::MAX] {
            assert_eq!(OwnerBlock::decode(&data, count), None);
        }
        for at in 0..data.len() {
            let mut damaged = data.clone();
            damaged[at] = 0xff;
            OwnerBlock::decode(&damaged, 3);
            assert_eq!(OwnerBlock::decode(&data[..at], 3), None);
        }
    }
}
