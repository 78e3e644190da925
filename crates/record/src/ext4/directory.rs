//! Entries of a directory's block (`struct ext4_dir_entry_2`). Nodes of a hashed directory look like
//! blocks without entries.

use super::bytes::{u16_at, u32_at};

/// An inode and its name.
pub(super) type Entry = (u32, Vec<u8>);

/// The names in a block, without `.` and `..`, sorted.
pub(super) fn entries(block: &[u8]) -> Vec<Entry> {
    let (mut found, mut at) = (Vec::new(), 0);
    while at + 8 <= block.len() {
        let (inode, length) = (u32_at(block, at), usize::from(u16_at(block, at + 4)));
        let name = block.get(at + 8..at + 8 + usize::from(block[at + 6]));
        if let Some(name) =
            name.filter(|&name| inode != 0 && !name.is_empty() && name != b"." && name != b"..")
        {
            found.push((inode, name.to_vec()));
        }
        if length < 8 {
            break;
        }
        at += length;
    }
    found.sort_unstable();
    found
}
