//! Moving message bits between a dense bitmap and their positions in the codeword.

/// The message positions of a code, word by word.
#[derive(Debug, Clone)]
pub(super) struct Positions {
    /// Message positions of each word of `u`.
    pub(super) mask: Vec<u64>,
    /// Message bits before each word, and after the last one.
    pub(super) before: Vec<u32>,
}

impl Positions {
    pub(super) fn new(mask: Vec<u64>) -> Positions {
        let mut before = vec![0];
        before.extend(mask.iter().scan(0, |total, word| {
            *total += word.count_ones();
            Some(*total)
        }));
        Positions { mask, before }
    }

    /// Message bits in the words `first .. first + count`.
    pub(super) fn count(&self, first: usize, count: usize) -> u32 {
        self.before[first + count] - self.before[first]
    }

    /// Puts the message bits at their positions of `u`; words of `u` without message bits keep what
    /// they held.
    ///
    /// A message holds the dense bits and one word more.
    pub(super) fn deposit(&self, message: &[u64], u: &mut [u64]) {
        for ((u, &mask), &at) in u.iter_mut().zip(&self.mask).zip(&self.before) {
            if mask != 0 {
                *u = deposit_word(read_at(message, at as usize), mask);
            }
        }
    }

    /// Collects the message bits of `u` into the dense `message`; bits past the message become
    /// zero.
    pub(super) fn extract(&self, u: &[u64], message: &mut [u64]) {
        message.fill(0);
        for ((u, &mask), &at) in u.iter().zip(&self.mask).zip(&self.before) {
            if mask != 0 {
                let (found, word, shift) = (extract_word(*u, mask), at as usize / 64, at % 64);
                message[word] |= found << shift;
                if let Some(next) = message.get_mut(word + 1) {
                    *next |= (found >> 1) >> (63 - shift);
                }
            }
        }
    }
}

/// The 64 bits of `words` from bit `at` on; `words` must reach one word past `at`'s.
fn read_at(words: &[u64], at: usize) -> u64 {
    let (word, shift) = (at / 64, at % 64);
    words[word] >> shift | (words[word + 1] << 1) << (63 - shift)
}

/// Moves the low bits of `bits` to the ones of `mask`.
fn deposit_word(bits: u64, mask: u64) -> u64 {
    if mask == u64::MAX {
        return bits;
    }
    let (mut left, mut out, mut bits) = (mask, 0, bits);
    while left != 0 {
        let lowest = left & left.wrapping_neg();
        out |= lowest & (bits & 1).wrapping_neg();
        bits >>= 1;
        left ^= lowest;
    }
    out
}

/// The inverse of [`deposit_word`].
fn extract_word(word: u64, mask: u64) -> u64 {
    if mask == u64::MAX {
        return word;
    }
    let (mut left, mut out, mut at) = (mask, 0, 0);
    while left != 0 {
        out |= (word >> left.trailing_zeros() & 1) << at;
        at += 1;
        left &= left - 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keystream::Keystream;

    #[test]
    fn deposit_and_extract_are_inverse() {
        let random = Keystream::new(3, 1);
        let mask: Vec<u64> = (0..64)
            .map(|i| match i % 4 {
                0 => 0,
                1 => u64::MAX,
                2 => random.word(i),
                _ => random.word(i) & random.word(i + 100),
            })
            .collect();
        let positions = Positions::new(mask.clone());
        let bits = positions.count(0, 64) as usize;
        let mut message: Vec<u64> = (0..bits.div_ceil(64) + 1).map(|i| random.word(i + 1000)).collect();
        message[bits / 64] &= (1 << (bits % 64)) - 1;
        message[bits / 64 + 1..].fill(0);
        let mut u = vec![0u64; 64];
        positions.deposit(&message, &mut u);
        assert!(u.iter().zip(&mask).all(|(u, mask)| u & !mask == 0));
        let mut back = vec![0; message.len()];
        positions.extract(&u, &mut back);
        assert_eq!(back, message);
        assert_eq!(crate::bits::count_ones(&u), crate::bits::count_ones(&message));
    }
}
