//! A recorded device for Python.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use rewear_record::{Device, Ended, Summary, Unfinished};
use serde_json::json;

use crate::convert::{self, content_column};
use crate::errors::{TraceError, guarded, to_json};
use crate::whole::Whole;

/// A device that is mounted and records until it is finished.
#[pyclass(frozen, module = "rewear._core")]
pub(crate) struct RecordedDevice {
    device: Mutex<Option<(Device, Unfinished)>>,
    path: PathBuf,
    trace: PathBuf,
}

#[pymethods]
impl RecordedDevice {
    /// Mounts a device of `size_bytes` on the folder `mountpoint`; its trace becomes the file
    /// `trace`.
    #[new]
    fn new(
        py: Python<'_>,
        mountpoint: PathBuf,
        size_bytes: Whole,
        trace: PathBuf,
        description: &str,
        content: &str,
    ) -> PyResult<Self> {
        let content = content_column(content)?;
        py.detach(|| {
            guarded(|| {
                let (out, file) =
                    Unfinished::create(&trace, content).map_err(|error| convert::failed(&trace, &error))?;
                let device = Device::mount(&mountpoint, size_bytes.0, out, description, content)
                    .map_err(record_error)?;
                Ok(Self { path: device.path(), device: Mutex::new(Some((device, file))), trace })
            })
        })
    }

    /// The file that is the device.
    #[getter]
    fn path(&self) -> PathBuf {
        self.path.clone()
    }

    /// The file that is written, beside the trace's name, until the recording ends.
    #[getter]
    fn part(&self) -> Option<PathBuf> {
        let device = self.device.lock().unwrap_or_else(PoisonError::into_inner);
        device.as_ref().map(|(_, file)| file.path().to_owned())
    }

    /// Leaves out trims of pages that hold nothing, from now on.
    fn leave_out_empty_trims(&self) {
        if let Some((device, _)) = &*self.device.lock().unwrap_or_else(PoisonError::into_inner) {
            device.leave_out_empty_trims();
        }
    }

    /// Marks all requests until `begin` as those that make the file system.
    fn prepare(&self) {
        if let Some((device, _)) = &*self.device.lock().unwrap_or_else(PoisonError::into_inner) {
            device.prepare();
        }
    }

    /// Records from now on: the next request is the first. Follows the file system, to tell who wrote.
    fn begin(&self) -> PyResult<()> {
        match &*self.device.lock().unwrap_or_else(PoisonError::into_inner) {
            Some((device, _)) => device.begin().map_err(record_error),
            None => Ok(()),
        }
    }

    /// Notes how many bytes the recorded programs asked to write.
    fn asked(&self, bytes: u64) {
        if let Some((device, _)) = &*self.device.lock().unwrap_or_else(PoisonError::into_inner) {
            device.asked(bytes);
        }
    }

    /// JSON object of what was recorded so far.
    fn summary(&self) -> PyResult<String> {
        let device = self.device.lock().unwrap_or_else(PoisonError::into_inner);
        as_json(device.as_ref().map(|(device, _)| device.summary()).unwrap_or_default(), None)
    }

    /// Unmounts the device and gives the trace its name; JSON object of what was recorded.
    fn finish(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| {
            guarded(|| {
                let device = self.device.lock().unwrap_or_else(PoisonError::into_inner).take();
                let (device, file) = device.ok_or_else(|| {
                    TraceError::new_err("The recording has ended already. Begin another one.")
                })?;
                let Ended { recorded, unmounted } = device.finish();
                let summary = match recorded {
                    Ok(summary) => summary,
                    Err(error) => return Err(cut_short(&error, file, &self.trace)),
                };
                file.keep().map_err(|error| convert::failed(&self.trace, &error))?;
                unmounted.map_err(record_error)?;
                let bytes = std::fs::metadata(&self.trace)
                    .map_err(|error| convert::failed(&self.trace, &error))?
                    .len();
                as_json(summary, Some(bytes))
            })
        })
    }
}

/// Keeps what was recorded before the writer failed, and says so.
fn cut_short(error: &rewear_record::RecordError, file: Unfinished, trace: &Path) -> PyErr {
    let kept = match file.salvage() {
        Ok(0) => "Nothing was recorded before".to_owned(),
        Ok(requests) => format!("The {requests} requests before are in {}", trace.display()),
        Err(error) => format!("What was recorded before is lost, too: {error}"),
    };
    TraceError::new_err(format!("{error}. {kept}."))
}

/// Makes the file `part` of a recorder that was killed the trace `trace`, up to its last whole block;
/// its requests. Without any it is removed.
#[pyfunction]
pub(crate) fn salvage_recording(py: Python<'_>, part: PathBuf, trace: PathBuf) -> PyResult<u64> {
    py.detach(|| {
        guarded(|| {
            let failed = |error| convert::failed(&part, &error);
            let requests = rewear_trace::salvage(&part).map_err(failed)?;
            if requests > 0 {
                std::fs::rename(&part, &trace).map_err(failed)?;
            } else {
                std::fs::remove_file(&part).map_err(failed)?;
            }
            Ok(requests)
        })
    })
}

fn record_error(error: rewear_record::RecordError) -> PyErr {
    TraceError::new_err(format!("{error}."))
}

fn as_json(summary: Summary, trace_bytes: Option<u64>) -> PyResult<String> {
    to_json(&json!({
        "requests": summary.requests,
        "read_bytes": summary.read_bytes,
        "written_bytes": summary.written_bytes,
        "placed": summary.placed,
        "duration_ns": summary.duration_ns,
        "bytes": trace_bytes,
    }))
}
