//! What each policy is for, measured: what it gains, what it costs, and closed forms where there
//! are any.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::common::{drive, run};
use rewear_sim::options::PreconditionKind;
use rewear_sim::{ReplayOptions, Report};

/// One pool of so many blocks as to be near the limit of many.
const ONE_POOL: [(&str, &str); 4] = [
    ("flash.channels", "1"),
    ("flash.planes_per_die", "1"),
    ("flash.blocks_per_plane", "1024"),
    ("ftl.over_provisioning", "0.28"),
];

fn one_pool(overrides: &[(&str, &str)], workload: &str, precondition: PreconditionKind) -> Report {
    let overrides: Vec<_> = ONE_POOL.iter().chain(overrides).copied().collect();
    run(&drive(&overrides), workload, &ReplayOptions { precondition, ..ReplayOptions::default() })
}

/// Random cleaning (d = 1) takes a unit with the average share rho of valid pages, full ones included,
/// so each page freed costs 1 / (1 - rho) programs (Van Houdt, SIGMETRICS 2013). The draw knows
/// nothing of the pages, so this holds under skew, too.
#[test]
fn one_choice_is_random_cleaning_and_many_are_greedy() {
    let amplification = |overrides: &[(&str, &str)], workload| {
        let report = one_pool(overrides, workload, PreconditionKind::Steady);
        report.amplification.write_amplification.unwrap()
    };
    let uniform = "uniform:requests=600000";
    let choices =
        |d| amplification(&[("ftl.victim.scheme", "d-choices"), ("ftl.victim.choices", d)], uniform);
    // All but the reserved and half of the open unit are closed.
    let (exported_units, closed_units) = (1024.0 / 1.28, 1024.0 - 1.5);
    let closed_form = 1.0 / (1.0 - exported_units / closed_units);
    let (random, two, ten, greedy) = (choices("1"), choices("2"), choices("10"), amplification(&[], uniform));
    let one = [("ftl.victim.scheme", "d-choices"), ("ftl.victim.choices", "1")];
    let skewed = amplification(&one, "hot-cold:hot=0.2,hits=0.8,requests=600000");
    println!(
        "random {random:.3}, skewed {skewed:.3} (closed form {closed_form:.3}), two {two:.3}, ten {ten:.3}, greedy {greedy:.3}"
    );
    assert!((random / closed_form - 1.0).abs() < 0.015);
    assert!((skewed / closed_form - 1.0).abs() < 0.015);
    assert!(random > two && two > ten && ten > greedy * 0.999 && ten < greedy * 1.05);
}

/// A collector that leaves alone what has less than a share g of invalid pages never moves more than
/// (1 - g) / g pages for each of the host; where it always cleans it moves all of that. So W = 1 / g.
#[test]
fn cleaning_at_each_request_costs_what_its_rule_allows() {
    let rule = [("ftl.background.scheme", "each-request"), ("ftl.background.free_fraction", "0.4")];
    let report = one_pool(&rule, "uniform:requests=600000", PreconditionKind::Steady);
    // Greedy alone has 2.5 with as much spare space (28%), of which a third is kept free in vain.
    let eighth = report.amplification.write_amplification.unwrap();
    println!("an eighth {eighth:.3}");
    assert!((eighth / 8.0 - 1.0).abs() < 0.02);
}

/// A unit that the next write opens is spoken for, so a threshold as high as that of writes is enough:
/// greedy victims have an eighth of invalid pages, and no write cleans.
#[test]
fn cleaning_at_each_request_comes_before_a_write_opens_a_unit() {
    let rule = [
        ("ftl.background.scheme", "each-request"),
        ("ftl.background.free_fraction", "0.05"),
        ("ftl.gc_threshold", "0.05"),
        ("ftl.cleaning_step", "restore-eager"),
    ];
    let report = one_pool(&rule, "uniform:requests=300000", PreconditionKind::Steady);
    assert!(report.cleaning.garbage_collections > 0);
    assert_eq!(report.cleaning.idle_collections, report.cleaning.garbage_collections);
}

#[test]
fn cost_benefit_and_streams_lower_the_cost_of_skewed_writes() {
    let workload = "hot-cold:hot=0.1,hits=0.9,requests=600000";
    let amplification = |overrides: &[(&str, &str)]| {
        one_pool(overrides, workload, PreconditionKind::Steady).amplification.write_amplification.unwrap()
    };
    let greedy = amplification(&[]);
    let apart = amplification(&[("ftl.moved_pages", "apart")]);
    let cost_benefit = amplification(&[("ftl.moved_pages", "apart"), ("ftl.victim.scheme", "cost-benefit")]);
    let streams = amplification(&[("ftl.streams.scheme", "by-update-frequency")]);
    println!("greedy {greedy:.3}, apart {apart:.3}, cost-benefit {cost_benefit:.3}, streams {streams:.3}");
    assert!(apart < greedy * 0.95 && cost_benefit < greedy * 0.9 && streams < greedy * 0.9);
}

#[test]
fn static_levelling_narrows_the_spread_of_erases() {
    // Nine tenths of the pages are never written again.
    let workload = "hot-cold:hot=0.1,hits=1,scatter=false,requests=600000";
    let spread = |report: &Report| report.erases_per_block.max - report.erases_per_block.min;
    let plain = one_pool(&[], workload, PreconditionKind::Fill);
    assert!(plain.erases_per_block.min == 0 && plain.moves.pages_levelled == 0);
    let mut cost = Vec::new();
    for limit in ["4", "16"] {
        let overrides = [("ftl.wear_levelling.scheme", "static"), ("ftl.wear_levelling.spread", limit)];
        let level = one_pool(&overrides, workload, PreconditionKind::Fill);
        println!(
            "spread {} at {limit} (plain {}), levelled {} of {} host pages",
            spread(&level),
            spread(&plain),
            level.moves.pages_levelled,
            level.host.host_pages_written
        );
        // One more than the limit: a unit may be erased just before the next levelling.
        assert!(spread(&level) <= limit.parse::<u32>().unwrap() + 1);
        assert!(
            level.moves.pages_levelled > 0 && level.erases_per_block.stddev < plain.erases_per_block.stddev
        );
        cost.push(level.moves.pages_levelled);
    }
    assert!(cost[0] > cost[1], "a wider limit costs less");
    assert!(spread(&plain) > 30);
}

/// Every read compares all bytes; a loss would be an error of the replay.
#[test]
fn failures_lose_no_data_and_are_counted() {
    let overrides = [
        ("flash.medium", "stored"),
        ("flash.failures.factory_bad_fraction", "0.02"),
        ("flash.failures.program_failure_probability", "0.00003"),
        ("flash.failures.erase_failure_probability", "0.001"),
        ("ftl.over_provisioning", "0.4"),
    ];
    let options = ReplayOptions { precondition: PreconditionKind::Fill, ..ReplayOptions::default() };
    let report = run(&drive(&overrides), "zipf:theta=0.9,read=0.4,requests=60000", &options);
    assert!(report.failures.program_failures > 0 && report.failures.erase_failures > 0);
    assert!(
        u64::from(report.failures.bad_blocks)
            >= report.failures.program_failures + report.failures.erase_failures
    );
    // Bad blocks from the factory leave fewer units, never more than there are bad blocks where a
    // unit is a block.
    assert!(
        report.failures.retired_units >= report.failures.bad_blocks - 1,
        "at most one is still to be emptied"
    );
    let placed = report.host.host_pages_written + report.moves.pages_moved + report.failures.program_failures;
    assert_eq!(report.pages_programmed.total, placed);
    assert_eq!(report.cleaning.garbage_collections, report.cleaning.erases);
}

#[test]
fn a_superblock_loses_as_many_units_as_its_worst_plane_has_bad_blocks() {
    let bad = [("flash.failures.factory_bad_fraction", "0.05"), ("ftl.over_provisioning", "0.5")];
    let options = ReplayOptions::default();
    let single = run(&drive(&bad), "uniform:requests=1000", &options);
    let overrides: Vec<_> = bad.iter().chain(&[("ftl.erase_unit", "drive")]).copied().collect();
    let wide = run(&drive(&overrides), "uniform:requests=1000", &options);
    assert_eq!(single.failures.bad_blocks, wide.failures.bad_blocks, "the same seed");
    assert_eq!(single.failures.retired_units, single.failures.bad_blocks);
    assert!(
        wide.failures.retired_units * 4 >= single.failures.bad_blocks
            && wide.failures.retired_units < single.failures.bad_blocks
    );
}
