//! The cell model against a simulation of single cells, its limits, and what follows from it.

use proptest::prelude::*;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_codes::ldpc::Sensing;
use rewear_flash::cell_physics::{
    Age, CellConfig, Cells, EccLimits, References, derived_modes, extended_cycles,
    second_write_ends_at_cycles,
};

/// Draws single cells by the model's definition: neighbours and all, nothing computed.
struct Sampler<'a> {
    config: &'a CellConfig,
    step_v: f64,
    age: Age,
    rng: Xoshiro256PlusPlus,
}

impl Sampler<'_> {
    fn uniform(&mut self) -> f64 {
        (self.rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    fn laplace(&mut self) -> f64 {
        let size = -(1.0 - self.uniform()).ln();
        if self.uniform() < 0.5 { size } else { -size }
    }

    /// The erased voltage of a cell and where programming leaves it.
    fn programmed(&mut self, level: usize) -> (f64, f64) {
        let v = self.config.voltage.clone();
        let erased = v.erased_mean_v + v.erased_sigma_v * self.normal();
        let at = match level {
            0 => erased,
            _ => v.verify_v[level - 1] + self.step_v * self.uniform() + v.program_noise_v * self.normal(),
        };
        (erased, at)
    }

    /// The voltage that is read of a cell of a level.
    fn read(&mut self, level: usize) -> f64 {
        let (c, age) = (self.config.clone(), self.age);
        let (_, mut at) = self.programmed(level);
        for coupling in [0.08, 0.006, 0.006] {
            let neighbour = (self.rng.next_u64() % (c.voltage.verify_v.len() as u64 + 1)) as usize;
            let (from, to) = self.programmed(neighbour);
            at += coupling * c.interference.strength * (to - from);
        }
        at += c.telegraph.scale_v * age.cycles.powf(c.telegraph.exponent) * self.laplace();
        if level > 0 {
            let r = &c.retention;
            let x = c.voltage.verify_v[level - 1] + 0.5 * self.step_v - c.voltage.erased_mean_v;
            let factor = r.charge * x * age.retention_hours.ln_1p();
            let variance = factor * 4e-6 * age.cycles.powf(0.6);
            at -= factor * 4e-4 * age.cycles.powf(r.mean_exponent) + variance.sqrt() * self.normal();
        }
        at
    }
}

#[test]
fn rates_are_those_of_simulated_cells() {
    let old = Age { cycles: 10_000.0, retention_hours: 8760.0 };
    let young = Age { cycles: 2_000.0, retention_hours: 100.0 };
    let plain = CellConfig::default();
    let mut three_bits = plain.clone();
    three_bits.voltage.verify_v = vec![1.9, 2.3, 2.7, 3.1, 3.5, 3.9, 4.3];
    three_bits.voltage.program_noise_v = 0.03;
    three_bits.voltage.erased_sigma_v = 0.2;
    let cases = [(&plain, 0.3, old), (&plain, 0.45, young), (&three_bits, 0.15, young)];
    for (number, (config, step_v, age)) in cases.into_iter().enumerate() {
        let rber = Cells::new(config, step_v).unwrap().rber(age).unwrap();
        let rng = Xoshiro256PlusPlus::seed_from_u64(number as u64);
        let mut sampler = Sampler { config, step_v, age, rng };
        let (levels, cells) = (config.voltage.verify_v.len() + 1, 400_000);
        let gray = |level: usize| level ^ level >> 1;
        let mut wrong = vec![0u32; rber.pages.len()];
        for _ in 0..cells {
            let level = (sampler.rng.next_u64() % levels as u64) as usize;
            let voltage = sampler.read(level);
            let read = rber.references_v.iter().filter(|&&v| voltage > v).count();
            for (bit, wrong) in wrong.iter_mut().enumerate() {
                *wrong += u32::from((gray(level) ^ gray(read)) >> bit & 1 == 1);
            }
        }
        for (bit, (&wrong, &rate)) in wrong.iter().zip(&rber.pages).enumerate() {
            let (expected, cells) = (rate * f64::from(cells), f64::from(cells));
            let sigma = (cells * rate * (1.0 - rate)).sqrt();
            assert!(expected > 100.0, "case {number}, bit {bit}: too few errors to compare, {expected}");
            let off = (f64::from(wrong) - expected) / sigma;
            assert!(
                off.abs() < 4.5,
                "case {number}, bit {bit}: {wrong} wrong, {expected:.1} expected, {off:.1} sigma"
            );
        }
    }
}

/// No noise of any kind, not even of the erased level.
fn noiseless() -> CellConfig {
    let mut config = CellConfig::default();
    config.voltage.erased_sigma_v = 0.0;
    config.telegraph.scale_v = 0.0;
    config.retention.charge = 0.0;
    config.interference.strength = 0.0;
    config
}

#[test]
fn without_noise_only_overlapping_steps_make_errors() {
    let config = noiseless();
    let age = Age { cycles: 1e5, retention_hours: 1e5 };
    let rber = |step_v| Cells::new(&config, step_v).unwrap().rber(age).unwrap();
    let tight = rber(0.55);
    assert_eq!(tight.pages, [0.0, 0.0]);
    assert!((rber(0.3).references_v[1] - 3.0).abs() < 0.08, "the middle of the gap from 2.85 to 3.15");
    // A step of 0.9 V reaches 0.3 V into the next level: wherever the reference stands in the
    // overlap, 1/3 of one of the two levels is misread; the lower page reads one boundary, the
    // upper one the other (levels 0 and 1 are far apart).
    let wide = rber(0.9);
    for rate in wide.pages {
        assert!((rate - 0.25 / 3.0).abs() < 1e-9, "{rate}");
    }
}

#[test]
fn gaussian_cells_have_the_textbook_rate() {
    // Two levels without steps to speak of: half the errors of each at the middle, Q(d / 2 sigma).
    let mut config = noiseless();
    config.voltage.verify_v = vec![2.1];
    config.voltage.erased_sigma_v = 0.25;
    config.voltage.program_noise_v = 0.25;
    let cells = Cells::new(&config, 1e-4).unwrap();
    let rate = cells.rber(Age { cycles: 0.0, retention_hours: 0.0 }).unwrap().pages[0];
    let q2 = 0.5 * libm::erfc(2.0 / std::f64::consts::SQRT_2);
    assert!((rate / q2 - 1.0).abs() < 1e-3, "{rate:e} {q2:e}");
}

#[test]
fn fixed_references_are_never_better() {
    let tracked = CellConfig::default();
    let mut fixed = tracked.clone();
    fixed.references = References::Fixed;
    for (cycles, retention_hours) in [(0.0, 0.0), (1e3, 10.0), (3e3, 8760.0), (2e4, 24.0)] {
        let age = Age { cycles, retention_hours };
        let rate = |config| Cells::new(config, 0.15).unwrap().rber(age).unwrap();
        let (tracked, fixed) = (rate(&tracked), rate(&fixed));
        assert!(tracked.mean <= fixed.mean * (1.0 + 1e-3), "{age:?}: {} {}", tracked.mean, fixed.mean);
        if cycles == 0.0 {
            assert_eq!(tracked.references_v, fixed.references_v);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Older and longer kept is worse; a coarser step is worse where the erased level, which a
    /// coarser step leaves farther behind, has no part in it.
    #[test]
    fn rates_grow(step_v in 0.05..0.4f64, cycles in 0.0..2e4f64, hours in 0.0..2e4f64, more in 1.05..2.0f64) {
        let mut config = CellConfig::default();
        let rber = |config: &CellConfig, step_v, cycles, retention_hours| {
            Cells::new(config, step_v).unwrap().rber(Age { cycles, retention_hours }).unwrap().mean
        };
        let here = rber(&config, step_v, cycles, hours);
        prop_assert!(rber(&config, step_v, cycles * more, hours) >= here * (1.0 - 1e-6));
        prop_assert!(rber(&config, step_v, cycles, hours * more) >= here * (1.0 - 1e-6));
        config.voltage.erased_sigma_v = 0.02;
        let narrow = rber(&config, step_v, cycles, hours);
        prop_assert!(rber(&config, step_v * more, cycles, hours) >= narrow * (1.0 - 1e-6));
    }
}

#[test]
fn the_life_of_a_block_ends_where_its_rate_meets_the_limit() {
    let config = CellConfig::default();
    let cells = Cells::new(&config, 0.15).unwrap();
    let limit = EccLimits::new(&config.ecc).unwrap().bch.rber;
    let life = cells.cycles_until(limit, 8760.0).unwrap();
    let at = |cycles| cells.rber(Age { cycles, retention_hours: 8760.0 }).unwrap().worst;
    assert!(at(life) <= limit && at(life * 1.001) > limit, "{life}");
    assert_eq!(cells.cycles_until(0.0, 8760.0).unwrap(), 0.0);
    assert_eq!(cells.cycles_until(1.0, 8760.0).unwrap(), 1e6);
}

#[test]
fn a_doubled_step_is_read_by_ldpc_where_bch_fails() {
    let config = CellConfig::default();
    let limits = EccLimits::new(&config.ecc).unwrap();
    assert!(limits.ldpc.is_sorted_by(|a, b| a.references < b.references && a.rber < b.rber), "{limits:?}");
    assert!(limits.bch.rber < limits.ldpc[0].rber);
    let doubled = Cells::new(&config, 2.0 * config.voltage.step_v).unwrap();
    let bch = doubled.cycles_until(limits.bch.rber, 8760.0).unwrap();
    let soft = doubled.cycles_until(limits.most_ldpc(), 8760.0).unwrap();
    assert!(bch > 0.0 && soft > 2.0 * bch, "{bch} {soft}");
}

#[test]
fn table_one_of_the_paper_comes_out() {
    let config = CellConfig::default();
    let modes = derived_modes(&config, 3000.0, 8760.0).unwrap();
    let times: Vec<_> = modes.iter().map(|m| (m.kind.name, m.program_ns, m.references, m.read_ns)).collect();
    assert_eq!(
        times,
        [
            ("normal", 1_300_000, Some(1), Some(45_000)),
            ("high", 2_600_000, Some(1), Some(75_000)),
            ("medium", 1_300_000, Some(1), Some(75_000)),
            ("low", 650_000, Some(3), Some(145_000)),
        ]
    );
    let worn = derived_modes(&config, 1e5, 8760.0).unwrap();
    assert!(worn.iter().all(|mode| mode.references.is_none() && mode.read_ns.is_none()));
}

#[test]
fn second_writes_end_before_the_block() {
    let config = CellConfig::default();
    let life = second_write_ends_at_cycles(&config, 0.15, 8760.0).unwrap();
    assert!(life.first_write_rber < life.spare_rber);
    assert!(life.end_cycles > 0.0 && life.end_cycles < life.life_cycles);
    assert!((life.share - life.end_cycles / life.life_cycles).abs() < 1e-12);
}

#[test]
fn what_ages_a_cell_decides_how_extended_cycles_compare() {
    let config = CellConfig::default();
    let age = Age { cycles: 9000.0, retention_hours: 0.0 };
    // One program leaves random data: nothing differs from a plain cycle.
    let once = extended_cycles(&config, 0.15, 1, age).unwrap();
    for aged in [once.aged_by_erases, once.aged_by_charge, once.aged_by_programs] {
        assert!((aged / once.plain - 1.0).abs() < 1e-9);
    }
    let eight = extended_cycles(&config, 0.15, 8, age).unwrap();
    assert!(eight.charge_ratio > 1.0 && eight.charge_ratio < 2.0);
    assert!(eight.aged_by_erases < eight.aged_by_charge && eight.aged_by_charge < eight.aged_by_programs);
    let mut tlc = config.clone();
    tlc.voltage.verify_v = vec![2.0, 2.3, 2.6, 2.9, 3.2, 3.5, 3.8];
    assert_eq!(extended_cycles(&tlc, 0.05, 8, age).unwrap_err().key, "voltage.verify_v");
    assert_eq!(extended_cycles(&config, 0.15, 0, age).unwrap_err().key, "programs");
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    let refused = |change: fn(&mut CellConfig), key: &str| {
        let mut config = CellConfig::default();
        change(&mut config);
        let error = derived_modes(&config, 10.0, 1.0).unwrap_err();
        assert_eq!(error.key, key, "{error}");
    };
    refused(|c| c.voltage.verify_v = vec![2.0, 3.0], "voltage.verify_v");
    refused(|c| c.voltage.verify_v = vec![2.0, 2.0, 3.0], "voltage.verify_v");
    refused(|c| c.voltage.step_v = 0.0, "voltage.step_v");
    refused(|c| c.voltage.erased_sigma_v = f64::NAN, "voltage.erased_sigma_v");
    refused(|c| c.retention.charge = -0.1, "retention.charge");
    refused(|c| c.interference.strength = -0.1, "interference.strength");
    refused(|c| c.ecc.parity_bytes = 100, "ecc.parity_bytes");
    let config = CellConfig::default();
    assert_eq!(derived_modes(&config, -1.0, 1.0).unwrap_err().key, "cycles");
    assert_eq!(derived_modes(&config, 1.0, f64::NAN).unwrap_err().key, "retention_hours");
}

/// Mutual information in bits of a bit and a bin; `joint` has the probabilities of the bins for each
/// value of the bit.
fn information(joint: &[Vec<f64>; 2]) -> f64 {
    let sums = joint.each_ref().map(|row| row.iter().sum::<f64>());
    let whole: f64 = sums.iter().sum();
    let mut found = 0.0;
    for (bin, (zero, one)) in joint[0].iter().zip(&joint[1]).enumerate() {
        for (row, sum) in joint.iter().zip(sums) {
            if row[bin] > 0.0 {
                found += row[bin] / whole * (row[bin] * whole / (sum * (zero + one))).log2();
            }
        }
    }
    found
}

/// Information of a page's soft read on its bits, at the best distance of the references.
#[allow(clippy::unwrap_used)]
fn soft_read(cells: &Cells<'_>, age: Age, page: usize, pairs: i32) -> f64 {
    let edges: Vec<f64> = (0..=8000).map(|i| f64::from(i) * 1e-3 - 1.5).collect();
    let shares = cells.histogram(age, &edges).unwrap();
    let bits: Vec<usize> = (0..4).map(|level: usize| (level ^ level >> 1) >> page & 1).collect();
    let references = cells.rber(age).unwrap().references_v;
    let boundaries = (0..3).filter(|&at| bits[at] != bits[at + 1]).map(|at| references[at]);
    let at_distance = |distance: f64| {
        let mut placed: Vec<f64> = boundaries
            .clone()
            .flat_map(|at| (-pairs..=pairs).map(move |k| at + f64::from(k) * distance))
            .collect();
        placed.sort_by(f64::total_cmp);
        let mut joint = [vec![0.0; placed.len() + 1], vec![0.0; placed.len() + 1]];
        for (bit, level) in bits.iter().zip(&shares) {
            for (middle, share) in edges.windows(2).map(|pair| 0.5 * (pair[0] + pair[1])).zip(level) {
                joint[*bit][placed.partition_point(|reference| *reference < middle)] += share;
            }
        }
        information(&joint)
    };
    (0..19).map(|step| at_distance(0.01 + 0.005 * f64::from(step))).fold(0.0, f64::max)
}

/// The LDPC limits were measured on a Gaussian channel; here is why they may be used for these cells.
#[test]
fn soft_reads_tell_as_much_as_those_of_the_gaussian_channel() {
    let config = CellConfig::default();
    for (step_v, cycles) in [(0.3, 3000.0), (0.15, 9500.0)] {
        let cells = Cells::new(&config, step_v).unwrap();
        let age = Age { cycles, retention_hours: 8760.0 };
        for (page, pairs) in [(0, 1), (0, 3), (1, 1), (1, 3)] {
            let rate = cells.rber(age).unwrap().pages[page];
            let sensing = Sensing::new(rate, pairs as usize).unwrap();
            let zero = sensing.probabilities().to_vec();
            let one = zero.iter().rev().copied().collect();
            let missing = 1.0 - information(&[zero, one]);
            let ratio = (1.0 - soft_read(&cells, age, page, pairs)) / missing;
            assert!((0.85..1.03).contains(&ratio), "{step_v} V, page {page}, {pairs} pairs: {ratio}");
        }
    }
}
