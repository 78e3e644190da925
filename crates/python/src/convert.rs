//! Writing a trace in the compact format.

use std::fs::File;
use std::io::{BufWriter, Error};
use std::path::Path;

use pyo3::prelude::*;
use rewear_trace::{CompactWriter, ContentColumn, Source};
use serde::Serialize;

use crate::errors::{ConfigurationError, TraceError, trace_error};

/// Counts of a conversion.
#[derive(Serialize)]
pub(crate) struct Written {
    requests: u64,
    bytes: u64,
}

/// Copies `source` to the file `path`, with who wrote it from the recording `told`, if that has all its
/// requests.
pub(crate) fn convert(
    source: &mut dyn Source,
    path: &Path,
    content: ContentColumn,
    told: Option<&Path>,
) -> PyResult<Written> {
    let description = source.description();
    let out = BufWriter::new(File::create(path)?);
    let text = format!("converted from {} ({})", description.name, description.format);
    let mut writer = CompactWriter::new(out, &text, 0)?.with_content(content);
    let requests = writer.copy(source).map_err(|error| trace_error(&error))?;
    if let Some(told) = told {
        rewear_trace::copy_owners(told, &mut writer).map_err(|error| trace_error(&error))?;
    }
    writer.finish()?;
    let bytes = std::fs::metadata(path)?.len();
    Ok(Written { requests, bytes })
}

/// How much is kept of the content, by its name on the command line.
pub(crate) fn content_column(name: &str) -> PyResult<ContentColumn> {
    match name {
        "digests" => Ok(ContentColumn::Digests),
        "numbers" => Ok(ContentColumn::Numbers),
        "none" => Ok(ContentColumn::Nothing),
        _ => Err(ConfigurationError::new_err(format!(
            "Content cannot be kept as {name:?}. Write digests, numbers or none."
        ))),
    }
}

/// That the trace at `path` cannot be written.
pub(crate) fn failed(path: &Path, error: &Error) -> PyErr {
    TraceError::new_err(format!(
        "{} cannot be written: {error}. Check the folder, its permissions and its space.",
        path.display()
    ))
}
