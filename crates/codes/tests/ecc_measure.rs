//! Measured frame error rates against closed forms, and the order of the codes.

use rewear_codes::bch::Bch;
use rewear_codes::ecc_error::EccError;
use rewear_codes::ecc_limits::{BchLimit, USUAL_UBER, ln_binomial_tail};
use rewear_codes::ecc_measure::{LdpcDecoder, Trials, measure_bch, measure_ldpc};
use rewear_codes::ldpc::{Ldpc, MinSum};

/// A watch that lets everything finish.
fn unwatched(_: u64, _: u64) -> bool {
    true
}

#[test]
fn measured_bch_frame_errors_follow_the_binomial_tail() {
    // Five points of 400 frames: the 95% interval may miss once by chance, twice with probability
    // 2%; the seeds are fixed.
    let code = Bch::new(1024, 14).unwrap();
    let mut missed = 0;
    for (seed, rber) in [(1, 1.0e-3), (2, 1.4e-3), (3, 1.7e-3), (4, 2.0e-3), (5, 2.6e-3)] {
        let measured = measure_bch(&code, rber, Trials { frames: 400, seed }, &mut unwatched).unwrap();
        let exact = ln_binomial_tail(code.codeword_bits() as u64, rber, 14).exp();
        println!(
            "RBER {rber}: measured {:.4} [{:.4}, {:.4}], exact {exact:.4}",
            measured.frame_error_rate, measured.low, measured.high
        );
        missed += u32::from(!(measured.low..=measured.high).contains(&exact));
        assert_eq!(measured.miscorrected, 0);
    }
    assert!(missed <= 1, "{missed} of 5 intervals miss the exact value");
}

#[test]
fn ldpc_corrects_what_bch_of_the_same_rate_does_not() {
    // 9.4% parity: t = 192 in 384 bytes. A coarser program step multiplies the RBER; soft reads
    // take it.
    let (bch, ldpc) = (Bch::new(4096, 192).unwrap(), Ldpc::new(4096, 384).unwrap());
    assert!(bch.parity_bytes() <= ldpc.parity_bytes());
    let rules = MinSum::default();
    let trials = Trials { frames: 60, seed: 9 };
    let coarse = 1.0e-2;
    assert_eq!(measure_bch(&bch, coarse, trials, &mut unwatched).unwrap().frame_errors, 60);
    for extra_pairs in 1..=3 {
        let decoder = LdpcDecoder::Soft { extra_pairs, rules };
        assert_eq!(measure_ldpc(&ldpc, &decoder, coarse, trials, &mut unwatched).unwrap().frame_errors, 0);
    }
    // At the limit of BCH the LDPC code holds with one reference, too.
    let fine = BchLimit::of(&bch, USUAL_UBER).unwrap().rber;
    assert_eq!(
        measure_ldpc(&ldpc, &LdpcDecoder::Hard(rules), 0.9 * fine, trials, &mut unwatched)
            .unwrap()
            .frame_errors,
        0
    );
}

#[test]
fn more_references_need_fewer_rounds() {
    let code = Ldpc::new(4096, 448).unwrap();
    let rules = MinSum::default();
    let trials = Trials { frames: 40, seed: 10 };
    let decoders = std::iter::once(LdpcDecoder::Hard(rules))
        .chain((1..=3).map(|extra_pairs| LdpcDecoder::Soft { extra_pairs, rules }));
    let rounds: Vec<f64> = decoders
        .map(|decoder| measure_ldpc(&code, &decoder, 4e-3, trials, &mut unwatched).unwrap().mean_iterations)
        .collect();
    // From the second pair on the gain is of the order of the sampling error at this rate.
    assert!(
        rounds[0] > rounds[1] + 1.0 && rounds[1..].windows(2).all(|pair| pair[1] < pair[0] + 0.2),
        "{rounds:?}"
    );
}

#[test]
fn the_same_seed_gives_the_same_report() {
    let code = Ldpc::new(1024, 96).unwrap();
    let decoder = LdpcDecoder::Hard(MinSum::default());
    let report = |seed| {
        let measured =
            measure_ldpc(&code, &decoder, 6e-3, Trials { frames: 30, seed }, &mut unwatched).unwrap();
        serde_json::to_string(&measured).unwrap()
    };
    assert_eq!(report(4), report(4));
    assert_ne!(report(4), report(5));
}

#[test]
fn impossible_rates_are_errors() {
    let (bch, ldpc) = (Bch::new(512, 4).unwrap(), Ldpc::new(512, 64).unwrap());
    let trials = Trials { frames: 1, seed: 1 };
    for rber in [0.0, 0.5, -0.1, f64::NAN] {
        assert!(measure_bch(&bch, rber, trials, &mut unwatched).is_err());
        assert!(
            measure_ldpc(&ldpc, &LdpcDecoder::Hard(MinSum::default()), rber, trials, &mut unwatched).is_err()
        );
    }
    assert!(measure_bch(&Bch::with_data_bits(7, 2).unwrap(), 0.1, trials, &mut unwatched).is_err());
    let soft = LdpcDecoder::Soft { extra_pairs: 99, rules: MinSum::default() };
    assert!(measure_ldpc(&ldpc, &soft, 0.01, trials, &mut unwatched).is_err());
}

#[test]
fn a_watch_ends_a_measurement_and_does_not_change_one() {
    let ldpc = Ldpc::new(512, 64).unwrap();
    let decoder = LdpcDecoder::Hard(MinSum::default());
    let trials = Trials { frames: 40, seed: 3 };
    let mut seen = Vec::new();
    let watched = measure_ldpc(&ldpc, &decoder, 1e-2, trials, &mut |done, all| {
        seen.push((done, all));
        true
    });
    assert_eq!(watched, measure_ldpc(&ldpc, &decoder, 1e-2, trials, &mut unwatched));
    assert_eq!(seen, (0..40).map(|done| (done, 40)).collect::<Vec<_>>());
    let ended = measure_ldpc(&ldpc, &decoder, 1e-2, trials, &mut |done, _| done < 7);
    assert_eq!(ended, Err(EccError::Interrupted { done: 7 }));
    let bch = Bch::new(512, 8).unwrap();
    let ended = measure_bch(&bch, 1e-2, trials, &mut |done, _| done < 7);
    assert_eq!(ended, Err(EccError::Interrupted { done: 7 }));
}
