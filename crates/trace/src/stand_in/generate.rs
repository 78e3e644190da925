//! Draws requests from a profile.

use std::sync::Arc;

use rand_xoshiro::Xoshiro256PlusPlus;

use super::bins::{draw_octave, draw_rank};
use super::clusters::Clusters;
use super::draw;
use super::pace::Pace;
use super::profile::{Access, CLUSTER_PAGES, LEVELS, OfPlace, PAGE_BYTES, Place, Profile};
use super::recent_ends::RecentEnds;
use super::sites::{Sites, Touch, class_of};
use crate::request::{Operation, Request, SECTOR_BYTES};
use crate::workloads::random::{below, chance};

/// Draws in search of an untouched page before the next best is taken.
const TRIES: usize = 32;

/// A workload in the likeness of a profile.
#[derive(Clone, Debug)]
pub(crate) struct StandIn {
    profile: Arc<Profile>,
    /// Requests that the whole workload will have: its slices are as long as they come out.
    requests: u64,
    seen: u64,
    now_ns: u64,
    sites: Sites,
    clusters: Clusters,
    of: [State; 2],
    last: Touch,
    pace: Pace,
    /// Rows of [`super::profile::Arrival::transitions`] by level and last octave.
    transitions: Arc<Vec<Vec<(u8, f64)>>>,
}

#[derive(Clone, Debug, Default)]
struct State {
    last_group: usize,
    ends: RecentEnds,
    /// Pages of the last new site.
    new_pages: u32,
}

impl StandIn {
    /// A workload of `requests` requests, by default as many as the profile says.
    pub(crate) fn new(profile: Profile, requests: Option<u64>) -> StandIn {
        let mut transitions = vec![Vec::new(); LEVELS * 128];
        for &(level, from, to, share) in &profile.arrival.transitions {
            transitions[usize::from(level) * 128 + usize::from(from)].push((to, share));
        }
        let state = || State { last_group: Place::New.group(1), ..State::default() };
        StandIn {
            requests: requests.unwrap_or(profile.requests).max(1),
            seen: 0,
            now_ns: 0,
            sites: Sites::default(),
            clusters: Clusters::default(),
            of: [state(), state()],
            last: Touch::Write,
            pace: Pace::new(&profile.arrival.level_limits),
            transitions: Arc::new(transitions),
            profile: Arc::new(profile),
        }
    }

    /// Requests of the whole workload.
    pub(crate) fn requests(&self) -> u64 {
        self.requests
    }

    /// Whether requests have times of their own.
    pub(crate) fn is_timed(&self) -> bool {
        !self.profile.arrival.transitions.is_empty()
    }

    /// The next request, its time counted from the first.
    pub(crate) fn next_request(&mut self, random: &mut Xoshiro256PlusPlus) -> Request {
        let profile = Arc::clone(&self.profile);
        let pause = if self.seen == 0 { 0 } else { self.pause(random) };
        let touch = self.operation(&profile, pause, random);
        let access = match touch {
            Touch::Read => &profile.read,
            Touch::Write => &profile.write,
        };
        let place = self.kind(access, touch, random);
        let (first, before_pages) = self.first_page(access, touch, place, random);
        let of_place = &access.places[place.kind()];
        let sectors = match before_pages.filter(|&pages| pages > 0 && chance(random, of_place.same_size)) {
            Some(pages) => u64::from(pages) * (PAGE_BYTES / SECTOR_BYTES),
            None => draw_size(access, of_place, random),
        };
        // A request ends with the space.
        let length_bytes = (sectors * SECTOR_BYTES).min((profile.space_pages - first) * PAGE_BYTES);
        self.note(touch, place, first, length_bytes.div_ceil(PAGE_BYTES));
        let operation = if touch == Touch::Read { Operation::Read } else { Operation::Write };
        Request::new(self.now_ns, operation, first * PAGE_BYTES, length_bytes)
    }

    /// Lets time pass; returns the octave of the pause.
    fn pause(&mut self, random: &mut Xoshiro256PlusPlus) -> usize {
        let (level, before) = self.pace.state();
        let before = before * 2 + self.last as usize;
        // A state that the trace never was in: the same pause at another level of activity, or any.
        let levels = (0..LEVELS).map(|step| (level + step) % LEVELS);
        let row = levels.map(|level| &self.transitions[level * 128 + before]).find(|row| !row.is_empty());
        let Some(row) = row.or_else(|| self.transitions.iter().find(|row| !row.is_empty())) else { return 0 };
        let Some(next) = draw::index(row.iter().map(|&(_, share)| share), random) else { return 0 };
        let octave = usize::from(row[next].0);
        self.pace.paused(octave);
        self.now_ns = self.now_ns.saturating_add(draw_octave(octave, random));
        octave
    }

    fn operation(&mut self, profile: &Profile, pause: usize, random: &mut Xoshiro256PlusPlus) -> Touch {
        if profile.read.kinds.is_empty() || profile.write.kinds.is_empty() {
            return if profile.read.kinds.is_empty() { Touch::Write } else { Touch::Read };
        }
        let row = profile.reads.get(pause).or(profile.reads.last());
        let reads = row.map_or(0.5, |row| row[self.last as usize]);
        self.last = if chance(random, reads) { Touch::Read } else { Touch::Write };
        self.last
    }

    fn kind(&self, access: &Access, touch: Touch, random: &mut Xoshiro256PlusPlus) -> Place {
        let slice = (u128::from(self.seen) * access.kinds.len() as u128 / u128::from(self.requests)) as usize;
        let row = &access.kinds[slice.min(access.kinds.len() - 1)][self.of[touch as usize].last_group];
        draw::index(row.iter().copied(), random).map_or(Place::New, Place::of_kind)
    }

    /// The first page of a request, and the size in pages that it may repeat. Where there is no place of the kind drawn,
    /// another is taken: for a run over known pages a known site, else a new one.
    fn first_page(
        &mut self,
        access: &Access,
        touch: Touch,
        place: Place,
        random: &mut Xoshiro256PlusPlus,
    ) -> (u64, Option<u32>) {
        let found = match place {
            Place::Known(..) => self.known(access, place, random),
            Place::Again(class) => self.run(access, (touch, class, true), random).or_else(|| {
                let known = access.places.iter().map(|place| if place.ranks.is_empty() { 0.0 } else { 1.0 });
                let kind = draw::index(known, random)?;
                self.known(access, Place::of_kind(kind), random)
            }),
            Place::Onwards(class) => self.run(access, (touch, class, false), random),
            Place::New => None,
        };
        found.filter(|&(page, _)| page < self.profile.space_pages).unwrap_or_else(|| {
            (self.new_page(access, touch, random), Some(self.of[touch as usize].new_pages))
        })
    }

    /// Goes on with a run of a class of sizes, into the touched or the untouched.
    fn run(
        &mut self,
        access: &Access,
        (touch, class, into_touched): (Touch, usize, bool),
        random: &mut Xoshiro256PlusPlus,
    ) -> Option<(u64, Option<u32>)> {
        let stream = draw::index(access.streams.iter().copied(), random).unwrap_or(0);
        let (sites, space_pages) = (&self.sites, self.profile.space_pages);
        let fits =
            |page, pages| page < space_pages && class_of(pages) == class && sites.holds(page) == into_touched;
        let (page, pages) = self.of[touch as usize].ends.take_nearest(stream, fits)?;
        Some((page, Some(pages)))
    }

    fn known(
        &self,
        access: &Access,
        place: Place,
        random: &mut Xoshiro256PlusPlus,
    ) -> Option<(u64, Option<u32>)> {
        let Place::Known(touch, class) = place else { return None };
        let place = &access.places[place.kind()];
        let rank = draw_rank(draw::index(place.ranks.iter().copied(), random)?, random);
        let count = self.sites.count(touch, class);
        let rank = if rank < count { rank } else { below(random, u64::from(count.max(1))) as u32 };
        let site = self.sites.at_rank(touch, class, rank)?;
        if site.pages > 1 && chance(random, place.inside) {
            return Some((site.first + 1 + below(random, u64::from(site.pages) - 1), None));
        }
        Some((site.first, Some(site.last_pages)))
    }

    /// The first page of a new site. Where the kind of cluster drawn has no room, the next kind is tried.
    fn new_page(&self, access: &Access, touch: Touch, random: &mut Xoshiro256PlusPlus) -> u64 {
        let class = draw::index(access.new_clusters.into_iter(), random).unwrap_or(3);
        let other = if touch == Touch::Read { Touch::Write } else { Touch::Read };
        let known = [(touch, &access.rank_own_cluster), (other, &access.rank_other_cluster)];
        for (touch, ranks) in known.into_iter().skip(class) {
            for _ in 0..TRIES {
                let page = self.ranked_cluster(touch, ranks, random);
                if let Some(page) = page.and_then(|cluster| self.untouched(access, cluster, random)) {
                    return page;
                }
            }
        }
        let next = self.clusters.newest().map_or(0, |cluster| cluster + 1);
        if class == 2
            && !self.clusters.holds(next)
            && let Some(page) = self.untouched(access, next, random)
        {
            return page;
        }
        let clusters = self.profile.space_pages.div_ceil(CLUSTER_PAGES);
        let fresh =
            (0..TRIES).map(|_| below(random, clusters)).find(|&cluster| !self.clusters.holds(cluster));
        let cluster = fresh.unwrap_or_else(|| below(random, clusters));
        (cluster * CLUSTER_PAGES + below(random, CLUSTER_PAGES)).min(self.profile.space_pages - 1)
    }

    fn ranked_cluster(&self, touch: Touch, ranks: &[f64], random: &mut Xoshiro256PlusPlus) -> Option<u64> {
        let rank = draw_rank(draw::index(ranks.iter().copied(), random)?, random);
        let count = self.clusters.count(touch);
        let rank = if rank < count { rank } else { below(random, u64::from(count.max(1))) as u32 };
        self.clusters.at_rank(touch, rank)
    }

    /// A page of a cluster that was never touched, at a distance drawn from the profile behind what lies before it.
    fn untouched(&self, access: &Access, cluster: u64, random: &mut Xoshiro256PlusPlus) -> Option<u64> {
        let start = cluster * CLUSTER_PAGES;
        let end = (start + CLUSTER_PAGES).min(self.profile.space_pages);
        let page = (0..TRIES).map(|_| start + below(random, CLUSTER_PAGES));
        let page = page.into_iter().find(|&page| page < end && !self.sites.holds(page))?;
        let gaps = access.new_gaps.iter().copied();
        let nothing_before = (1.0 - gaps.clone().sum::<f64>()).max(0.0);
        let octave = draw::index(gaps.chain([nothing_before]), random)?;
        match self.sites.touched_before(page, start) {
            Some(before) if octave < access.new_gaps.len() => {
                let nearer = before + 1 + draw_octave(octave, random);
                Some(if nearer < page { nearer } else { page })
            }
            _ => Some(page),
        }
    }

    fn note(&mut self, touch: Touch, place: Place, first: u64, pages: u64) {
        let state = &mut self.of[touch as usize];
        state.last_group = place.group(pages as u32);
        state.ends.ended(first + pages, pages as u32);
        if place == Place::New {
            state.new_pages = pages as u32;
        }
        self.sites.touch(touch, first, pages as u32);
        self.clusters.touch(touch, first, pages);
        self.seen += 1;
    }
}

/// A size of the kind of place, or of any where the profile has none for it.
fn draw_size(access: &Access, place: &OfPlace, random: &mut Xoshiro256PlusPlus) -> u64 {
    let others = access.places.iter().map(|place| &place.sizes);
    let sizes = std::iter::once(&place.sizes).chain(others).find(|sizes| !sizes.is_empty());
    let Some(sizes) = sizes else { return PAGE_BYTES / SECTOR_BYTES };
    let drawn = draw::index(sizes.iter().map(|&(_, share)| share), random);
    drawn.map_or(PAGE_BYTES / SECTOR_BYTES, |size| u64::from(sizes[size].0))
}
