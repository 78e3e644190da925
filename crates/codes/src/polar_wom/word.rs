//! Successive cancellation inside a word: subtrees of 64 cells and fewer.

use super::sc::Conflicts;
use super::transform::LOW;

/// The lowest one of a word.
#[inline(always)]
pub(super) fn lowest(x: u64) -> u64 {
    x & x.wrapping_neg()
}

/// 1 if the word is not zero, else 0.
#[inline(always)]
pub(super) fn any(x: u64) -> u64 {
    u64::from(x != 0)
}

/// A subtree of one cell: nothing to transform, and its parity is its bit.
#[inline(always)]
fn identity(x: u64) -> u64 {
    x
}

/// Functions on the lowest `$size` bits of a word. They are the polar transform, the parity (in bit
/// 0), and successive cancellation on a subtree of that size with message positions `mask`. Bits
/// above `$size` have no meaning in arguments and in the results of the first two; the codeword has
/// zeros there.
macro_rules! subtree {
    ($size:literal, $half:literal, $low:literal, $transform:ident, $parity:ident, $word:ident,
     $half_transform:ident, $half_parity:ident, $split:ident) => {
        #[inline(always)]
        pub(super) fn $transform(x: u64) -> u64 {
            $half_transform(x ^ (x >> $half & LOW[$low]))
        }

        #[inline(always)]
        pub(super) fn $parity(x: u64) -> u64 {
            $half_parity(x ^ x >> $half)
        }

        #[inline(always)]
        pub(super) fn $word(
            known: u64,
            value: u64,
            message: u64,
            mask: u64,
            conflicts: &mut Conflicts,
        ) -> u64 {
            const ONES: u64 = u64::MAX >> (64 - $size);
            if mask == 0 {
                value & ONES
            } else if mask == ONES {
                let x = $transform(message) & ONES;
                conflicts.note(known & (x ^ value) & ONES);
                x
            } else if mask == 1 {
                // The parity of the codeword is the message bit: the lowest unknown cell sets it.
                let unknown = ONES & !known;
                let wrong = ($parity(value) ^ message) & 1;
                conflicts.note(wrong & !any(unknown));
                (value & ONES) ^ (lowest(unknown) & wrong.wrapping_neg())
            } else if mask == ONES >> 1 {
                // The last position inverts the codeword: the lowest known cell decides whether.
                let x = $transform(message & (ONES >> 1)) & ONES;
                let known = known & ONES;
                let invert = any(lowest(known) & (x ^ value));
                let x = x ^ (invert.wrapping_neg() & ONES);
                conflicts.note(known & (x ^ value));
                x
            } else {
                $split(known, value, message, mask, conflicts)
            }
        }
    };
}

/// Successive cancellation on a subtree that has to be split into halves of `$half` bits.
macro_rules! split {
    ($name:ident, $half:literal, $half_word:ident) => {
        #[inline(always)]
        fn $name(known: u64, value: u64, message: u64, mask: u64, conflicts: &mut Conflicts) -> u64 {
            let (upper_known, upper_value) = (known >> $half, value >> $half);
            let lower_mask = mask & (u64::MAX >> (64 - $half));
            let a = $half_word(known & upper_known, value ^ upper_value, message, lower_mask, conflicts);
            let b = $half_word(
                known | upper_known,
                select(upper_known, upper_value, value ^ a),
                message >> $half,
                mask >> $half,
                conflicts,
            );
            a ^ b | b << $half
        }
    };
}

/// `known ? a : b`, bit by bit.
#[inline(always)]
pub(super) fn select(known: u64, a: u64, b: u64) -> u64 {
    b ^ (known & (a ^ b))
}

/// Of two positions the first is always the better one, so a mask of the second alone does not
/// occur.
#[inline(always)]
fn split_2(_known: u64, value: u64, _message: u64, _mask: u64, _conflicts: &mut Conflicts) -> u64 {
    value
}

subtree!(2, 1, 0, transform_2, parity_2, word_2, identity, identity, split_2);
split!(split_4, 2, word_2);
subtree!(4, 2, 1, transform_4, parity_4, word_4, transform_2, parity_2, split_4);
split!(split_8, 4, word_4);
subtree!(8, 4, 2, transform_8, parity_8, word_8, transform_4, parity_4, split_8);
split!(split_16, 8, word_8);
subtree!(16, 8, 3, transform_16, parity_16, word_16, transform_8, parity_8, split_16);
split!(split_32, 16, word_16);
subtree!(32, 16, 4, transform_32, parity_32, word_32, transform_16, parity_16, split_32);
split!(split_64, 32, word_32);
subtree!(64, 32, 5, transform_64, parity_64, word_64, transform_32, parity_32, split_64);
