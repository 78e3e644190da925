//! One phase of a workload: where, what, how large and when, drawn together.

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::arrival::Arrival;
use super::content::{Contents, MOST_PAGES};
use super::pattern::{Asked, Pattern};
use super::placement::Placement;
use super::requests::Requests;
use super::settings::Settings;
use super::size::Size;
use super::{Defaults, uniform};
use crate::error::TraceError;
use crate::operation::Operation;
use crate::pages::SECTOR_BYTES;
use crate::request::{Batch, FINGERPRINT_PAGE_BYTES, Request};
use crate::stand_in::generate::StandIn;

/// The content of writes. A stand-in has its profile's content, unless the specification says
/// something about it; a key-value cache knows its contents itself.
fn contents(
    settings: &Settings<'_>,
    pattern: &Pattern,
    offset_bytes: u64,
    seed: u64,
) -> Result<Option<Contents>, TraceError> {
    if let Pattern::StandIn(stand_in) = pattern
        && !settings.is_given("content")
        && let Some(content) = stand_in.content()
    {
        let spec = format!("stand-in:content=locality,{content}");
        return Contents::new(&Settings::parse(&spec)?, offset_bytes, seed);
    }
    if matches!(pattern, Pattern::KvCache(_)) {
        return Ok(None);
    }
    Contents::new(settings, offset_bytes, seed)
}

/// One phase.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    pattern: Pattern,
    requests: Requests,
}

impl Stream {
    /// Whether requests arrive at times of their own.
    pub(crate) fn is_timed(&self) -> bool {
        match &self.pattern {
            Pattern::StandIn(stand_in) => stand_in.is_timed(),
            _ => !matches!(self.requests.arrival, Arrival::Closed),
        }
    }

    pub(crate) fn new(spec: &str, defaults: &Defaults) -> Result<Self, TraceError> {
        let settings = Settings::parse(spec)?;
        let page_bytes = settings.size("page_bytes", defaults.page_bytes, SECTOR_BYTES)?;
        if page_bytes % SECTOR_BYTES != 0 {
            return Err(settings.wrong("page_bytes", "is not a multiple of 512"));
        }
        let (pages_key, requests_key) =
            (settings.either("pages", "dataset_pages")?, settings.either("requests", "writes")?);
        // The region covers the bytes of the drive, in pages of the requested size.
        let all =
            (u128::from(defaults.pages) * u128::from(defaults.page_bytes) / u128::from(page_bytes)) as u64;
        let pages = settings.count(pages_key, all.max(1), 1)?;
        let offset_bytes = settings.size("offset_bytes", 0, 0)?;
        if offset_bytes % page_bytes != 0 {
            return Err(settings.wrong("offset_bytes", "is not a multiple of page_bytes"));
        }
        let region = pages
            .checked_mul(page_bytes)
            .filter(|bytes| bytes.checked_add(offset_bytes).is_some_and(|end| end < 1 << 62));
        let region_bytes =
            region.ok_or_else(|| settings.wrong("pages", "makes a region beyond 2^62 bytes"))?;
        let seed = settings.count("seed", defaults.seed, 0)?;
        let pattern = Pattern::new(&settings, (pages, page_bytes), seed)?;
        let contents = contents(&settings, &pattern, offset_bytes, seed)?;
        let content_pages = pages.saturating_mul(page_bytes).div_ceil(FINGERPRINT_PAGE_BYTES);
        if contents.is_some() && content_pages > MOST_PAGES {
            let most = (MOST_PAGES * FINGERPRINT_PAGE_BYTES) >> 30;
            return Err(settings.wrong("pages", &format!("is a region with content of more than {most} GiB")));
        }
        let bytes_left =
            settings.text("volume_bytes").map(|_| settings.size("volume_bytes", 0, 1)).transpose()?;
        if bytes_left.is_some() && settings.is_given(requests_key) {
            return Err(settings.wrong("volume_bytes", "and requests are both given; give one of them"));
        }
        let mut requests_left = match bytes_left {
            Some(_) => u64::MAX,
            None => match &pattern {
                Pattern::StandIn(stand_in) => stand_in.requests(),
                _ => settings.count(requests_key, defaults.requests, 1)?,
            },
        };
        let mut bytes_left = bytes_left;
        let leading = pattern.leading_requests();
        requests_left = requests_left.saturating_add(leading);
        bytes_left = bytes_left.map(|bytes| bytes.saturating_add(leading.saturating_mul(page_bytes)));
        let requests = Requests {
            pages,
            page_bytes,
            offset_bytes,
            read: settings.real("read", 0.0, 0.0, 1.0)?,
            size: Size::new(&settings, page_bytes, region_bytes)?,
            arrival: Arrival::new(&settings)?,
            contents,
            left: requests_left,
            bytes_left,
            placement: Placement::new(&settings)?,
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            start_ns: 0,
            now_ns: 0,
        };
        Ok(Self { pattern, requests })
    }

    /// The number of requests, unless the volume decides on it.
    pub(crate) fn requests(&self) -> Option<u64> {
        let has_sizes_of_its_own = matches!(
            self.pattern,
            Pattern::StandIn(_) | Pattern::FlashCache(_) | Pattern::KvCache(_) | Pattern::Zones(_)
        );
        match (self.requests.bytes_left, &self.requests.size) {
            (None, _) => Some(self.requests.left),
            (Some(_), _) if has_sizes_of_its_own => None,
            (Some(bytes), Size::Fixed(size)) => Some(bytes.div_ceil(*size)),
            (Some(_), Size::Mixed(_)) => None,
        }
    }

    /// Shifts the phase to begin at `start_ns`.
    pub(crate) fn start_at(&mut self, start_ns: u64) {
        (self.requests.start_ns, self.requests.now_ns) = (start_ns, start_ns);
    }

    /// Draws on where another pass over this phase ended. A stand-in repeats itself, as the trace
    /// does in whose place it stands.
    pub(crate) fn go_on_from(&mut self, earlier: Stream) {
        if !matches!(self.pattern, Pattern::StandIn(_)) {
            let Requests { random, contents, .. } = earlier.requests;
            (self.requests.random, self.requests.contents) = (random, contents);
            // A warm-up that is over does not come again.
            let led = self.pattern.leading_requests().saturating_sub(earlier.pattern.leading_requests());
            let Requests { left, bytes_left, page_bytes, .. } = &mut self.requests;
            *left = left.saturating_sub(led);
            *bytes_left = bytes_left.map(|bytes| bytes.saturating_sub(led.saturating_mul(*page_bytes)));
            // A key-value cache goes on holding its blocks; zones that are active stay so.
            if led > 0 || matches!(self.pattern, Pattern::KvCache(_) | Pattern::Zones(_)) {
                self.pattern = earlier.pattern;
            }
        }
    }

    /// The time of the last request so far.
    pub(crate) fn now_ns(&self) -> u64 {
        self.requests.now_ns
    }

    /// Appends requests to the batch until it is full or the phase is over; returns whether it is
    /// over.
    pub(crate) fn fill(&mut self, batch: &mut Batch) -> bool {
        let Stream { pattern, requests } = self;
        let pages = requests.pages;
        // The pattern is looked at once a batch: each has a loop of its own.
        match pattern {
            Pattern::Uniform => requests
                .draw_aimed(batch, |random, asked| asked.at(uniform::next_page(random, pages, asked.span))),
            Pattern::Zipf(zipf) => requests
                .draw_aimed(batch, |random, asked| asked.at(zipf.next_page(random, pages, asked.span))),
            Pattern::HotCold(hot_cold) => requests
                .draw_aimed(batch, |random, asked| asked.of(hot_cold.next_page(random, pages, asked.span))),
            Pattern::Jesd219(jesd219) => {
                requests.draw_aimed(batch, |random, asked| asked.of(jesd219.next_page(random, asked.span)));
            }
            Pattern::Sequential(sequential) => {
                requests.draw_aimed(batch, |_, asked| asked.at(sequential.next_page(pages, asked.span)))
            }
            Pattern::OverwriteRegions(regions) => requests.draw_aimed(batch, |random, asked| {
                let (page, operation) = regions.next_page(random, pages);
                Asked { operation, ..asked }.of((page, u8::from(operation == Operation::Overwrite)))
            }),
            Pattern::Refill(refill) => {
                requests.draw_aimed(batch, |random, asked| asked.at(refill.next_page(random, pages)))
            }
            Pattern::Roles(roles) => requests.draw_aimed(batch, |random, asked| {
                asked.of(roles.next_page(random, (pages, asked.span), asked.operation))
            }),
            Pattern::FlashCache(cache) => {
                let page_bytes = requests.page_bytes;
                requests.draw_aimed(batch, |random, asked| {
                    let access = cache.next(random, asked.operation);
                    let length_bytes = access.pages * page_bytes;
                    Asked { length_bytes, ..asked }.of((access.page, access.component))
                });
            }
            Pattern::Zones(zones) => {
                let page_bytes = requests.page_bytes;
                requests.draw_aimed(batch, |random, asked| zones.next(random, page_bytes, asked));
            }
            Pattern::KvCache(cache) => requests.draw_from_cache(batch, cache),
            Pattern::StandIn(stand_in) => {
                requests.draw(batch, |requests| next_of_stand_in(stand_in, requests));
            }
        }
        requests.are_over()
    }
}

fn next_of_stand_in(stand_in: &mut StandIn, requests: &mut Requests) -> Request {
    let mut request = stand_in.next_request(&mut requests.random);
    request.at_ns = requests.start_ns.saturating_add(request.at_ns);
    request.offset_bytes += requests.offset_bytes;
    request.stream = requests.placement.identifier(0);
    requests.now_ns = request.at_ns;
    request
}
