//! A trace without its trims, as most published ones are: there a page becomes invalid only when it
//! is written again.

use crate::error::{ErrorKind, TraceError};
use crate::jumps::Jumps;
use crate::operation::Operation;
use crate::readers::AnySource;
use crate::request::Batch;
use crate::source::{Description, GoOn, Omissions, Source};

/// The requests of a trace but for trims, with their times and contents.
pub(crate) struct TrimsSkipped {
    trace: AnySource,
    /// Whether there was a request or an error since the last rewind, so that the end may come.
    may_end: bool,
}

impl TrimsSkipped {
    pub(crate) fn new(trace: AnySource) -> Self {
        Self { trace, may_end: false }
    }

    fn end(&mut self) -> Result<usize, TraceError> {
        if std::mem::replace(&mut self.may_end, true) {
            return Ok(0);
        }
        let problem = format!("{} has trims only", self.trace.description().name);
        Err(TraceError::new(ErrorKind::Empty, problem, "leave skip_trims out"))
    }
}

impl Source for TrimsSkipped {
    fn fill(&mut self, batch: &mut Batch) -> Result<usize, TraceError> {
        self.fill_watched(batch, &mut |_| true)
    }

    fn fill_watched(&mut self, batch: &mut Batch, go_on: &mut GoOn<'_>) -> Result<usize, TraceError> {
        loop {
            let filled = self.trace.fill_watched(batch, go_on);
            self.may_end |= filled.is_err();
            if filled? == 0 {
                return self.end();
            }
            batch.retain(|request| request.operation != Operation::Trim);
            if !batch.requests.is_empty() {
                self.may_end = true;
                return Ok(batch.requests.len());
            }
        }
    }

    fn rewind(&mut self) -> Result<(), TraceError> {
        self.may_end = false;
        self.trace.rewind()
    }

    fn description(&self) -> Description {
        let mut description = self.trace.description();
        let separator = if description.note.is_empty() { "" } else { "; " };
        description.note += &format!("{separator}trims skipped");
        // The file counts its trims, too.
        Description { requests: None, ..description }
    }

    fn progress(&self) -> Option<(u64, u64)> {
        self.trace.progress()
    }

    fn volumes(&self) -> &[String] {
        self.trace.volumes()
    }

    fn omissions(&self) -> Omissions {
        self.trace.omissions()
    }

    fn jumps(&self) -> Jumps {
        self.trace.jumps()
    }
}
