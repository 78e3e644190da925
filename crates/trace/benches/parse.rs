//! Speed of the readers and generators: `cargo bench -p rewear-trace`.
//!
//! Throughputs are in bytes of the uncompressed input for readers, in requests for generators.

#![allow(clippy::unwrap_used)] // a benchmark may stop where it stands

use std::fmt::Write as _;

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use rewear_trace::{AnySource, Batch, CompactWriter, Defaults, OpenOptions, Source, open, workload};

const REQUESTS: u64 = 1_000_000;

fn main() {
    divan::main();
}

/// A csv like those of MSR Cambridge, about 52 MB.
fn msr_csv() -> String {
    let mut text = String::new();
    let mut source = requests("hot-cold:read=0.3,size=4KiB*3/512*1/64KiB*1,arrival=poisson,rate=100");
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

fn requests(spec: &str) -> AnySource {
    workload(spec, &Defaults { pages: 1 << 24, requests: REQUESTS, ..Defaults::default() }).unwrap()
}

/// Sum of offsets, so that nothing is left out.
fn drain(source: &mut dyn Source) -> u64 {
    let mut batch = Batch::default();
    let mut sum = 0u64;
    while source.fill(&mut batch).unwrap() > 0 {
        sum = batch.requests.iter().fold(sum, |sum, request| sum.wrapping_add(request.offset_bytes));
    }
    sum
}

fn read(bencher: Bencher<'_, '_>, content: &[u8], uncompressed: usize) {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), content).unwrap();
    let bencher = bencher.counter(BytesCount::new(uncompressed)).counter(ItemsCount::new(REQUESTS));
    bencher.bench_local(|| drain(&mut *open(file.path(), &OpenOptions::default()).unwrap()));
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn msr_csv_plain(bencher: Bencher<'_, '_>) {
    let text = msr_csv();
    read(bencher, text.as_bytes(), text.len());
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn msr_csv_zstd(bencher: Bencher<'_, '_>) {
    let text = msr_csv();
    read(bencher, &zstd::encode_all(text.as_bytes(), 3).unwrap(), text.len());
}

#[divan::bench(sample_count = 5, sample_size = 1)]
fn compact(bencher: Bencher<'_, '_>) {
    let mut source = requests("hot-cold:read=0.3,size=4KiB*3/512*1/64KiB*1,arrival=poisson,rate=100");
    let mut writer = CompactWriter::new(Vec::new(), "benchmark", 0).unwrap();
    writer.copy(&mut *source).unwrap();
    let content = writer.finish().unwrap();
    read(bencher, &content, content.len());
}

#[divan::bench(sample_count = 20, sample_size = 1, args = ["uniform", "sequential", "hot-cold", "zipf", "zipf:scatter=false", "uniform:read=0.5", "uniform:arrival=poisson"])]
fn generate(bencher: Bencher<'_, '_>, spec: &str) {
    let mut source = requests(spec);
    let mut batch = Batch::default();
    bencher.counter(ItemsCount::new(REQUESTS)).bench_local(move || {
        source.rewind().unwrap();
        while source.fill(&mut batch).unwrap() > 0 {
            divan::black_box(&batch.requests[..]);
        }
    });
}
