//! Which pool makes contents come as often as they were seen to.

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::workloads::content::Pool;

/// Draws of a trial; where a trace has more, its contents are thinned to as many.
const MOST_DRAWS: u64 = 1 << 19;
/// Trials from each start, and from the best of them on.
const TRIALS: [usize; 2] = [30, 220];
/// Where the search begins: exponent and churn.
const STARTS: [(f64, f64); 3] = [(0.8, 0.02), (1.1, 0.0003), (0.5, 0.1)];
/// Churn below this is none.
const LEAST_CHURN: f64 = 1e-4;
const CLASSES: usize = 32;

/// A fitted pool, and the part of the writes that do not draw from it.
#[derive(Clone, Copy, Debug)]
pub(super) struct PoolFit {
    pub(super) values: u64,
    pub(super) popularity: f64,
    pub(super) new: f64,
    pub(super) churn: f64,
    pub(super) distance: f64,
}

/// The shape of draws: how many there are, and the shares of them that go to contents drawn once,
/// twice, 3 to 4, 5 to 8 times and so on; and of those that draw a content again, the shares by the
/// draws since it was drawn last, in the same classes. The first shows how long contents live, the
/// second how popular they are meanwhile.
#[derive(Clone, Debug, Default)]
pub(super) struct Draws {
    /// Of each content, how often it was drawn, and the number of the draw that was the last.
    contents: Vec<(u32, u32)>,
    gaps: [f64; CLASSES],
    draws: u64,
}

impl Draws {
    /// The next draw; contents are numbered as small as possible.
    pub(super) fn add(&mut self, content: u32) {
        let index = content as usize;
        if index >= self.contents.len() {
            self.contents.resize(index + 1, (0, 0));
        }
        self.draws += 1;
        let now = self.draws as u32;
        let (count, last) = &mut self.contents[index];
        if *count > 0 {
            self.gaps[class(now.wrapping_sub(*last))] += 1.0;
        }
        (*count, *last) = (count.saturating_add(1), now);
    }

    /// How often a content was drawn.
    pub(super) fn count(&self, content: u32) -> u32 {
        self.contents.get(content as usize).map_or(0, |&(count, _)| count)
    }

    /// All draws.
    pub(super) fn draws(&self) -> u64 {
        self.draws
    }

    fn counts(&self) -> Vec<u32> {
        self.contents.iter().map(|&(count, _)| count).filter(|&count| count > 0).collect()
    }
}

/// The class of a number from 1 on: 1, 2, 3 to 4, 5 to 8, ...
fn class(number: u32) -> usize {
    ((u32::BITS - number.wrapping_sub(1).leading_zeros()) as usize).min(CLASSES - 1)
}

/// Parts of a whole.
fn shares(parts: [f64; CLASSES]) -> [f64; CLASSES] {
    let whole: f64 = parts.iter().sum();
    parts.map(|part| if whole > 0.0 { part / whole } else { 0.0 })
}

fn count_shares(counts: &[u32], singles: u64) -> [f64; CLASSES] {
    let mut parts = [0.0; CLASSES];
    parts[0] = singles as f64;
    counts.iter().for_each(|&count| parts[class(count)] += f64::from(count));
    shares(parts)
}

/// The target of the search: the shares of the trace, and the draws of a trial.
struct Target {
    counts: [f64; CLASSES],
    gaps: [f64; CLASSES],
    draws: u64,
    /// A trial has one draw for so many of the trace.
    thin: u64,
}

/// The pool from which `seen` was drawn, some of it new.
pub(super) fn fit(seen: &Draws) -> PoolFit {
    let counts = seen.counts();
    let several = counts.iter().filter(|&&count| count > 1).count() as u64;
    if several == 0 {
        return PoolFit { values: 1, popularity: 0.0, new: 1.0, churn: 0.0, distance: 0.0 };
    }
    // Every n-th content, with all its draws, keeps the counts as they are; the pool is smaller by
    // the same factor.
    let thin = seen.draws.div_ceil(MOST_DRAWS).max(1);
    let kept: Vec<u32> = counts.into_iter().step_by(thin as usize).collect();
    let draws = kept.iter().map(|&count| u64::from(count)).sum();
    let target = Target { counts: count_shares(&kept, 0), gaps: shares(seen.gaps), draws, thin };
    let guess = libm::log((several.div_ceil(thin) * 2) as f64);
    let off = |point| distance(&target, point);
    let trials = STARTS.map(|(popularity, churn)| {
        search([0.7 * target.counts[0], guess, popularity, libm::log(churn)], TRIALS[0], off)
    });
    let [first, others @ ..] = trials;
    let (start, _) =
        others.into_iter().fold(first, |best, other| if other.1 < best.1 { other } else { best });
    let ([new, values, popularity, churn], distance) = search(start, TRIALS[1], off);
    let churn = libm::exp(churn);
    PoolFit {
        values: (libm::round(libm::exp(values)) as u64).max(1) * thin,
        popularity,
        new,
        churn: if churn <= LEAST_CHURN { 0.0 } else { churn },
        distance,
    }
}

/// How far a pool's draws are from those seen. The same numbers are drawn for every pool, so that
/// small differences show.
fn distance(target: &Target, [new, values, popularity, churn]: [f64; 4]) -> f64 {
    let values = (libm::round(libm::exp(values)) as usize).max(1);
    let Some(mut pool) = Pool::new(values as u64, popularity, libm::exp(churn)) else { return 1.0 };
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let singles = (new * target.draws as f64) as u64;
    let mut drawn = Draws::default();
    let mut next = 0;
    for _ in singles..target.draws {
        let rank = pool.rank(&mut random);
        let content = pool.content(rank, values, &mut random, || next + 1);
        next = next.max(content);
        drawn.add(content);
    }
    let counts = count_shares(&drawn.counts(), singles);
    // In the trace, new contents and those left out in thinning lie between two draws.
    let stretch = target.draws as f64 / drawn.draws.max(1) as f64 * target.thin as f64;
    let gaps = stretched(&shares(drawn.gaps), stretch);
    let differences = |one: &[f64; CLASSES], other: &[f64; CLASSES]| -> f64 {
        one.iter().zip(other).map(|(one, other)| (one - other).abs()).sum::<f64>() / 2.0
    };
    (differences(&target.counts, &counts) + differences(&target.gaps, &gaps)) / 2.0
}

/// Moves shares by a factor that is no power of two: each class is parted between two.
fn stretched(classes: &[f64; CLASSES], factor: f64) -> [f64; CLASSES] {
    let shift = libm::log2(factor);
    let (whole, part) = (libm::floor(shift), shift - libm::floor(shift));
    let mut moved = [0.0; CLASSES];
    for (index, &share) in classes.iter().enumerate() {
        let low = (index + whole as usize).min(CLASSES - 1);
        moved[low] += share * (1.0 - part);
        moved[(low + 1).min(CLASSES - 1)] += share * part;
    }
    moved
}

/// Moves one coordinate at a time as long as that helps, then in smaller steps.
fn search(start: [f64; 4], most_trials: usize, distance: impl Fn([f64; 4]) -> f64) -> ([f64; 4], f64) {
    let bounded = |mut point: [f64; 4]| {
        let bounds = [(0.0, 1.0), (0.0, 19.0), (0.0, 3.0), (libm::log(LEAST_CHURN), 0.0)];
        for (value, (least, most)) in point.iter_mut().zip(bounds) {
            *value = value.clamp(least, most);
        }
        point
    };
    let mut best = bounded(start);
    let mut least = distance(best);
    let mut steps = [0.1, 0.8, 0.25, 1.0];
    let mut trials = 1;
    while trials < most_trials && steps[0] > 0.001 {
        let mut better = false;
        for axis in 0..4 {
            for sign in [1.0, -1.0] {
                let mut point = best;
                point[axis] += sign * steps[axis];
                let point = bounded(point);
                if point == best {
                    continue;
                }
                trials += 1;
                let found = distance(point);
                if found < least {
                    (best, least, better) = (point, found, true);
                    break;
                }
            }
        }
        if !better {
            steps = steps.map(|step| step / 2.0);
        }
    }
    (best, least)
}
