//! What neighbours add to a cell: a mixture of Gaussians.
//!
//! A neighbour programmed after the cell to level j rises by V_j + U - E, with V_j its verify
//! voltage, U uniform within a step and E the erased voltage it came from; the cell rises by the
//! coupling times that. An erased neighbour adds nothing. How many neighbours reach each level
//! depends on the data: equally many where it is random (drives scramble it). All cells of a word line
//! are programmed together, so only those of the next one interfere.

use super::config::CellConfig;

/// One component: weight, mean rise, variance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Component {
    /// Probability.
    pub weight: f64,
    /// Mean rise of the cell in volts.
    pub mean_v: f64,
    /// Variance of the rise in square volts.
    pub variance: f64,
}

/// Coupling to the neighbour on the next word line (gamma_y), and to each of the two diagonal ones
/// (gamma_xy).
const COUPLING_Y: f64 = 0.08;
const COUPLING_XY: f64 = 0.006;
/// Components closer than this are merged, keeping mean and variance: the edges of a level are
/// blurred by some 3 mV. Rates of blocks that were ever erased change by less than 0.5% against 4
/// mV; on a block without a cycle, whose levels would have sharp edges, by some 10% of 2e-5.
const MERGED_V: f64 = 0.01;
/// Parts into which the uniform step of a neighbour is cut; each keeps its own variance.
const PARTS: usize = 4;

/// The rise of a cell whose neighbours are programmed with `step_v`; `shares` of them reach each
/// level.
pub(super) fn rise(config: &CellConfig, step_v: f64, shares: &[f64]) -> Vec<Component> {
    let untouched = vec![Component { weight: 1.0, mean_v: 0.0, variance: 0.0 }];
    if config.interference.strength == 0.0 {
        return untouched;
    }
    [COUPLING_Y, COUPLING_XY, COUPLING_XY].iter().fold(untouched, |sum, &coupling| {
        merged(added(&sum, &neighbour(config, step_v, coupling * config.interference.strength, shares)))
    })
}

/// What one neighbour adds.
fn neighbour(config: &CellConfig, step_v: f64, coupling: f64, shares: &[f64]) -> Vec<Component> {
    let v = &config.voltage;
    let part_v = step_v / PARTS as f64;
    let spread =
        v.erased_sigma_v * v.erased_sigma_v + v.program_noise_v * v.program_noise_v + part_v * part_v / 12.0;
    let mut components = vec![Component { weight: shares[0], mean_v: 0.0, variance: 0.0 }];
    for (&verify_v, share) in v.verify_v.iter().zip(&shares[1..]) {
        components.extend((0..PARTS).map(|part| Component {
            weight: share / PARTS as f64,
            mean_v: coupling * (verify_v + part_v * (part as f64 + 0.5) - v.erased_mean_v),
            variance: coupling * coupling * spread,
        }));
    }
    components
}

/// The mixture of the sum.
fn added(one: &[Component], other: &[Component]) -> Vec<Component> {
    let pairs = one.iter().flat_map(|a| other.iter().map(move |b| (a, b)));
    pairs
        .map(|(a, b)| Component {
            weight: a.weight * b.weight,
            mean_v: a.mean_v + b.mean_v,
            variance: a.variance + b.variance,
        })
        .collect()
}

/// Merges neighbouring components; weight, mean and variance of the whole stay as they are.
fn merged(mut components: Vec<Component>) -> Vec<Component> {
    components.sort_by(|a, b| a.mean_v.total_cmp(&b.mean_v));
    let mut out: Vec<Component> = Vec::new();
    let mut first_v = f64::NEG_INFINITY;
    for c in components {
        match out.last_mut() {
            Some(last) if c.mean_v - first_v < MERGED_V => {
                let weight = last.weight + c.weight;
                let share = c.weight / weight;
                let apart = c.mean_v - last.mean_v;
                last.variance = (1.0 - share) * last.variance
                    + share * c.variance
                    + share * (1.0 - share) * apart * apart;
                last.mean_v += share * apart;
                last.weight = weight;
            }
            _ => {
                first_v = c.mean_v;
                out.push(c);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(components: &[Component]) -> (f64, f64, f64) {
        let weight: f64 = components.iter().map(|c| c.weight).sum();
        let mean: f64 = components.iter().map(|c| c.weight * c.mean_v).sum();
        let square: f64 = components.iter().map(|c| c.weight * (c.variance + c.mean_v * c.mean_v)).sum();
        (weight, mean, square - mean * mean)
    }

    #[test]
    fn mean_and_variance_are_those_of_the_sum_of_neighbours() {
        let config = CellConfig::default();
        let (v, step_v) = (config.voltage.clone(), 0.3);
        // Rise of one neighbour with coupling 1: mean and variance over its four levels.
        let rises: Vec<f64> = std::iter::once(0.0)
            .chain(v.verify_v.iter().map(|x| x + 0.5 * step_v - v.erased_mean_v))
            .collect();
        let mean = rises.iter().sum::<f64>() / 4.0;
        let within = 0.75 * (v.erased_sigma_v.powi(2) + step_v * step_v / 12.0);
        let variance = within + rises.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / 4.0;
        let [y, xy] = [COUPLING_Y, COUPLING_XY].map(|coupling| coupling * config.interference.strength);
        let line = [y + 2.0 * xy, y * y + 2.0 * xy * xy];
        let (weight, m, var) = moments(&rise(&config, step_v, &[0.25; 4]));
        assert!((weight - 1.0).abs() < 1e-12);
        assert!(
            (m / (mean * line[0]) - 1.0).abs() < 1e-12 && (var / (variance * line[1]) - 1.0).abs() < 1e-9
        );
    }
}
