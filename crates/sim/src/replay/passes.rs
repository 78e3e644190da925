//! The passes over a workload: batch after batch, until it is over, the drive is full or worn out,
//! or somebody interrupts.

use rewear_ftl::FtlError;
use rewear_ftl::cache_hints::Ahead;
use rewear_trace::{Batch, Kind, Source};

use super::look_ahead::{LOOK_AHEAD, LookAhead, PLACES_AHEAD};
use super::{Progress, Replay, Stage, too_small};
use crate::error::SimError;
use crate::load::Drive;
use crate::long_run::{Mark, SecondHalf};
use crate::options::ReplayOptions;
use crate::report::life::evenness_foretold;

/// Batches between two calls of the progress function at most.
const BATCHES_PER_STEP: u64 = 32;
/// Bytes of requests between two calls, from which on they come more often.
const BYTES_PER_STEP: u64 = 1 << 28;

impl Replay<'_> {
    /// Returns why the replay ended early, if it did.
    pub(super) fn all_loops(
        &mut self,
        drive: &Drive,
        source: &mut dyn Source,
        options: &ReplayOptions,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<Option<String>, SimError> {
        let mut batch = Batch::default();
        let exported = self.ftl.layout().exported_bytes();
        let mut left = options.max_requests.unwrap_or(u64::MAX);
        let (mut batches, mut bytes) = (0, 0);
        let hints_places = self.ftl.hints_present_places();
        let recorded = source.description().kind == Kind::Trace;
        while self.goes_on(left, drive, options) {
            let turn = self.passes;
            self.passes += 1;
            if turn == 0 { source.rewind() } else { source.next_pass() }?;
            self.pass_begins = self.served.requests.bytes_written;
            while left > 0 && self.next_batch(source, &mut batch, options, progress)? > 0 {
                if turn > 0 && recorded {
                    // A longer recording would not write the contents of its first hour again.
                    batch.renew_contents(turn);
                }
                let (wanted, whole) = batch.first(left);
                let mut ahead = self.contents.is_some().then(|| LookAhead::new(&batch, self));
                for (index, request) in batch.requests[..wanted].iter().enumerate() {
                    if let Some(coming) = batch.requests.get(index + LOOK_AHEAD) {
                        self.ftl.hint(Ahead::Map, self.pages.page_of(coming.offset_bytes), None);
                    }
                    if hints_places && let Some(coming) = batch.requests.get(index + PLACES_AHEAD) {
                        self.ftl.hint_present_place(self.pages.page_of(coming.offset_bytes));
                    }
                    if request.end_bytes() > exported {
                        let mut go_on = |at| progress(self.how_far(at, options));
                        return Err(too_small(drive, source, request.end_bytes(), exported, &mut go_on)?);
                    }
                    let content = match &mut ahead {
                        Some(ahead) => ahead.advance(index, self),
                        None if self.payload.is_some() => batch.content_of(request),
                        None => None,
                    };
                    match self.serve(request, content) {
                        Ok(()) => {}
                        Err(SimError::Drive(full @ FtlError::OutOfSpace { .. })) => {
                            return Ok(Some(full.to_string()));
                        }
                        Err(error) => return Err(error),
                    }
                }
                if drive.configuration().flash.endurance_cycles.is_some()
                    && !self.ftl.keeps_exported_capacity()
                {
                    return Ok(Some(self.worn_out()));
                }
                left -= whole;
                (batches, bytes) = (batches + 1, bytes + batch.bytes());
                if batches >= BATCHES_PER_STEP || bytes >= BYTES_PER_STEP {
                    (batches, bytes) = (0, 0);
                    if !progress(self.how_far(source.progress(), options)) {
                        return Err(SimError::Interrupted);
                    }
                }
            }
            self.arrival.next_loop();
            let (ftl, host_bytes) = (&self.ftl, self.served.requests.bytes_written);
            self.marks.pass_ended(|| Mark::of(ftl, host_bytes));
        }
        Ok(None)
    }

    /// Fills the batch with the next requests, and reports progress while none is found.
    fn next_batch(
        &self,
        source: &mut dyn Source,
        batch: &mut Batch,
        options: &ReplayOptions,
        progress: &mut dyn FnMut(Progress) -> bool,
    ) -> Result<usize, SimError> {
        Ok(source.fill_watched(batch, &mut |at| progress(self.how_far(at, options)))?)
    }

    /// How far the replay is where the source of the present pass is at `at`.
    fn how_far(&self, at: Option<(u64, u64)>, options: &ReplayOptions) -> Progress {
        let (done, total) = match at {
            Some((done, total)) if options.until.is_none() => {
                ((self.passes - 1) * total + done, Some(total * u64::from(options.loops)))
            }
            _ => (self.served.requests.total(), None),
        };
        Progress { stage: Stage::Replay, done, total }
    }

    /// Why a drive ends that has lost too many units. Where the host trimmed, what it holds may
    /// still fit.
    fn worn_out(&self) -> String {
        format!(
            "worn out: {} of {} erase units are out of service, so the exported capacity cannot be kept",
            self.ftl.retired_units(),
            self.ftl.layout().units()
        )
    }

    /// Whether there is another pass over the workload. One that wrote nothing makes no drive
    /// steady.
    fn goes_on(&self, requests_left: u64, drive: &Drive, options: &ReplayOptions) -> bool {
        let asked = self.passes < u64::from(options.loops);
        let wrote = self.served.requests.bytes_written > self.pass_begins || self.passes == 0;
        let unsteady = || {
            // The drive was checked.
            let evenness =
                |half: &SecondHalf<'_>| evenness_foretold(drive.configuration(), half).ok().flatten();
            options.until.is_some() && wrote && !self.marks.settled(self.ftl.array().geometry(), evenness)
        };
        requests_left > 0 && (asked || unsteady())
    }

    /// Programs what a write buffer still holds, so that every host write is accounted for. Returns
    /// why it could not, if so.
    pub(super) fn drain(&mut self) -> Result<Option<String>, SimError> {
        match self.ftl.drain(self.served.end_ns) {
            Ok(end) => self.served.end_ns = end,
            Err(full @ FtlError::OutOfSpace { .. }) => return Ok(Some(full.to_string())),
            Err(error) => return Err(error.into()),
        }
        Ok(None)
    }
}
