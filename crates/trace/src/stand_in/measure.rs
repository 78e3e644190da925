//! Measures the profile of a trace.

use std::collections::BTreeMap;

use super::bins::{octave, rank_bin};
use super::clusters::{Clusters, Neighbourhood};
use super::pace::Pace;
use super::profile::{
    Access, Arrival, CLUSTER_PAGES, GROUPS, KINDS, LEVELS, OfPlace, PAGE_BYTES, Place, Profile, STREAMS,
};
use super::recent_ends::RecentEnds;
use super::sites::{Found, Sites, Touch, class_of};
use crate::error::TraceError;
use crate::request::{Batch, Operation, Request, SECTOR_BYTES};
use crate::source::Source;

/// Equal parts of a trace whose kinds of places are counted apart.
const SLICES: usize = 8;
/// Sizes that a profile names for each kind of place; the rest is rounded to the nearest of them.
const SIZES: usize = 24;

/// Measures the profile of a trace; trims, flushes and empty requests are left out, overwrites are writes. `shift_bytes` is
/// added to every address, for traces of partitions that are not aligned to pages.
///
/// # Errors
/// Those of the trace; a trace without reads and writes.
pub fn measure(source: &mut dyn Source, shift_bytes: u64) -> Result<Profile, TraceError> {
    let requests = count(source)?;
    if requests == 0 {
        return Err(TraceError::parameter(
            "there is nothing to measure",
            "name a trace with reads or writes",
        ));
    }
    let limits = activity_limits(source)?;
    let mut counting = Counting::new(requests, &limits);
    each(source, |request| counting.request(request, shift_bytes))?;
    let name = source.description().name;
    let stem = name.split('.').next().unwrap_or_default().to_owned();
    Ok(counting.profile(stem, format!("fitted to the trace {name}"), limits))
}

fn each(source: &mut dyn Source, mut visit: impl FnMut(&Request)) -> Result<(), TraceError> {
    let mut batch = Batch::default();
    source.rewind()?;
    while source.fill(&mut batch)? > 0 {
        let data = |request: &&Request| request.length_bytes > 0 && operation(request).is_some();
        batch.requests.iter().filter(data).for_each(&mut visit);
    }
    source.rewind()
}

fn count(source: &mut dyn Source) -> Result<u64, TraceError> {
    let mut requests = 0;
    each(source, |_| requests += 1)?;
    Ok(requests)
}

/// Quartiles of the activity.
fn activity_limits(source: &mut dyn Source) -> Result<Vec<f64>, TraceError> {
    let (mut pace, mut last_ns) = (Pace::new(&[]), None);
    let mut histogram = [0u64; 64 * 16];
    each(source, |request| {
        if let Some(last_ns) = last_ns.replace(request.at_ns) {
            histogram[((pace.activity() * 16.0) as usize).min(64 * 16 - 1)] += 1;
            pace.paused(octave(request.at_ns.saturating_sub(last_ns)));
        }
    })?;
    let total: u64 = histogram.iter().sum();
    let limit = |quarter: u64| {
        let mut sum = 0;
        let at = histogram.iter().position(|&count| {
            sum += count;
            sum * LEVELS as u64 >= total * quarter
        });
        (at.unwrap_or(0) + 1) as f64 / 16.0
    };
    Ok((1..LEVELS as u64).map(limit).collect())
}

fn operation(request: &Request) -> Option<Touch> {
    match request.operation {
        Operation::Read => Some(Touch::Read),
        Operation::Write | Operation::Overwrite => Some(Touch::Write),
        Operation::Trim | Operation::Flush => None,
    }
}

/// Counts of one operation.
struct OfOperation {
    kinds: Vec<[[u64; KINDS]; GROUPS]>,
    last_group: usize,
    places: [PlaceCounts; KINDS],
    streams: [u64; STREAMS],
    new_clusters: [u64; 4],
    cluster_ranks: [Vec<u64>; 2],
    new_gaps: Vec<u64>,
    ends: RecentEnds,
    /// Pages of the last new site.
    new_pages: u32,
}

/// Counts of one kind of place.
#[derive(Default)]
struct PlaceCounts {
    requests: u64,
    ranks: Vec<u64>,
    inside: u64,
    same_size: u64,
    sizes: BTreeMap<u32, u64>,
}

/// Where a request goes: the kind of the place, and the size in pages that it would repeat.
struct Went {
    place: Place,
    before_pages: Option<u32>,
}

struct Counting {
    requests: u64,
    seen: u64,
    space_pages: u64,
    sites: Sites,
    clusters: Clusters,
    of: [OfOperation; 2],
    pace: Pace,
    last_ns: Option<u64>,
    last_operation: usize,
    transitions: BTreeMap<(u8, u8, u8), u64>,
    /// By octave of the pause and the operation before: all requests, reads.
    reads: Vec<[[u64; 2]; 2]>,
}

impl Counting {
    fn new(requests: u64, limits: &[f64]) -> Counting {
        Counting {
            requests,
            seen: 0,
            space_pages: 0,
            sites: Sites::default(),
            clusters: Clusters::default(),
            of: [OfOperation::new(), OfOperation::new()],
            pace: Pace::new(limits),
            last_ns: None,
            last_operation: 1,
            transitions: BTreeMap::new(),
            reads: vec![[[0; 2]; 2]; 64],
        }
    }

    fn request(&mut self, request: &Request, shift_bytes: u64) {
        let Some(touch) = operation(request) else { return };
        self.arrival(request.at_ns, touch);
        let start = request.offset_bytes.saturating_add(shift_bytes);
        let first = start / PAGE_BYTES;
        let behind = start.saturating_add(request.length_bytes).div_ceil(PAGE_BYTES);
        let pages = u32::try_from(behind - first).unwrap_or(u32::MAX);
        let went = self.place(touch, first, pages);
        let slice = (self.seen * SLICES as u64 / self.requests) as usize;
        let of = &mut self.of[touch as usize];
        of.kinds[slice][of.last_group][went.place.kind()] += 1;
        of.last_group = went.place.group(pages);
        let place = &mut of.places[went.place.kind()];
        place.requests += 1;
        if went.before_pages == Some(pages) {
            place.same_size += 1;
        } else {
            let sectors = request.length_bytes.div_ceil(SECTOR_BYTES).min(1 << 22) as u32;
            *place.sizes.entry(sectors).or_default() += 1;
        }
        of.ends.ended(behind, pages);
        self.sites.touch(touch, first, pages);
        self.clusters.touch(touch, first, behind - first);
        self.space_pages = self.space_pages.max(behind);
        self.seen += 1;
    }

    fn arrival(&mut self, at_ns: u64, touch: Touch) {
        let mut pause = 0;
        if let Some(last_ns) = self.last_ns {
            pause = octave(at_ns.saturating_sub(last_ns)).min(62);
            let (level, before) = self.pace.state();
            let before = before * 2 + self.last_operation;
            *self.transitions.entry((level as u8, before as u8, pause as u8)).or_default() += 1;
            self.pace.paused(pause);
        }
        self.last_ns = Some(at_ns);
        let counts = &mut self.reads[pause][self.last_operation];
        counts[0] += 1;
        counts[1] += u64::from(touch == Touch::Read);
        self.last_operation = touch as usize;
    }

    fn place(&mut self, touch: Touch, first: u64, pages: u32) -> Went {
        let of = &mut self.of[touch as usize];
        if let Some((stream, before_pages)) = of.ends.take(first) {
            of.streams[stream] += 1;
            let class = class_of(before_pages);
            let place = if self.sites.holds(first) { Place::Again(class) } else { Place::Onwards(class) };
            return Went { place, before_pages: Some(before_pages) };
        }
        match self.sites.find(first) {
            Found::Site { touch: last, class, rank, pages_in, last_pages } => {
                let place = Place::Known(last, class);
                let counts = &mut of.places[place.kind()];
                count_in(&mut counts.ranks, rank_bin(rank));
                counts.inside += u64::from(pages_in > 0);
                Went { place, before_pages: (pages_in == 0).then_some(last_pages) }
            }
            Found::New => {
                of.new_at(self.clusters.around(touch, first));
                let cluster_start = first / CLUSTER_PAGES * CLUSTER_PAGES;
                if let Some(before) = self.sites.touched_before(first, cluster_start) {
                    count_in(&mut of.new_gaps, octave(first - before - 1));
                }
                Went { place: Place::New, before_pages: Some(std::mem::replace(&mut of.new_pages, pages)) }
            }
        }
    }

    fn profile(self, name: String, source: String, level_limits: Vec<f64>) -> Profile {
        let mut from: BTreeMap<(u8, u8), u64> = BTreeMap::new();
        for (&(level, before, _), &count) in &self.transitions {
            *from.entry((level, before)).or_default() += count;
        }
        let transitions = self
            .transitions
            .iter()
            .map(|(&(level, before, to), &count)| (level, before, to, share(count, from[&(level, before)])));
        let last = self.reads.iter().rposition(|row| row.iter().any(|counts| counts[0] > 0)).unwrap_or(0);
        let overall = |before: usize| {
            let sum = |what: usize| self.reads.iter().map(|row| row[before][what]).sum::<u64>();
            share(sum(1), sum(0))
        };
        let reads = self.reads[..=last].iter().map(|row| {
            [0, 1].map(|before| match row[before] {
                // A pause that never came behind this operation: as after any other.
                [0, _] => overall(before),
                [all, reads] => share(reads, all),
            })
        });
        let reads = reads.collect();
        let [read, write] = self.of.map(OfOperation::access);
        Profile {
            name,
            source,
            requests: self.requests,
            space_pages: self.space_pages,
            arrival: Arrival { level_limits, transitions: transitions.collect() },
            reads,
            read,
            write,
        }
    }
}

impl OfOperation {
    fn new() -> OfOperation {
        OfOperation {
            kinds: vec![[[0; KINDS]; GROUPS]; SLICES],
            last_group: Place::New.group(1),
            places: std::array::from_fn(|_| PlaceCounts::default()),
            streams: [0; STREAMS],
            new_clusters: [0; 4],
            cluster_ranks: [Vec::new(), Vec::new()],
            new_gaps: Vec::new(),
            ends: RecentEnds::default(),
            new_pages: 0,
        }
    }

    fn new_at(&mut self, neighbourhood: Neighbourhood) {
        let class = match neighbourhood {
            Neighbourhood::Own(rank) => {
                count_in(&mut self.cluster_ranks[0], rank_bin(rank));
                0
            }
            Neighbourhood::Other(rank) => {
                count_in(&mut self.cluster_ranks[1], rank_bin(rank));
                1
            }
            Neighbourhood::Next => 2,
            Neighbourhood::Fresh => 3,
        };
        self.new_clusters[class] += 1;
    }

    fn access(self) -> Access {
        if self.places.iter().all(|place| place.requests == 0) {
            return Access::default();
        }
        // A row that was never entered in a slice takes its weights from the whole trace.
        let all = self.places.each_ref().map(|place| place.requests);
        let mut whole = [[0; KINDS]; GROUPS];
        for (row, slice) in self.kinds.iter().flat_map(|slice| slice.iter().enumerate()) {
            whole[row].iter_mut().zip(slice).for_each(|(sum, count)| *sum += count);
        }
        let row = |slice: &[[u64; KINDS]; GROUPS], group: usize| {
            let counts = [&slice[group], &whole[group], &all];
            let counts = counts.into_iter().find(|row| row.iter().sum::<u64>() > 0).unwrap_or(&all);
            let total = counts.iter().sum();
            counts.iter().map(|&count| share(count, total)).collect::<Vec<f64>>()
        };
        let kinds = self.kinds.iter().map(|slice| std::array::from_fn(|group| row(slice, group)));
        let new: u64 = self.new_clusters.iter().sum();
        let [own, other] = self.cluster_ranks;
        Access {
            kinds: kinds.collect(),
            places: self.places.into_iter().map(PlaceCounts::place).collect(),
            streams: shares(&self.streams),
            new_clusters: self.new_clusters.map(|count| share(count, new)),
            rank_own_cluster: shares(&own),
            rank_other_cluster: shares(&other),
            new_gaps: self.new_gaps.iter().map(|&count| share(count, new)).collect(),
        }
    }
}

impl PlaceCounts {
    fn place(self) -> OfPlace {
        let whole = self.requests - self.inside;
        OfPlace {
            ranks: shares(&self.ranks),
            inside: share(self.inside, self.requests),
            same_size: share(self.same_size, whole),
            sizes: most_frequent(&self.sizes),
        }
    }
}

/// The most frequent sizes; the others count for the nearest of them.
fn most_frequent(sizes: &BTreeMap<u32, u64>) -> Vec<(u32, f64)> {
    let mut by_count: Vec<(u32, u64)> = sizes.iter().map(|(&size, &count)| (size, count)).collect();
    by_count.sort_by_key(|&(size, count)| (std::cmp::Reverse(count), size));
    by_count.truncate(SIZES);
    by_count.sort_unstable();
    let mut kept: Vec<(u32, u64)> = by_count.iter().map(|&(size, _)| (size, 0)).collect();
    for (&size, &count) in sizes {
        let nearest = kept.iter_mut().min_by_key(|(named, _)| named.abs_diff(size));
        if let Some((_, sum)) = nearest {
            *sum += count;
        }
    }
    let total = sizes.values().sum();
    kept.into_iter().map(|(size, count)| (size, share(count, total))).collect()
}

fn count_in(histogram: &mut Vec<u64>, bin: usize) {
    if histogram.len() <= bin {
        histogram.resize(bin + 1, 0);
    }
    histogram[bin] += 1;
}

/// A share, rounded to what a profile needs of it.
fn share(count: u64, total: u64) -> f64 {
    if total == 0 { 0.0 } else { libm::round(count as f64 / total as f64 * 1e6) / 1e6 }
}

fn shares(counts: &[u64]) -> Vec<f64> {
    let last = counts.iter().rposition(|&count| count > 0).map_or(0, |last| last + 1);
    let total = counts.iter().sum();
    counts[..last].iter().map(|&count| share(count, total)).collect()
}
