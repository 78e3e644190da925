//! Where references between levels make the fewest errors.

use super::threshold_voltage::Level;

/// Places of the scan.
const SCAN: usize = 16;
/// Rounds of the golden section: they leave some 10 uV, and errors near their minimum are flat.
const ROUNDS: usize = 20;

/// A reference between each pair of neighbouring levels, in volts.
pub(super) fn best_references(levels: &[Level]) -> Vec<f64> {
    levels.windows(2).map(|pair| best_reference(&pair[0], &pair[1])).collect()
}

/// Scans between the means, then narrows the best stretch by the golden section. Where several
/// places are equally good (cells without noise) the middle one is taken.
fn best_reference(lower: &Level, upper: &Level) -> f64 {
    let errors = |v: f64| lower.above(v) + upper.below(v);
    let (from, to) = (lower.mean_v(), upper.mean_v());
    if to <= from {
        return 0.5 * (from + to);
    }
    let step = (to - from) / SCAN as f64;
    let scanned: Vec<f64> = (0..=SCAN).map(|i| errors(from + step * i as f64)).collect();
    let least = scanned.iter().copied().fold(f64::INFINITY, f64::min);
    let first = scanned.iter().position(|&e| e == least).unwrap_or(0);
    let last = scanned.iter().rposition(|&e| e == least).unwrap_or(SCAN);
    let mut low = from + step * first.saturating_sub(1) as f64;
    let mut high = from + step * (last + 1).min(SCAN) as f64;
    let ratio = 0.5 * (libm::sqrt(5.0) - 1.0);
    let inner = |low: f64, high: f64| (high - ratio * (high - low), low + ratio * (high - low));
    let (mut a, mut b) = inner(low, high);
    let (mut at_a, mut at_b) = (errors(a), errors(b));
    for _ in 0..ROUNDS {
        if at_a == at_b {
            (low, high) = (a, b);
            (a, b) = inner(low, high);
            (at_a, at_b) = (errors(a), errors(b));
        } else if at_a < at_b {
            high = b;
            (b, at_b) = (a, at_a);
            a = inner(low, high).0;
            at_a = errors(a);
        } else {
            low = a;
            (a, at_a) = (b, at_b);
            b = inner(low, high).1;
            at_b = errors(b);
        }
    }
    0.5 * (low + high)
}
