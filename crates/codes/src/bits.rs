//! Bitmaps of 64-bit words: bit `i` is bit `i % 64` of word `i / 64`, and byte `i` of a page is
//! bits `8i .. 8i + 8`.

/// Words needed for `bits` bits.
pub const fn words_for(bits: usize) -> usize {
    bits.div_ceil(64)
}

/// Bit `i` of `words`.
#[inline]
pub fn get(words: &[u64], i: usize) -> bool {
    words[i / 64] >> (i % 64) & 1 == 1
}

/// Sets bit `i` of `words` to `value`.
#[inline]
pub fn set(words: &mut [u64], i: usize, value: bool) {
    let mask = 1 << (i % 64);
    if value {
        words[i / 64] |= mask;
    } else {
        words[i / 64] &= !mask;
    }
}

/// Number of ones.
pub fn count_ones(words: &[u64]) -> usize {
    words.iter().map(|w| w.count_ones() as usize).sum()
}

/// Copies `bytes` into `words`, little-endian; bits past the end of `bytes` become zero.
///
/// Bytes that do not fit into `words` are ignored.
pub fn load(words: &mut [u64], bytes: &[u8]) {
    let mut chunks = bytes.chunks_exact(8);
    let mut filled = 0;
    for (word, chunk) in words.iter_mut().zip(&mut chunks) {
        *word = u64_from(chunk);
        filled += 1;
    }
    words[filled..].fill(0);
    if let Some(word) = words.get_mut(filled) {
        *word = u64_from(chunks.remainder());
    }
}

/// Copies `words` into `bytes`, little-endian; words past the end of `bytes` are dropped, missing
/// words read as zero.
pub fn store(bytes: &mut [u8], words: &[u64]) {
    for (i, chunk) in bytes.chunks_mut(8).enumerate() {
        let word = words.get(i).copied().unwrap_or(0).to_le_bytes();
        chunk.copy_from_slice(&word[..chunk.len()]);
    }
}

/// The little-endian number in the first (at most eight) bytes of `bytes`.
#[inline(always)]
pub(crate) fn u64_from(bytes: &[u8]) -> u64 {
    let mut padded = [0; 8];
    let length = bytes.len().min(8);
    padded[..length].copy_from_slice(&bytes[..length]);
    u64::from_le_bytes(padded)
}
