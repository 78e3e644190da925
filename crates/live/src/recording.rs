//! What ran on the drive, as a compact trace that the simulator replays.

use std::path::{Path, PathBuf};

use rewear_record::{RecordError, Recorder, Summary, Unfinished};
use rewear_trace::{ContentColumn, Request};

use crate::error::LiveError;

/// A recording under way.
#[derive(Debug)]
pub struct Recording {
    recorder: Recorder,
    file: Unfinished,
    path: PathBuf,
}

impl Recording {
    /// Begins a trace that becomes `path`.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn begin(path: &Path, description: &str, content: ContentColumn) -> Result<Recording, LiveError> {
        let (out, file) = Unfinished::create(path, content).map_err(|source| failed(path, source))?;
        let recorder = Recorder::new(out, description, content).map_err(|source| lost(path, source))?;
        Ok(Recording { recorder, file, path: path.to_owned() })
    }

    /// A request that arrives at a simulated time; `data` is what a write carries.
    pub fn push(&mut self, request: Request, data: Option<&[u8]>) {
        self.recorder.dated(request, data);
    }

    /// What was recorded so far.
    pub fn summary(&self) -> Summary {
        self.recorder.summary()
    }

    /// Ends the trace and gives it its name. If its writer failed, it has what was written before.
    ///
    /// # Errors
    /// What the writer ran into since the beginning.
    pub fn finish(self) -> Result<Summary, LiveError> {
        let Recording { recorder, file, path } = self;
        let summary = match recorder.finish() {
            Ok(summary) => summary,
            Err(source) => {
                // The first error is the one to tell.
                let _ = file.salvage();
                return Err(lost(&path, source));
            }
        };
        file.keep().map_err(|source| failed(&path, source))?;
        Ok(summary)
    }
}

fn lost(path: &Path, source: RecordError) -> LiveError {
    LiveError::Recording { path: path.to_owned(), source }
}

fn failed(path: &Path, source: std::io::Error) -> LiveError {
    LiveError::File { path: path.to_owned(), source }
}
