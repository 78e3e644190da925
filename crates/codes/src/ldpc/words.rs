//! Blocks of z bits as W = z / 64 words, bit 0 lowest.

use super::Edge;

/// A block twice over: any rotation of it is a contiguous run.
pub(super) type Doubled<const W: usize> = [[u64; W]; 2];

/// Bit i of the result is bit (i + shift) mod z of the block.
#[inline(always)]
pub(super) fn rotated<const W: usize>(block: &Doubled<W>, shift: usize) -> [u64; W] {
    let (word, bit) = (shift / 64 % W, shift % 64);
    let flat = block.as_flattened();
    let low = &flat[word..word + W];
    let high = &flat[word + 1..word + 1 + W];
    let mut out = [0u64; W];
    for i in 0..W {
        // Two shifts, because a shift by 64 for bit 0 is not defined.
        out[i] = low[i] >> bit | (high[i] << 1) << (63 - bit);
    }
    out
}

#[inline(always)]
fn add<const W: usize>(acc: &mut [u64; W], block: &[u64; W]) {
    for (a, b) in acc.iter_mut().zip(block) {
        *a ^= b;
    }
}

/// Bit i of the result is bit (i + shift) mod z of `block`.
#[inline]
pub(super) fn rotate<const W: usize>(block: &[u64; W], shift: usize) -> [u64; W] {
    rotated(&[*block; 2], shift)
}

/// Block `index` of a byte buffer.
#[inline]
pub(super) fn block_of_bytes<const W: usize>(bytes: &[u8], index: usize) -> [u64; W] {
    let mut block = [0u64; W];
    let (words, _) = bytes[index * W * 8..(index + 1) * W * 8].as_chunks::<8>();
    for (word, chunk) in block.iter_mut().zip(words) {
        *word = u64::from_le_bytes(*chunk);
    }
    block
}

/// Writes `block` as block `index` of a byte buffer.
#[inline]
pub(super) fn block_to_bytes<const W: usize>(block: &[u64; W], bytes: &mut [u8], index: usize) {
    let (words, _) = bytes[index * W * 8..(index + 1) * W * 8].as_chunks_mut::<8>();
    for (chunk, word) in words.iter_mut().zip(block) {
        *chunk = word.to_le_bytes();
    }
}

/// Adds a column's bits to the checks of its rows.
#[inline(always)]
pub(super) fn add_column<const W: usize>(block: &Doubled<W>, edges: &[Edge], checks: &mut [[u64; W]]) {
    for edge in edges {
        add(&mut checks[edge.block], &rotated(block, edge.shift));
    }
}

/// Adds block columns `bytes`, whose blocks of the matrix are `columns`, to the checks of their
/// rows.
pub(super) fn add_columns<const W: usize>(bytes: &[u8], columns: &[Vec<Edge>], checks: &mut [[u64; W]]) {
    for (index, edges) in columns.iter().enumerate() {
        add_column(&[block_of_bytes::<W>(bytes, index); 2], edges, checks);
    }
}

/// The checks of one row, given the word's columns.
pub(super) fn row_checks<const W: usize>(row: &[Edge], columns: &[[u64; W]]) -> [u64; W] {
    let mut checks = [0u64; W];
    for edge in row {
        add(&mut checks, &rotate(&columns[edge.block], edge.shift));
    }
    checks
}
