//! Bits of byte strings and words, most significant first.

/// Indices of the bits that are 1, counting from bit 63 of word 0.
pub(super) fn set_bits(words: &[u64]) -> impl Iterator<Item = usize> + '_ {
    words.iter().enumerate().flat_map(|(w, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let leading = rest.leading_zeros();
            if leading == 64 {
                return None;
            }
            rest ^= 1 << (63 - leading);
            Some(w * 64 + leading as usize)
        })
    })
}

/// Bit `index` of `bytes`; bit 0 is the highest bit of the first byte.
pub(super) fn bit(bytes: &[u8], index: usize) -> bool {
    bytes[index / 8] & (0x80 >> (index % 8)) != 0
}

/// Inverts bit `index` of `bytes`.
pub(super) fn flip_bit(bytes: &mut [u8], index: usize) {
    bytes[index / 8] ^= 0x80 >> (index % 8);
}
