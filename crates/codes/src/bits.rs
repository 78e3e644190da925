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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_survive_the_trip_through_words_at_every_length() {
        for length in 0..40 {
            let bytes: Vec<u8> = (0..length as u8).map(|b| b.wrapping_mul(37) ^ 0x5a).collect();
            let mut words = vec![u64::MAX; words_for(8 * length) + 1];
            load(&mut words, &bytes);
            assert_eq!(words.last(), Some(&0));
            for (i, byte) in bytes.iter().enumerate() {
                for bit in 0..8 {
                    assert_eq!(get(&words, 8 * i + bit), byte >> bit & 1 == 1);
                }
            }
            let mut back = vec![0xff; length];
            store(&mut back, &words);
            assert_eq!(back, bytes);
        }
    }

    #[test]
    fn set_changes_one_bit_only() {
        let mut words = [0u64; 3];
        set(&mut words, 130, true);
        assert_eq!(words, [0, 0, 4]);
        assert!(get(&words, 130) && !get(&words, 129));
        assert_eq!(count_ones(&words), 1);
        set(&mut words, 130, false);
        assert_eq!(words, [0; 3]);
    }
}
