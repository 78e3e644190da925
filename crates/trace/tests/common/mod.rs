//! What several tests share.
#![allow(dead_code, unreachable_pub)] // each test is a program of its own and uses a part of it

use std::path::{Path, PathBuf};

use rewear_trace::{Batch, OpenOptions, Request, Source, TraceError};

/// The folder of recorded traces, if it is there: `REWEAR_TRACES`, or `../shared/traces` beside the repository.
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
