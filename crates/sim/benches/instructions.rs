//! Instructions that a request costs, by scheme: what the clock of a busy machine cannot say.
//!
//! Each case is replayed twice by this program under `valgrind --tool=callgrind`, with two numbers
//! of requests; the difference leaves out the start and the preconditioning. Prints a table beside
//! the figures of `crates/sim/benches/instructions.toml`, and a JSON object a line with `json`;
//! `update` writes that file anew. `misses` prints how often a request misses the first data cache and
//! a second one of 1 MiB, too. `make instructions` installs valgrind where it can.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::process::{Command, ExitCode};

use rewear_sim::options::PreconditionKind;
use rewear_sim::{Drive, ReplayOptions, replay};
use rewear_trace::Defaults;

/// Requests of the two runs.
const SHORT: u64 = 100_000;
const LONG: u64 = 300_000;
const BASELINE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/instructions.toml");

/// Four dies of two planes: 131,072 flash pages of 4 KB.
const DRIVE: &str = r#"
name = "instructions"
[flash]
channels = 4
dies_per_channel = 1
planes_per_die = 2
blocks_per_plane = 128
pages_per_block = 128
page_bytes = 4096
spare_bytes = 512
bits_per_cell = 2
page_order = "paired"
endurance_cycles = 100_000
[flash.timing]
read_ns = [45_000]
program_ns = [1_300_000]
erase_ns = 3_800_000
[ftl]
over_provisioning = 0.28
"#;

struct Case {
    name: &'static str,
    overrides: &'static [(&'static str, &'static str)],
    workload: &'static str,
}

const UNIFORM: &str = "uniform:requests=1e6,read=0.1";
const SKEWED: &str = "zipf:theta=1.1,requests=1e6,read=0.3";

const OVERWRITES: &str = "overwrite-regions:region=0.1,skew=0.8,writes=1e6";
const CONTENT: &str = "uniform:requests=1e6,read=0.1,content=locality";

const CASES: &[Case] = &[
    Case { name: "plain", overrides: &[], workload: UNIFORM },
    Case { name: "plain, skewed", overrides: &[], workload: SKEWED },
    // What `seal` and `lx` are compared with.
    Case { name: "plain, overwrites", overrides: &[], workload: OVERWRITES },
    Case { name: "plain, content", overrides: &[], workload: CONTENT },
    Case {
        name: "second write",
        overrides: &[("reuse.scheme", "second-write"), ("reuse.guard", "none")],
        workload: SKEWED,
    },
    Case { name: "second write, guarded", overrides: &[("reuse.scheme", "second-write")], workload: SKEWED },
    Case {
        name: "wom-v",
        overrides: &[("reuse.scheme", "wom-v"), ("reuse.data_bits", "1")],
        workload: UNIFORM,
    },
    Case {
        name: "wom-v, in place",
        overrides: &[("reuse.scheme", "wom-v"), ("reuse.data_bits", "1"), ("reuse.reopen", "in-place-any")],
        workload: UNIFORM,
    },
    Case {
        name: "seal",
        overrides: &[("reuse.scheme", "seal"), ("reuse.ecc_bytes", "32")],
        workload: OVERWRITES,
    },
    Case {
        name: "lx",
        overrides: &[("recycle.scheme", "lx"), ("recycle.entries", "8192")],
        workload: CONTENT,
    },
    Case { name: "diffecc", overrides: &[("effort.scheme", "differentiated-ecc")], workload: SKEWED },
    Case { name: "agcr", overrides: &[("effort.scheme", "agcr")], workload: SKEWED },
];

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["replay", name, requests] => match run(name, requests) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => fail(&error),
        },
        ["misses"] => match misses() {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => fail(&error),
        },
        rest => match measure(rest.contains(&"json"), rest.contains(&"update")) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => fail(&error),
        },
    }
}

fn fail(error: &str) -> ExitCode {
    eprintln!("instructions: {error}");
    ExitCode::FAILURE
}

/// Replays a case: what is counted.
fn run(name: &str, requests: &str) -> Result<(), String> {
    let case = CASES.iter().find(|case| case.name == name).ok_or_else(|| format!("no case {name}"))?;
    let overrides: Vec<_> =
        case.overrides.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    let drive = Drive::from_toml(DRIVE, name, &overrides).map_err(|error| error.to_string())?;
    let derived = drive.derived().map_err(|error| error.to_string())?;
    let value = |key| derived.iter().find(|item| item.key == key).and_then(|item| item.value.as_u64());
    let defaults = Defaults {
        pages: value("exported_pages").unwrap_or_default(),
        page_bytes: value("logical_page_bytes").unwrap_or_default(),
        ..Defaults::default()
    };
    let mut source = rewear_trace::workload(case.workload, &defaults).map_err(|error| error.to_string())?;
    let options = ReplayOptions {
        precondition: PreconditionKind::Fill,
        max_requests: Some(requests.parse().map_err(|_| format!("{requests} is no number of requests"))?),
        ..ReplayOptions::default()
    };
    let report = replay(&drive, &mut source, &options, &mut |_| true).map_err(|error| error.to_string())?;
    report.stopped_because.map_or(Ok(()), Err)
}

/// The last cache of callgrind's model: 1 MiB, 16 ways, lines of 64 bytes, the second level of a server's core.
const CACHES: [&str; 2] = ["--cache-sim=yes", "--LL=1048576,16,64"];

/// The lines of callgrind's summary that are read: instructions, misses of the first data cache, of the last one.
const COUNTS: [&str; 3] = ["Collected :", "D1  misses:", "LLd misses:"];

/// What callgrind counts in a replay of this program; misses are 0 where they are not asked for.
fn counted(name: &str, requests: u64, misses: bool) -> Result<[u64; 3], String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .args(if misses { &CACHES[..] } else { &[] })
        .arg(program)
        .args(["replay", name, &requests.to_string()])
        .output()
        .map_err(|error| format!("valgrind: {error}; install it, on Debian: apt-get install valgrind"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let count = |what: &str| {
        let numbers = said.lines().find_map(|line| Some(line.split_once(what)?.1.replace(',', "")))?;
        numbers.split_whitespace().next()?.parse().ok()
    };
    match (output.status.success(), count(COUNTS[0])) {
        (true, Some(instructions)) => {
            Ok([instructions, count(COUNTS[1]).unwrap_or(0), count(COUNTS[2]).unwrap_or(0)])
        }
        _ => Err(format!("{name}: {said}")),
    }
}

/// What a request of a case costs: the difference of the two runs.
fn per_request(name: &str, misses: bool) -> Result<[f64; 3], String> {
    let (long, short) = (counted(name, LONG, misses)?, counted(name, SHORT, misses)?);
    Ok([0, 1, 2].map(|at| long[at].saturating_sub(short[at]) as f64 / (LONG - SHORT) as f64))
}

fn misses() -> Result<(), String> {
    println!("{:<22} {:>12} {:>12} {:>12}", "a request of", "instructions", "L1d misses", "L2 misses");
    for case in CASES {
        let [instructions, first, second] = per_request(case.name, true)?;
        println!("{:<22} {instructions:>12.0} {first:>12.1} {second:>12.2}", case.name);
    }
    Ok(())
}

fn measure(json: bool, update: bool) -> Result<(), String> {
    let text = std::fs::read_to_string(BASELINE).unwrap_or_default();
    let mut baseline: BTreeMap<String, f64> = toml::from_str(&text).map_err(|error| error.to_string())?;
    if !json {
        println!("{:<22} {:>10} {:>10} {:>8}", "a request of", "now", "before", "change");
    }
    for case in CASES {
        let [now, ..] = per_request(case.name, false)?;
        let before = baseline.get(case.name).copied();
        let ratio = before.map(|before| now / before);
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_string());
        if json {
            println!(
                r#"{{"name": "instructions_{}", "value": {now:.1}, "unit": "instructions/request", "compared_with": "crates/sim/benches/instructions.toml", "ratio": {}}}"#,
                case.name.replace(", ", "_").replace(' ', "_"),
                ratio.map_or("null".to_string(), |ratio| format!("{ratio:.4}"))
            );
        } else {
            println!(
                "{:<22} {now:>10.1} {:>10} {:>8}",
                case.name,
                or_dash(before.map(|before| format!("{before:.1}"))),
                or_dash(ratio.map(|ratio| format!("{:+.2}%", 100.0 * (ratio - 1.0))))
            );
        }
        if update {
            baseline.insert(case.name.to_string(), (now * 10.0).round() / 10.0);
        }
    }
    if update {
        let head = "# Instructions a request, written by `make instructions UPDATE=1`: what later ones are compared with.\n";
        let mut text = head.to_string();
        for case in CASES {
            if let Some(value) = baseline.get(case.name) {
                writeln!(text, "{:?} = {value:.1}", case.name).map_err(|error| error.to_string())?;
            }
        }
        std::fs::write(BASELINE, text).map_err(|error| error.to_string())?;
    }
    Ok(())
}
