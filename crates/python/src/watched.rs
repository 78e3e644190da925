//! A source that tells how far it has been read, and that can be stopped.

use rewear_trace::{Batch, Description, ErrorKind, GoOn, Jumps, Omissions, Source, TraceError};

use crate::progress::Reporter;

/// Passes a source through and reports its progress.
pub(crate) struct Watched<'a, S> {
    source: S,
    phase: &'static str,
    reporter: &'a mut Reporter,
    stopped: bool,
}

impl<'a, S: Source> Watched<'a, S> {
    /// `phase` is what a progress bar says.
    pub(crate) fn new(source: S, phase: &'static str, reporter: &'a mut Reporter) -> Self {
        Self { source, phase, reporter, stopped: false }
    }
}

impl<S: Source> Source for Watched<'_, S> {
    /// Ends the stream early if the reporter says so: it then holds an exception, which takes the
    /// place of the result.
    fn fill(&mut self, batch: &mut Batch) -> Result<usize, TraceError> {
        self.fill_watched(batch, &mut |_| true)
    }

    /// The same; `go_on` is asked as well.
    fn fill_watched(&mut self, batch: &mut Batch, go_on: &mut GoOn<'_>) -> Result<usize, TraceError> {
        let Self { source, phase, reporter, stopped } = self;
        let mut asks = |at: Option<(u64, u64)>| {
            let (done, total) = at.map_or((0, None), |(done, total)| (done, Some(total)));
            *stopped |= !reporter.report(phase, done, total);
            !*stopped && go_on(at)
        };
        let filled = match asks(source.progress()) {
            true => source.fill_watched(batch, &mut asks),
            false => Ok(0),
        };
        match filled {
            Err(error) if error.kind == ErrorKind::Interrupted => {}
            filled if !self.stopped => return filled,
            _ => {}
        }
        batch.clear();
        Ok(0)
    }

    fn rewind(&mut self) -> Result<(), TraceError> {
        self.source.rewind()
    }

    fn next_pass(&mut self) -> Result<(), TraceError> {
        self.source.next_pass()
    }

    fn description(&self) -> Description {
        self.source.description()
    }

    fn progress(&self) -> Option<(u64, u64)> {
        self.source.progress()
    }

    fn volumes(&self) -> &[String] {
        self.source.volumes()
    }

    fn omissions(&self) -> Omissions {
        self.source.omissions()
    }

    fn jumps(&self) -> Jumps {
        self.source.jumps()
    }
}
