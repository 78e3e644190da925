//! How evenly blocks are worn when a drive dies, from how they wore in a part of its life.
//!
//! # Idea
//! A block wears by its share of the erases. What blocks differ by lasts (data that stays cold), or
//! is a random walk (which block was the next victim), or lasts for a while. So the variance of
//! their cycles, over the mean squared, falls with some power of the time: with none of what lasts,
//! with the first of a random walk. The power shows in how much less the variance of two parts of a
//! run together is than that of each. The blocks' differences are scaled to what is left of them at
//! the end of their life by that power, and then worn in proportion, until more are lost than the
//! drive can do without. Those that are left share the work of the lost ones, which cleaning makes
//! more: the less space is spare, the more is moved.

/// What of a drive decides when it dies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mortality {
    /// P/E cycles that a block endures.
    pub cycles: f64,
    /// Cycles by which static wear levelling lets blocks differ; absent without it.
    pub levelled_within: Option<f64>,
    /// Blocks that may be lost before the exported capacity cannot be kept.
    pub may_lose: usize,
    /// Data that fits over exported capacity, less 1.
    pub over_provisioning: f64,
    /// Part of the data programmed that cleaning moved.
    pub moved_share: f64,
}

/// Mean cycles of the blocks when the drive dies, as a part of what they endure. `first` and
/// `second` are the erases of each block in two parts of the run, one after the other.
pub fn evenness(first: &[u32], second: &[u32], of: &Mortality) -> f64 {
    let rates = lasting_rates(first, second, of);
    let blocks = rates.len() as f64;
    let growth = |lost: usize| {
        let spare = of.over_provisioning - (1.0 + of.over_provisioning) * lost as f64 / blocks;
        // Greedy cleaning of uniformly written pages, to first order: (1 + a) / 2a. Only its growth
        // is used.
        let moved = |spare: f64| ((1.0 - spare) / (2.0 * spare)).max(0.0);
        let before = moved(of.over_provisioning);
        match spare > 0.0 && before > 0.0 {
            true => 1.0 + of.moved_share * (moved(spare) / before - 1.0),
            false => 1.0,
        }
    };
    let (mut worn, mut worked, mut alive) = (0.0, 0.0, rates.iter().sum::<f64>());
    for (lost, &rate) in rates.iter().take(of.may_lose + 1).enumerate() {
        if rate <= 0.0 || alive <= 0.0 {
            break;
        }
        let dies_at = of.cycles / rate;
        worked += (dies_at - worn) * alive / blocks / growth(lost);
        (worn, alive) = (dies_at, alive - rate);
    }
    worked / of.cycles
}

/// Erases of each block over the mean, most first, as they will be at the end of its life.
fn lasting_rates(first: &[u32], second: &[u32], of: &Mortality) -> Vec<f64> {
    let blocks = first.len().max(1) as f64;
    let mean = |counts: &[u32]| counts.iter().map(|&count| f64::from(count)).sum::<f64>() / blocks;
    let (mean_first, mean_second) = (mean(first), mean(second));
    let together = mean_first + mean_second;
    if mean_first <= 0.0 || mean_second <= 0.0 {
        return vec![1.0; first.len()];
    }
    let pairs = || first.iter().zip(second).map(|(&first, &second)| (f64::from(first), f64::from(second)));
    let variance =
        pairs().map(|(first, second)| ((first + second) / together - 1.0).powi(2)).sum::<f64>() / blocks;
    // By how much the variance falls when the time is doubled: not at all if all lasts, by half if
    // nothing does.
    let alone = |counts: &[u32], mean: f64| {
        counts.iter().map(|&count| (f64::from(count) / mean - 1.0).powi(2)).sum::<f64>() / blocks
    };
    let before = 0.5 * (alone(first, mean_first) + alone(second, mean_second));
    let decay = if variance > 0.0 { (before / variance).log2().clamp(0.0, 1.0) } else { 0.0 };
    let at_the_end = variance * (together / of.cycles).min(1.0).powf(decay);
    let lasting = if variance > 0.0 { (at_the_end / variance).sqrt() } else { 0.0 };
    // Levelling may not have begun yet: then blocks do not differ by as much as it permits.
    let sums = || pairs().map(|(first, second)| first + second);
    let range = (sums().fold(0.0, f64::max) - sums().fold(f64::INFINITY, f64::min)) / together * of.cycles;
    let permitted = of.levelled_within.map_or(f64::INFINITY, |within| within / range);
    let scale = lasting.min(permitted);
    let rate = |(first, second): (f64, f64)| (1.0 + scale * ((first + second) / together - 1.0)).max(0.0);
    let mut rates: Vec<_> = pairs().map(rate).collect();
    rates.sort_unstable_by(|one, other| other.total_cmp(one));
    rates
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVEN: Mortality = Mortality {
        cycles: 1000.0,
        levelled_within: None,
        may_lose: 5,
        over_provisioning: 0.25,
        moved_share: 0.0,
    };

    #[test]
    fn blocks_that_wear_alike_die_together() {
        assert!((evenness(&[7; 100], &[9; 100], &EVEN) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_difference_that_lasts_ends_the_drive_when_too_many_of_the_worn_are_lost() {
        // A fifth of the blocks does all the work; six may not be lost. The first dies with the
        // mean at a fifth, the others soon after.
        let erases: Vec<_> = (0..100).map(|block| if block < 20 { 50 } else { 0 }).collect();
        let even = evenness(&erases, &erases, &EVEN);
        assert!((even - 0.2).abs() < 1e-9, "{even}");
    }

    #[test]
    fn levelling_keeps_blocks_together_also_before_it_began() {
        // Early on the most worn fifth is ahead by a quarter, which is within what is permitted.
        let erases: Vec<_> = (0..100).map(|block| if block < 20 { 5 } else { 4 }).collect();
        let levelled = Mortality { levelled_within: Some(20.0), ..EVEN };
        assert!(evenness(&erases, &erases, &EVEN) < 0.85);
        assert!(evenness(&erases, &erases, &levelled) > 0.97);
    }

    #[test]
    fn a_difference_that_does_not_last_is_forgotten() {
        let first: Vec<_> = (0..100).map(|block| if block % 2 == 0 { 12 } else { 8 }).collect();
        let second: Vec<_> = (0..100).map(|block| if block % 4 < 2 { 12 } else { 8 }).collect();
        assert!(evenness(&first, &second, &EVEN) > 0.96);
    }

    #[test]
    fn a_drive_that_cleans_more_as_it_loses_blocks_dies_earlier() {
        let erases: Vec<_> = (0..100).map(|block| 90 + block % 21).collect();
        let busy = Mortality { moved_share: 0.6, ..EVEN };
        assert!(evenness(&erases, &erases, &busy) < evenness(&erases, &erases, &EVEN));
    }
}
