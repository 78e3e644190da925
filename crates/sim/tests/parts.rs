//! A replay in parts reports the same bytes as one in one piece, or refuses.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use proptest::sample::select;
use rewear_sim::options::{FitKind, PreconditionKind, Settled, WarmUp};
use rewear_sim::{Drive, ReplayOptions, SimError, replay, replay_in_parts};
use rewear_trace::{Batch, Description, Kind, Operation, Request, Source, TraceError};

use crate::common::SMALL;

/// Requests of a list.
#[derive(Debug)]
struct Listed {
    requests: Vec<Request>,
    next: usize,
}

impl Source for Listed {
    fn fill(&mut self, batch: &mut Batch) -> Result<usize, TraceError> {
        batch.clear();
        let rest = &self.requests[self.next..];
        let taken = rest.len().min(batch.limit());
        rest[..taken].iter().for_each(|request| batch.push(*request));
        self.next += taken;
        Ok(taken)
    }

    fn rewind(&mut self) -> Result<(), TraceError> {
        self.next = 0;
        Ok(())
    }

    fn description(&self) -> Description {
        Description {
            name: "a list".into(),
            format: "list".into(),
            kind: Kind::Workload,
            timed: false,
            requests: Some(self.requests.len() as u64),
            time_unit: String::new(),
            note: String::new(),
        }
    }

    fn progress(&self) -> Option<(u64, u64)> {
        None
    }
}

type Settings = Vec<(&'static str, String)>;

fn drive(settings: &[(&str, String)]) -> Drive {
    let settings: Vec<_> = settings.iter().map(|(key, value)| (key.to_string(), value.clone())).collect();
    Drive::from_toml(SMALL, "small", &settings).unwrap()
}

fn quoted(values: &'static [&'static str]) -> impl Strategy<Value = String> {
    select(values).prop_map(|value| format!("\"{value}\""))
}

/// Plain drives whose dies work apart, and into how many parts they fall.
fn drives() -> impl Strategy<Value = (Settings, u32)> {
    let shape =
        (select(&[(2u32, 2u32), (4, 2), (4, 4), (6, 3), (8, 2), (3, 3), (12, 4)][..]), 1..=2u32, 24..40u32);
    let layer = (
        select(&[0.1, 0.28, 0.6][..]),
        quoted(&["until-room", "restore-lazy", "restore-eager", "one-unit"]),
        quoted(&["together", "apart"]),
        quoted(&["greedy", "greedy-highest", "cyclic"]),
        quoted(&["block", "die"]),
        (any::<bool>(), any::<bool>(), select(&[0.0, 0.05, 0.1][..])),
    );
    (shape, layer).prop_map(|(((dies, parts), planes, blocks), layer)| {
        let (spare, step, moved, victim, unit, (summaries, copies, threshold)) = layer;
        // Few units leave room for a threshold only with much spare space.
        let spare = if threshold > 0.0 { spare + 0.3 } else { spare + 0.15 };
        let settings = vec![
            ("flash.channels", dies.to_string()),
            ("flash.planes_per_die", planes.to_string()),
            ("flash.blocks_per_plane", blocks.to_string()),
            ("flash.pages_per_block", "12".to_string()),
            ("ftl.striping", "\"static-die\"".to_string()),
            ("ftl.over_provisioning", format!("{spare:.2}")),
            ("ftl.cleaning_step", step),
            ("ftl.moved_pages", moved),
            ("ftl.victim.scheme", victim),
            ("ftl.erase_unit", unit),
            ("ftl.summary_pages", summaries.to_string()),
            ("ftl.copyback", copies.to_string()),
            ("ftl.gc_threshold", format!("{threshold}")),
        ];
        (settings, parts)
    })
}

/// Requests over a share of the drive, from a sector to many pages long, and how often they come.
fn requests(drive: &Drive, seed: u64, count: usize, reach: f64) -> Listed {
    let exported = drive.derived().unwrap();
    let exported = exported.iter().find(|item| item.key == "exported_bytes").unwrap().value.as_u64().unwrap();
    let reach = (exported as f64 * reach) as u64 / 512;
    let mut state = seed | 1;
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let one = |index: usize| {
        let operation = match draw(16) {
            0..10 => Operation::Write,
            10 => Operation::Overwrite,
            11..14 => Operation::Read,
            14 => Operation::Trim,
            _ => Operation::Flush,
        };
        // Most are a page; some are parts of one, or long.
        let sectors = match draw(8) {
            0 => 1 + draw(8),
            1 => 8 * (1 + draw(40)),
            2 => 1 + draw(100),
            _ => 8,
        };
        // Half of them go to a tenth of the drive.
        let reach = if draw(2) == 0 { (reach / 10).max(400) } else { reach.max(400) };
        let offset = draw(reach - sectors);
        let offset = if draw(3) == 0 { offset } else { offset / 8 * 8 };
        match operation {
            Operation::Flush => Request::flush(index as u64),
            _ => Request::new(index as u64, operation, offset * 512, sectors * 512),
        }
    };
    Listed { requests: (0..count).map(one).collect(), next: 0 }
}

fn options() -> impl Strategy<Value = ReplayOptions> {
    let precondition = select(
        &[
            PreconditionKind::None,
            PreconditionKind::Fill,
            PreconditionKind::Fill,
            PreconditionKind::Steady,
            PreconditionKind::Drawn,
        ][..],
    );
    let warm_up = select(&[WarmUp::Requests(0), WarmUp::Requests(700), WarmUp::Until(Settled::Steady)][..]);
    let until = select(&[None, None, Some(Settled::Steady)][..]);
    (precondition, warm_up, until, 1..4u32, select(&[None, Some(5000)][..])).prop_map(
        |(precondition, warm_up, until, loops, max_requests)| ReplayOptions {
            no_time: true,
            precondition,
            warm_up,
            until,
            loops,
            max_requests,
            ..ReplayOptions::default()
        },
    )
}

/// The reports of one drive in one piece and in parts, as text.
fn reports(drive: &Drive, source: &mut Listed, options: &ReplayOptions, parts: u32) -> [String; 2] {
    let whole = replay(drive, source, options, &mut |_| true);
    let split = replay_in_parts(drive, source, options, parts, &mut |_| true);
    [whole, split].map(|report| match report {
        Ok(report) => serde_json::to_string_pretty(&report).unwrap(),
        Err(error) => error.to_string(),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, ..ProptestConfig::default() })]
    #[test]
    fn a_replay_in_parts_reports_the_same_bytes(
        (settings, parts) in drives(),
        options in options(),
        seed in any::<u64>(),
        (reach, fit) in select(&[(0.2, None), (1.0, None), (1.0, None), (1.7, Some(FitKind::Modulo)), (0.5, Some(FitKind::Dense))][..]),
    ) {
        let drive = drive(&settings);
        let mut source = requests(&drive, seed, 4000, reach);
        let options = ReplayOptions { fit, ..options };
        let [whole, split] = reports(&drive, &mut source, &options, parts);
        // A drawn state is not to be had of every drive; all else replays.
        let drawn = options.precondition == PreconditionKind::Drawn;
        prop_assert!(whole.contains("\"complete\": true") || drawn, "{}", whole);
        prop_assert_eq!(whole, split);
    }
}

fn plain() -> Settings {
    vec![
        ("flash.channels", "4".into()),
        ("flash.planes_per_die", "1".into()),
        ("ftl.striping", "\"static-die\"".into()),
    ]
}

#[test]
fn parts_clean_as_much_as_the_whole() {
    let drive = drive(&plain());
    let mut source = requests(&drive, 3, 20_000, 1.0);
    let options = ReplayOptions {
        no_time: true,
        precondition: PreconditionKind::Steady,
        warm_up: WarmUp::Until(Settled::Steady),
        loops: 5,
        ..ReplayOptions::default()
    };
    let [whole, split] = reports(&drive, &mut source, &options, 4);
    let counts: serde_json::Value = serde_json::from_str(&split).unwrap();
    assert!(counts["garbage_collections"].as_u64().unwrap() > 1000, "{split}");
    assert!(counts["warmed_up"].is_object() && counts["long_run"].is_object(), "{split}");
    assert!(counts["erases_in_second_half"].as_u64().unwrap() > 1000, "{split}");
    assert_eq!(whole, split);
}

#[test]
fn a_workload_beyond_the_drive_is_the_same_error() {
    let drive = drive(&plain());
    let mut source = requests(&drive, 7, 2000, 1.5);
    let options = ReplayOptions { no_time: true, ..ReplayOptions::default() };
    let [whole, split] = reports(&drive, &mut source, &options, 2);
    assert!(whole.contains("exports at least"), "{whole}");
    assert_eq!(whole, split);
}

#[test]
fn who_interrupts_is_heard_and_the_threads_end() {
    let drive = drive(&plain());
    let mut source = requests(&drive, 7, 2000, 1.0);
    let options = ReplayOptions { no_time: true, loops: 10_000, ..ReplayOptions::default() };
    let stopped = replay_in_parts(&drive, &mut source, &options, 4, &mut |_| false);
    assert!(matches!(stopped, Err(SimError::Interrupted)), "{stopped:?}");
}

#[test]
fn what_dies_share_is_refused_by_name() {
    let refused = |more: (&'static str, &str), options: &ReplayOptions, parts: u32| {
        let mut settings = plain();
        settings.retain(|(key, _)| *key != more.0);
        settings.push((more.0, more.1.to_string()));
        let mut source = Listed { requests: Vec::new(), next: 0 };
        replay_in_parts(&drive(&settings), &mut source, options, parts, &mut |_| true)
            .unwrap_err()
            .to_string()
    };
    let untimed = ReplayOptions { no_time: true, ..ReplayOptions::default() };
    for (key, value, named) in [
        ("ftl.striping", "\"dynamic\"", "ftl.striping"),
        ("ftl.erase_unit", "\"drive\"", "ftl.erase_unit"),
        ("ftl.moved_to", "\"drive\"", "ftl.moved_to"),
        ("ftl.victim.scheme", "\"d-choices\"", "ftl.victim"),
        ("ftl.streams.scheme", "\"by-size\"", "ftl.streams"),
        ("ftl.wear_levelling", "{ scheme = \"static\", spread = 20 }", "ftl.wear_levelling"),
        ("ftl.metadata_share", "0.1", "ftl.metadata_share"),
        ("flash.medium", "\"stored\"", "flash.medium"),
        ("flash.endurance_cycles", "1000", "flash.endurance_cycles"),
        ("flash.failures.factory_bad_fraction", "0.01", "flash.failures"),
        ("recycle.scheme", "\"lx\"", "recycle.scheme"),
        ("reuse", "{ scheme = \"wom-v\", data_bits = 2 }", "reuse.scheme"),
    ] {
        let said = refused((key, value), &untimed, 2);
        assert!(said.starts_with(named) && said.contains("several threads"), "{key}: {said}");
    }
    let unchanged = ("flash.channels", "4");
    assert!(refused(unchanged, &untimed, 3).contains("give one of [2, 4]"));
    assert!(refused(unchanged, &untimed, 0).contains("0 threads"));
    assert!(refused(unchanged, &ReplayOptions::default(), 2).contains("keep no time"));
    let small = ReplayOptions { one_in: Some(10), ..ReplayOptions::default() };
    assert!(refused(unchanged, &small, 2).contains("miniature"));
}
