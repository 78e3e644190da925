//! What a stream policy counts, stream by stream.

/// Counts of one stream in logical pages. Programs that failed count once more.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StreamCounts {
    /// Pages that the host wrote and that came to the flash.
    pub written: u64,
    /// Pages moved, by cleaning, wear levelling and off units that failed.
    pub moved: u64,
}

/// Counts of all streams since the last reset.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StreamFigures {
    /// The number of the first stream; the others follow it.
    pub first: u8,
    /// A row a stream.
    pub rows: Vec<StreamCounts>,
    /// Whether a page keeps its stream when it is moved, so that a stream has a write
    /// amplification.
    pub keeps_streams: bool,
    /// Pages written with an identifier that the drive does not have.
    pub unknown: u64,
}

impl StreamFigures {
    /// Nothing counted yet, in `streams` streams.
    pub(super) fn new(first: u8, streams: usize, keeps_streams: bool) -> StreamFigures {
        StreamFigures { first, rows: vec![StreamCounts::default(); streams], keeps_streams, unknown: 0 }
    }

    pub(super) fn reset(&mut self) {
        self.rows.fill(StreamCounts::default());
        self.unknown = 0;
    }
}
