//! Blocks of z bits as W = z / 64 words, bit 0 lowest.

use super::{Edge, Ldpc};

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
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2")]
        fn with_avx2<const W: usize>(bytes: &[u8], columns: &[Vec<Edge>], checks: &mut [[u64; W]]) {
            add_columns_portably(bytes, columns, checks);
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the machine has these instructions.
            return unsafe { with_avx2(bytes, columns, checks) };
        }
    }
    add_columns_portably(bytes, columns, checks);
}

#[inline(always)]
fn add_columns_portably<const W: usize>(bytes: &[u8], columns: &[Vec<Edge>], checks: &mut [[u64; W]]) {
    // Doubling several columns before the first is read keeps the reads from waiting for the
    // writes.
    const BATCH: usize = 16;
    let mut doubled = [[[0u64; W]; 2]; BATCH];
    for (batch, edges) in columns.chunks(BATCH).enumerate() {
        for (i, block) in doubled[..edges.len()].iter_mut().enumerate() {
            *block = [block_of_bytes::<W>(bytes, batch * BATCH + i); 2];
        }
        for (block, edges) in doubled.iter().zip(edges) {
            add_column(block, edges, checks);
        }
    }
}

/// The checks of one row, given the word's columns twice over.
pub(super) fn row_checks<const W: usize>(code: &Ldpc, row: usize, columns: &[Doubled<W>]) -> [u64; W] {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2")]
        fn with_avx2<const W: usize>(edges: &[Edge], columns: &[Doubled<W>]) -> [u64; W] {
            row_checks_portably(edges, columns)
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the machine has these instructions.
            return unsafe { with_avx2(&code.rows[row], columns) };
        }
    }
    row_checks_portably(&code.rows[row], columns)
}

#[inline(always)]
fn row_checks_portably<const W: usize>(edges: &[Edge], columns: &[Doubled<W>]) -> [u64; W] {
    let mut checks = [0u64; W];
    for edge in edges {
        add(&mut checks, &rotated(&columns[edge.block], edge.shift));
    }
    checks
}

/// Words in memory, W at a time and each run twice, as blocks.
pub(super) fn doubled_blocks<const W: usize>(words: &[u64]) -> &[Doubled<W>] {
    words.as_chunks::<W>().0.as_chunks::<2>().0
}

/// Fills `doubled` with the blocks of `words`, each twice over.
pub(super) fn double_blocks<const W: usize>(words: &[u64], doubled: &mut [u64]) {
    let pairs = doubled.as_chunks_mut::<W>().0.as_chunks_mut::<2>().0;
    for (pair, block) in pairs.iter_mut().zip(words.as_chunks::<W>().0) {
        *pair = [*block; 2];
    }
}
