//! The measured tables, from seeds of their own, against the values they are known to have.

use rewear_codes::CodeError;
use rewear_codes::measure::{Proportion, Reading, measure_retries, measure_table_2_row, measure_wom_v_code};
use rewear_codes::wom_v::Code;

/// A watch that lets everything finish.
fn unwatched(_: u64, _: u64) -> bool {
    true
}

/// Whether a measured share is compatible with a known one that was itself measured on thousands of
/// pages.
fn agrees(found: Proportion, known: f64) -> bool {
    let slack = 0.012;
    found.low - slack <= known && known <= found.high + slack
}

#[test]
fn table_2_with_clean_spare_cells_is_nearly_the_papers() {
    for (storage, one, dither, rotation) in [
        (206.0, 0.003, 0.005, 0.005),
        (208.0, 0.26, 0.38, 0.45),
        (210.0, 0.791, 0.877, 0.956),
        (211.6, 0.951, 0.974, 0.9976),
        (214.0, 0.996, 0.998, 1.0),
    ] {
        let row =
            measure_table_2_row(Reading::CleanSpare, storage, 1 << 16, 1200, 101, &mut unwatched).unwrap();
        assert!(agrees(row.one_attempt, one), "{row:?}");
        assert!(agrees(row.with_dither, dither), "{row:?}");
        assert!(agrees(row.with_rotation, rotation), "{row:?}");
    }
}

#[test]
fn a_code_twice_as_long_meets_the_papers_success_rate_at_210_percent() {
    let row = measure_table_2_row(Reading::CleanSpare, 210.0, 1 << 17, 800, 102, &mut unwatched).unwrap();
    assert!(agrees(row.one_attempt, 0.955), "{row:?}");
}

#[test]
fn one_rotation_at_210_percent_succeeds_19_times_in_20() {
    let row = measure_table_2_row(Reading::CleanSpare, 210.0, 1 << 16, 4000, 103, &mut unwatched).unwrap();
    assert!(row.with_rotation.rate >= 0.95 && row.with_rotation.low > 0.94, "{row:?}");
}

#[test]
fn if_all_cells_are_programmed_95_percent_takes_227_percent_of_storage() {
    let row = measure_table_2_row(Reading::AllProgrammed, 227.0, 1 << 16, 800, 106, &mut unwatched).unwrap();
    assert!((row.one_attempt.rate - 0.95).abs() < 0.04, "{row:?}");
}

#[test]
fn a_new_dither_fails_together_with_the_first_attempt_and_a_rotation_does_not() {
    let row = measure_retries(211.6, 6000, 107, &mut unwatched).unwrap();
    assert!(agrees(row.first, 0.951), "{row:?}");
    assert!(row.dither_after_failure.contains(0.48), "{row:?}");
    assert!(row.rotation_after_failure.contains(row.first.rate), "{row:?}");
    assert!(row.with_rotation.contains(row.independent), "{row:?}");
}

#[test]
fn real_wom_v_pages_take_the_writes_the_chain_predicts() {
    for ((k, n), seed) in [(3, 4), (2, 4), (1, 4), (4, 5), (3, 5), (2, 5), (1, 5)].into_iter().zip(108..) {
        let row = measure_wom_v_code(Code::new(k, n).unwrap(), 24, seed, &mut unwatched).unwrap();
        for writes in [row.pre_check, row.post_check, row.without_ecc] {
            let slack = 1.6 * writes.measured.half_width + 0.05;
            assert!((writes.measured.mean - writes.exact).abs() <= slack, "{row:?}");
        }
        assert!(row.invalid_share_at_crossing.mean > 0.03);
    }
}

#[test]
fn a_watch_ends_a_measurement_and_does_not_change_one() {
    let whole = measure_retries(210.0, 80, 108, &mut unwatched).unwrap();
    let mut seen = Vec::new();
    let watched = measure_retries(210.0, 80, 108, &mut |done, all| {
        seen.push(done);
        all == 80
    });
    assert_eq!(watched.unwrap(), whole);
    assert!(seen[0] == 0 && seen.is_sorted() && seen.len() >= 5, "{seen:?}");
    let interrupted = |error| matches!(error, CodeError::Interrupted { done } if (8..=16).contains(&done));
    let mut stop = |done, _| done < 8;
    assert!(measure_retries(210.0, 40, 108, &mut stop).is_err_and(interrupted));
    let row = measure_table_2_row(Reading::CleanSpare, 210.0, 1 << 16, 40, 1, &mut stop);
    assert!(row.is_err_and(interrupted));
    let pages = measure_wom_v_code(Code::new(1, 2).unwrap(), 40, 1, &mut stop);
    assert!(pages.is_err_and(interrupted));
}
