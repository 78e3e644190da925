//! The known future against replays of the same workload on the same flash.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::common::{drive, run, source};
use rewear_sim::bound::{Bound, bound};
use rewear_sim::options::{PreconditionKind, WarmUp};
use rewear_sim::{ReplayOptions, SimError};

fn known(
    settings: &[(&str, &str)],
    spec: &str,
    options: &ReplayOptions,
    open: &[u32],
) -> Result<Bound, SimError> {
    let drive = drive(settings);
    bound(&drive, &mut *source(&drive, spec), options, open, &mut |_| true)
}

fn filled(warm_up: u64) -> ReplayOptions {
    ReplayOptions {
        precondition: PreconditionKind::Fill,
        warm_up: WarmUp::Requests(warm_up),
        ..ReplayOptions::default()
    }
}

#[test]
fn no_policy_moves_less_than_is_possible() {
    for spec in [
        "uniform:requests=60000",
        "hot-cold:hot=0.05,hits=0.95,requests=60000",
        "zipf:theta=1,requests=60000",
    ] {
        let found = known(&[], spec, &filled(20_000), &[]).unwrap();
        assert_eq!(found.host_pages_written, 40_000);
        let policies: [&[(&str, &str)]; 3] = [
            &[],
            &[("ftl.victim.scheme", "cost-benefit"), ("ftl.moved_pages", "apart")],
            &[("ftl.streams.scheme", "sep-bit")],
        ];
        for policy in policies {
            let report = run(&drive(policy), spec, &filled(20_000));
            let moved = report.pages_programmed.moved as f64 / 40_000.0;
            assert!(1.0 + moved > found.possible, "{spec} {policy:?}: {moved} {}", found.possible);
        }
    }
}

#[test]
fn what_is_proven_holds_for_what_is_possible() {
    let spec = "uniform:requests=100000";
    let roomy = [("ftl.over_provisioning", "0.5"), ("flash.blocks_per_plane", "256")];
    let found = known(&roomy, spec, &filled(0), &[4, 32, 64]).unwrap();
    assert_eq!(found.placements.iter().map(|placed| placed.open_units).collect::<Vec<_>>(), [4, 32, 64]);
    let proven = found.proven.unwrap();
    assert!(found.possible <= proven && proven < 1.2, "{found:?}");
    // With a third of the flash to spare a few open units are enough.
    assert!(found.possible < 1.01, "{found:?}");
}

#[test]
fn writes_in_order_move_nothing() {
    let found = known(&[], "sequential:requests=60000", &filled(0), &[1]).unwrap();
    assert_eq!((found.possible, found.placements[0].pages_moved), (1.0, 0));
    assert_eq!(found.most_pages_held, found.exported_pages);
    assert_eq!(found.exported_pages, 13_107);
}

#[test]
fn what_has_no_known_future_is_refused() {
    let spec = "uniform:requests=1000";
    let refused =
        |options: &ReplayOptions, open: &[u32]| known(&[], spec, options, open).unwrap_err().to_string();
    let steady = ReplayOptions { precondition: PreconditionKind::Steady, ..ReplayOptions::default() };
    assert!(refused(&steady, &[]).contains("give none or fill"));
    assert!(refused(&filled(1000), &[]).contains("writes nothing after the warm-up"));
    // 256 units, of which the exported pages fill 205.
    assert!(refused(&filled(0), &[50]).contains("has room for 1 to 49"), "{}", refused(&filled(0), &[50]));
    assert!(refused(&filled(0), &[0]).contains("1 to 49"));
    let reads = known(&[], "uniform:requests=1000,read=1", &filled(0), &[]);
    assert!(reads.unwrap_err().to_string().contains("writes nothing"));
}
