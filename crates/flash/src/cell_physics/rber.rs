//! The raw bit error rate of a page.

use serde::Serialize;

use super::Age;
use super::config::{CellConfig, References, check_step, within};
use super::interference::{Component, rise};
use super::references::best_references;
use super::threshold_voltage::Level;
use crate::error::ConfigError;

/// Raw bit error rates of the pages that share a word line, and where they were read.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Rber {
    /// By kind of page: bit b of the Gray code, from the one read with the most references to the
    /// one read with a single one.
    pub pages: Vec<f64>,
    /// Mean over the kinds.
    pub mean: f64,
    /// The worst kind, which decides whether a codeword on one page can be read.
    pub worst: f64,
    /// Read references in volts, ascending.
    pub references_v: Vec<f64>,
}

/// Cells programmed with one step: what does not depend on age is computed once.
#[derive(Debug, Clone)]
pub struct Cells<'a> {
    config: &'a CellConfig,
    step_v: f64,
    /// Share of the cells that each level has; they add up to 1.
    shares: Vec<f64>,
    rise: Vec<Component>,
    /// References of a fresh block, if they stay there.
    fixed_v: Option<Vec<f64>>,
}

const FRESH: Age = Age { cycles: 0.0, retention_hours: 0.0 };

impl<'a> Cells<'a> {
    /// Cells of a configuration that hold random data, programmed with `step_v`.
    ///
    /// # Errors
    /// A parameter or a step that cannot be.
    pub fn new(config: &'a CellConfig, step_v: f64) -> Result<Cells<'a>, ConfigError> {
        config.check()?;
        let levels = config.voltage.verify_v.len() + 1;
        Cells::with_shares(config, step_v, vec![1.0 / levels as f64; levels])
    }

    /// Cells whose levels have their own shares; one share a level, which add up to 1.
    pub(super) fn with_shares(
        config: &'a CellConfig,
        step_v: f64,
        shares: Vec<f64>,
    ) -> Result<Cells<'a>, ConfigError> {
        config.check()?;
        check_step("step_v", step_v)?;
        let rise = rise(config, step_v, &shares);
        let mut cells = Cells { config, step_v, shares, rise, fixed_v: None };
        if config.references == References::Fixed {
            cells.fixed_v = Some(best_references(&cells.levels(FRESH)));
        }
        Ok(cells)
    }

    /// The raw bit error rate at an age.
    ///
    /// # Errors
    /// Cycles or hours below 0 or above 10^9.
    pub fn rber(&self, age: Age) -> Result<Rber, ConfigError> {
        within("cycles", age.cycles, 0.0, 1e9)?;
        within("retention_hours", age.retention_hours, 0.0, 1e9)?;
        let levels = self.levels(age);
        let references_v = match &self.fixed_v {
            Some(fixed) => fixed.clone(),
            None => best_references(&levels),
        };
        let pages = page_rates(&levels, &self.shares, &references_v);
        let mean = pages.iter().sum::<f64>() / pages.len() as f64;
        let worst = pages.iter().copied().fold(0.0, f64::max);
        Ok(Rber { pages, mean, worst, references_v })
    }

    /// Shares of the cells of each level whose voltage lies between neighbouring `edges_v`
    /// (ascending): one row a level.
    ///
    /// # Errors
    /// An age out of range.
    pub fn histogram(&self, age: Age, edges_v: &[f64]) -> Result<Vec<Vec<f64>>, ConfigError> {
        within("cycles", age.cycles, 0.0, 1e9)?;
        within("retention_hours", age.retention_hours, 0.0, 1e9)?;
        let share = |level: &Level| {
            let below: Vec<f64> = edges_v.iter().map(|&edge| level.below(edge)).collect();
            below.windows(2).map(|pair| (pair[1] - pair[0]).max(0.0)).collect()
        };
        Ok(self.levels(age).iter().map(share).collect())
    }

    fn levels(&self, age: Age) -> Vec<Level> {
        (0..=self.config.voltage.verify_v.len())
            .map(|index| Level::new(self.config, index, self.step_v, age, &self.rise))
            .collect()
    }
}

/// The Gray code of a level: neighbouring levels differ in one bit.
fn gray(level: usize) -> usize {
    level ^ (level >> 1)
}

/// Raw bit error rate of each bit of the Gray code.
fn page_rates(levels: &[Level], shares: &[f64], references_v: &[f64]) -> Vec<f64> {
    let bits = levels.len().ilog2() as usize;
    let mut rates = vec![0.0; bits];
    for (stored, (level, share)) in levels.iter().zip(shares).enumerate() {
        for (read, probability) in misreads(level, stored, references_v) {
            let wrong = gray(stored) ^ gray(read);
            for (bit, rate) in rates.iter_mut().enumerate() {
                if wrong >> bit & 1 == 1 {
                    *rate += share * probability;
                }
            }
        }
    }
    rates
}

/// Levels that a cell of level `stored` may be taken for, and how likely, from its own tails
/// outwards.
fn misreads(level: &Level, stored: usize, references_v: &[f64]) -> Vec<(usize, f64)> {
    let above: Vec<f64> = references_v[stored..].iter().map(|&v| level.above(v)).collect();
    let below: Vec<f64> = references_v[..stored].iter().rev().map(|&v| level.below(v)).collect();
    let share = |tails: &[f64], i: usize| (tails[i] - tails.get(i + 1).copied().unwrap_or(0.0)).max(0.0);
    let higher = (0..above.len()).map(|i| (stored + 1 + i, share(&above, i)));
    let lower = (0..below.len()).map(|i| (stored - 1 - i, share(&below, i)));
    higher.chain(lower).collect()
}
