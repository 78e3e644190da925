//! Small drives and short runs for the tests of this crate.
#![allow(dead_code, clippy::unwrap_used, missing_docs)]

pub(crate) mod schemes;

use rewear_sim::{Drive, ReplayOptions, Report, replay};
use rewear_trace::{
    AnySource, Batch, Defaults, Description, FINGERPRINT_PAGE_BYTES, Fingerprint, Source, TraceError,
};

/// Four planes of MLC, 64 blocks each.
pub(crate) const SMALL: &str = r#"
name = "small"
[flash]
channels = 2
dies_per_channel = 1
planes_per_die = 2
blocks_per_plane = 64
pages_per_block = 64
page_bytes = 4096
bits_per_cell = 4
[flash.timing]
read_ns = [50_000, 60_000, 70_000, 80_000]
program_ns = [500_000, 900_000, 1_300_000, 1_700_000]
erase_ns = 3_000_000
channel_mb_per_s = 400
[ftl]
over_provisioning = 0.25
"#;

pub(crate) fn drive(overrides: &[(&str, &str)]) -> Drive {
    let overrides: Vec<_> =
        overrides.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    Drive::from_toml(SMALL, "small", &overrides).unwrap()
}

/// A workload whose writes have contents, which come back: every page goes through three, some of
/// them its neighbours'.
pub(crate) struct WithContent {
    workload: AnySource,
    requests: Batch,
    writes: u64,
}

impl WithContent {
    pub(crate) fn new(workload: AnySource) -> WithContent {
        WithContent { workload, requests: Batch::default(), writes: 0 }
    }
}

impl Source for WithContent {
    fn fill(&mut self, batch: &mut Batch) -> Result<usize, TraceError> {
        batch.clear();
        let filled = self.workload.fill(&mut self.requests)?;
        for request in &self.requests.requests {
            self.writes += u64::from(request.operation.is_write());
            let version = u128::from(self.writes.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 62) % 3;
            let pages = request.pages(FINGERPRINT_PAGE_BYTES);
            let contents: Vec<Fingerprint> =
                pages.map(|page| u128::from(page / 2) * 3 + version + 1).collect();
            match request.operation.is_write() {
                true => _ = batch.push_with_content(*request, &contents),
                false => batch.push(*request),
            }
        }
        Ok(filled)
    }

    fn rewind(&mut self) -> Result<(), TraceError> {
        self.writes = 0;
        self.workload.rewind()
    }

    fn description(&self) -> Description {
        self.workload.description()
    }

    fn progress(&self) -> Option<(u64, u64)> {
        self.workload.progress()
    }
}

/// As [`run`], with contents.
pub(crate) fn run_with_content(drive: &Drive, workload: &str, options: &ReplayOptions) -> Report {
    let mut source = WithContent::new(source(drive, workload));
    replay(drive, &mut source, options, &mut |_| true).unwrap()
}

pub(crate) fn run(drive: &Drive, workload: &str, options: &ReplayOptions) -> Report {
    replay(drive, &mut source(drive, workload), options, &mut |_| true).unwrap()
}

pub(crate) fn source(drive: &Drive, workload: &str) -> AnySource {
    let exported = drive.derived().unwrap();
    let value = |key| exported.iter().find(|item| item.key == key).unwrap().value.as_u64().unwrap();
    let defaults = Defaults {
        pages: value("exported_pages"),
        page_bytes: value("logical_page_bytes"),
        requests: 100_000,
        seed: 1,
    };
    rewear_trace::workload(workload, &defaults).unwrap()
}
