//! Recordings kept in memory: read once for all passes, and for all who replay them.

use std::sync::Arc;

use crate::error::TraceError;
use crate::jumps::Jumps;
use crate::known::Known;
use crate::request::Batch;
use crate::source::{Description, GoOn, Kind, Omissions, Source};

/// Bytes of requests and fingerprints that are kept at most: eight million requests, or two million
/// of 32 KiB with their contents. Longer recordings are read again for each pass.
const MOST_BYTES: usize = 256 << 20;

/// A recording as it was read: its batches, and what was known after each.
pub struct Kept {
    start: Known,
    steps: Vec<(Batch, Known)>,
    end: Known,
    volumes: Vec<String>,
}

impl Kept {
    /// Reads a recording from its beginning; `None` where it is too long to be kept, or made up.
    ///
    /// # Errors
    /// Those of the source.
    pub fn read(source: impl Source, go_on: &mut GoOn<'_>) -> Result<Option<Arc<Kept>>, TraceError> {
        let mut keep = Keep::new(source);
        let mut batch = Batch::default();
        keep.rewind()?;
        while matches!(keep.state, State::Reading(_)) && keep.fill_watched(&mut batch, go_on)? > 0 {}
        Ok(match keep.state {
            State::Read(kept) => Some(kept),
            _ => None,
        })
    }

    /// A stream of its requests.
    pub fn source(self: &Arc<Kept>) -> KeptSource {
        let volumes = self.start.more_volumes.len();
        KeptSource { kept: Arc::clone(self), step: 0, index: 0, ended: false, volumes }
    }
}

/// The requests of a [`Kept`] recording.
pub struct KeptSource {
    kept: Arc<Kept>,
    /// The batch that comes next, and the request in it.
    step: usize,
    index: usize,
    ended: bool,
    /// Volumes met so far.
    volumes: usize,
}

impl KeptSource {
    fn known(&self) -> &Known {
        match (self.ended, self.step) {
            (true, _) => &self.kept.end,
            (false, 0) => &self.kept.start,
            (false, next) => &self.kept.steps[next - 1].1,
        }
    }
}

impl Source for KeptSource {
    /// The batches are those of the recording, where these are no longer than the caller's.
    fn fill(&mut self, batch: &mut Batch) -> Result<usize, TraceError> {
        batch.clear();
        let kept = Arc::clone(&self.kept);
        let Some((from, known)) = kept.steps.get(self.step) else {
            self.volumes += if self.ended { 0 } else { kept.end.more_volumes.len() };
            self.ended = true;
            return Ok(0);
        };
        while let Some(request) = from.requests.get(self.index).filter(|_| !batch.is_full()) {
            batch.push_with_content(*request, from.content_of(request).unwrap_or_default());
            self.index += 1;
        }
        if self.index == from.requests.len() {
            (self.step, self.index) = (self.step + 1, 0);
            self.volumes += known.more_volumes.len();
        }
        Ok(batch.requests.len())
    }

    fn rewind(&mut self) -> Result<(), TraceError> {
        (self.step, self.index, self.ended) = (0, 0, false);
        self.volumes = self.kept.start.more_volumes.len();
        Ok(())
    }

    fn description(&self) -> Description {
        self.known().description.clone()
    }

    fn progress(&self) -> Option<(u64, u64)> {
        self.known().progress
    }

    fn volumes(&self) -> &[String] {
        &self.kept.volumes[..self.volumes]
    }

    fn omissions(&self) -> Omissions {
        self.known().omissions
    }

    fn jumps(&self) -> Jumps {
        self.known().jumps
    }
}

/// Passes a source through. A recording that is not too long is kept while its first pass is read,
/// and further ones come from memory.
pub struct Keep<S> {
    source: S,
    state: State,
    again: Option<KeptSource>,
}

enum State {
    /// A pass is read from its beginning: what has come so far.
    Reading(Box<Gathered>),
    /// It was read to its end.
    Read(Arc<Kept>),
    /// The rest of this pass goes through.
    Passing,
    /// All passes do: they are made up, or too long.
    Never,
}

/// The requests read of a pass so far.
struct Gathered {
    start: Known,
    steps: Vec<(Batch, Known)>,
    bytes: usize,
}

impl<S: Source> Keep<S> {
    /// Nothing is read yet.
    pub fn new(source: S) -> Self {
        let recorded = source.description().kind == Kind::Trace;
        Self { source, state: if recorded { State::Passing } else { State::Never }, again: None }
    }

    /// Keeps what was just read into a batch, if anything was.
    fn keep(&mut self, batch: &Batch, outcome: &Result<usize, TraceError>) {
        let state = std::mem::replace(&mut self.state, State::Passing);
        let State::Reading(mut gathered) = state else {
            self.state = state;
            return;
        };
        let known = Known::of(&self.source, gathered.volumes());
        gathered.bytes += batch.memory_bytes();
        self.state = match outcome {
            Ok(1..) if gathered.bytes > MOST_BYTES => State::Never,
            Ok(1..) => {
                gathered.steps.push((batch.clone(), known));
                State::Reading(gathered)
            }
            Ok(0) => State::Read(Arc::new(gathered.until(known))),
            Err(_) => State::Passing,
        };
    }

    /// A pass begins.
    fn begin(&mut self, start: impl FnOnce(&mut S) -> Result<(), TraceError>) -> Result<(), TraceError> {
        if let State::Read(kept) = &self.state {
            return self.again.get_or_insert_with(|| kept.source()).rewind();
        }
        start(&mut self.source)?;
        if !matches!(self.state, State::Never) {
            let start = Known::of(&self.source, 0);
            let gathered = Gathered { start, steps: Vec::new(), bytes: 0 };
            self.state = State::Reading(Box::new(gathered));
        }
        Ok(())
    }
}

impl Gathered {
    fn volumes(&self) -> usize {
        self.start.more_volumes.len()
            + self.steps.iter().map(|(_, known)| known.more_volumes.len()).sum::<usize>()
    }

    fn until(self, end: Known) -> Kept {
        let Gathered { start, steps, .. } = self;
        let all = std::iter::once(&start).chain(steps.iter().map(|(_, known)| known)).chain([&end]);
        let volumes = all.flat_map(|known| known.more_volumes.iter().cloned()).collect();
        Kept { start, steps, end, volumes }
    }
}

impl<S: Source> Source for Keep<S> {
    fn fill(&mut self, batch: &mut Batch) -> Result<usize, TraceError> {
        self.fill_watched(batch, &mut |_| true)
    }

    fn fill_watched(&mut self, batch: &mut Batch, go_on: &mut GoOn<'_>) -> Result<usize, TraceError> {
        if let Some(again) = &mut self.again {
            return again.fill(batch);
        }
        let outcome = self.source.fill_watched(batch, go_on);
        self.keep(batch, &outcome);
        outcome
    }

    fn rewind(&mut self) -> Result<(), TraceError> {
        self.begin(S::rewind)
    }

    fn next_pass(&mut self) -> Result<(), TraceError> {
        self.begin(S::next_pass)
    }

    fn description(&self) -> Description {
        self.again.as_ref().map_or_else(|| self.source.description(), Source::description)
    }

    fn progress(&self) -> Option<(u64, u64)> {
        self.again.as_ref().map_or_else(|| self.source.progress(), Source::progress)
    }

    fn volumes(&self) -> &[String] {
        self.again.as_ref().map_or_else(|| self.source.volumes(), Source::volumes)
    }

    fn omissions(&self) -> Omissions {
        self.again.as_ref().map_or_else(|| self.source.omissions(), Source::omissions)
    }

    fn jumps(&self) -> Jumps {
        self.again.as_ref().map_or_else(|| self.source.jumps(), Source::jumps)
    }
}
