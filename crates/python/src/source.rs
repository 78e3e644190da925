//! Sources of a replay: trace files and workloads.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rewear_trace::{AnySource, Batch, Defaults, Kept, OpenOptions, OwnColumns, Request, Source};
use serde_json::{Value, json};

use crate::errors::{guarded, to_json, trace_error};
use crate::progress::Reporter;
use crate::watched::Watched;
use crate::whole::Whole;

/// A trace file whose format is known. Every use opens the file anew, so that threads can share it.
#[pyclass(frozen, module = "rewear._core")]
pub(crate) struct Trace {
    path: PathBuf,
    options: OpenOptions,
    format: String,
    /// Its requests in memory, where it was read before it is used.
    kept: Option<Arc<Kept>>,
}

#[pymethods]
impl Trace {
    /// Opens the file far enough to recognise its format.
    #[new]
    #[expect(clippy::too_many_arguments, reason = "keywords of the Python call")]
    #[pyo3(signature = (path, format, skip_bad_lines, skip_trims, shift_bytes, volume, time_unit, event, cut_gaps_s, columns, separator, reads, writes))]
    fn new(
        path: PathBuf,
        format: Option<String>,
        skip_bad_lines: bool,
        skip_trims: bool,
        shift_bytes: Whole,
        volume: Option<String>,
        time_unit: Option<&str>,
        event: Option<&str>,
        cut_gaps_s: Option<f64>,
        columns: Option<String>,
        separator: Option<String>,
        reads: Option<String>,
        writes: Option<String>,
    ) -> PyResult<Self> {
        guarded(|| {
            let time_unit = time_unit.map(str::parse).transpose().map_err(|error| trace_error(&error))?;
            let event = event.map(str::parse).transpose().map_err(|error| trace_error(&error))?;
            let shift_bytes = shift_bytes.0;
            // Beyond the largest it cuts nothing.
            let cut_gaps_ns = cut_gaps_s.map(|seconds| (seconds * 1e9) as u64);
            let own_columns = columns.map(|columns| OwnColumns { columns, separator, reads, writes });
            let options = OpenOptions {
                own_columns,
                format,
                skip_bad_lines,
                skip_trims,
                shift_bytes,
                volume,
                time_unit,
                event,
                cut_gaps_ns,
            };
            let source = rewear_trace::open(&path, &options).map_err(|error| trace_error(&error))?;
            let format = source.description().format;
            Ok(Self { path, options, format, kept: None })
        })
    }

    /// Name of the format.
    #[getter]
    fn format(&self) -> &str {
        &self.format
    }

    /// The same trace with its requests in memory; without them if it is too long for that, or
    /// cannot be read.
    fn kept(&self, py: Python<'_>, progress: Option<Py<PyAny>>) -> PyResult<Self> {
        let (path, options, format) = (self.path.clone(), self.options.clone(), self.format.clone());
        let mut reporter = Reporter::new(progress);
        let result = py.detach(|| {
            guarded(|| match &self.kept {
                Some(kept) => Ok(Some(Arc::clone(kept))),
                None => {
                    let source = Watched::new(self.open()?, "reading", &mut reporter);
                    // The user of the trace gets the error.
                    Ok(Kept::read(source, &mut |_| true).ok().flatten())
                }
            })
        });
        let kept = reporter.finish(result)?;
        Ok(Self { path, options, format, kept })
    }

    /// JSON object of the counts over the whole trace.
    fn info(&self, py: Python<'_>, progress: Option<Py<PyAny>>) -> PyResult<String> {
        let mut reporter = Reporter::new(progress);
        let result = py.detach(|| guarded(|| self.count(&mut reporter)));
        reporter.finish(result)
    }

    /// JSON object of the analyses of the whole trace.
    fn analyse(&self, py: Python<'_>, progress: Option<Py<PyAny>>) -> PyResult<String> {
        let mut reporter = Reporter::new(progress);
        let result = py.detach(|| {
            guarded(|| {
                let mut source = Watched::new(self.open()?, "analysing", &mut reporter);
                to_json(&rewear_trace::analyse(&mut source).map_err(|error| trace_error(&error))?)
            })
        });
        reporter.finish(result)
    }

    /// JSON object of who wrote; null of a trace that does not tell.
    fn who_writes(&self, py: Python<'_>) -> PyResult<String> {
        let found = py
            .detach(|| guarded(|| rewear_trace::who_writes(&self.path).map_err(|error| trace_error(&error))));
        to_json(&found?)
    }

    /// Writes the recording to `out` as if a file were written in batches of `by` flushes; the requests
    /// that are left.
    fn batched(
        &self,
        py: Python<'_>,
        file: &str,
        by: u64,
        anew: bool,
        out: PathBuf,
    ) -> PyResult<Option<u64>> {
        let failed = |error| crate::convert::failed(&out, &error);
        py.detach(|| {
            guarded(|| {
                let to = std::io::BufWriter::new(std::fs::File::create(&out).map_err(failed)?);
                rewear_trace::batched(&self.path, file, by, anew, to).map_err(|error| trace_error(&error))
            })
        })
    }

    /// JSON list of the first `count` requests.
    fn head(&self, py: Python<'_>, count: Whole) -> PyResult<String> {
        let mut reporter = Reporter::new(None);
        let result = py.detach(|| guarded(|| self.first(count.0 as usize, &mut reporter)));
        reporter.finish(result)
    }

    /// A fresh reader of the requests, column by column.
    fn rows(&self, py: Python<'_>) -> PyResult<Rows> {
        let source = py.detach(|| guarded(|| self.open()))?;
        Ok(Rows(Mutex::new((source, Batch::default()))))
    }

    /// Writes the trace in the compact format to `path`; JSON object of what was written.
    fn convert(
        &self,
        py: Python<'_>,
        path: PathBuf,
        content: &str,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<String> {
        let content = crate::convert::content_column(content)?;
        let mut reporter = Reporter::new(progress);
        let result = py.detach(|| {
            guarded(|| {
                let mut source = Watched::new(self.open()?, "converting", &mut reporter);
                let is_whole = self.options.volume.is_none() && !self.options.skip_trims;
                let told = is_whole.then_some(&*self.path);
                let written = crate::convert::convert(&mut source, &path, content, told)?;
                to_json(&written)
            })
        });
        reporter.finish(result)
    }
}

impl Trace {
    /// A fresh stream of the file's requests.
    pub(crate) fn open(&self) -> PyResult<AnySource> {
        if let Some(kept) = &self.kept {
            return Ok(Box::new(kept.source()));
        }
        rewear_trace::open(&self.path, &self.options).map_err(|error| trace_error(&error))
    }

    fn count(&self, reporter: &mut Reporter) -> PyResult<String> {
        let mut source = Watched::new(self.open()?, "counting", reporter);
        let info = rewear_trace::info(&mut source).map_err(|error| trace_error(&error))?;
        to_json(&info)
    }

    fn first(&self, count: usize, reporter: &mut Reporter) -> PyResult<String> {
        let mut source = Watched::new(self.open()?, "reading", reporter);
        let mut batch = Batch::default();
        let mut requests: Vec<Value> = Vec::new();
        while requests.len() < count && source.fill(&mut batch).map_err(|error| trace_error(&error))? > 0 {
            for request in batch.requests.iter().take(count - requests.len()) {
                requests.push(json!({
                    "at_ns": request.at_ns,
                    "operation": request.operation,
                    "offset_bytes": request.offset_bytes,
                    "length_bytes": request.length_bytes,
                    "volume": source.volumes().get(usize::from(request.volume)),
                    "stream": request.stream,
                }));
            }
        }
        to_json(&requests)
    }
}

/// The requests of a trace from its beginning to its end, a batch a call.
#[pyclass(frozen, module = "rewear._core")]
pub(crate) struct Rows(Mutex<(AnySource, Batch)>);

/// Columns of a batch, little-endian: times, operations (their codes in the compact format), offsets, lengths (64
/// bits but for the operations' 8), volumes (16 bits), streams (8 bits); the names of the volumes.
type Columns<'py> = (Vec<Bound<'py, PyBytes>>, Vec<String>);

#[pymethods]
impl Rows {
    /// The next batch; `None` at the end.
    fn next<'py>(&self, py: Python<'py>) -> PyResult<Option<Columns<'py>>> {
        let mut held = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let (source, batch) = &mut *held;
        let found = py.detach(|| guarded(|| source.fill(batch).map_err(|error| trace_error(&error))))?;
        if found == 0 {
            return Ok(None);
        }
        let requests = &batch.requests;
        let wide = |of: fn(&Request) -> u64| {
            requests.iter().flat_map(|one| of(one).to_le_bytes()).collect::<Vec<_>>()
        };
        let columns = [
            wide(|one| one.at_ns),
            requests.iter().map(|one| one.operation as u8).collect(),
            wide(|one| one.offset_bytes),
            wide(|one| one.length_bytes),
            requests.iter().flat_map(|one| one.volume.to_le_bytes()).collect(),
            requests.iter().map(|one| one.stream).collect(),
        ];
        let columns = columns.iter().map(|column| PyBytes::new(py, column)).collect();
        Ok(Some((columns, source.volumes().to_vec())))
    }
}

/// Whether requests are read from a file, which takes longer than to draw most of those that are made
/// up, or to copy them from memory.
pub(crate) fn is_read(source: &Bound<'_, PyAny>) -> bool {
    source.cast::<Trace>().is_ok_and(|trace| trace.get().kept.is_none())
}

/// A fresh stream of the requests of a [`Trace`] or a [`Workload`].
pub(crate) fn any_source(source: &Bound<'_, PyAny>) -> PyResult<AnySource> {
    if let Ok(trace) = source.cast::<Trace>() {
        trace.get().open()
    } else if let Ok(workload) = source.cast::<Workload>() {
        workload.get().open()
    } else {
        Err(PyTypeError::new_err("source is neither a Trace nor a Workload"))
    }
}

/// A checked workload description, with what it leaves open.
#[pyclass(frozen, module = "rewear._core")]
pub(crate) struct Workload {
    spec: String,
    defaults: Option<Defaults>,
}

#[pymethods]
impl Workload {
    /// Checks the description.
    #[new]
    fn new(spec: String) -> PyResult<Self> {
        guarded(|| {
            rewear_trace::workload(&spec, &Defaults::default()).map_err(|error| trace_error(&error))?;
            Ok(Self { spec, defaults: None })
        })
    }

    /// The same workload on a region of `pages` pages, wherever the description says nothing else.
    fn on_region(&self, pages: u64, page_bytes: u64, seed: Whole) -> Self {
        let defaults = Defaults { pages, page_bytes, seed: seed.0, ..Defaults::default() };
        Self { spec: self.spec.clone(), defaults: Some(defaults) }
    }

    /// JSON object of the counts over the whole workload.
    fn info(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| {
            guarded(|| {
                let mut source = self.open()?;
                to_json(&rewear_trace::info(&mut source).map_err(|error| trace_error(&error))?)
            })
        })
    }

    /// JSON object of the analyses of the whole workload.
    fn analyse(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| {
            guarded(|| {
                let mut source = self.open()?;
                to_json(&rewear_trace::analyse(&mut source).map_err(|error| trace_error(&error))?)
            })
        })
    }
}

impl Workload {
    /// A fresh stream of the workload's requests.
    pub(crate) fn open(&self) -> PyResult<AnySource> {
        rewear_trace::workload(&self.spec, &self.defaults.unwrap_or_default())
            .map_err(|error| trace_error(&error))
    }
}
