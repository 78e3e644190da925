//! The life of a drive two ways: followed to its end on a small drive, and extrapolated from the
//! steady state on a larger one.
#![allow(clippy::unwrap_used, missing_docs)]

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::{WithContent, run, source};
use rewear_sim::options::{FitKind, PreconditionKind, Settled};
use rewear_sim::{Drive, ReplayOptions, Report, replay};
use rewear_trace::{OpenOptions, open};

const CYCLES: &str = "300";
/// More requests than any of these drives lives through.
const UNTIL_DEATH: u64 = 4_000_000_000;
const SEEDS: u64 = 3;
/// The workload that *seal* was published with.
const OVERWRITES: &str = "overwrite-regions:";

type Settings = &'static [(&'static str, &'static str)];

const SCHEMES: &[(&str, Settings)] = &[
    ("plain", &[]),
    ("levelled", &[("ftl.wear_levelling.scheme", "static"), ("ftl.wear_levelling.spread", "15")]),
    ("wom-v", &[("reuse.scheme", "wom-v"), ("reuse.data_bits", "2")]),
    ("coset", &[("reuse.scheme", "coset"), ("reuse.rate", "0.75"), ("flash.bits_per_cell", "4")]),
    ("second-write", &[("reuse.scheme", "second-write"), ("reuse.life_fraction", "1.0")]),
    // As by default: second writes end at 0.3 of a block's life. A run until steady has to end before
    // that, which takes cycles as chips have them.
    ("second-write-0.3", &[("reuse.scheme", "second-write"), ("flash.endurance_cycles", "1000")]),
    ("seal", &[("flash.bits_per_cell", "2"), ("flash.page_order", "paired"), ("reuse.scheme", "seal")]),
    ("lx", &[("recycle.scheme", "lx")]),
    (
        "differentiated-ecc",
        &[
            ("effort.scheme", "differentiated-ecc"),
            ("effort.low_cost_program_ns", "[250000]"),
            ("flash.life.cycles", CYCLES),
            ("flash.life.source", "\"here\""),
            ("flash.life.coarse_wear", "0.3"),
        ],
    ),
    ("lx + wom-v", &[("recycle.scheme", "lx"), ("reuse.scheme", "wom-v"), ("reuse.data_bits", "2")]),
    (
        "lx + second-write-0.3",
        &[("recycle.scheme", "lx"), ("reuse.scheme", "second-write"), ("flash.endurance_cycles", "1000")],
    ),
    (
        "differentiated-ecc + second-write-0.3",
        &[
            ("reuse.scheme", "second-write"),
            ("effort.scheme", "differentiated-ecc"),
            ("effort.low_cost_program_ns", "[250000]"),
            ("flash.endurance_cycles", "1000"),
        ],
    ),
    (
        "agcr",
        &[
            ("effort.scheme", "agcr"),
            ("flash.life.cycles", CYCLES),
            ("flash.life.source", "\"here\""),
            ("flash.life.coarse_wear", "0.3"),
        ],
    ),
];

/// Two planes a die. With fewer blocks the end of a single drive, which a few blocks decide,
/// spreads by more than the errors looked for.
fn drive(scheme: &[(&str, &str)], dies: &str) -> Drive {
    let shape = [
        ("flash.channels", "1"),
        ("flash.dies_per_channel", dies),
        ("flash.blocks_per_plane", "512"),
        ("flash.pages_per_block", "32"),
        ("flash.timing.read_ns", "[50000]"),
        ("flash.timing.program_ns", "[500000]"),
        ("flash.endurance_cycles", CYCLES),
    ];
    let overrides: Vec<_> = shape.into_iter().chain(scheme.iter().copied()).collect();
    crate::common::drive(&overrides)
}

/// A replay on a full drive of a recording, or of a made-up workload of so many requests. Effort
/// schemes need reads, recycling contents.
fn replayed(
    drive: &Drive,
    name: &str,
    scheme: &str,
    (requests, seed): (u64, u64),
    options: ReplayOptions,
) -> Report {
    let options = ReplayOptions { precondition: PreconditionKind::Fill, seed, ..options };
    if let Some(recording) = name.strip_suffix(".rwt") {
        let path = format!("{}/../../recordings/{recording}.rwt", env!("CARGO_MANIFEST_DIR"));
        let mut source = open(path.as_ref(), &OpenOptions::default()).unwrap();
        let loops = if requests == UNTIL_DEATH { u32::MAX } else { options.loops };
        let options = ReplayOptions { fit: Some(FitKind::Modulo), loops, ..options };
        return replay(drive, &mut source, &options, &mut |_| true).unwrap();
    }
    let chooses = scheme.starts_with("differentiated-ecc") || scheme == "agcr";
    let reads = if chooses && !name.starts_with(OVERWRITES) { "read=0.2," } else { "" };
    let spec = format!("{name}{reads}requests={requests},seed={seed}");
    if scheme.starts_with("lx") {
        let mut source = WithContent::new(source(drive, &spec));
        return replay(drive, &mut source, &options, &mut |_| true).unwrap();
    }
    run(drive, &spec, &options)
}

fn followed(name: &str, (scheme, settings): (&str, Settings), seed: u64) -> Report {
    replayed(&drive(settings, "1"), name, scheme, (UNTIL_DEATH, seed), ReplayOptions::default())
}

/// On a drive of four times the size where the load scales with it. A recording is wrapped round
/// the drive, how much of a Zipf load the hottest pages take depends on the number of pages, and
/// under LX how old a drive is when as many requests have been made, and how often their contents
/// were repeated. Recordings are followed for four passes at least, as `rewear lifetime` does.
fn extrapolated(name: &str, (scheme, settings): (&str, Settings), seed: u64) -> Report {
    let recorded = name.ends_with(".rwt");
    let dies = if name.starts_with("zipf") || recorded || scheme.starts_with("lx") { "1" } else { "4" };
    let loops = if recorded { 4 } else { 1 };
    let options = ReplayOptions { until: Some(Settled::Steady), loops, ..ReplayOptions::default() };
    replayed(&drive(settings, dies), name, scheme, (1_200_000, seed), options)
}

/// Mean, and half of its 95% interval for three values.
fn mean_of(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
    (mean, 4.303 * (variance / count).sqrt())
}

/// Prints and returns the error of the extrapolated life.
fn error(name: &str, scheme: (&str, Settings), seeds: u64) -> f64 {
    let lives = |of: &dyn Fn(u64) -> Report, simulated: bool| -> (Vec<f64>, f64) {
        let life = |seed| {
            let report = of(seed);
            assert!(report.complete != simulated, "{name} {}", scheme.0);
            let life = report.life.unwrap();
            assert!(life.simulated == simulated);
            (life.drive_writes, life.evenness)
        };
        let (lives, evenness): (Vec<f64>, Vec<f64>) = (1..=seeds).map(life).unzip();
        (lives, mean_of(&evenness).0)
    };
    let (followed, end) = lives(&|seed| followed(name, scheme, seed), true);
    let (extrapolated, foretold) = lives(&|seed| extrapolated(name, scheme, seed), false);
    let ((died, spread), (steady, _)) = (mean_of(&followed), mean_of(&extrapolated));
    let error = steady / died - 1.0;
    println!(
        "| {name} | {} | {died:.1} ± {:.1}% | {steady:.1} | {:+.1}% | {end:.3}, foretold {foretold:.3} |",
        scheme.0,
        100.0 * spread / died,
        100.0 * error
    );
    error
}

#[test]
fn a_life_that_is_extrapolated_is_the_one_that_is_followed_to_its_end() {
    let cells = [
        ("uniform:", "plain"),
        ("zipf:theta=0.9,", "levelled"),
        ("hot-cold:hot=0.2,hits=0.8,", "plain"),
        ("mail.rwt", "seal"),
        ("overwrite-regions:", "seal"),
        ("uniform:", "second-write-0.3"),
    ];
    for (name, scheme) in cells {
        let scheme = *SCHEMES.iter().find(|(label, _)| *label == scheme).unwrap();
        let error = error(name, scheme, 1);
        assert!(error.abs() < 0.03, "{name} {error}");
    }
}

/// The workloads of the table: made-up ones with so many seeds, and recordings, which are the same
/// under every seed. Four passes of the recorded day are most of the life of so small a drive.
const WORKLOADS: [(&str, u64); 8] = [
    ("uniform:", SEEDS),
    ("zipf:theta=0.5,", SEEDS),
    ("zipf:theta=0.9,", SEEDS),
    ("hot-cold:hot=0.2,hits=0.8,", SEEDS),
    ("overwrite-regions:", SEEDS),
    ("home.rwt", 1),
    ("mail.rwt", 1),
    ("web.rwt", 1),
];

#[test]
#[ignore = "every scheme under every workload, three seeds: make lives"]
fn all_lives() {
    let only = std::env::var("LIVES_ONLY").unwrap_or_default();
    let cells: Vec<_> = (0..SCHEMES.len() * WORKLOADS.len())
        .map(|at| (at / WORKLOADS.len(), at % WORKLOADS.len()))
        .filter(|&(scheme, name)| format!("{} {}", SCHEMES[scheme].0, WORKLOADS[name].0).contains(&only))
        .collect();
    assert!(!cells.is_empty(), "no scheme and workload has {only:?} in its name");
    let errors = Mutex::new(vec![[None; WORKLOADS.len()]; SCHEMES.len()]);
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(&(scheme, name)) = cells.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (workload, seeds) = WORKLOADS[name];
                    let found = error(workload, SCHEMES[scheme], seeds);
                    errors.lock().unwrap()[scheme][name] = Some(found);
                }
            });
        }
    });
    let errors = errors.into_inner().unwrap();
    // The table of docs/notebook/lifetime.md.
    println!("| scheme | {} |", WORKLOADS.map(|(name, _)| name).join(" | "));
    for ((scheme, _), row) in SCHEMES.iter().zip(&errors) {
        let cells: Vec<_> = row.iter().map(|error| error.map_or_else(String::new, in_percent)).collect();
        println!("| {scheme} | {} |", cells.join(" | "));
    }
    for (scheme, row) in errors.iter().enumerate() {
        for ((name, _), error) in WORKLOADS.iter().zip(row) {
            assert!(error.unwrap_or(0.0).abs() < 0.03, "{} {name} {error:?}", SCHEMES[scheme].0);
        }
    }
}

fn in_percent(error: f64) -> String {
    format!("{:+.1}%", 100.0 * error)
}

#[test]
fn programs_that_are_no_ordinary_ones_shorten_lives_by_what_they_are_said_to_cost() {
    let with = |scheme: Settings, key: &'static str, wear: &'static str| {
        let life = [("flash.life.cycles", CYCLES), ("flash.life.source", "\"here\""), (key, wear)];
        let settings: Vec<_> = scheme.iter().copied().chain(life).collect();
        move |requests: u64, until| {
            let options =
                ReplayOptions { precondition: PreconditionKind::Fill, until, ..ReplayOptions::default() };
            run(&drive(&settings, "1"), &format!("uniform:read=0.1,requests={requests}"), &options)
                .life
                .unwrap()
        }
    };
    const EFFORT: Settings =
        &[("effort.scheme", "differentiated-ecc"), ("effort.low_cost_program_ns", "[250000]")];
    for (scheme, key, least) in
        [(SCHEMES[2].1, "flash.life.reprogram_wear", 0.3), (EFFORT, "flash.life.coarse_wear", 0.1)]
    {
        let [free, dear] = ["0", "0.5"].map(|wear| with(scheme, key, wear)(UNTIL_DEATH, None));
        let steady = with(scheme, key, "0.5")(300_000, Some(Settled::Steady));
        let share =
            |life: &rewear_sim::report::LifeReport| life.reprogram_share + life.coarse_share.unwrap_or(0.0);
        assert!(share(&free) == 0.0 && share(&steady) > least, "{key} {}", share(&steady));
        assert!(dear.drive_writes < (1.0 - 0.9 * least) * free.drive_writes);
        let error = steady.drive_writes / dear.drive_writes - 1.0;
        println!("{key} 0.5: followed {:.1}, extrapolated {:.1}", dear.drive_writes, steady.drive_writes);
        assert!(error.abs() < 0.03, "{key} {error}");
    }
}

#[test]
fn a_drive_whose_pages_are_not_corrected_any_more_dies_before_its_blocks_are_worn() {
    let settings = |hours: &'static str| {
        [
            ("flash.bits_per_cell", "3"),
            ("flash.life.cycles", "300"),
            ("flash.life.source", "\"here\""),
            ("flash.life.retention_hours", hours),
            ("flash.life.code", "\"ldpc\""),
            ("flash.life.rber", "\"tlc-72-layers\""),
        ]
    };
    let died = |hours| {
        let options = ReplayOptions { precondition: PreconditionKind::Fill, ..ReplayOptions::default() };
        run(&drive(&settings(hours), "1"), &format!("uniform:requests={UNTIL_DEATH}"), &options)
    };
    let (soon, late) = (died("24"), died("87600"));
    let (short, long) = (late.life.unwrap(), soon.life.unwrap());
    assert_eq!((long.ends, long.cycles), (rewear_sim::report::LifeEnds::WornBlocks, 300));
    assert_eq!(short.ends, rewear_sim::report::LifeEnds::UncorrectablePages);
    assert!(short.simulated && short.cycles < 300, "{}", short.cycles);
    // The drive was followed to the end that its cells set, not to that of its rating.
    assert!(short.drive_writes < 0.9 * long.drive_writes);
}

/// The evenness of wear shows later than what is erased for a byte: blocks that happened to be
/// victims more often look as if they always would be.
#[test]
fn a_life_is_settled_only_where_a_longer_run_foretells_the_same() {
    let shape = [
        ("flash.channels", "1"),
        ("flash.dies_per_channel", "1"),
        ("flash.planes_per_die", "1"),
        ("flash.blocks_per_plane", "1024"),
        ("flash.pages_per_block", "32"),
        ("ftl.over_provisioning", "0.25"),
        ("flash.endurance_cycles", CYCLES),
    ];
    let drive = crate::common::drive(&shape);
    let lives = |requests: u64, until: Option<Settled>| {
        let options = ReplayOptions {
            precondition: PreconditionKind::Fill,
            no_time: true,
            until,
            ..ReplayOptions::default()
        };
        let spec = format!("hot-cold:hot=0.1,hits=0.9,requests={requests}");
        run(&drive, &spec, &options).life.unwrap()
    };
    let short = lives(200_000, None);
    let died = lives(UNTIL_DEATH, None);
    let error = |tbw: u64| tbw as f64 / died.tbw_bytes as f64 - 1.0;
    assert!(died.simulated && died.settled);
    // 5% is what the bounds promise.
    assert!(!short.settled && error(short.tbw_bytes) < -0.05, "{}", error(short.tbw_bytes));
    let until = lives(200_000, Some(Settled::Steady));
    assert!(until.settled && error(until.tbw_bytes).abs() <= 0.05, "{}", error(until.tbw_bytes));
}
