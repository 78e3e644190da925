//! The one way requests come in: a stream that fills batches.

use schemars::JsonSchema;
use serde::Serialize;

use crate::error::TraceError;
use crate::jumps::Jumps;
use crate::request::Batch;

/// Whether requests were recorded, are made up or come from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Read from a file.
    Trace,
    /// Drawn from a generator.
    Workload,
    /// Asked of a live drive.
    Live,
}

/// What a source is, for reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Description {
    /// The file's name, or the workload's specification.
    pub name: String,
    /// The format's or the generator's name.
    pub format: String,
    /// Recorded, made up or live.
    pub kind: Kind,
    /// Whether requests have times of their own; where not, only a closed loop makes sense.
    pub timed: bool,
    /// The number of requests, where it is known beforehand.
    pub requests: Option<u64>,
    /// The unit of the trace's times and how it is known, for example `us (guessed: ...)`. Empty
    /// for workloads.
    pub time_unit: String,
    /// What was chosen or assumed in reading (events taken, free text of a compact trace); may be
    /// empty.
    pub note: String,
}

/// What a source left out or found odd so far. Counted from the last rewind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Omissions {
    /// Malformed lines or records that `skip_bad_lines` passed over.
    pub bad_lines: u64,
    /// Well-formed lines or records that are no request of the chosen kind: headers, other events,
    /// other commands.
    pub ignored_lines: u64,
    /// Requests that the trace dates earlier than its first one; they have time 0.
    pub before_first: u64,
    /// Requests that the trace dates earlier than the one before; a replay takes them at the
    /// largest time so far.
    pub backwards_times: u64,
    /// Requests of volumes that were not selected.
    pub other_volumes: u64,
}

/// Asked now and then whether to go on, with how far the stream is (see [`Source::progress`]).
pub type GoOn<'a> = dyn FnMut(Option<(u64, u64)>) -> bool + 'a;

/// A stream of requests.
pub trait Source {
    /// Empties `batch` and fills it with the next requests, at most [`Batch::limit`]. Returns their
    /// number; 0 is the end.
    ///
    /// # Errors
    /// The fault of the input at this place. Requests before it have been delivered; after an
    /// error the stream stays at its end until [`Source::rewind`].
    fn fill(&mut self, batch: &mut Batch) -> Result<usize, TraceError>;

    /// As [`Source::fill`]; asks `go_on` while it finds no request, so that a caller can end it
    /// before the batch is full. Sources that find one at once do not ask.
    ///
    /// # Errors
    /// Those of [`Source::fill`]; [`crate::ErrorKind::Interrupted`] when `go_on` says so.
    fn fill_watched(&mut self, batch: &mut Batch, _go_on: &mut GoOn<'_>) -> Result<usize, TraceError> {
        self.fill(batch)
    }

    /// Back to the first request. The same requests follow again.
    ///
    /// # Errors
    /// When the file can no longer be opened.
    fn rewind(&mut self) -> Result<(), TraceError>;

    /// To the beginning of a further pass. A trace repeats its requests; a made-up workload goes on
    /// drawing, since draws that come back would leave alone what they did not meet.
    ///
    /// # Errors
    /// Those of [`Source::rewind`].
    fn next_pass(&mut self) -> Result<(), TraceError> {
        self.rewind()
    }

    /// Name, format and notes of the source.
    fn description(&self) -> Description;

    /// How far the stream is, as (done, all), in bytes of the (compressed) file or in requests.
    /// `None`: unknown.
    fn progress(&self) -> Option<(u64, u64)>;

    /// The names of the volumes met so far; [`crate::Request::volume`] is an index into it. Empty
    /// where there is only one without a name.
    fn volumes(&self) -> &[String] {
        &[]
    }

    /// Counts of what was left out so far.
    fn omissions(&self) -> Omissions {
        Omissions::default()
    }

    /// The farthest jumps of the clock so far; none where times are made up.
    fn jumps(&self) -> Jumps {
        Jumps::default()
    }
}

impl<S: Source + ?Sized> Source for &mut S {
    fn fill(&mut self, batch: &mut Batch) -> Result<usize, TraceError> {
        (**self).fill(batch)
    }
    fn fill_watched(&mut self, batch: &mut Batch, go_on: &mut GoOn<'_>) -> Result<usize, TraceError> {
        (**self).fill_watched(batch, go_on)
    }
    fn rewind(&mut self) -> Result<(), TraceError> {
        (**self).rewind()
    }
    fn next_pass(&mut self) -> Result<(), TraceError> {
        (**self).next_pass()
    }
    fn description(&self) -> Description {
        (**self).description()
    }
    fn progress(&self) -> Option<(u64, u64)> {
        (**self).progress()
    }
    fn volumes(&self) -> &[String] {
        (**self).volumes()
    }
    fn omissions(&self) -> Omissions {
        (**self).omissions()
    }
    fn jumps(&self) -> Jumps {
        (**self).jumps()
    }
}

impl<S: Source + ?Sized> Source for Box<S> {
    fn fill(&mut self, batch: &mut Batch) -> Result<usize, TraceError> {
        (**self).fill(batch)
    }
    fn fill_watched(&mut self, batch: &mut Batch, go_on: &mut GoOn<'_>) -> Result<usize, TraceError> {
        (**self).fill_watched(batch, go_on)
    }
    fn rewind(&mut self) -> Result<(), TraceError> {
        (**self).rewind()
    }
    fn next_pass(&mut self) -> Result<(), TraceError> {
        (**self).next_pass()
    }
    fn description(&self) -> Description {
        (**self).description()
    }
    fn progress(&self) -> Option<(u64, u64)> {
        (**self).progress()
    }
    fn volumes(&self) -> &[String] {
        (**self).volumes()
    }
    fn omissions(&self) -> Omissions {
        (**self).omissions()
    }
    fn jumps(&self) -> Jumps {
        (**self).jumps()
    }
}
