//! Blocks of z bits as W = z / 64 words, bit 0 lowest.

use super::{Edge, Ldpc};

/// A block twice over and once more its first word: any rotation of it is a contiguous run.
#[derive(Clone, Copy)]
pub(super) struct Doubled<const W: usize> {
    first: [u64; W],
    second: [u64; W],
    third: [u64; W],
}

impl<const W: usize> Doubled<W> {
    #[inline]
    pub(super) fn new(block: &[u64; W]) -> Doubled<W> {
        Doubled { first: *block, second: *block, third: *block }
    }

    /// acc[i] ^= block[(i + shift) mod z] for all bits i.
    #[inline]
    pub(super) fn add_rotated(&self, shift: usize, acc: &mut [u64; W]) {
        for (a, r) in acc.iter_mut().zip(self.rotated(shift)) {
            *a ^= r;
        }
    }

    /// Bit i of the result is bit (i + shift) mod z of the block.
    #[inline]
    pub(super) fn rotated(&self, shift: usize) -> [u64; W] {
        let (word, bit) = (shift / 64 % W, shift % 64);
        let parts = [self.first, self.second, self.third];
        let flat = parts.as_flattened();
        let low = &flat[word..word + W];
        let high = &flat[word + 1..word + 1 + W];
        let mut out = [0u64; W];
        for i in 0..W {
            // Two shifts, because a shift by 64 for bit 0 is not defined.
            out[i] = low[i] >> bit | (high[i] << 1) << (63 - bit);
        }
        out
    }
}

/// Bit i of the result is bit (i + shift) mod z of `block`.
#[inline]
pub(super) fn rotate<const W: usize>(block: &[u64; W], shift: usize) -> [u64; W] {
    Doubled::new(block).rotated(shift)
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
#[inline]
pub(super) fn add_column<const W: usize>(block: &[u64; W], edges: &[Edge], checks: &mut [[u64; W]]) {
    let doubled = Doubled::new(block);
    for edge in edges {
        doubled.add_rotated(edge.shift, &mut checks[edge.block]);
    }
}

/// The checks of one row, given the word's columns.
#[inline]
pub(super) fn row_checks<const W: usize>(code: &Ldpc, row: usize, columns: &[[u64; W]]) -> [u64; W] {
    let mut checks = [0u64; W];
    for edge in &code.rows[row] {
        Doubled::new(&columns[edge.block]).add_rotated(edge.shift, &mut checks);
    }
    checks
}
