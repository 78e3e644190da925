//! Helpers that several tests share.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)] // each test is a program of its own and uses a part of it

use std::path::{Path, PathBuf};

use rewear_trace::{AnySource, Batch, OpenOptions, Request, Source, TraceError};

/// The folder of recorded traces, if it is there: `REWEAR_TRACES`, or `../shared/traces` beside the
/// repository.
pub fn recorded_traces() -> Option<PathBuf> {
    let folder = match std::env::var_os("REWEAR_TRACES") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/traces"),
    };
    if !folder.is_dir() {
        eprintln!("skipped: no recorded traces in {} (set REWEAR_TRACES)", folder.display());
        return None;
    }
    Some(folder)
}

/// All requests of a source.
pub fn drain(source: &mut dyn Source) -> Result<Vec<Request>, TraceError> {
    let mut batch = Batch::with_limit(100);
    let mut all = Vec::new();
    while source.fill(&mut batch)? > 0 {
        all.extend(batch.requests.iter().copied());
    }
    Ok(all)
}

/// Writes `content` into a fresh file, opens and drains it.
pub fn read(content: &[u8], options: &OpenOptions) -> Result<Vec<Request>, TraceError> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), content).unwrap();
    drain(&mut *rewear_trace::open(file.path(), options)?)
}

/// The source of a file with this content, and the file, which is there until it is dropped.
pub fn opened(content: &[u8]) -> (AnySource, tempfile::NamedTempFile) {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), content).unwrap();
    (rewear_trace::open(file.path(), &OpenOptions::default()).unwrap(), file)
}

/// A small deterministic generator for the mutations below.
pub struct Dice(pub u64);

impl Dice {
    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }
}

/// Damages a file: bytes changed, cut out, doubled, cut off.
pub fn mutate(content: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut mutated = content.to_vec();
    for _ in 0..1 + dice.below(4) {
        let at = dice.below(mutated.len());
        match dice.below(6) {
            0 => mutated[at] = dice.below(256) as u8,
            1 => mutated[at] = b"0123456789,;. \t\n-+eRW\0\xff"[dice.below(23)],
            2 => drop(mutated.drain(at..(at + 1 + dice.below(40)).min(mutated.len()))),
            3 => {
                let piece = mutated[at..(at + 30).min(mutated.len())].to_vec();
                mutated.splice(at..at, piece);
            }
            4 => mutated.truncate(at.max(1)),
            _ => mutated.splice(at..at, *b"99999999999999999999999").for_each(drop),
        }
        if mutated.is_empty() {
            mutated.push(b'0');
        }
    }
    mutated
}

/// All that a caller can see: each batch, and what the source says of itself after it.
pub fn seen(source: &mut dyn Source) -> Vec<String> {
    let mut seen = Vec::new();
    let mut batch = Batch::with_limit(7);
    for pass in 0..4 {
        for step in 0.. {
            let outcome = source.fill(&mut batch).map_err(|error| error.to_string());
            let requests = if outcome.is_ok() { format!("{:?}", batch.requests) } else { String::new() };
            let known = (
                source.description(),
                source.progress(),
                source.omissions(),
                source.jumps(),
                source.volumes().to_vec(),
            );
            let ended = !matches!(outcome, Ok(1..));
            seen.push(format!("{pass} {step} {outcome:?} {requests} {known:?}"));
            // In the second pass before the end.
            if ended || pass == 1 && step == 3 {
                break;
            }
        }
        // Further passes over a made-up workload draw on; others begin anew.
        if pass == 2 { source.next_pass() } else { source.rewind() }.unwrap();
    }
    seen
}
