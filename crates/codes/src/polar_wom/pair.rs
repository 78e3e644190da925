//! Two registers as one word of the encoder.

use super::lanes::{Lanes, MAX_LANES};

/// Twice as many pages: what one register waits for, the other has time for.
#[derive(Clone, Copy)]
pub(super) struct Pair<T>(T, T);

impl<T: Lanes> Lanes for Pair<T> {
    const COUNT: usize = 2 * T::COUNT;

    #[inline(always)]
    fn splat(word: u64) -> Self {
        Pair(T::splat(word), T::splat(word))
    }
    #[inline(always)]
    fn get(&self, lane: usize) -> u64 {
        if lane < T::COUNT { self.0.get(lane) } else { self.1.get(lane - T::COUNT) }
    }
    #[inline(always)]
    fn set(&mut self, lane: usize, word: u64) {
        if lane < T::COUNT { self.0.set(lane, word) } else { self.1.set(lane - T::COUNT, word) }
    }
    #[inline(always)]
    fn from_lanes(mut word: impl FnMut(usize) -> u64) -> Self {
        let first = T::from_lanes(&mut word);
        Pair(first, T::from_lanes(|lane| word(T::COUNT + lane)))
    }
    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        Pair(T::load(words), T::load(&words[T::COUNT..]))
    }
    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        self.0.store(words);
        self.1.store(&mut words[T::COUNT..]);
    }
    #[inline(always)]
    fn transpose(block: &mut [Self]) {
        let (upper, lower) = block.split_at_mut(T::COUNT);
        // The squares beside the diagonal change places.
        let mut square = [T::splat(0); MAX_LANES];
        let square = &mut square[..T::COUNT];
        for (rows, of) in [(&mut *upper, 0), (&mut *lower, 1)] {
            let half = |pair: &mut Self| if of == 0 { pair.0 } else { pair.1 };
            square.iter_mut().zip(rows.iter_mut()).for_each(|(to, pair)| *to = half(pair));
            T::transpose(square);
            let put = |(pair, from): (&mut Self, &T)| if of == 0 { pair.0 = *from } else { pair.1 = *from };
            rows.iter_mut().zip(square.iter()).for_each(put);
        }
        let mut other = [T::splat(0); MAX_LANES];
        let other = &mut other[..T::COUNT];
        square.iter_mut().zip(upper.iter()).for_each(|(to, pair)| *to = pair.1);
        other.iter_mut().zip(lower.iter()).for_each(|(to, pair)| *to = pair.0);
        T::transpose(square);
        T::transpose(other);
        upper.iter_mut().zip(other.iter()).for_each(|(pair, from)| pair.1 = *from);
        lower.iter_mut().zip(square.iter()).for_each(|(pair, from)| pair.0 = *from);
    }
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        Pair(self.0.and(other.0), self.1.and(other.1))
    }
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        Pair(self.0.or(other.0), self.1.or(other.1))
    }
    #[inline(always)]
    fn xor(self, other: Self) -> Self {
        Pair(self.0.xor(other.0), self.1.xor(other.1))
    }
    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        Pair(self.0.minus(other.0), self.1.minus(other.1))
    }
    #[inline(always)]
    fn shr<const BITS: u32>(self) -> Self {
        Pair(self.0.shr::<BITS>(), self.1.shr::<BITS>())
    }
    #[inline(always)]
    fn shl<const BITS: u32>(self) -> Self {
        Pair(self.0.shl::<BITS>(), self.1.shl::<BITS>())
    }
    #[inline(always)]
    fn negate(self) -> Self {
        Pair(self.0.negate(), self.1.negate())
    }
}
