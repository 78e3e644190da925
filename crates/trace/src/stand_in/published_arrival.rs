//! When requests come by published figures: at a mean rate, and a part of them in bursts at the
//! stated peak.

use std::collections::BTreeMap;

use super::bins::{mean_of_octave, octave};
use super::deck::Deck;
use super::moment::{Moment, OCTAVES};
use super::published::Published;
use super::sites::Touch;

/// Levels: between bursts, and within.
const LEVELS: usize = 2;
/// Counts of a row.
const GRAIN: f64 = 1e6;

/// The chain of moments.
pub(super) fn chain(published: &Published) -> Vec<(u16, Vec<u16>, Deck)> {
    let burst = published.burst_share;
    // The rest of the requests fills the time that the bursts leave.
    let rest_s = (1.0 / published.requests_per_s - burst / published.peak_per_s) / (1.0 - burst).max(1e-9);
    let means_ns = [rest_s.max(1e-9) * 1e9, 1e9 / published.peak_per_s];
    let ends = (1.0 / published.burst_requests as f64).min(1.0);
    let begins = if burst >= 1.0 { 1.0 } else { (ends * burst / (1.0 - burst)).min(1.0) };
    let stays = [[1.0 - begins, begins], [ends, 1.0 - ends]];
    let pauses = means_ns.map(exponential);
    let mut chain = Vec::new();
    for (level, stay) in stays.iter().enumerate() {
        let mut next: BTreeMap<u16, u32> = BTreeMap::new();
        for (to, &moves) in stay.iter().enumerate() {
            for (&pause, &share) in &pauses[to] {
                for (touch, part) in [(Touch::Read, published.read), (Touch::Write, 1.0 - published.read)] {
                    let count = libm::round(moves * share * part * GRAIN) as u32;
                    if count > 0 {
                        next.insert(Moment { level: to, pause, touch }.number(), count);
                    }
                }
            }
        }
        let counts: Vec<u32> = next.values().copied().collect();
        let row = (next.into_keys().collect::<Vec<u16>>(), Deck::from(counts));
        // The next moment depends on the level alone.
        for pause in 0..OCTAVES {
            for touch in [Touch::Read, Touch::Write] {
                let from = Moment { level, pause, touch };
                if from == Moment::START || (0..LEVELS).any(|level| pauses[level].contains_key(&pause)) {
                    chain.push((from.number(), row.0.clone(), row.1.clone()));
                }
            }
        }
    }
    chain
}

/// Shares of the octaves of exponential pauses. An octave is drawn evenly, so its mean differs a
/// little from that of the law; the shares are those of a law with a mean that makes up for it.
fn exponential(mean_ns: f64) -> BTreeMap<usize, f64> {
    let shares = |mean_ns: f64| -> BTreeMap<usize, f64> {
        let edge = |octave: usize| if octave == 0 { 0.0 } else { libm::exp2(octave as f64 - 1.0) };
        let beyond = |at_ns: f64| libm::exp(-at_ns / mean_ns);
        let share = |octave: usize| beyond(edge(octave)) - beyond(edge(octave + 1));
        (0..=octave((mean_ns * 16.0) as u64).min(OCTAVES - 1))
            .map(|octave| (octave, share(octave)))
            .filter(|&(_, share)| share > 1e-4)
            .collect()
    };
    let drawn = |shares: &BTreeMap<usize, f64>| -> f64 {
        let total: f64 = shares.values().sum();
        shares.iter().map(|(&octave, &share)| mean_of_octave(octave) * share / total).sum()
    };
    let first = shares(mean_ns);
    let off = drawn(&first) / mean_ns;
    if off > 0.0 { shares(mean_ns / off) } else { first }
}
