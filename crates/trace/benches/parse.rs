//! Speed of the readers and generators: `cargo bench -p rewear-trace`.
//!
//! Prints one JSON object a line: name, value, unit. Values are requests a second, the median of
//! five rounds; a csv file has about 52 bytes a request. An argument takes the names that contain it.

#![allow(clippy::unwrap_used)] // a benchmark may stop where it stands

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Instant;

use rewear_trace::{AnySource, Batch, CompactWriter, Defaults, OpenOptions, Source, open, workload};

const REQUESTS: u64 = 1_000_000;
const ROUNDS: usize = 5;
const MIXED: &str = "hot-cold:read=0.3,size=4KiB*3/512*1/64KiB*1,arrival=poisson,rate=100";
const GENERATED: [&str; 7] = [
    "uniform",
    "sequential",
    "hot-cold",
    "zipf",
    "zipf:scatter=false",
    "uniform:read=0.5",
    "uniform:arrival=poisson",
];

fn main() {
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    let csv = msr_csv().into_bytes();
    let compressed = zstd::encode_all(&csv[..], 3).unwrap();
    for (name, content) in [("msr-csv", csv), ("msr-csv, zstd", compressed), ("compact", compact())] {
        if name.contains(&wanted) {
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), content).unwrap();
            print(name, || drain(&mut *open(file.path(), &OpenOptions::default()).unwrap()));
        }
    }
    for name in GENERATED.into_iter().filter(|name| name.contains(&wanted)) {
        let mut source = requests(name);
        print(name, || {
            source.rewind().unwrap();
            drain(&mut *source);
        });
    }
}

/// Prints the requests a second of what passes all of them.
fn print(name: &str, mut pass: impl FnMut()) {
    let mut rates: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let begun = Instant::now();
            pass();
            REQUESTS as f64 / begun.elapsed().as_secs_f64()
        })
        .collect();
    rates.sort_by(f64::total_cmp);
    println!(r#"{{"name": "{name}", "value": {:.0}, "unit": "requests/s"}}"#, rates[ROUNDS / 2]);
}

fn drain(source: &mut dyn Source) {
    let mut batch = Batch::default();
    while source.fill(&mut batch).unwrap() > 0 {
        black_box(&batch.requests[..]);
    }
}

fn requests(spec: &str) -> AnySource {
    workload(spec, &Defaults { pages: 1 << 24, requests: REQUESTS, ..Defaults::default() }).unwrap()
}

/// A csv like those of MSR Cambridge.
fn msr_csv() -> String {
    let mut text = String::new();
    let mut source = requests(MIXED);
    let mut batch = Batch::default();
    while source.fill(&mut batch).unwrap() > 0 {
        for one in &batch.requests {
            let operation = if one.operation.is_write() { "Write" } else { "Read" };
            let ticks = 128_166_372_003_061_629 + one.at_ns / 100;
            writeln!(text, "{ticks},web,1,{operation},{},{},2833", one.offset_bytes, one.length_bytes)
                .unwrap();
        }
    }
    text
}

fn compact() -> Vec<u8> {
    let mut writer = CompactWriter::new(Vec::new(), "benchmark", 0).unwrap();
    writer.copy(&mut *requests(MIXED)).unwrap();
    writer.finish().unwrap()
}
