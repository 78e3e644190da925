//! Moving message bits between a dense bitmap and their positions in the codeword.

use super::lanes::{Lanes, MAX_LANES};
use crate::isa::{Isa, Level};

/// The message positions of a code, word by word.
#[derive(Debug, Clone)]
pub(super) struct Positions {
    /// Message positions of each word of `u`.
    pub(super) mask: Vec<u64>,
    /// Message bits before each word, and after the last one.
    pub(super) before: Vec<u32>,
    /// The words that have message positions, in their order.
    runs: Vec<Run>,
    /// Those of them that have other positions, too.
    holders: Vec<Holder>,
}

/// Some words of `u` with message positions, and after them words full of them, side by side.
#[derive(Debug, Clone)]
struct Run {
    holders: u32,
    full: u32,
    /// The first full one.
    word: u32,
}

/// A word of `u` with message positions and others.
#[derive(Debug, Clone)]
struct Holder {
    mask: u64,
    word: u32,
    /// Whether its bits reach the end of a word of the message.
    fills: bool,
}

impl Positions {
    pub(super) fn new(mask: Vec<u64>) -> Positions {
        let mut before = vec![0];
        before.extend(mask.iter().scan(0, |total, word| {
            *total += word.count_ones();
            Some(*total)
        }));
        let (mut runs, mut holders) = (Vec::<Run>::new(), Vec::new());
        let words = (0u32..).zip(&mask).zip(&before).filter(|((_, mask), _)| **mask != 0);
        for ((word, &mask), &before) in words {
            let is_full = mask == u64::MAX;
            let goes_on = |run: &Run| run.full == 0 || is_full && run.word + run.full == word;
            if !runs.last().is_some_and(goes_on) {
                runs.push(Run { holders: 0, full: 0, word });
            }
            let Some(run) = runs.last_mut() else { continue };
            if is_full {
                run.word = word - run.full;
                run.full += 1;
            } else {
                run.holders += 1;
                holders.push(Holder { mask, word, fills: before % 64 + mask.count_ones() >= 64 });
            }
        }
        Positions { runs, holders, mask, before }
    }

    /// Message bits in the words `first .. first + count`.
    pub(super) fn count(&self, first: usize, count: usize) -> u32 {
        self.before[first + count] - self.before[first]
    }

    /// Puts the message bits of every page at their positions of `u`; words of `u` without message
    /// bits keep what they held.
    ///
    /// A message holds the dense bits and one word more.
    #[inline(always)]
    pub(super) fn deposit<T: Lanes>(&self, isa: Isa, messages: &[&[u64]; MAX_LANES], u: &mut [T]) {
        for ((u, &mask), &at) in u.iter_mut().zip(&self.mask).zip(&self.before) {
            if mask != 0 {
                *u = T::from_lanes(|lane| deposit_word(isa, read_at(messages[lane], at as usize), mask));
            }
        }
    }

    /// Collects the message bits of `u` into the dense `message`; bits past the message become
    /// zero.
    #[inline(always)]
    pub(super) fn extract(&self, isa: Isa, u: &[u64], message: &mut [u64]) {
        // Written without a branch on whether a word of the message is full, which nothing
        // predicts: it is written unfinished, and again.
        let (mut pending, mut bits) = (0, 0);
        let mut holders = &self.holders[..];
        for run in &self.runs {
            let (before_full, rest) = holders.split_at(run.holders as usize);
            holders = rest;
            for holder in before_full {
                let found = extract_word(isa, u[holder.word as usize], holder.mask);
                let (at, shift) = (bits / 64, bits % 64);
                pending |= found << shift;
                if let Some(out) = message.get_mut(at) {
                    *out = pending;
                }
                // The bits that did not fit; nothing where they began with the word.
                let rest = (found >> 1) >> (63 - shift);
                pending = if holder.fills { rest } else { pending };
                bits += holder.mask.count_ones() as usize;
            }
            let (full, shift) = (&u[run.word as usize..][..run.full as usize], bits % 64);
            for (out, &found) in message[bits / 64..].iter_mut().zip(full) {
                *out = pending | found << shift;
                pending = (found >> 1) >> (63 - shift);
            }
            bits += 64 * full.len();
        }
        if let Some(last) = message.get_mut(bits / 64) {
            *last = pending;
        }
    }
}

/// The 64 bits of `words` from bit `at` on; `words` must reach one word past `at`'s.
#[inline(always)]
fn read_at(words: &[u64], at: usize) -> u64 {
    let (word, shift) = (at / 64, at % 64);
    words[word] >> shift | (words[word + 1] << 1) << (63 - shift)
}

/// Moves the low bits of `bits` to the ones of `mask`.
#[inline(always)]
fn deposit_word(isa: Isa, bits: u64, mask: u64) -> u64 {
    if mask == u64::MAX {
        return bits;
    }
    #[cfg(target_arch = "x86_64")]
    if isa.0 != Level::Portable {
        // SAFETY: every level above the portable one has BMI2.
        return unsafe { std::arch::x86_64::_pdep_u64(bits, mask) };
    }
    let _ = isa;
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
#[inline(always)]
fn extract_word(isa: Isa, word: u64, mask: u64) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if isa.0 != Level::Portable {
        // SAFETY: every level above the portable one has BMI2.
        return unsafe { std::arch::x86_64::_pext_u64(word, mask) };
    }
    let _ = isa;
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
    use crate::polar_wom::lanes::{LaneKernel, run_lanes};

    struct Extract<'a>(&'a Positions, Isa, &'a [u64], &'a mut [u64]);
    impl LaneKernel for Extract<'_> {
        type Output = ();
        #[inline(always)]
        fn run<T: Lanes>(self) {
            self.0.extract(self.1, self.2, self.3);
        }
    }

    #[test]
    fn deposit_and_extract_are_inverse_and_portable() {
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
        for isa in Isa::available() {
            let mut u = vec![0u64; 64];
            positions.deposit(isa, &[&message[..]; MAX_LANES], &mut u);
            assert!(u.iter().zip(&mask).all(|(u, mask)| u & !mask == 0));
            let mut back = vec![0; message.len()];
            run_lanes(isa, Extract(&positions, isa, &u, &mut back));
            assert_eq!(back, message);
            assert_eq!(crate::bits::count_ones(&u), crate::bits::count_ones(&message));
        }
    }
}
