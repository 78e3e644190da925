//! One request: its pages to the translation layer, its response time into the figures.

use rewear_flash::Nanos;
use rewear_ftl::Lpn;
use rewear_ftl::cache_hints::{Ahead, MATCHES_AHEAD_IN_REQUEST, PAGES_AHEAD_IN_REQUEST};
use rewear_ftl::host::{Command, Content, Coverage, HostWrite};
use rewear_trace::{Fingerprint, Operation, Piece, Request};

use super::Replay;
use crate::arrival::{LATEST_NS, Times};
use crate::contents::known_content;
use crate::error::SimError;
use crate::long_run::{Mark, Marks};
use crate::observers::WarmedUp;

#[cold]
fn too_late() -> SimError {
    SimError::Options(
        "a request arrives later than 146 years after the first; check the trace's unit of time, the rate of the workload, \
         or give fewer loops"
            .into(),
    )
}

/// What was served of a request that a mapping tore apart; the rest follows.
pub(super) struct Torn {
    times: Times,
    /// When the parts so far end.
    end: Nanos,
    /// The request of the host, as far as it has come.
    whole: Request,
}

impl Torn {
    /// A part that was served, with those before it.
    fn with(begun: Option<Box<Torn>>, (times, end): (Times, Nanos), request: &Request) -> Box<Torn> {
        match begun {
            None => Box::new(Torn { times, end, whole: *request }),
            Some(mut parts) => {
                parts.end = parts.end.max(end);
                parts.whole.length_bytes += request.length_bytes;
                parts
            }
        }
    }
}

impl Replay<'_> {
    #[inline]
    pub(super) fn serve(
        &mut self,
        request: &Request,
        content: Option<&[Fingerprint]>,
    ) -> Result<(), SimError> {
        if let Some(lpn) = self.plain_page(request) {
            return self.serve_plain(request, lpn);
        }
        let times = match &self.torn {
            None => self.arrival.next(request.at_ns),
            Some(torn) => torn.times,
        };
        let Times { arrived_ns, taken_ns: at } = times;
        if arrived_ns > LATEST_NS {
            return Err(too_late());
        }
        if self.announces_arrivals && self.torn.is_none() {
            self.ftl.idle(at)?;
            self.ftl.look_at_queues(at);
        }
        let end = match request.operation {
            Operation::Write | Operation::Overwrite => self.write(at, request, content)?,
            Operation::Read => self.read(at, request)?,
            Operation::Trim => {
                self.trim(request)?;
                at
            }
            Operation::Flush => self.ftl.flush(at)?.max(self.served.last_write_end_ns),
            Operation::UpdateHandle => self.ftl.update_handle(at, request.stream)?.0,
        };
        self.count(request, end)?;
        if self.torn.is_some() || request.torn {
            return self.join(request, times, end);
        }
        self.ended(request, at, end)
    }

    /// The page that a request writes, if that is all it does and nobody asks for more of it than
    /// the place: then [`serve_plain`](Self::serve_plain) serves it.
    #[inline(always)]
    fn plain_page(&self, request: &Request) -> Option<Lpn> {
        let page_bytes = self.pages.page_bytes();
        let is_plain = self.contents.is_none() && self.payload.is_none() && !self.announces_arrivals;
        let is_whole = request.operation == Operation::Write && !request.torn && self.torn.is_none();
        if !(is_plain && is_whole && request.length_bytes == page_bytes) {
            return None;
        }
        let page = self.pages.page_of(request.offset_bytes);
        (page * page_bytes == request.offset_bytes).then_some(Lpn(page as u32))
    }

    /// As [`serve`](Self::serve), of a write of one whole page: the most frequent request, which is
    /// not to pay for the others.
    #[inline(always)]
    fn serve_plain(&mut self, request: &Request, lpn: Lpn) -> Result<(), SimError> {
        let Times { arrived_ns, taken_ns: at } = self.arrival.next(request.at_ns);
        if arrived_ns > LATEST_NS {
            return Err(too_late());
        }
        self.ftl.announce_write(request.length_bytes, request.stream);
        let end = self.ftl.write(at, lpn, HostWrite::WHOLE)?;
        self.count(request, end)?;
        self.ended(request, at, end)
    }

    /// A request, or a part of one, was carried out by `end`.
    #[inline(always)]
    fn count(&mut self, request: &Request, end: Nanos) -> Result<(), SimError> {
        let Request { operation, length_bytes, torn, .. } = *request;
        self.served.count(operation, (u64::from(!torn), length_bytes), end);
        if operation.is_write() {
            let bytes_written = self.served.requests.bytes_written;
            if self.marks.is_due(bytes_written) {
                self.marks.set(Mark::of(&self.ftl, bytes_written));
            }
            let counters = self.ftl.counters();
            if self.served.halves.is_due(counters.host_pages_written) {
                self.served.halves.sample(counters.host_pages_written, counters.erases);
            }
        }
        Ok(())
    }

    /// A request of the host ended.
    #[inline(always)]
    fn ended(&mut self, request: &Request, at: Nanos, end: Nanos) -> Result<(), SimError> {
        if self.keeps_time {
            self.served.answered(request.operation, at, end);
        }
        self.arrival.ended(end);
        if self.observers.active() {
            self.observe(request, at, end)?;
        }
        Ok(())
    }

    /// A part of a request ended, and with the last one the request.
    #[cold]
    #[inline(never)]
    fn join(&mut self, part: &Request, times: Times, end: Nanos) -> Result<(), SimError> {
        let torn = Torn::with(self.torn.take(), (times, end), part);
        if part.torn {
            self.torn = Some(torn);
            return Ok(());
        }
        self.ended(&torn.whole, times.taken_ns, torn.end)
    }

    #[inline(never)]
    fn observe(&mut self, request: &Request, at: Nanos, end: Nanos) -> Result<(), SimError> {
        self.observed += 1;
        if self.observers.request(request, self.observed, at, end, &self.ftl)? {
            self.ftl.reset_counters();
            self.earlier_bytes += self.served.requests.bytes_written;
            self.served.restart();
            if let Some(contents) = &mut self.contents {
                contents.restart_counts();
            }
            self.marks = Marks::new(self.ftl.array().geometry().bytes());
            self.pass_begins = 0;
            self.warmed_up = Some(WarmedUp { requests: self.observed, at_ns: at });
        }
        Ok(())
    }

    /// Pages are written as soon as the request arrives; it ends with the last of them.
    #[inline]
    fn write(
        &mut self,
        at: Nanos,
        request: &Request,
        fingerprints: Option<&[Fingerprint]>,
    ) -> Result<Nanos, SimError> {
        if request.length_bytes == 0 {
            return Ok(at);
        }
        self.ftl.announce_write(request.length_bytes, request.stream);
        let command = match request.operation {
            Operation::Overwrite => Command::Overwrite,
            _ => Command::Write,
        };
        // Only needed to look further ahead in the request.
        let pages = match self.contents {
            Some(_) => request.pages(self.pages.page_bytes()),
            None => 0..0,
        };
        let mut end = at;
        for piece in self.pages.pieces(request.offset_bytes, request.length_bytes) {
            if piece.page + MATCHES_AHEAD_IN_REQUEST < pages.end {
                self.hint_in_request(&pages, piece.page, fingerprints);
            }
            let asked_at = if self.page_barrier { end } else { at };
            end = end.max(self.write_page(asked_at, request, &piece, fingerprints, command)?);
        }
        Ok(end)
    }

    /// Hosts write whole sectors; a piece is widened to them.
    #[inline(always)]
    fn write_page(
        &mut self,
        at: Nanos,
        request: &Request,
        piece: &Piece,
        fingerprints: Option<&[Fingerprint]>,
        command: Command,
    ) -> Result<Nanos, SimError> {
        let (lpn, page_bytes) = (Lpn(piece.page as u32), self.pages.page_bytes());
        let page_start = piece.page * page_bytes;
        let content = self
            .contents
            .as_mut()
            .map(|contents| contents.of_page(fingerprints, request, page_start, page_bytes));
        let end = match &mut self.payload {
            None => {
                let whole = piece.covers_page_in_sectors(page_bytes);
                let coverage = if whole { Coverage::Whole } else { Coverage::Part };
                let content = content.map_or(Content::Unknown, Content::Fingerprint);
                self.ftl.write(at, lpn, HostWrite { coverage, command, content })?
            }
            Some(payload) => {
                let known =
                    fingerprints.and_then(|known| known_content(known, request, page_start, page_bytes));
                payload.announce(known);
                payload.write(&mut self.ftl, at, lpn, piece.in_sectors(), command)?
            }
        };
        Ok(end)
    }

    #[inline]
    fn read(&mut self, at: Nanos, request: &Request) -> Result<Nanos, SimError> {
        if request.length_bytes == 0 {
            return Ok(at);
        }
        self.ftl.announce_read();
        let ahead_bytes = PAGES_AHEAD_IN_REQUEST * self.pages.page_bytes();
        let mut end = at;
        for piece in self.pages.pieces(request.offset_bytes, request.length_bytes) {
            let lpn = Lpn(piece.page as u32);
            if self.contents.is_some() && piece.in_range.start as u64 + ahead_bytes < request.length_bytes {
                self.ftl.hint(Ahead::Place, piece.page + PAGES_AHEAD_IN_REQUEST, None);
            }
            end = end.max(self.ftl.read(if self.page_barrier { end } else { at }, lpn)?);
            if let Some(payload) = &mut self.payload {
                payload.verify(&mut self.ftl, lpn)?;
            }
        }
        Ok(end)
    }

    /// Only pages that a trim covers wholly are forgotten.
    fn trim(&mut self, request: &Request) -> Result<(), SimError> {
        let pages = request.whole_pages(self.pages.page_bytes());
        self.ftl.trim_pages(pages.start as u32..pages.end as u32)?;
        if let Some(payload) = &mut self.payload {
            pages.for_each(|lpn| payload.trim(Lpn(lpn as u32)));
        }
        Ok(())
    }
}
