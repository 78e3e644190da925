//! Opens a trace: compression and format are recognised by content, never by the file's name.

use std::path::Path;

use crate::decompress::{HEAD_BYTES, Input};
use crate::error::{ErrorKind, TraceError};
use crate::options::OpenOptions;
use crate::readers::{AnySource, FORMATS, Format};

/// Opens the trace at `path`: plain or compressed by gzip, xz, zstd or bzip2, in any of [`formats`].
/// Nothing but the beginning is read.
///
/// # Errors
/// The file cannot be read, is empty, damaged, or in no known format; the format asked for does not exist.
pub fn open(path: &Path, options: &OpenOptions) -> Result<AnySource, TraceError> {
    let chosen = options.format.as_deref().map(by_name).transpose()?;
    let mut input = Input::open(path)?;
    input.look_ahead(HEAD_BYTES)?;
    if input.available().is_empty() {
        let empty =
            TraceError::new(ErrorKind::Empty, "holds nothing", "name a trace with at least one request");
        return Err(empty.in_file(path));
    }
    let head = &input.available()[..input.available().len().min(HEAD_BYTES)];
    let Some(format) = chosen
        .or_else(|| FORMATS.iter().find(|format| (format.sniff)(head)))
        .or_else(|| FORMATS.iter().find(|format| (format.sniff_damaged)(head)))
    else {
        let names = FORMATS.iter().map(|format| format.name).collect::<Vec<_>>().join(", ");
        let found =
            crate::error::Excerpt(head.split(|&byte| byte == b'\n').next().unwrap_or_default()).to_string();
        let problem = format!("no known trace format begins like this: {found}");
        let remedy = format!("if it is a trace, name its format: {names}");
        return Err(TraceError::new(ErrorKind::Unrecognised, problem, remedy).in_file(path));
    };
    (format.open)(format.name, input, options).map_err(|error| error.in_file(path))
}

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
