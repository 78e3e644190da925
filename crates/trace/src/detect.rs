//! Opens a trace: compression and format are recognised by content, never by the file's name.

use std::path::Path;

use crate::decompress::{HEAD_BYTES, Input};
use crate::error::{ErrorKind, Excerpt, Place, TraceError};
use crate::foreign::{self, Foreign};
use crate::options::OpenOptions;
use crate::readers::{AnySource, FORMATS, Format, own_columns, plain_csv};
use crate::trims_skipped::TrimsSkipped;

/// Opens the trace at `path`: plain or compressed by gzip, xz, lzma, zstd or bzip2, in any of
/// [`formats`]. Nothing but the beginning is read.
///
/// # Errors
/// The file cannot be read, is empty, damaged, or in no known format; the format asked for does not
/// exist.
pub fn open(path: &Path, options: &OpenOptions) -> Result<AnySource, TraceError> {
    let columns = options.own_columns.as_ref();
    columns.map_or(Ok(()), own_columns::check)?;
    let named = options.format.as_deref().or(columns.map(|_| COLUMNS));
    let chosen = named.map(by_name).transpose()?;
    if chosen.is_some_and(|format| (format.name == COLUMNS) != columns.is_some()) {
        let problem = "the format columns goes with the option columns, and no other does";
        return Err(TraceError::parameter(
            problem,
            format!("name them: columns=time_us+op+sector+sectors, of {}", own_columns::NAMES),
        ));
    }
    let mut input = Input::open(path)?;
    input.look_ahead(HEAD_BYTES)?;
    if input.available().is_empty() {
        let empty =
            TraceError::new(ErrorKind::Empty, "holds nothing", "name a trace with at least one request");
        return Err(empty.in_file(path));
    }
    if input.available().strip_prefix(b"\xef\xbb\xbf").unwrap_or(input.available()).starts_with(b"\"") {
        input.unquote();
    }
    let head = &input.available()[..input.available().len().min(HEAD_BYTES)];
    let format = match chosen {
        Some(format) => fitting(format, head).map(|()| format),
        None => recognised(path, head),
    };
    let format = format.map_err(|error| input.blamed(error).in_file(path))?;
    let trace = (format.open)(format.name, input, options).map_err(|error| error.in_file(path))?;
    Ok(if options.skip_trims { Box::new(TrimsSkipped::new(trace)) } else { trace })
}

/// The format of what begins with `head`: what it is for certain, or else what it may be if damaged.
/// Rows decide, never a heading that several formats may share.
fn recognised(path: &Path, head: &[u8]) -> Result<&'static Format, TraceError> {
    if plain_csv::is_headed(head) {
        return by_name("csv");
    }
    let mut candidates = FORMATS.iter().filter(|format| fitting(format, head).is_ok());
    if let Some(format) = candidates.clone().find(|format| (format.sniff)(head)) {
        return Ok(format);
    }
    if let Some(format) = candidates.find(|format| (format.sniff_damaged)(head)) {
        return Ok(format);
    }
    foreign::kind(head).map_or(Ok(()), wrapped)?;
    Err(unrecognised(path, head))
}

/// Refuses to read what is in a wrapping of another kind as text. Binary formats tell by
/// themselves.
fn fitting(format: &Format, head: &[u8]) -> Result<(), TraceError> {
    if format.text { foreign::kind(head).map_or(Ok(()), wrapped) } else { Ok(()) }
}

fn wrapped(found: &Foreign) -> Result<(), TraceError> {
    Err(TraceError::new(ErrorKind::Wrapped, found.problem, found.remedy))
}

/// The error names the formats that come closest, and what is wrong by each: perhaps one line is
/// malformed.
fn unrecognised(path: &Path, head: &[u8]) -> TraceError {
    /// Number of formats that an error names.
    const NAMED: usize = 3;
    if let Some(columns) = own_columns::likely(head) {
        let problem = if columns.contains("writes=*") {
            "no known trace format, but its columns look like requests, and none tells reads from writes: \
             print it, too (blkparse -f has %d)"
        } else {
            "no known trace format, but its columns look like requests"
        };
        let all = if columns.contains("writes=*") { "if all are writes, " } else { "" };
        let remedy = format!("{all}name them, and mend what is wrong in this: {}:{columns}", path.display());
        return TraceError::new(ErrorKind::Unrecognised, problem, remedy);
    }
    let names = FORMATS.iter().map(|format| format.name).collect::<Vec<_>>().join(", ");
    let near: Vec<_> =
        FORMATS.iter().filter_map(|format| Some((format.name, (format.closeness)(head)?))).collect();
    if let Some(best) = near.iter().map(|(_, close)| close.rank()).max() {
        let mut closest = near.iter().filter(|(_, close)| close.rank() == best).peekable();
        let line = closest.peek().map_or(1, |(_, close)| close.line);
        let found = closest.filter(|(_, close)| close.line == line).take(NAMED);
        let found = found.map(|(name, close)| format!("in {name} {}", close.problem)).collect::<Vec<_>>();
        let problem = format!("no known trace format; closest: {}", found.join(", or "));
        let remedy = format!("mend the line, or name the format: {names}");
        return TraceError::new(ErrorKind::Unrecognised, problem, remedy).at(Place::Line(line));
    }
    let first = Excerpt(head.split(|&byte| byte == b'\n').next().unwrap_or_default());
    let problem = format!("no known trace format begins like this: {first}");
    TraceError::new(ErrorKind::Unrecognised, problem, format!("if it is a trace, name its format: {names}"))
}

/// The format whose columns the user names.
const COLUMNS: &str = "columns";

/// Every format that [`open`] reads.
pub fn formats() -> &'static [Format] {
    FORMATS
}

fn by_name(name: &str) -> Result<&'static Format, TraceError> {
    FORMATS.iter().find(|format| format.name == name || format.aliases.contains(&name)).ok_or_else(|| {
        let names = FORMATS.iter().map(|format| format.name).collect::<Vec<_>>().join(", ");
        TraceError::parameter(
            format!("the trace format \"{name}\" does not exist"),
            format!("use one of: {names}"),
        )
    })
}
