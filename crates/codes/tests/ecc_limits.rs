//! What BCH codes correct, from the tail of the binomial distribution.

use rewear_codes::bch::Bch;
use rewear_codes::ecc_limits::{BchLimit, USUAL_UBER, largest_t, ln_binomial_tail, rber_at_uber};

/// The chance of `i` successes, from factors.
fn binomial_term(n: u64, p: f64, i: u64) -> f64 {
    let ways: f64 = (1..=i).map(|k| (n - i + k) as f64 / k as f64).product();
    ways * p.powi(i as i32) * (1.0 - p).powi((n - i) as i32)
}

#[test]
fn tail_matches_direct_sums() {
    // 10 trials of 1/2: P(X > 7) = (45 + 10 + 1) / 1024; and one trial.
    assert!((ln_binomial_tail(10, 0.5, 7) - f64::ln(56.0 / 1024.0)).abs() < 1e-13);
    assert!((ln_binomial_tail(1, 0.3, 0) - f64::ln(0.3)).abs() < 1e-13);
    for (n, p) in [(30u64, 0.01), (40, 0.4), (64, 0.9)] {
        for t in 0..n {
            let direct: f64 = (t + 1..=n).map(|i| binomial_term(n, p, i)).sum();
            assert!((ln_binomial_tail(n, p, t) - f64::ln(direct)).abs() < 1e-9, "n={n} p={p} t={t}");
        }
    }
    assert_eq!(ln_binomial_tail(10, 0.5, 10), f64::NEG_INFINITY);
    assert_eq!(ln_binomial_tail(10, 1.0, 9), 0.0);
}

#[test]
fn tail_stays_finite_far_out() {
    let tiny = ln_binomial_tail(33_584, 1e-9, 51);
    assert!(tiny.is_finite() && tiny < -600.0, "{tiny}");
    // Nearly certain: ln of almost 1.
    assert!(ln_binomial_tail(33_584, 0.1, 51).abs() < 1e-9);
}

#[test]
fn limits_of_usual_codes() {
    let table = [
        (4096, 0.025, 51, 5.3e-4),
        (4096, 0.04, 81, 1.06e-3),
        (4096, 0.065, 133, 2.06e-3),
        (4096, 0.09, 184, 3.07e-3),
        (1024, 0.025, 14, 1.5e-4),
        (1024, 0.04, 23, 4.7e-4),
        (1024, 0.09, 52, 2.0e-3),
    ];
    for (data_bytes, fraction, t, rber) in table {
        assert_eq!(largest_t(data_bytes, fraction).unwrap(), t);
        let limit = BchLimit::of(&Bch::new(data_bytes, t).unwrap(), USUAL_UBER).unwrap();
        println!("{data_bytes} B, t = {t}, {:.2}% parity: RBER {:.4e}", limit.parity_percent, limit.rber);
        assert!((limit.rber / rber - 1.0).abs() < 0.013, "{data_bytes} B, t = {t}: {}", limit.rber);
        let back = ln_binomial_tail(limit.codeword_bits as u64, limit.rber, t as u64);
        assert!((f64::exp(back) / (8 * data_bytes) as f64 / USUAL_UBER - 1.0).abs() < 1e-6);
    }
}

#[test]
fn impossible_demands_are_errors() {
    assert!(rber_at_uber(8192, 9000, 10, 0.0).is_err());
    assert!(rber_at_uber(8192, 9000, 10, 0.5).is_err());
    assert!(rber_at_uber(8192, 8000, 10, 1e-15).is_err());
    assert!(largest_t(4096, -0.1).is_err() && largest_t(4096, f64::NAN).is_err());
    assert!(largest_t(8192, 0.1).is_err() && largest_t(512, 0.0).is_err());
}
