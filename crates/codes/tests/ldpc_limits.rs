//! What LDPC codes correct, and the radii that were measured.

use rewear_codes::bch::Bch;
use rewear_codes::ecc_limits::{BchLimit, USUAL_UBER};
use rewear_codes::ecc_measure::{LdpcDecoder, Trials, measure_ldpc};
use rewear_codes::ldpc::{Ldpc, MinSum};
use rewear_codes::ldpc_limits::{LdpcRadius, MEASURED, Waterfall, measured_radii};

#[test]
fn a_radius_without_spread_is_a_bch_code() {
    let code = Bch::new(4096, 192).unwrap();
    let limit = BchLimit::of(&code, USUAL_UBER).unwrap().rber;
    let radius = LdpcRadius { t: 192.0, spread: 0.0, ..MEASURED[4] };
    // The BCH code's parity is 8 bits shorter than 384 bytes.
    let found = radius.rber_at_uber(USUAL_UBER).unwrap();
    assert!((found / limit - 1.0).abs() < 3e-4, "{found:e} {limit:e}");
    assert!(LdpcRadius { spread: 5.0, ..radius }.rber_at_uber(USUAL_UBER).unwrap() < limit);
    assert!(radius.rber_at_uber(0.0).is_err() && radius.rber_at_uber(1.0).is_err());
}

#[test]
fn fitting_finds_the_radius_that_made_the_points() {
    let truth = LdpcRadius { t: 240.0, spread: 8.0, ..MEASURED[4] };
    let points: Vec<Waterfall> = [5.2e-3, 5.6e-3, 6.0e-3, 6.4e-3, 6.8e-3]
        .map(|rber| {
            let frames = 10_000_000;
            let failed = (f64::from(frames) * truth.frame_error_rate(rber)).round() as u32;
            Waterfall { rber, frames, failed }
        })
        .to_vec();
    let fitted = LdpcRadius { t: 225.0, spread: 5.0, ..truth }.fitted(&points);
    assert!((fitted.t - 240.0).abs() < 0.1 && (fitted.spread - 8.0).abs() < 0.1, "{fitted:?}");
}

#[test]
fn the_table_is_what_the_decoder_does() {
    for radius in MEASURED.iter().filter(|radius| radius.parity_bytes == 384) {
        let code = Ldpc::new(radius.data_bytes, radius.parity_bytes).unwrap();
        let decoder = match radius.references {
            1 => LdpcDecoder::Hard(MinSum::default()),
            n => LdpcDecoder::Soft { extra_pairs: n / 2, rules: MinSum::default() },
        };
        // Where half the frames fail; another seed than the table's.
        let rber = radius.t / radius.codeword_bits() as f64;
        let measured =
            measure_ldpc(&code, &decoder, rber, Trials { frames: 400, seed: 99 }, &mut |_, _| true).unwrap();
        let expected = radius.frame_error_rate(rber);
        let (low, high) = (measured.low - 0.06, measured.high + 0.06);
        assert!((low..high).contains(&expected), "{radius:?}: {expected} {measured:?}");
    }
}

#[test]
fn more_references_and_more_parity_stand_more() {
    for parity_bytes in [256, 384, 1024] {
        let limits: Vec<f64> =
            measured_radii(4096, parity_bytes).map(|r| r.rber_at_uber(USUAL_UBER).unwrap()).collect();
        assert!(limits.len() == 4 && limits.is_sorted_by(|a, b| a < b), "{limits:?}");
    }
    assert_eq!(measured_radii(4096, 300).count(), 0);
}
