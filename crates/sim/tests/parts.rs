//! A replay in parts reports the same bytes as one in one piece, or refuses.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use proptest::sample::select;
use rewear_sim::options::{ArrivalKind, FitKind, PreconditionKind, Settled, WarmUp};
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
            timed: true,
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
    let times = (any::<bool>(), any::<bool>(), quoted(&["plane", "die", "chip"]), 1..=2u32);
    let layer = (
        select(&[0.1, 0.28, 0.6][..]),
        quoted(&["until-room", "restore-lazy", "restore-eager", "one-unit"]),
        quoted(&["together", "apart"]),
        quoted(&["greedy", "greedy-highest", "cyclic"]),
        quoted(&["block", "die"]),
        (any::<bool>(), any::<bool>(), select(&[0.0, 0.05, 0.1][..])),
    );
    (shape, layer, times).prop_map(|(((channels, parts), planes, blocks), layer, times)| {
        let (overtakes, suspends, service, dies) = times;
        let overtakes = overtakes && service != "\"chip\"";
        let suspend_ns = if overtakes && suspends { "20000" } else { "" };
        let (spare, step, moved, victim, unit, (summaries, copies, threshold)) = layer;
        // Few units leave room for a threshold only with much spare space.
        let spare = if threshold > 0.0 { spare + 0.3 } else { spare + 0.15 };
        let mut settings = vec![
            ("flash.channels", channels.to_string()),
            ("flash.dies_per_channel", dies.to_string()),
            ("flash.service_unit", service),
            ("flash.read_priority", overtakes.to_string()),
            ("flash.erase_suspend_ns", suspend_ns.to_string()),
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
        settings.retain(|(_, value)| !value.is_empty());
        (settings, parts)
    })
}

/// Requests over a share of the drive, from a sector to many pages long, some of them at one time.
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
        let at_ns = index as u64 / 3 * 900_000;
        match operation {
            Operation::Flush => Request::flush(at_ns),
            _ => Request::new(at_ns, operation, offset * 512, sectors * 512),
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
    let scale = select(&[None, Some(0.3), Some(20.0)][..]);
    (precondition, warm_up, until, 1..4u32, select(&[None, Some(5000)][..]), any::<bool>(), scale).prop_map(
        |(precondition, warm_up, until, loops, max_requests, no_time, time_scale)| ReplayOptions {
            no_time,
            time_scale: time_scale.filter(|_| !no_time),
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

/// Drives with schemes whose dies are apart all the same.
#[rustfmt::skip]
const SCHEMES: &[&[(&str, &str)]] = &[
    &[("reuse", "{ scheme = \"wom-v\", data_bits = 2 }")],
    &[("reuse", "{ scheme = \"wom-v\", data_bits = 2, reopen = \"in-place-any\", ecc_check = \"pre\" }"), ("ftl.cleaning_step", "\"one-unit\"")],
    &[("reuse", "{ scheme = \"wom-v\", data_bits = 1, reopen = \"in-place-intact\", ecc_check = \"unit\" }"), ("ftl.moved_pages", "\"apart\"")],
    &[("reuse", "{ scheme = \"wom-v\", data_bits = 2, reopen = \"in-place\", no_read = true }")],
    &[("reuse", "{ scheme = \"wom-v\", data_bits = 1, reopen = \"in-place\", reserve = \"programmable-slots\" }")],
    &[("reuse", "{ scheme = \"coset\", rate = 0.857 }")],
    &[("reuse", "{ scheme = \"coset\", rate = 0.6, reopen = \"after-moving\" }"), ("ftl.erase_unit", "\"die\""), ("flash.service_unit", "\"die\"")],
    &[SEAL[0], SEAL[1], SEAL[2], SEAL[3], ("reuse", "{ scheme = \"seal\" }")],
    &[SEAL[0], SEAL[1], SEAL[2], SEAL[3], ("reuse", "{ scheme = \"seal\", victims = \"automatic\" }"), ("ftl.summary_pages", "true"), ("ftl.summary_reads", "true")],
    &[("effort", "{ scheme = \"agcr\", history = \"latest\" }"), ("flash.read_priority", "true")],
    &[("effort", "{ scheme = \"agcr\" }"), ("reuse", "{ scheme = \"wom-v\", data_bits = 2 }")],
    &[("ftl.slc_cache", "{ scheme = \"static\", share = 0.1 }")],
    &[("ftl.slc_cache", "{ scheme = \"dynamic\", share = 0.2, when_full = \"direct\" }"), ("effort", "{ scheme = \"agcr\" }")],
];

const SEAL: [(&str, &str); 4] = [
    ("flash.bits_per_cell", "2"),
    ("flash.timing.read_ns", "[50000, 60000]"),
    ("flash.timing.program_ns", "[500000, 900000]"),
    ("flash.page_order", "\"paired\""),
];

#[test]
fn schemes_in_parts_report_the_same_bytes() {
    for scheme in SCHEMES {
        let mut settings = plain();
        settings.extend([
            ("flash.dies_per_channel", "2".to_string()),
            ("flash.planes_per_die", "2".to_string()),
            ("flash.blocks_per_plane", "32".to_string()),
            ("flash.pages_per_block", "16".to_string()),
            ("ftl.over_provisioning", "0.5".to_string()),
        ]);
        settings.retain(|(key, _)| !scheme.iter().any(|(own, _)| own == key));
        settings.extend(scheme.iter().map(|&(key, value)| (key, value.to_string())));
        let drive = drive(&settings);
        let mut source = requests(&drive, 11, 9000, 1.0);
        for (no_time, parts) in [(true, 2), (true, 8), (false, 4)] {
            let options = ReplayOptions {
                no_time,
                precondition: PreconditionKind::Fill,
                warm_up: WarmUp::Requests(3000),
                loops: 2,
                ..ReplayOptions::default()
            };
            let [whole, split] = reports(&drive, &mut source, &options, parts);
            let counts: serde_json::Value = serde_json::from_str(&whole).unwrap();
            assert!(counts["garbage_collections"].as_u64().unwrap() > 100, "{scheme:?}: {whole}");
            assert_eq!(counts["latency_ns"]["write"].is_object(), !no_time, "{whole}");
            assert_eq!(whole, split, "{scheme:?} without times: {no_time}, {parts} parts");
        }
    }
}

#[test]
fn a_request_ends_with_the_last_of_its_parts() {
    let drive = drive(&plain());
    // Four pages at once, and again when two of the dies are still at work.
    let write =
        |at_ns, page: u64, pages: u64| Request::new(at_ns, Operation::Write, page * 4096, pages * 4096);
    let mut requests = Vec::new();
    for turn in 0..70_000u64 {
        requests.push(write(turn * 2_000_000, turn % 50 * 4, 4));
        requests.push(write(turn * 2_000_000 + 1, turn % 50 * 4 + 1, 1));
        requests.push(write(turn * 2_000_000 + 2, 0, 0));
    }
    let mut source = Listed { requests, next: 0 };
    let [whole, split] = reports(&drive, &mut source, &ReplayOptions::default(), 4);
    let counts: serde_json::Value = serde_json::from_str(&whole).unwrap();
    assert_eq!(counts["latency_ns"]["write"]["count"], 210_000, "{whole}");
    assert_eq!(whole, split);
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
        ("ftl.write_buffer", "{ scheme = \"lru\", pages = 100 }", "ftl.write_buffer"),
        ("ftl.slc_cache", "{ scheme = \"static\", idle_after_ns = 1000 }", "ftl.slc_cache.idle_after_ns"),
        ("recycle.scheme", "\"lx\"", "recycle.scheme"),
        ("reuse", "{ scheme = \"second-write\", parallel = false }", "reuse.scheme"),
        ("effort.scheme", "\"differentiated-ecc\"", "effort.scheme"),
    ] {
        let said = refused((key, value), &untimed, 2);
        assert!(said.starts_with(named) && said.contains("several threads"), "{key}: {said}");
    }
    let unchanged = ("flash.channels", "4");
    assert!(refused(unchanged, &untimed, 3).contains("give one of [2, 4]"));
    assert!(refused(unchanged, &untimed, 0).contains("0 threads"));
    let timed = ReplayOptions::default();
    for (setting, options, named) in [
        (unchanged, ReplayOptions { arrival: Some(ArrivalKind::Closed), ..timed.clone() }, "keep no time"),
        (unchanged, ReplayOptions { page_barrier: true, ..timed.clone() }, "leave the barrier out"),
        (unchanged, ReplayOptions { queues: true, ..timed.clone() }, "leave the queues out"),
        (unchanged, ReplayOptions { interval_ns: Some(1000), ..timed.clone() }, "leave the interval out"),
        (("ftl.command_queue", "8"), timed.clone(), "keep no time"),
    ] {
        let said = refused(setting, &options, 2);
        assert!(said.contains(named) && said.contains("with times"), "{named}: {said}");
    }
    let dies = ("flash.dies_per_channel", "2");
    assert!(refused(dies, &timed, 8).contains("the 4 channels of small do not fall"));
    let small = ReplayOptions { one_in: Some(10), ..ReplayOptions::default() };
    assert!(refused(unchanged, &small, 2).contains("miniature"));
}
