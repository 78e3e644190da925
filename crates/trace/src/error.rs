//! One error type for everything that can be wrong with a trace or a workload.

use std::fmt;
use std::path::{Path, PathBuf};

/// The sort of trouble, for callers that treat sorts differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The operating system refused: missing file, a directory, no permission, a failed read.
    Io,
    /// The file's format could not be told from its content.
    Unrecognised,
    /// The file is wrapped in something that is not taken off here: an archive, another
    /// compression, UTF-16.
    Wrapped,
    /// A line or record that does not follow the format.
    Malformed,
    /// The file ends in the middle of something.
    Truncated,
    /// There is nothing to replay: an empty file, or no request passes the selection.
    Empty,
    /// An option, a workload's name or one of its parameters.
    Parameter,
    /// The trace reaches beyond the drive.
    DoesNotFit,
    /// The watcher of the work wants it to end.
    Interrupted,
}

/// Where in its input an error lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The input as a whole.
    Whole,
    /// A line, counted from 1.
    Line(u64),
    /// A record of a binary format, counted from 1.
    Record(u64),
    /// A block of the compact format, counted from 1.
    Block(u64),
    /// A request of the compact format, counted from 1.
    Request(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Whole => Ok(()),
            Place::Line(number) => write!(out, "line {number}"),
            Place::Record(number) => write!(out, "record {number}"),
            Place::Block(number) => write!(out, "block {number}"),
            Place::Request(number) => write!(out, "request {number}"),
        }
    }
}

/// A fault of a trace or a workload, its place, and how to mend it.
#[derive(Debug, thiserror::Error)]
#[error("{}", self.sentence())]
pub struct TraceError {
    /// The sort of trouble.
    pub kind: ErrorKind,
    /// The file, or nothing for a workload.
    pub path: Option<PathBuf>,
    /// Where in the file.
    pub place: Place,
    /// The fault.
    pub problem: String,
    /// A way for the user to mend it.
    pub remedy: String,
    /// The operating system's error, if there is one.
    #[source]
    pub cause: Option<std::io::Error>,
}

impl TraceError {
    pub(crate) fn new(kind: ErrorKind, problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        let (problem, remedy) = (problem.into(), remedy.into());
        Self { kind, path: None, place: Place::Whole, problem, remedy, cause: None }
    }

    pub(crate) fn parameter(problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::new(ErrorKind::Parameter, problem, remedy)
    }

    pub(crate) fn interrupted() -> Self {
        Self::new(ErrorKind::Interrupted, "interrupted", "")
    }

    pub(crate) fn in_file(mut self, path: &Path) -> Self {
        self.path.get_or_insert_with(|| path.to_owned());
        self
    }

    /// An error of reading stays one of the whole file.
    pub(crate) fn at(mut self, place: Place) -> Self {
        if self.place == Place::Whole && self.cause.is_none() {
            self.place = place;
        }
        self
    }

    /// An error of the operating system while reading.
    pub(crate) fn from_read(cause: std::io::Error) -> Self {
        let problem = format!("cannot be read ({cause})");
        let remedy = "check the path, its permissions and the disk";
        Self { cause: Some(cause), ..Self::new(ErrorKind::Io, problem, remedy) }
    }

    /// An error of the decompressor of `compression` (gzip, ...), which reports those of the
    /// operating system, too. It concerns the file as a whole: the line that was cut by it is not
    /// at fault.
    pub(crate) fn from_decompressor(cause: std::io::Error, compression: &str) -> Self {
        use std::io::ErrorKind as Os;
        let (kind, problem, remedy) = match cause.kind() {
            Os::UnexpectedEof => (
                ErrorKind::Truncated,
                format!("the {compression} data end too early"),
                "copy or download the file again; what it holds up to there can be had by decompressing it by hand",
            ),
            Os::InvalidData | Os::InvalidInput | Os::Other => (
                ErrorKind::Malformed,
                format!("the {compression} data are damaged ({cause})"),
                "check the file with its own decompressor and copy or download it again",
            ),
            _ => return Self::from_read(cause),
        };
        Self { cause: Some(cause), ..Self::new(kind, problem, remedy) }
    }

    fn sentence(&self) -> String {
        let mut text = String::new();
        if let Some(path) = &self.path {
            text += &path.display().to_string();
        }
        let place = self.place.to_string();
        if !text.is_empty() && !place.is_empty() {
            text += ", ";
        }
        text += &place;
        if !text.is_empty() {
            text += ": ";
        }
        text += &self.problem;
        if !self.remedy.is_empty() {
            text += "; ";
            text += &self.remedy;
        }
        text
    }
}

/// A parser's error about one line or record. The source that calls it adds file and place.
#[derive(Debug, Clone)]
pub(crate) struct Fault {
    pub(crate) problem: String,
    /// Where in memory the text at fault begins, to tell how much of its line was right; never
    /// read.
    text: Option<usize>,
}

impl Fault {
    /// `what` is not as it should be; shows the text at fault, shortened and made printable.
    #[cold]
    pub(crate) fn field(what: &str, text: &[u8]) -> Self {
        Self { problem: format!("{what}, found {}", Excerpt(text)), text: Some(text.as_ptr() as usize) }
    }

    #[cold]
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Self { problem: what.into(), text: None }
    }

    /// How many bytes of `line` were right: all of them where what is wrong is not a part of it.
    pub(crate) fn right_bytes(&self, line: &[u8]) -> usize {
        let before = self.text.and_then(|text| text.checked_sub(line.as_ptr() as usize));
        before.map_or(line.len(), |before| before.min(line.len()))
    }
}

/// A few printable characters of untrusted bytes.
pub(crate) struct Excerpt<'a>(pub(crate) &'a [u8]);

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 48;
        let head = &self.0[..self.0.len().min(SHOWN)];
        write!(out, "\"{}\"", head.escape_ascii())?;
        if self.0.len() > SHOWN { write!(out, " (and {} bytes more)", self.0.len() - SHOWN) } else { Ok(()) }
    }
}
