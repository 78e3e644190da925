//! One phase of a workload: where, what, how large and when, drawn together.

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::arrival::Arrival;
use super::content::{Contents, MOST_PAGES};
use super::flash_cache::FlashCache;
use super::hot_cold::HotCold;
use super::overwrite_regions::OverwriteRegions;
use super::placement::Placement;
use super::random::chance;
use super::refill::Refill;
use super::roles::Roles;
use super::sequential::Sequential;
use super::settings::Settings;
use super::size::Size;
use super::zipf::Zipf;
use super::{Defaults, uniform};
use crate::error::TraceError;
use crate::pages::SECTOR_BYTES;
use crate::request::{Batch, FINGERPRINT_PAGE_BYTES, Operation, Request};
use crate::stand_in::generate::StandIn;

/// Where requests go.
#[derive(Clone, Debug)]
enum Pattern {
    Sequential(Sequential),
    Uniform,
    Zipf(Zipf),
    HotCold(HotCold),
    OverwriteRegions(OverwriteRegions),
    Refill(Refill),
    StandIn(Box<StandIn>),
    Roles(Roles),
    FlashCache(FlashCache),
}

impl Pattern {
    fn new(settings: &Settings<'_>, (pages, page_bytes): (u64, u64), seed: u64) -> Result<Self, TraceError> {
        match settings.generator.name {
            "sequential" => Ok(Self::Sequential(Sequential::default())),
            "uniform" => Ok(Self::Uniform),
            "zipf" | "lx-home" | "lx-mail" | "lx-web" => Ok(Self::Zipf(Zipf::new(settings, pages, seed)?)),
            "hot-cold" => Ok(Self::HotCold(HotCold::new(settings, pages, seed)?)),
            "overwrite-regions" => Ok(Self::OverwriteRegions(OverwriteRegions::new(settings, pages)?)),
            "roles" => Ok(Self::Roles(Roles::new(settings, pages, seed)?)),
            "flash-cache" => Ok(Self::FlashCache(FlashCache::new(settings, pages, page_bytes)?)),
            "refill" | "hot-s" | "hot-r" | "cold" | "low-gc" | "high-gc" => {
                Ok(Self::Refill(Refill::new(settings, pages)?))
            }
            "stand-in" => Ok(Self::StandIn(Box::new(crate::stand_in::of_settings(settings)?))),
            name => Err(TraceError::parameter(
                format!("the workload \"{name}\" is not built in"),
                "choose another one",
            )),
        }
    }

    /// Requests of one page that come before those whose number or volume the user gives.
    fn leading_requests(&self) -> u64 {
        match self {
            Self::OverwriteRegions(regions) => regions.warmup_requests(),
            Self::Refill(refill) => refill.fill_requests(),
            Self::Sequential(_)
            | Self::Uniform
            | Self::Zipf(_)
            | Self::HotCold(_)
            | Self::Roles(_)
            | Self::FlashCache(_)
            | Self::StandIn(_) => 0,
        }
    }
}

/// What writes contain. A stand-in has its profile's content, unless the specification says
/// something about it.
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
    Contents::new(settings, offset_bytes, seed)
}

/// One phase.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    pattern: Pattern,
    pages: u64,
    page_bytes: u64,
    offset_bytes: u64,
    read: f64,
    size: Size,
    arrival: Arrival,
    contents: Option<Contents>,
    requests_left: u64,
    bytes_left: Option<u64>,
    placement: Placement,
    random: Xoshiro256PlusPlus,
    start_ns: u64,
    now_ns: u64,
}

impl Stream {
    /// Whether requests arrive at times of their own.
    pub(crate) fn is_timed(&self) -> bool {
        match &self.pattern {
            Pattern::StandIn(stand_in) => stand_in.is_timed(),
            _ => !matches!(self.arrival, Arrival::Closed),
        }
    }

    pub(crate) fn new(spec: &str, defaults: &Defaults) -> Result<Self, TraceError> {
        let settings = Settings::parse(spec)?;
        let page_bytes = settings.count("page_bytes", defaults.page_bytes, SECTOR_BYTES)?;
        if page_bytes % SECTOR_BYTES != 0 {
            return Err(settings.wrong("page_bytes", "is not a multiple of 512"));
        }
        let (pages_key, requests_key) =
            (settings.either("pages", "dataset_pages")?, settings.either("requests", "writes")?);
        let pages = settings.count(pages_key, defaults.pages, 1)?;
        let offset_bytes = settings.count("offset_bytes", 0, 0)?;
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
            settings.text("volume_bytes").map(|_| settings.count("volume_bytes", 0, 1)).transpose()?;
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
        Ok(Self {
            pattern,
            pages,
            page_bytes,
            offset_bytes,
            read: settings.real("read", 0.0, 0.0, 1.0)?,
            size: Size::new(&settings, page_bytes, region_bytes)?,
            arrival: Arrival::new(&settings)?,
            contents,
            requests_left,
            bytes_left,
            placement: Placement::new(&settings)?,
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
            start_ns: 0,
            now_ns: 0,
        })
    }

    /// The number of requests, unless the volume decides on it.
    pub(crate) fn requests(&self) -> Option<u64> {
        match (self.bytes_left, &self.size) {
            (None, _) => Some(self.requests_left),
            (Some(_), _) if matches!(self.pattern, Pattern::StandIn(_) | Pattern::FlashCache(_)) => None,
            (Some(bytes), Size::Fixed(size)) => Some(bytes.div_ceil(*size)),
            (Some(_), Size::Mixed(_)) => None,
        }
    }

    /// Shifts the phase to begin at `start_ns`.
    pub(crate) fn start_at(&mut self, start_ns: u64) {
        (self.start_ns, self.now_ns) = (start_ns, start_ns);
    }

    /// Draws on where another pass over this phase ended. A stand-in repeats itself, as the trace
    /// does in whose place it stands.
    pub(crate) fn go_on_from(&mut self, earlier: Stream) {
        if !matches!(self.pattern, Pattern::StandIn(_)) {
            (self.random, self.contents) = (earlier.random, earlier.contents);
        }
    }

    /// The time of the last request so far.
    pub(crate) fn now_ns(&self) -> u64 {
        self.now_ns
    }

    /// Appends requests to the batch until it is full or the phase is over; returns whether it is
    /// over.
    pub(crate) fn fill(&mut self, batch: &mut Batch) -> bool {
        if self.is_plain() {
            let room = batch.limit() - batch.requests.len();
            let count = self.requests_left.min(room as u64);
            let operation = if self.read > 0.0 { Operation::Read } else { Operation::Write };
            let (region, place) = ((self.pages, self.page_bytes), (self.offset_bytes, self.start_ns));
            uniform::fill_pages(&mut self.random, region, place, operation, count as usize, batch);
            self.requests_left -= count;
            return self.requests_left == 0;
        }
        match self.contents.take() {
            None => self.draw(batch, |batch, request| batch.push(request)),
            Some(mut contents) => {
                self.draw(batch, |batch, request| {
                    if request.operation.is_write() {
                        batch.push_with_content(request, contents.draw(&request));
                    } else {
                        batch.push(request);
                    }
                });
                self.contents = Some(contents);
            }
        }
        self.is_over()
    }

    fn is_over(&self) -> bool {
        self.requests_left == 0 || self.bytes_left == Some(0)
    }

    /// Draws requests until the batch is full or the phase is over.
    #[inline(always)]
    fn draw(&mut self, batch: &mut Batch, mut push: impl FnMut(&mut Batch, Request)) {
        let room = (batch.limit() - batch.requests.len()) as u64;
        let most = self.requests_left.min(room);
        let mut drawn = 0;
        while drawn < most && batch.bytes() < Batch::FULL_BYTES && self.bytes_left != Some(0) {
            let request = self.next_request();
            drawn += 1;
            self.bytes_left = self.bytes_left.map(|bytes| bytes.saturating_sub(request.length_bytes));
            push(batch, request);
        }
        self.requests_left -= drawn;
    }

    /// Uniform whole pages of one operation, all at once.
    fn is_plain(&self) -> bool {
        matches!(self.pattern, Pattern::Uniform)
            && matches!(self.arrival, Arrival::Closed)
            && matches!(self.size, Size::Fixed(bytes) if bytes == self.page_bytes)
            && self.bytes_left.is_none()
            && self.contents.is_none()
            && self.placement.is_none()
            && (self.read == 0.0 || self.read == 1.0)
    }

    #[inline(always)] // Twice, with content and without.
    fn next_request(&mut self) -> Request {
        let random = &mut self.random;
        if let Pattern::StandIn(stand_in) = &mut self.pattern {
            let mut request = stand_in.next_request(random);
            request.at_ns = self.start_ns.saturating_add(request.at_ns);
            request.offset_bytes += self.offset_bytes;
            request.stream = self.placement.identifier(0);
            self.now_ns = request.at_ns;
            return request;
        }
        let mut length_bytes = self.size.next_bytes(random);
        let span = length_bytes.div_ceil(self.page_bytes);
        let mut operation = if chance(random, self.read) { Operation::Read } else { Operation::Write };
        let (page, component) = match &mut self.pattern {
            Pattern::Sequential(sequential) => (sequential.next_page(self.pages, span), 0),
            Pattern::Uniform => (uniform::next_page(random, self.pages, span), 0),
            Pattern::Zipf(zipf) => (zipf.next_page(random, self.pages, span), 0),
            Pattern::HotCold(hot_cold) => hot_cold.next_page(random, self.pages, span),
            Pattern::OverwriteRegions(regions) => {
                let (page, what) = regions.next_page(random, self.pages);
                operation = what;
                (page, u8::from(what == Operation::Overwrite))
            }
            Pattern::Refill(refill) => (refill.next_page(random, self.pages), 0),
            Pattern::StandIn(_) => (0, 0),
            Pattern::Roles(roles) => roles.next_page(random, (self.pages, span), operation),
            Pattern::FlashCache(cache) => {
                let access = cache.next(random, operation);
                length_bytes = access.pages * self.page_bytes;
                (access.page, access.component)
            }
        };
        self.now_ns = self.start_ns.saturating_add(self.arrival.next_ns(random));
        let offset_bytes = self.offset_bytes + page * self.page_bytes;
        let stream = self.placement.identifier(component);
        Request::placed(self.now_ns, operation, (offset_bytes, length_bytes), stream)
    }
}
