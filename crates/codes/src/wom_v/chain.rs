//! How many writes a page takes, from the mathematics of one cell.
//!
//! A cell's level is a Markov chain. With data whose bits are independent from cell to cell, the
//! number of invalid cells of a page after `w` writes is binomial. Invalid cells only accumulate, as
//! do those in the last generation, so the distribution of the write that crosses a threshold follows exactly, without simulating a
//! page.

use rand_xoshiro::rand_core::Rng;

use super::{Code, EccCheck, EccThreshold};

/// The relation of successive writes to a page.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DataModel {
    /// Every write is fresh random data.
    Random,
    /// The first write is random; every later one flips each bit with this probability.
    BitFlips(f64),
}

/// The level distribution of one cell, write by write.
#[derive(Debug, Clone)]
pub struct InvalidChain {
    code: Code,
    /// Probability of each difference between old and new data.
    flip: Vec<f64>,
    levels: Vec<f64>,
    invalid: f64,
    writes: u32,
}

impl InvalidChain {
    /// An erased cell. Flip probabilities outside 0 to 1 are taken as the nearest one inside.
    pub fn new(code: Code, model: DataModel) -> InvalidChain {
        let step = u32::from(code.step());
        let flip = (0..=step)
            .map(|difference| match model {
                DataModel::Random => 1.0 / f64::from(step + 1),
                DataModel::BitFlips(rate) => {
                    let (rate, ones) = (rate.clamp(0.0, 1.0), difference.count_ones());
                    rate.powi(ones as i32) * (1.0 - rate).powi((step.count_ones() - ones) as i32)
                }
            })
            .collect();
        let mut levels = vec![0.0; usize::from(code.max_level()) + 1];
        levels[0] = 1.0;
        InvalidChain { code, flip, levels, invalid: 0.0, writes: 0 }
    }

    /// One more write.
    pub fn write(&mut self) {
        let step = usize::from(self.code.step());
        let mut next = vec![0.0; self.levels.len()];
        for (level, &share) in self.levels.iter().enumerate().filter(|(_, share)| **share > 0.0) {
            for difference in 0..=step {
                // The first write meets an erased page: its data is random under either model.
                let chance = if self.writes == 0 { 1.0 / (step + 1) as f64 } else { self.flip[difference] };
                let raised = level + (((level & step) ^ difference).wrapping_sub(level) & step);
                match next.get_mut(raised) {
                    Some(target) => *target += share * chance,
                    None => self.invalid += share * chance,
                }
            }
        }
        self.levels = next;
        self.writes += 1;
    }

    /// Writes since the erase.
    pub fn writes(&self) -> u32 {
        self.writes
    }

    /// Probability that a cell is invalid by now.
    pub fn invalid_share(&self) -> f64 {
        self.invalid
    }

    /// Probability that a cell is in the last generation by now, or invalid.
    pub fn last_generation_share(&self) -> f64 {
        self.invalid + self.levels[usize::from(self.code.last_generation())..].iter().sum::<f64>()
    }

    /// Probability of each level for a cell that is still valid.
    pub fn levels(&self) -> &[f64] {
        &self.levels
    }
}

/// The distribution of the number of writes a page takes between two erases.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct WriteCounts {
    /// `at_least[w]` is the probability of at least `w` writes; it starts with 1 and never rises.
    at_least: Vec<f64>,
}

/// Longest distribution that is computed; with few flipped bits a page takes thousands of writes.
const MAX_WRITES: usize = 1 << 16;
/// Probability below which a tail is dropped.
const TAIL: f64 = 1e-12;

impl WriteCounts {
    /// Writes with same-generation transitions on a page of `cells` cells. Under
    /// [`EccCheck::Unit`], `cells` are those of the erase unit, and the crossing write counts as it
    /// does under [`EccCheck::Post`].
    pub fn new(code: Code, cells: usize, model: DataModel, threshold: EccThreshold) -> WriteCounts {
        let limit = threshold.limit(cells);
        let mut chain = InvalidChain::new(code, model);
        let mut at_least = vec![1.0];
        // Under the other checks the first write after an erase always happens and the crossing
        // write is kept.
        if threshold.check != EccCheck::Pre {
            at_least.push(1.0);
        }
        while at_least.len() < MAX_WRITES {
            chain.write();
            let share = match threshold.check {
                EccCheck::LastGeneration => chain.last_generation_share(),
                EccCheck::Pre | EccCheck::Post | EccCheck::Unit => chain.invalid_share(),
            };
            let within = binomial_at_most(cells, limit, share);
            if within < TAIL {
                break;
            }
            at_least.push(within);
        }
        WriteCounts { at_least }
    }

    /// No-read mode: exactly one write a generation.
    pub fn no_read(code: Code) -> WriteCounts {
        WriteCounts { at_least: vec![1.0; code.generations() as usize + 1] }
    }

    /// The writes that `pages` pages take which are always written together: those of the first
    /// that has had its last.
    pub fn together(mut self, pages: u32) -> WriteCounts {
        self.at_least.iter_mut().for_each(|chance| *chance = chance.powi(pages as i32));
        self
    }

    /// The largest number of writes that occurs.
    pub fn most(&self) -> usize {
        self.at_least.len() - 1
    }

    /// Probability of at least `writes` writes.
    pub fn at_least(&self, writes: usize) -> f64 {
        self.at_least.get(writes).copied().unwrap_or(0.0)
    }

    /// Mean number of writes.
    pub fn mean(&self) -> f64 {
        self.at_least[1..].iter().sum()
    }

    /// A random number of writes.
    pub fn sample(&self, rng: &mut impl Rng) -> u32 {
        let uniform = (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
        (self.at_least.partition_point(|&p| p > uniform) as u32).saturating_sub(1)
    }
}

/// `P(X <= limit)` for a binomial X of `n` trials with success probability `p`.
///
/// Sums the terms relative to the largest one, outwards from it until they no longer matter, so the
/// work grows with the standard deviation only and no factorial is needed.
fn binomial_at_most(n: usize, limit: usize, p: f64) -> f64 {
    if p <= 0.0 || limit >= n {
        return 1.0;
    }
    if p >= 1.0 {
        return 0.0;
    }
    const NEGLIGIBLE: f64 = 1e-20;
    let odds = p / (1.0 - p);
    let mode = (((n + 1) as f64 * p) as usize).min(n);
    let (mut within, mut beyond) = if mode <= limit { (1.0, 0.0) } else { (0.0, 1.0) };
    let mut add = |i: usize, term: f64| if i <= limit { within += term } else { beyond += term };
    let mut term = 1.0;
    for i in mode + 1..=n {
        term *= (n - i + 1) as f64 / i as f64 * odds;
        if term < NEGLIGIBLE {
            break;
        }
        add(i, term);
    }
    term = 1.0;
    for i in (0..mode).rev() {
        term *= (i + 1) as f64 / (n - i) as f64 / odds;
        if term < NEGLIGIBLE {
            break;
        }
        add(i, term);
    }
    within / (within + beyond)
}

#[cfg(test)]
mod tests {
    use super::binomial_at_most;

    #[test]
    fn binomial_tail_matches_small_cases_counted_by_hand() {
        for n in 1..=12usize {
            for limit in 0..n {
                for p in [0.001, 0.2, 0.5, 0.93] {
                    let exact: f64 = (0..1u32 << n)
                        .map(|outcome| outcome.count_ones() as usize)
                        .filter(|ones| *ones <= limit)
                        .map(|ones| p_pow(p, ones) * p_pow(1.0 - p, n - ones))
                        .sum();
                    let found = binomial_at_most(n, limit, p);
                    assert!((found - exact).abs() < 1e-12, "{n} {limit} {p}: {found} against {exact}");
                }
            }
        }
    }

    fn p_pow(p: f64, exponent: usize) -> f64 {
        p.powi(exponent as i32)
    }

    #[test]
    fn binomial_tail_of_an_erase_unit_is_quick_and_centred() {
        let n = 100_000_000;
        let at_mean = binomial_at_most(n, 7_750_000, 0.0775);
        assert!((at_mean - 0.5).abs() < 1e-3, "{at_mean}");
        assert!(binomial_at_most(n, 7_700_000, 0.0775) < 1e-12);
    }
}
