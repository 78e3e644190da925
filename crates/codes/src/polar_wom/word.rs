//! Successive cancellation inside a word: subtrees of 64 cells and fewer.

use super::lanes::Lanes;
use super::sc::Observer;
use super::transform::LOW;

/// The lowest one of each page's word.
#[inline(always)]
pub(super) fn lowest<T: Lanes>(x: T) -> T {
    x.and(x.negate())
}

/// 1 in the pages whose word is not zero, else 0.
#[inline(always)]
pub(super) fn any<T: Lanes>(x: T) -> T {
    x.or(x.negate()).shr::<63>()
}

/// A subtree of one cell: nothing to transform, and its parity is its bit.
#[inline(always)]
fn identity<T: Lanes>(x: T) -> T {
    x
}

/// Functions on the lowest `$size` bits of every page's word. They are the polar transform, the
/// parity (in bit 0), and successive cancellation on a subtree of that size with message positions
/// `mask`. Bits above `$size` have no meaning in arguments and in the results of the first two; the
/// codeword has zeros there.
macro_rules! subtree {
    ($size:literal, $half:literal, $low:literal, $transform:ident, $parity:ident, $word:ident,
     $half_transform:ident, $half_parity:ident, $split:ident) => {
        #[inline(always)]
        pub(super) fn $transform<T: Lanes>(x: T) -> T {
            $half_transform(x.xor(x.shr::<$half>().and(T::splat(LOW[$low]))))
        }

        #[inline(always)]
        pub(super) fn $parity<T: Lanes>(x: T) -> T {
            $half_parity(x.xor(x.shr::<$half>()))
        }

        #[inline(always)]
        pub(super) fn $word<T: Lanes, O: Observer<T>>(
            known: T,
            value: T,
            message: T,
            mask: u64,
            observer: &mut O,
        ) -> T {
            const ONES: u64 = u64::MAX >> (64 - $size);
            let ones = T::splat(ONES);
            if mask == 0 {
                let mut x = value.and(ones);
                observer.free_cells(known, ONES, &mut x);
                x
            } else if mask == ONES {
                let x = $transform(message).and(ones);
                observer.conflict(known.and(ones), known.and(x.xor(value)).and(ones));
                x
            } else if mask == 1 {
                // The parity of the codeword is the message bit: the lowest unknown cell sets it.
                let unknown = ones.minus(known);
                let mut value = value;
                observer.free_cells(known.or(lowest(unknown)), ONES, &mut value);
                let wrong = $parity(value).xor(message).and(T::splat(1));
                let determined = T::splat(1).minus(any(unknown));
                observer.conflict(determined, wrong.and(determined));
                value.and(ones).xor(lowest(unknown).and(wrong.negate()))
            } else if mask == ONES >> 1 {
                // The last position inverts the codeword: the lowest known cell decides whether.
                let x = $transform(message.and(T::splat(ONES >> 1))).and(ones);
                let known = known.and(ones);
                let undecided = T::splat(1).minus(any(known));
                let choice = observer.free_repetition(undecided).and(undecided);
                let invert = any(lowest(known).and(x.xor(value))).or(choice);
                let x = x.xor(invert.negate().and(ones));
                observer.conflict(known, known.and(x.xor(value)));
                x
            } else {
                $split(known, value, message, mask, observer)
            }
        }
    };
}

/// Successive cancellation on a subtree that has to be split into halves of `$half` bits.
macro_rules! split {
    ($name:ident, $half:literal, $half_word:ident) => {
        #[inline(always)]
        fn $name<T: Lanes, O: Observer<T>>(known: T, value: T, message: T, mask: u64, observer: &mut O) -> T {
            let (upper_known, upper_value) = (known.shr::<$half>(), value.shr::<$half>());
            let lower_mask = mask & (u64::MAX >> (64 - $half));
            let a = $half_word(known.and(upper_known), value.xor(upper_value), message, lower_mask, observer);
            let b = $half_word(
                known.or(upper_known),
                T::select(upper_known, upper_value, value.xor(a)),
                message.shr::<$half>(),
                mask >> $half,
                observer,
            );
            a.xor(b).or(b.shl::<$half>())
        }
    };
}

/// Of two positions the first is always the better one, so a mask of the second alone does not
/// occur.
#[inline(always)]
fn split_2<T: Lanes, O: Observer<T>>(_known: T, value: T, _message: T, _mask: u64, _observer: &mut O) -> T {
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
