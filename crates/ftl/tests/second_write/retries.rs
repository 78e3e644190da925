//! Failed encodings, and what a second write takes of time.

use super::*;

/// Section 5.6: one attempt fails with probability 1 - P, one with a retry with (1 - P)^2.
#[test]
fn a_retry_squares_the_probability_of_failure() {
    for (retry, fidelity, expected) in [
        (Retry::Nothing, Fidelity::Table, 0.25),
        (Retry::SamePages, Fidelity::Table, 0.0625),
        (Retry::OtherPages, Fidelity::Table, 0.0625),
        // The code at this storage: 79% in one attempt, 95.6% with a rotation
        // (docs/notebook/codes.md).
        (Retry::Nothing, Fidelity::Mask, 0.21),
        (Retry::SamePages, Fidelity::Mask, 0.044),
    ] {
        let scheme = SecondWriteConfig {
            success_probability: Some(0.75),
            storage_percent: 210.0,
            retry,
            fidelity,
            pair_failures: 1,
            ..SecondWriteConfig::default()
        };
        let (_, counters) = rewrite(&drive(ReuseConfig::SecondWrite(scheme), 0.5), 320, 60_000);
        let tried = counters.second_writes + counters.second_write_fallbacks;
        let failed = counters.second_write_fallbacks as f64 / tried as f64;
        assert!(tried > 10_000);
        assert!((failed - expected).abs() < 0.012, "{retry:?} {fidelity:?}: {failed}, not {expected}");
    }
}

/// A pair of pages on which a write failed is kept for the next ones, so failures cost hardly any
/// second writes.
#[test]
fn pages_are_kept_for_writes_that_succeed_on_them() {
    let written = |pair_failures: u32| {
        let scheme = SecondWriteConfig {
            success_probability: Some(0.5),
            retry: Retry::Nothing,
            pair_failures,
            ..SecondWriteConfig::default()
        };
        let (_, counters) = rewrite(&drive(ReuseConfig::SecondWrite(scheme), 0.5), 320, 60_000);
        counters.second_writes as f64 / (counters.reopens * u64::from(PAGES_PER_BLOCK) / 2) as f64
    };
    assert!((written(1) - 0.5).abs() < 0.03, "half of the pages are passed over: {}", written(1));
    assert!((written(4) - 15.0 / 16.0).abs() < 0.03, "one in sixteen is: {}", written(4));
}

/// The response times of a second write that follows another one and finds an idle drive, and of
/// its read.
fn times(scheme: SecondWriteConfig) -> (u64, u64) {
    let (mut ftl, _) = rewrite(&drive(ReuseConfig::SecondWrite(scheme), 0.5), 320, 5_000);
    ftl.restart_clock();
    let (mut now, mut before) = (0, *ftl.counters());
    // The planes of a chip may take turns.
    let mut was_second = [false; 2];
    for write in 0..5_000 {
        now += 1_000_000;
        let took = ftl.write(now, Lpn(write % 320), HostWrite::WHOLE).unwrap() - now;
        let is_second = ftl.counters().second_writes > before.second_writes;
        if is_second
            && was_second.contains(&true)
            && ftl.counters().garbage_collections == before.garbage_collections
        {
            now += 1_000_000;
            return (took, ftl.read(now, Lpn(write % 320)).unwrap() - now);
        }
        (before, was_second) = (*ftl.counters(), [was_second[1], is_second]);
    }
    panic!("no second write");
}

#[test]
fn a_second_write_takes_what_the_paper_says() {
    // Prefetched, on both planes at once: like a first write, and read like one.
    assert_eq!(times(certain()), (PROGRAM_NS, READ_NS));
    assert_eq!(
        times(SecondWriteConfig { prefetch: PrefetchChoice::Off, ..certain() }),
        (READ_NS + PROGRAM_NS, READ_NS)
    );
    // On one plane everything comes twice.
    assert_eq!(
        times(SecondWriteConfig { prefetch: PrefetchChoice::AtOnce, ..certain() }),
        (PROGRAM_NS, READ_NS)
    );
    assert_eq!(times(SecondWriteConfig { parallel: false, ..certain() }), (2 * PROGRAM_NS, 2 * READ_NS));
    let neither = SecondWriteConfig { parallel: false, prefetch: PrefetchChoice::Off, ..certain() };
    assert_eq!(times(neither), (2 * READ_NS + 2 * PROGRAM_NS, 2 * READ_NS));
}
