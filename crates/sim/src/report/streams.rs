//! What a stream policy did, stream by stream, as reports show it.

use rewear_ftl::Ftl;
use rewear_ftl::policies::streams::figures::{StreamCounts, StreamFigures};
use schemars::JsonSchema;
use serde::Serialize;

/// One stream: a placement identifier of the host, or a class of the policy.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct StreamReport {
    /// The identifier, from 0, or the class, from 1.
    pub stream: u8,
    /// Logical pages that the host wrote to it and that came to the flash.
    pub pages_written: u64,
    /// The same in bytes of whole pages.
    pub bytes_written: u64,
    /// Logical pages moved: pages of the identifier wherever they lay, or pages that the policy
    /// moved into the class.
    pub pages_moved: u64,
    /// Pages written and moved for a page written; absent where pages change their stream when they
    /// are moved, and without a write.
    pub write_amplification: Option<f64>,
}

/// All streams.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct StreamsReport {
    /// A row for each.
    pub rows: Vec<StreamReport>,
    /// Pages written with an identifier that the drive does not have, which went to identifier 0.
    pub pages_of_unknown_identifiers: u64,
}

impl StreamsReport {
    pub(crate) fn new(ftl: &Ftl) -> Option<StreamsReport> {
        let StreamFigures { first, rows, keeps_streams, unknown } = ftl.stream_figures()?;
        let page_bytes = u64::from(ftl.layout().logical_page_bytes);
        let row = |(stream, counts): (u8, &StreamCounts)| StreamReport {
            stream,
            pages_written: counts.written,
            bytes_written: counts.written * page_bytes,
            pages_moved: counts.moved,
            write_amplification: (*keeps_streams && counts.written > 0)
                .then(|| (counts.written + counts.moved) as f64 / counts.written as f64),
        };
        Some(StreamsReport {
            rows: (*first..).zip(rows).map(row).collect(),
            pages_of_unknown_identifiers: *unknown,
        })
    }

    /// What a reader of the figures must know.
    pub(crate) fn note(&self) -> Option<String> {
        let unknown = self.pages_of_unknown_identifiers;
        (unknown > 0).then(|| {
            format!(
                "{unknown} pages were written with placement identifiers from {} on, which the drive does not have: they went to identifier 0; \
                 give ftl.streams.handles for all of them.",
                self.rows.len()
            )
        })
    }
}
