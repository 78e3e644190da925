//! Rewear's compact trace format, specified in `docs/manual/formats.md`.
//!
//! A header, then blocks of at most [`BLOCK_REQUESTS`] requests each, stored by column, compressed
//! and checksummed, then a block that says how many requests there were, without which the file is
//! truncated.

pub(crate) mod columns;
pub(crate) mod owners;
pub(crate) mod reader;
pub(crate) mod salvage;
mod values;
mod varint;
pub(crate) mod writer;

/// The first bytes of a compact trace. Like those of PNG they betray transfers that change line
/// ends or drop the eighth bit.
pub(crate) const MAGIC: [u8; 8] = *b"\x89RWT\r\n\x1a\n";

/// The file by hand of `docs/manual/formats.md`: one write of 8 KiB.
pub(crate) const EXAMPLE: &[u8] =
    b"\x89RWT\r\n\x1a\n\x02\0\0\x10\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xac\xd6\x86\xe8\
    \x01\x01\0\0\0\0\0\0\0\x0f\0\0\0\x18\0\0\0\x9c\x85\xd6w\
    (\xb5/\xfd\0hy\0\0\xe8\x07\x80 \x01\x01\x01\x02\x01\x02\x01\x02\0\0\0\
    \xff\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0bV=\x7f";

/// The version of the format that is written. Version 1, which has every fingerprint in full, is
/// read, too.
pub(crate) const VERSION: u16 = 2;

/// The most requests in a block.
pub(crate) const BLOCK_REQUESTS: usize = 1 << 16;

/// The most fingerprints in a block, except where a single request has more.
pub(crate) const BLOCK_FINGERPRINTS: usize = 1 << 18;

/// The largest column data of a block that a reader accepts, against damaged lengths.
pub(crate) const BLOCK_LIMIT_BYTES: usize = 1 << 28;

/// The longest description and volume name.
pub(crate) const TEXT_LIMIT_BYTES: usize = 1 << 16;

/// Kinds of blocks, their first byte.
pub(crate) mod block_kind {
    pub(crate) const REQUESTS: u8 = 1;
    pub(crate) const VOLUME: u8 = 2;
    /// Runs of bytes by owner, and the owners' names.
    pub(crate) const OWNERS: u8 = 3;
    /// Requests before the recording proper, such as those that made the file system.
    pub(crate) const PREPARATION: u8 = 4;
    /// Bytes that the recorded programs asked to write, as the count.
    pub(crate) const ASKED: u8 = 5;
    pub(crate) const END: u8 = 255;
}

/// Bytes in front of every block's data: kind, count (u64), data length, stored length, checksum
/// (u32 each).
pub(crate) const BLOCK_HEADER_BYTES: usize = 1 + 8 + 4 + 4 + 4;

/// Bytes of the fixed part of the file header: magic, version, fingerprint page, origin, length of
/// the description.
pub(crate) const HEADER_BYTES: usize = 8 + 2 + 4 + 8 + 4;

/// True when `head` begins like a compact trace.
pub(crate) fn is_compact(head: &[u8]) -> bool {
    head.starts_with(&MAGIC)
}
