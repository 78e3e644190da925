//! Explicit remappings for a trace that reaches beyond a drive.

use crate::error::{ErrorKind, TraceError};
use crate::footprint::{Footprint, Numbering};
use crate::jumps::Jumps;
use crate::operation::Operation;
use crate::request::{Batch, Fingerprint, Request};
use crate::source::{Description, GoOn, Omissions, Source};

/// How addresses move.
#[derive(Clone, Debug)]
enum Mapping {
    Dense(Numbering),
    Modulo,
}

/// A source whose requests all lie below a limit.
///
/// A request that a mapping tears apart becomes several; all but the last are
/// [torn](Request::torn); its content goes with it where every part still covers whole fingerprint
/// pages.
pub struct Fit<S> {
    source: S,
    mapping: Mapping,
    granule_bytes: u64,
    limit_bytes: u64,
    incoming: Batch,
    /// The request of `incoming` that comes next, and how many of its bytes are done.
    next: (usize, u64),
    torn_requests: u64,
    reach_bytes: u64,
    failure: Option<TraceError>,
}

impl<S: Source> Fit<S> {
    /// Renumbers the granules that `source` touches, volume by volume and in address order, to 0,
    /// 1, 2, ... Neighbours stay neighbours and order stays order, gaps vanish. Reads the whole
    /// source once beforehand.
    ///
    /// # Errors
    /// The touched granules exceed `limit_bytes` (the error names the size needed); `granule_bytes`
    /// is 0; errors of the source.
    pub fn dense(source: S, granule_bytes: u64, limit_bytes: u64) -> Result<Self, TraceError> {
        Self::dense_watched(source, granule_bytes, limit_bytes, &mut |_| true)
    }

    /// As [`Fit::dense`]; calls `go_on` now and then with how far the source is, which returns
    /// whether to go on.
    ///
    /// # Errors
    /// As [`Fit::dense`]; [`ErrorKind::Interrupted`] when `go_on` says so.
    pub fn dense_watched(
        mut source: S,
        granule_bytes: u64,
        limit_bytes: u64,
        go_on: &mut GoOn<'_>,
    ) -> Result<Self, TraceError> {
        check_granule(granule_bytes)?;
        let mut footprint = Footprint::default();
        let mut batch = Batch::default();
        source.rewind()?;
        while source.fill_watched(&mut batch, go_on)? > 0 {
            if !go_on(source.progress()) {
                return Err(TraceError::interrupted());
            }
            for request in &batch.requests {
                footprint.add(request.volume, request.pages(granule_bytes));
            }
        }
        source.rewind()?;
        let numbering = footprint.finish();
        let needed = u128::from(numbering.total()) * u128::from(granule_bytes);
        if needed > u128::from(limit_bytes) {
            let mebibytes = |bytes: u128| bytes as f64 / f64::from(1 << 20);
            let problem = format!(
                "the trace touches {:.1} MiB in pages of {granule_bytes} bytes, and the drive exports {:.1} MiB",
                mebibytes(needed),
                mebibytes(limit_bytes.into())
            );
            let times = needed.div_ceil(u128::from(limit_bytes.max(1)));
            let remedy = format!(
                "take a drive of at least {needed} bytes (flash.blocks_per_plane {times} times as large), a part of the \
                 trace, or the modulo mapping"
            );
            return Err(TraceError::new(ErrorKind::DoesNotFit, problem, remedy));
        }
        Ok(Self::with(source, Mapping::Dense(numbering), granule_bytes, limit_bytes))
    }

    /// Takes granule numbers modulo those that fit below `limit_bytes`: different granules may
    /// meet.
    ///
    /// # Errors
    /// `granule_bytes` is 0 or larger than the limit.
    pub fn modulo(source: S, granule_bytes: u64, limit_bytes: u64) -> Result<Self, TraceError> {
        check_granule(granule_bytes)?;
        if limit_bytes < granule_bytes {
            let problem = format!("not one granule of {granule_bytes} bytes fits into {limit_bytes} bytes");
            return Err(TraceError::new(
                ErrorKind::DoesNotFit,
                problem,
                "take a larger drive or a smaller granule",
            ));
        }
        let limit_bytes = limit_bytes / granule_bytes * granule_bytes;
        Ok(Self::with(source, Mapping::Modulo, granule_bytes, limit_bytes))
    }

    fn with(source: S, mapping: Mapping, granule_bytes: u64, limit_bytes: u64) -> Self {
        let incoming = Batch::default();
        Self {
            source,
            mapping,
            granule_bytes,
            limit_bytes,
            incoming,
            next: (0, 0),
            torn_requests: 0,
            reach_bytes: 0,
            failure: None,
        }
    }

    /// The bytes of drive that the mapped trace needs.
    pub fn needed_bytes(&self) -> u64 {
        match &self.mapping {
            Mapping::Dense(numbering) => numbering.total() * self.granule_bytes,
            Mapping::Modulo => self.limit_bytes,
        }
    }

    /// Requests that became several so far.
    pub fn torn_requests(&self) -> u64 {
        self.torn_requests
    }

    /// The first byte behind all requests so far, before they were mapped.
    pub fn reach_bytes(&self) -> u64 {
        self.reach_bytes
    }

    /// Where the byte goes that the request has at `offset`, and how many bytes behind it go to the
    /// same stretch at least.
    fn place(&self, volume: u16, offset: u64) -> (u64, u64) {
        let (granule, within) = (offset / self.granule_bytes, offset % self.granule_bytes);
        match &self.mapping {
            // Every byte of a request is in a touched granule, and touched neighbours stay
            // neighbours.
            Mapping::Dense(numbering) => {
                let number = numbering.of(volume, granule).unwrap_or(0);
                (number * self.granule_bytes + within, u64::MAX)
            }
            Mapping::Modulo => {
                let place = offset % self.limit_bytes;
                (place, self.limit_bytes - place)
            }
        }
    }

    /// The next batch of the source; its failure waits until all before it has been delivered.
    fn refill(&mut self, may_fail: bool, go_on: &mut GoOn<'_>) -> Result<usize, TraceError> {
        if self.failure.is_none() {
            match self.source.fill_watched(&mut self.incoming, go_on) {
                Ok(count) => return Ok(count),
                Err(error) => self.failure = Some(error),
            }
        }
        self.incoming.clear();
        match self.failure.take() {
            Some(error) if may_fail => Err(error),
            waiting => {
                self.failure = waiting;
                Ok(0)
            }
        }
    }

    /// Moves parts of the current request into the batch until it is full; returns whether the
    /// request is finished.
    fn deliver(&mut self, batch: &mut Batch) -> bool {
        let (index, mut done) = self.next;
        let mut request = self.incoming.requests[index];
        if request.operation == Operation::Trim && matches!(self.mapping, Mapping::Modulo) {
            // A longer one would go round the drive again and again.
            request.length_bytes = request.length_bytes.min(self.limit_bytes);
        }
        if !request.operation.has_range() || request.length_bytes == 0 {
            let mut moved = request;
            if request.operation.has_range() {
                moved.offset_bytes = request.offset_bytes.min(self.limit_bytes);
            }
            moved.volume = 0;
            batch.push(moved);
            return true;
        }
        self.reach_bytes = self.reach_bytes.max(request.end_bytes());
        let content = self.incoming.content_of(&request);
        let first_page = request.pages(crate::FINGERPRINT_PAGE_BYTES).start;
        while done < request.length_bytes && !batch.is_full() {
            let offset = request.offset_bytes + done;
            let (place, room) = self.place(request.volume, offset);
            let length = room.min(request.length_bytes - done);
            let mut part = Request::new(request.at_ns, request.operation, place, length);
            part.torn = done + length < request.length_bytes;
            part.stream = request.stream;
            let own = content.and_then(|content| own_content(content, first_page, offset, &part));
            batch.push_with_content(part, own.unwrap_or_default());
            self.torn_requests += u64::from(done == 0 && length < request.length_bytes);
            done += length;
        }
        self.next.1 = done;
        done == request.length_bytes
    }
}

/// The fingerprints of a part that began at `offset`: none where its pages are cut differently at
/// the new place.
fn own_content<'a>(
    content: &'a [Fingerprint],
    first_page: u64,
    offset: u64,
    part: &Request,
) -> Option<&'a [Fingerprint]> {
    let page_bytes = crate::FINGERPRINT_PAGE_BYTES;
    if offset % page_bytes != part.offset_bytes % page_bytes {
        return None;
    }
    let start = (offset / page_bytes - first_page) as usize;
    content.get(start..start + part.fingerprint_count())
}

fn check_granule(granule_bytes: u64) -> Result<(), TraceError> {
    if granule_bytes == 0 {
        return Err(TraceError::parameter(
            "granules of 0 bytes were asked for",
            "take the drive's page, for example",
        ));
    }
    Ok(())
}

impl<S> Fit<S> {
    /// Forgets what was read and not delivered.
    fn restart(&mut self) {
        self.incoming.clear();
        (self.next, self.torn_requests, self.failure) = ((0, 0), 0, None);
    }
}

impl<S: Source> Source for Fit<S> {
    fn fill(&mut self, batch: &mut Batch) -> Result<usize, TraceError> {
        self.fill_watched(batch, &mut |_| true)
    }

    fn fill_watched(&mut self, batch: &mut Batch, go_on: &mut GoOn<'_>) -> Result<usize, TraceError> {
        batch.clear();
        while !batch.is_full() {
            if self.next.0 == self.incoming.requests.len() {
                self.next = (0, 0);
                if self.refill(batch.requests.is_empty(), go_on)? == 0 {
                    break;
                }
            }
            if self.deliver(batch) {
                self.next = (self.next.0 + 1, 0);
            }
        }
        Ok(batch.requests.len())
    }

    fn rewind(&mut self) -> Result<(), TraceError> {
        self.restart();
        self.source.rewind()
    }

    fn next_pass(&mut self) -> Result<(), TraceError> {
        self.restart();
        self.source.next_pass()
    }

    fn description(&self) -> Description {
        let mut description = self.source.description();
        let how = match self.mapping {
            Mapping::Dense(_) => "renumbered densely",
            Mapping::Modulo => "taken modulo the drive",
        };
        let separator = if description.note.is_empty() { "" } else { "; " };
        description.note +=
            &format!("{separator}addresses {how} in granules of {} bytes", self.granule_bytes);
        description
    }

    fn progress(&self) -> Option<(u64, u64)> {
        self.source.progress()
    }

    /// None where the volumes lie side by side; those that a modulo lays over each other.
    fn volumes(&self) -> &[String] {
        match self.mapping {
            Mapping::Dense(_) => &[],
            Mapping::Modulo => self.source.volumes(),
        }
    }

    fn omissions(&self) -> Omissions {
        self.source.omissions()
    }

    fn jumps(&self) -> Jumps {
        self.source.jumps()
    }
}
