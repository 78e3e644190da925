//! Recycling by fingerprints beside the plain drive: the same replay of page writes with content, in turn in one process.
//!
//! Prints one JSON object a line: name, value, unit, compared_with, ratio. The ratio is of the plain drive's speed, the median of
//! all rounds, in each of which both ran one after the other. How full the store was at the end stands with what is compared.

use std::time::Instant;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_sim::options::PreconditionKind;
use rewear_sim::replay::Stage;
use rewear_sim::{Drive, ReplayOptions, replay};
use rewear_trace::{Batch, Description, Fingerprint, Operation, Request, Source, TraceError};

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

/// Uniform writes of single pages; one in five brings one of 200,000 contents, the others a new one; a tenth are reads.
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

fn main() {
    let variants: [(&str, &[(&str, &str)]); 4] = [
        ("plain", &[]),
        ("128K", &[]),
        ("128K_value_accesses", &[("recycle.popularity", "value-accesses")]),
        ("128K_and_deduplication", &[("recycle.answers", "all")]),
    ];
    let mut seconds = vec![Vec::new(); variants.len()];
    let mut stores = vec![0; variants.len()];
    for _ in 0..ROUNDS {
        for (index, (name, overrides)) in variants.iter().enumerate() {
            let scheme = ("recycle.scheme", if *name == "plain" { "none" } else { "fingerprints" });
            let overrides: Vec<_> =
                [scheme].iter().chain(*overrides).map(|&(k, v)| (k.into(), v.into())).collect();
            let drive = Drive::from_toml(DRIVE, "bench", &overrides).expect("a valid drive");
            let (elapsed, entries) = replay_seconds(&drive);
            seconds[index].push(elapsed);
            stores[index] = entries;
        }
    }
    let plain = seconds[0].clone();
    for (index, (name, _)) in variants.iter().enumerate().skip(1) {
        let ratio = median(plain.iter().zip(&seconds[index]).map(|(plain, own)| plain / own));
        println!(
            r#"{{"name": "recycling_{name}", "value": {:.0}, "unit": "host pages/s", "compared_with": "plain ({:.0}/s); {} of {} entries in use", "ratio": {ratio:.3}}}"#,
            WRITES as f64 / median(seconds[index].iter().copied()),
            WRITES as f64 / median(plain.iter().copied()),
            stores[index],
            128 * 1024,
        );
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Time of the replay proper, preconditioning left out, and entries of the store at its end.
fn replay_seconds(drive: &Drive) -> (f64, u64) {
    let exported = drive.derived().expect("a valid drive");
    let pages =
        exported.iter().find(|item| item.key == "exported_pages").and_then(|item| item.value.as_u64());
    let mut source = Writes::new(pages.expect("a count"));
    let options = ReplayOptions { precondition: PreconditionKind::Fill, ..ReplayOptions::default() };
    let mut began = None;
    let report = replay(drive, &mut source, &options, &mut |progress| {
        if progress.stage == Stage::Replay && began.is_none() {
            began = Some((Instant::now(), progress.done));
        }
        true
    })
    .expect("a complete replay");
    let (began, already_done) = began.expect("progress was reported");
    let elapsed = began.elapsed().as_secs_f64();
    assert!(report.garbage_collections > 0);
    let entries = report.recycling.map_or(0, |recycling| recycling.entries);
    (elapsed * WRITES as f64 / (WRITES - already_done) as f64, entries)
}
