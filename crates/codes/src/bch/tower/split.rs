//! Vectors over GF(2^16), low and high halves apart.

use super::lanes::Lanes;
use super::map::{Map, Pair};

/// `N` elements.
#[derive(Clone, Copy)]
pub(super) struct Split<const N: usize> {
    pub(super) low: [u8; N],
    pub(super) high: [u8; N],
}

impl<const N: usize> Split<N> {
    pub(super) const ZERO: Split<N> = Split { low: [0; N], high: [0; N] };

    #[inline(always)]
    pub(super) fn get(&self, i: usize) -> Pair {
        [self.low[i], self.high[i]]
    }

    #[inline(always)]
    pub(super) fn set(&mut self, i: usize, [low, high]: Pair) {
        (self.low[i], self.high[i]) = (low, high);
    }

    /// The elements from number `at` on.
    #[inline(always)]
    pub(super) fn load<L: Lanes>(&self, at: usize) -> Elements<L> {
        Elements { low: L::load(&self.low[at..]), high: L::load(&self.high[at..]) }
    }

    #[inline(always)]
    pub(super) fn store<L: Lanes>(&mut self, at: usize, elements: Elements<L>) {
        elements.low.store(&mut self.low[at..]);
        elements.high.store(&mut self.high[at..]);
    }
}

/// Elements of GF(2^16) side by side.
#[derive(Clone, Copy)]
pub(super) struct Elements<L> {
    pub(super) low: L,
    pub(super) high: L,
}

impl<L: Lanes> Elements<L> {
    #[inline(always)]
    pub(super) fn zero() -> Elements<L> {
        Elements { low: L::zero(), high: L::zero() }
    }

    #[inline(always)]
    pub(super) fn xor(self, other: Elements<L>) -> Elements<L> {
        Elements { low: self.low.xor(other.low), high: self.high.xor(other.high) }
    }

    /// Products lane by lane.
    #[inline(always)]
    pub(super) fn multiply(self, other: Elements<L>, nu: &L::Factor) -> Elements<L> {
        let mut products = Products::zero();
        products.add(self, other);
        products.elements(nu)
    }

    /// Products with one element.
    #[inline(always)]
    pub(super) fn times(self, scalar: &Scalar<L>) -> Elements<L> {
        let (low, high) = (self.low, self.high);
        Elements {
            low: low.times(&scalar.low).xor(high.times(&scalar.nu_high)),
            high: low.times(&scalar.high).xor(high.times(&scalar.sum)),
        }
    }
}

/// A sum of products whose reduction is left to the end.
#[derive(Clone, Copy)]
pub(super) struct Products<L> {
    low: L,
    high: L,
    cross: L,
}

impl<L: Lanes> Products<L> {
    #[inline(always)]
    pub(super) fn zero() -> Products<L> {
        Products { low: L::zero(), high: L::zero(), cross: L::zero() }
    }

    #[inline(always)]
    pub(super) fn add(&mut self, a: Elements<L>, b: Elements<L>) {
        self.low = self.low.xor(a.low.multiply(b.low));
        self.high = self.high.xor(a.high.multiply(b.high));
        self.cross = self.cross.xor(a.low.xor(a.high).multiply(b.low.xor(b.high)));
    }

    #[inline(always)]
    pub(super) fn elements(self, nu: &L::Factor) -> Elements<L> {
        Elements { low: self.low.xor(self.high.times(nu)), high: self.low.xor(self.cross) }
    }
}

/// One element as a factor of many.
pub(super) struct Scalar<L: Lanes> {
    low: L::Factor,
    high: L::Factor,
    nu_high: L::Factor,
    sum: L::Factor,
}

impl<L: Lanes> Scalar<L> {
    #[inline(always)]
    pub(super) fn new(map: &Map, factors: &[L::Factor; 256], [low, high]: Pair) -> Scalar<L> {
        let factor = |number: u8| factors[usize::from(number)];
        Scalar {
            low: factor(low),
            high: factor(high),
            nu_high: factor(map.nu[usize::from(high)]),
            sum: factor(low ^ high),
        }
    }
}
