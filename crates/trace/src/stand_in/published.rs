//! Profiles from published figures: what tables of traces state, and what has to be assumed beside
//! it.

use serde::{Deserialize, Serialize};

use super::bins::rank_bin;
use super::deck::Deck;
use super::profile::{Access, Arrival, KINDS, OfPlace, PAGE_BYTES, Place, Profile};
use super::published_arrival;
use super::sites::{Touch, class_of};
use crate::error::TraceError;

/// Figures of a workload. None has a default: what is not published is assumed by the file, which
/// says so beside it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Published {
    /// Requests.
    pub requests: u64,
    /// Address space in bytes.
    pub space_bytes: u64,
    /// Part of the requests that read.
    pub read: f64,
    /// Mean size of writes in bytes.
    pub write_bytes: u64,
    /// Mean size of reads in bytes.
    pub read_bytes: u64,
    /// Part of the written data in large requests.
    pub large_share: f64,
    /// Size of large requests in bytes.
    pub large_bytes: u64,
    /// Bytes of the space that are ever written.
    pub written_space_bytes: u64,
    /// Bytes of the space that are read and never written.
    pub only_read_space_bytes: u64,
    /// Part of the reads that go to written pages.
    pub reads_of_written: f64,
    /// Part of the requests that go on where one before ended.
    pub sequential: f64,
    /// Part of the rewrites that come in the order of the last time.
    pub in_order: f64,
    /// Exponent of the recency of what is used again: the place used as the r-th last is chosen
    /// with a probability proportional to 1/r^locality.
    pub locality: f64,
    /// The same for large requests.
    pub large_locality: f64,
    /// Mean arrivals per second.
    pub requests_per_s: f64,
    /// Arrivals per second in a burst.
    pub peak_per_s: f64,
    /// Part of the requests that come in bursts.
    pub burst_share: f64,
    /// Mean requests of a burst.
    pub burst_requests: u64,
    /// Swing of the rate over a day, as part of the mean.
    pub day_swing: f64,
    /// Parameters of content=locality as workloads take them, `key=value,key=value`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

/// A file of published figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PublishedFile {
    name: String,
    source: String,
    published: Published,
}

impl PublishedFile {
    /// The profile; `origin` names the file.
    pub(super) fn profile(self, origin: &str) -> Result<Profile, TraceError> {
        self.published.check(origin)?;
        Ok(self.published.profile(self.name, self.source))
    }
}

/// Requests of one sort of size.
struct Size {
    /// Requests of the whole workload.
    requests: f64,
    pages: u32,
    /// Runs of these that go to new places.
    new_runs: f64,
    locality: f64,
}

/// Octaves of the pages between a new place and what lies before it: half a MiB to one, and a GiB
/// to two.
const NEAR: usize = 8;
const FAR: usize = 19;
/// Lengths of runs in requests, with geometric shares.
const RUN_REQUESTS: [u32; 5] = [1, 2, 4, 8, 16];

impl Published {
    fn check(&self, origin: &str) -> Result<(), TraceError> {
        let wrong = |key: &str, what: &str| {
            Err(TraceError::parameter(format!("{origin}: published.{key} {what}"), "correct the file"))
        };
        let shares = [
            ("read", self.read),
            ("large_share", self.large_share),
            ("reads_of_written", self.reads_of_written),
            ("in_order", self.in_order),
            ("burst_share", self.burst_share),
            ("day_swing", self.day_swing),
        ];
        if let Some((key, _)) = shares.iter().find(|(_, share)| !(0.0..=1.0).contains(share)) {
            return wrong(key, "lies outside 0 to 1");
        }
        if !(0.0..=0.9).contains(&self.sequential) {
            return wrong("sequential", "lies outside 0 to 0.9");
        }
        for (key, exponent) in [("locality", self.locality), ("large_locality", self.large_locality)] {
            if !(0.0..=10.0).contains(&exponent) {
                return wrong(key, "lies outside 0 to 10");
            }
        }
        for (key, bytes) in [
            ("write_bytes", self.write_bytes),
            ("read_bytes", self.read_bytes),
            ("large_bytes", self.large_bytes),
        ] {
            if !(512..=1 << 30).contains(&bytes) {
                return wrong(key, "lies outside 512 bytes to 1 GiB");
            }
        }
        if !(1..=1 << 31).contains(&self.requests) {
            return wrong("requests", "lies outside 1 to 2^31");
        }
        if !(PAGE_BYTES..=1 << 52).contains(&self.space_bytes) {
            return wrong("space_bytes", "lies outside 4 KiB to 4 PiB");
        }
        if self.written_space_bytes.saturating_add(self.only_read_space_bytes) > self.space_bytes {
            return wrong("written_space_bytes", "and only_read_space_bytes are more than space_bytes");
        }
        if !(self.requests_per_s > 0.0 && self.peak_per_s >= self.requests_per_s && self.peak_per_s < 1e9) {
            return wrong("peak_per_s", "is below requests_per_s, or one of them is not a positive rate");
        }
        if self.burst_requests == 0 {
            return wrong("burst_requests", "is 0");
        }
        Ok(())
    }

    fn profile(self, name: String, source: String) -> Profile {
        let reads = self.requests as f64 * self.read;
        let writes = self.requests as f64 - reads;
        let data = writes * self.write_bytes as f64;
        let large = (data * self.large_share / self.large_bytes as f64).min(writes);
        let small = writes - large;
        let small_bytes = if small > 0.0 { data * (1.0 - self.large_share) / small } else { 0.0 };
        let space = self.written_space_bytes as f64;
        let mut sizes = self.sizes(small, small_bytes, space * (1.0 - self.large_share), self.locality);
        let large_bytes = self.large_bytes as f64;
        sizes.extend(self.sizes(large, large_bytes, space * self.large_share, self.large_locality));
        let write = self.access(&sizes, (Touch::Write, Touch::Read), 0.0, small_bytes);
        let (read_bytes, only_read) = (self.read_bytes as f64, self.only_read_space_bytes as f64);
        let sizes = self.sizes(reads, read_bytes, only_read, self.locality);
        let read = self.access(&sizes, (Touch::Read, Touch::Write), self.reads_of_written, read_bytes);
        Profile {
            name,
            source,
            requests: self.requests,
            space_pages: self.space_bytes / PAGE_BYTES,
            arrival: Arrival {
                is_timed: true,
                stretch: 1.0,
                day_swing: self.day_swing,
                chain: published_arrival::chain(&self),
            },
            read,
            write,
            trim: Access::default(),
            content: self.content,
        }
    }

    /// Requests of a mean size, in whole pages: of the size below and of the size above.
    fn sizes(&self, requests: f64, mean_bytes: f64, new_space_bytes: f64, locality: f64) -> Vec<Size> {
        let mean = (mean_bytes / PAGE_BYTES as f64).max(1.0);
        let below = libm::floor(mean);
        let size = |pages: f64, share: f64| {
            // Every request has the same share in new places, whatever its size.
            let new_pages = new_space_bytes / PAGE_BYTES as f64;
            let new_runs = new_pages / mean * share / mean_requests(self.sequential);
            Size { requests: requests * share, pages: pages as u32, new_runs, locality }
        };
        vec![size(below, 1.0 - (mean - below)), size(below + 1.0, mean - below)]
    }

    /// An operation of some sizes, with a part of its runs on pages of the other operation.
    fn access(
        &self,
        sizes: &[Size],
        (own_touch, other_touch): (Touch, Touch),
        other_share: f64,
        small_bytes: f64,
    ) -> Access {
        if sizes.iter().all(|size| size.requests < 0.5) {
            return Access::default();
        }
        let mut weights = vec![0.0; KINDS];
        let mut places = vec![OfPlace::default(); KINDS];
        for size in sizes.iter().filter(|size| size.requests >= 0.5) {
            let runs = size.requests / mean_requests(self.sequential);
            let new = size.new_runs.min(runs);
            let rest = runs - new;
            for (requests, share) in run_lengths(self.sequential) {
                let pages = requests.saturating_mul(size.pages);
                let others = rest * share * other_share;
                let own = rest * share - others;
                let class = class_of(pages);
                let sorts = [
                    (Place::New, new * share),
                    (Place::At(other_touch, class), others),
                    (Place::At(own_touch, class), own * (1.0 - self.in_order)),
                    (Place::Follow, own * self.in_order),
                ];
                for (place, weight) in sorts {
                    let kind = place.kind(pages);
                    weights[kind] += weight;
                    let of_place = &mut places[kind];
                    of_place.lengths.shapes.push((pages, pages, size.pages, requests));
                    of_place.lengths.counts = with(&of_place.lengths.counts, count(weight));
                    // Half of what is used again has the size it had: assumed, as none of the
                    // tables says.
                    of_place.same_size = Deck::from(vec![1, if place == Place::New { 0 } else { 1 }]);
                    of_place.covered = Deck::from(vec![0, 1]);
                    of_place.inside = Deck::from(vec![1]);
                    of_place.ranks = ranks(size.new_runs * share + 1.0, size.locality);
                }
            }
        }
        let mut behind = vec![0; 3];
        behind[own_touch as usize] = 1;
        let mut gaps = vec![0; FAR + 1];
        (gaps[0], gaps[NEAR], gaps[FAR]) = (8, 1, 1);
        Access {
            kinds: vec![(0, 0, Deck::from(weights.into_iter().map(count).collect::<Vec<u32>>()))],
            followed: Deck::from(vec![1]),
            between: Deck::from(vec![1]),
            sectors: sectors(small_bytes),
            // Most new places begin right behind one of those used last; the others up to a MiB or
            // far away.
            behind: Deck::from(behind),
            behind_ranks: [(); 3].map(|()| Deck::from(vec![1, 1, 1])),
            new_gaps: Deck::from(gaps),
            wholly_new: Deck::from(vec![0, 1]),
            places,
            ..Access::default()
        }
    }
}

/// Lengths of runs in requests with their shares.
fn run_lengths(sequential: f64) -> impl Iterator<Item = (u32, f64)> {
    // Each length is twice the one before, and half as often continued as its requests would be.
    let total: f64 = (0..RUN_REQUESTS.len()).map(|step| libm::pow(sequential, step as f64)).sum();
    RUN_REQUESTS
        .iter()
        .enumerate()
        .map(move |(step, &requests)| (requests, libm::pow(sequential, step as f64) / total))
}

fn mean_requests(sequential: f64) -> f64 {
    run_lengths(sequential).map(|(requests, share)| f64::from(requests) * share).sum()
}

/// A weight as a count; what occurs at all is counted.
fn count(weight: f64) -> u32 {
    if weight <= 0.0 { 0 } else { weight.clamp(1.0, f64::from(u32::MAX / 64)) as u32 }
}

fn with(deck: &Deck, count: u32) -> Deck {
    let mut counts = deck.counts().to_vec();
    counts.push(count);
    Deck::from(counts)
}

/// Recency in half octaves among some sites.
fn ranks(sites: f64, locality: f64) -> Deck {
    let last = rank_bin(sites.clamp(1.0, 4e9) as u32);
    let edge = |bin: usize| libm::ceil(libm::exp2(bin as f64 / 2.0) - 1e-9);
    let weight = |bin: usize| {
        let (first, behind) = (edge(bin), edge(bin + 1));
        (behind - first).max(0.0) * libm::pow((first + behind) / 2.0, -locality)
    };
    let total: f64 = (0..=last).map(weight).sum();
    Deck::from(
        (0..=last)
            .map(|bin| (weight(bin) / total * 1e6) as u32 + u32::from(weight(bin) > 0.0))
            .collect::<Vec<u32>>(),
    )
}

/// Requests of one page: whole ones, or smaller if the mean is.
fn sectors(mean_bytes: f64) -> Deck {
    let sectors = libm::round(mean_bytes / 512.0).clamp(1.0, 8.0) as usize;
    let mut counts = vec![0; sectors + 1];
    counts[sectors] = 1;
    Deck::from(counts)
}
