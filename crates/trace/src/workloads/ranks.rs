//! Ranks under Zipf's law: rank r from 1 to n with a probability proportional to 1/r^s, exactly, by
//! rejection-inversion (Hörmann and Derflinger, "Rejection-inversion to generate variates from
//! monotone discrete distributions", 1996).
//!
//! The draws are those of `rand_distr::Zipf`, which a test compares. That takes three powers a
//! draw, a quarter of all instructions of a skewed replay. Here a bound that costs a division
//! accepts most draws (the squeeze of that paper), which leaves one.

use rand_xoshiro::Xoshiro256PlusPlus;

use super::random::unit;

/// More than the rounding errors of the exact ratio, and so small that hardly a draw falls within.
const ROUNDING: f64 = 1e-9;

/// The law for one n and s.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ranks {
    s: f64,
    /// The area under the hat.
    area: f64,
    /// 1 / (1 - s), where s is not 1.
    inverse: f64,
    /// The steepest that the ratio falls.
    steepest: f64,
}

impl Ranks {
    /// Ranks up to `n`, at least 1, with an exponent `s` from 0 on; `None` outside.
    pub(crate) fn new(n: f64, s: f64) -> Option<Self> {
        if !(n >= 1.0 && n.is_finite() && s >= 0.0 && s.is_finite()) {
            return None;
        }
        let inverse = if s == 1.0 { 0.0 } else { 1.0 / (1.0 - s) };
        let area = if s == 1.0 { 1.0 + n.ln() } else { (n.powf(1.0 - s) - s) * inverse };
        Some(Self { s, area, inverse, steepest: s.max(1.0) })
    }

    /// The next rank.
    #[inline]
    pub(crate) fn draw(&self, random: &mut Xoshiro256PlusPlus) -> u64 {
        loop {
            let at = self.under_hat(unit(random));
            let rank = (at + 1.0) as u64;
            if self.accepts(unit(random), at, rank as f64) {
                return rank;
            }
        }
    }

    /// The place up to which a part of the hat's area lies.
    #[inline]
    fn under_hat(&self, part: f64) -> f64 {
        let area = part * self.area;
        if area <= 1.0 {
            area
        } else if self.s == 1.0 {
            (area - 1.0).exp()
        } else {
            (area * (1.0 - self.s) + self.s).powf(self.inverse)
        }
    }

    /// Whether `drawn` is below the ratio of law and hat, which is (at / rank)^s, and 1 for the
    /// first rank. By Bernoulli's inequality it is at least 1 - max(s, 1) (rank - at) / rank.
    #[inline]
    fn accepts(&self, drawn: f64, at: f64, rank: f64) -> bool {
        rank == 1.0
            || drawn < 1.0 - self.steepest * (rank - at) / rank - ROUNDING
            || drawn < self.ratio(at, rank)
    }

    #[inline(never)]
    fn ratio(&self, at: f64, rank: f64) -> f64 {
        rank.powf(-self.s) * at.powf(self.s)
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_distr::{Distribution, Zipf};

    use super::*;

    #[test]
    fn draws_are_those_of_the_library() {
        for n in [1.0, 2.0, 3.0, 10.0, 1000.0, 94_371.0, 1e9] {
            for s in [0.0, 0.3, 0.9, 0.999, 1.0, 1.1, 2.0, 5.0, 10.0] {
                let (Some(ours), Ok(theirs)) = (Ranks::new(n, s), Zipf::new(n, s)) else {
                    panic!("n {n}, s {s}")
                };
                let mut random = [0, 1].map(|_| Xoshiro256PlusPlus::seed_from_u64(n as u64 ^ 7));
                for _ in 0..3000 {
                    let drawn = ours.draw(&mut random[0]);
                    assert_eq!(drawn, theirs.sample(&mut random[1]) as u64, "n {n}, s {s}");
                }
                assert_eq!(random[0], random[1], "n {n}, s {s}");
            }
        }
    }

    #[test]
    fn laws_that_cannot_be_are_refused() {
        for (n, s) in [(0.0, 1.0), (10.0, -1.0), (f64::NAN, 1.0), (10.0, f64::NAN), (f64::INFINITY, 2.0)] {
            assert!(Ranks::new(n, s).is_none());
        }
    }
}
