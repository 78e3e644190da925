//! What ran on the drive, as a compact trace that the simulator replays.

use std::fs::File;
use std::path::{Path, PathBuf};

use rewear_record::{RecordError, Recorder, Summary};
use rewear_trace::{ContentColumn, Request};

use crate::error::LiveError;

/// A recording under way. It lies beside its final name until it is finished, so that half a trace
/// is never taken for a whole one.
#[derive(Debug)]
pub struct Recording {
    recorder: Recorder,
    path: PathBuf,
}

impl Recording {
    /// Begins a trace that becomes `path`.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn begin(path: &Path, description: &str, content: ContentColumn) -> Result<Recording, LiveError> {
        let out = File::create(unfinished(path)).map_err(|source| failed(path, source))?;
        let recorder = Recorder::new(out, description, content).map_err(|source| lost(path, source))?;
        Ok(Recording { recorder, path: path.to_owned() })
    }

    /// A request that arrives at a simulated time; `data` is what a write carries.
    pub fn push(&mut self, request: Request, data: Option<&[u8]>) {
        self.recorder.dated(request, data);
    }

    /// What was recorded so far.
    pub fn summary(&self) -> Summary {
        self.recorder.summary()
    }

    /// Ends the trace and gives it its name.
    ///
    /// # Errors
    /// What the writer ran into since the beginning.
    pub fn finish(self) -> Result<Summary, LiveError> {
        let Recording { recorder, path } = self;
        let summary = recorder.finish().map_err(|source| {
            // Half a trace is of no use, and its room may be wanted.
            let _ = std::fs::remove_file(unfinished(&path));
            lost(&path, source)
        })?;
        std::fs::rename(unfinished(&path), &path).map_err(|source| failed(&path, source))?;
        Ok(summary)
    }
}

fn unfinished(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    PathBuf::from(name)
}

fn lost(path: &Path, source: RecordError) -> LiveError {
    LiveError::Recording { path: path.to_owned(), source }
}

fn failed(path: &Path, source: std::io::Error) -> LiveError {
    LiveError::File { path: path.to_owned(), source }
}
