//! Recycling by fingerprints beside the plain drive: the same replay of page writes with content,
//! in turn in one process.
//!
//! Uniform writes, and `recordings/home.rwt` over and over, whose requests are long. Prints one
//! JSON object a line: name, value, unit, compared_with, ratio. The ratio is of the plain drive's
//! speed, the median of all rounds, in each of which both ran one after the other. How full the
//! store was at the end stands with what is compared. An argument `home` or `uniform` leaves out
//! the other.

mod timed;

use std::path::Path;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_sim::options::{ArrivalKind, FitKind, PreconditionKind};
use rewear_sim::{Drive, ReplayOptions};
use rewear_trace::{Batch, Description, Fingerprint, OpenOptions, Operation, Request, Source, TraceError};
use timed::{Timed, median, timed};

const PAGE_BYTES: u64 = 4096;
const WRITES: u64 = 3_000_000;
const ROUNDS: usize = 5;

const DRIVE: &str = r#"
name = "bench"
[flash]
channels = 4
dies_per_channel = 2
planes_per_die = 1
blocks_per_plane = 1024
pages_per_block = 128
page_bytes = 4096
bits_per_cell = 2
timing = { read_ns = [50_000], program_ns = [500_000, 1_000_000], erase_ns = 3_000_000, channel_mb_per_s = 400 }
[ftl]
over_provisioning = 0.28
"#;

/// Uniform writes of single pages; one in five brings one of 200,000 contents, the others a new
/// one; a tenth are reads.
struct Writes {
    pages: u64,
    left: u64,
    random: Xoshiro256PlusPlus,
}

impl Writes {
    fn new(pages: u64) -> Writes {
        Writes { pages, left: WRITES, random: Xoshiro256PlusPlus::seed_from_u64(1) }
    }
}

impl Source for Writes {
    fn fill(&mut self, batch: &mut Batch) -> Result<usize, TraceError> {
        batch.clear();
        while self.left > 0 && !batch.is_full() {
            self.left -= 1;
            let drawn = self.random.next_u64();
            let offset = (((drawn >> 32) * self.pages) >> 32) * PAGE_BYTES;
            if drawn.is_multiple_of(10) {
                batch.push(Request::new(0, Operation::Read, offset, PAGE_BYTES));
                continue;
            }
            let number =
                if drawn & 0xff < 51 { u64::from(drawn as u32) % 200_000 } else { self.left + (1 << 40) };
            // Digests look random.
            let content = Fingerprint::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
            batch.push_with_content(Request::new(0, Operation::Write, offset, PAGE_BYTES), &[content]);
        }
        Ok(batch.requests.len())
    }

    fn rewind(&mut self) -> Result<(), TraceError> {
        *self = Writes::new(self.pages);
        Ok(())
    }

    fn description(&self) -> Description {
        let name = "writes with content".to_string();
        let kind = rewear_trace::Kind::Workload;
        Description {
            format: name.clone(),
            name,
            kind,
            timed: false,
            requests: Some(WRITES),
            time_unit: String::new(),
            note: String::new(),
        }
    }

    fn progress(&self) -> Option<(u64, u64)> {
        Some((WRITES - self.left, WRITES))
    }
}

/// A drive beside the plain one: name and overrides.
type Variant = (&'static str, &'static [(&'static str, &'static str)]);

const PLAIN: Variant = ("plain", &[]);
const STORE: Variant = ("128K", &[]);
const VALUE_ACCESSES: Variant = ("128K_value_accesses", &[("recycle.popularity", "value-accesses")]);
const DEDUPLICATION: Variant = ("128K_and_deduplication", &[("recycle.answers", "all")]);

fn main() {
    let wanted = |name| {
        let mut others =
            std::env::args().skip(1).filter(|other| ["home", "uniform"].contains(&other.as_str()));
        others.next().is_none_or(|other| other == name)
    };
    if wanted("uniform") {
        compare("recycling", &[PLAIN, STORE, VALUE_ACCESSES, DEDUPLICATION], "1024", uniform_run);
    }
    if wanted("home") {
        // The trace touches 187,244 pages.
        compare("recycling_home", &[PLAIN, STORE], "240", home_run);
    }
}

fn uniform_run(drive: &Drive) -> Run {
    let exported = drive.derived().expect("a valid drive");
    let pages =
        exported.iter().find(|item| item.key == "exported_pages").and_then(|item| item.value.as_u64());
    let mut source = Writes::new(pages.expect("a count"));
    let options = ReplayOptions { precondition: PreconditionKind::Fill, ..ReplayOptions::default() };
    run(drive, &mut source, &options)
}

fn home_run(drive: &Drive) -> Run {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../recordings/home.rwt");
    let mut source = rewear_trace::open(&path, &OpenOptions::default()).expect("the recording");
    let options = ReplayOptions {
        fit: Some(FitKind::Dense),
        arrival: Some(ArrivalKind::Closed),
        loops: 4,
        ..ReplayOptions::default()
    };
    run(drive, &mut source, &options)
}

fn compare(prefix: &str, variants: &[Variant], blocks_per_plane: &str, replay: impl Fn(&Drive) -> Run) {
    let mut runs = vec![Vec::new(); variants.len()];
    for _ in 0..ROUNDS {
        for ((name, overrides), runs) in variants.iter().zip(&mut runs) {
            let scheme = ("recycle.scheme", if *name == "plain" { "none" } else { "lx" });
            let size = ("flash.blocks_per_plane", blocks_per_plane);
            let overrides = [scheme, size].into_iter().chain(overrides.iter().copied());
            let overrides: Vec<_> = overrides.map(|(key, value)| (key.into(), value.into())).collect();
            runs.push(replay(&Drive::from_toml(DRIVE, "bench", &overrides).expect("a valid drive")));
        }
    }
    let rate = |runs: &[Run]| median(runs.iter().map(|run| run.pages as f64 / run.seconds));
    for ((name, _), own) in variants.iter().zip(&runs).skip(1) {
        let ratio = median(runs[0].iter().zip(own).map(|(plain, own)| plain.seconds / own.seconds));
        println!(
            r#"{{"name": "{prefix}_{name}", "value": {:.0}, "unit": "host pages/s", "compared_with": "plain ({:.0}/s); {} of {} entries in use", "ratio": {ratio:.3}}}"#,
            rate(own),
            rate(&runs[0]),
            own[0].entries,
            128 * 1024,
        );
    }
}

/// A replay proper, preconditioning left out.
#[derive(Clone)]
struct Run {
    seconds: f64,
    /// Pages that the host read and wrote.
    pages: u64,
    /// Of the store at the end.
    entries: u64,
}

fn run(drive: &Drive, source: &mut dyn Source, options: &ReplayOptions) -> Run {
    let Timed { report, seconds, share } = timed(drive, source, options);
    Run {
        seconds: seconds / share,
        pages: report.host.host_pages_written + report.host.host_pages_read,
        entries: report.recycling.map_or(0, |recycling| recycling.counters.entries),
    }
}
