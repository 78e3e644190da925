//! What a stand-in is made from: the properties of a workload that decide what it does to a drive.

use serde::{Deserialize, Serialize};

use super::sites::{CLASSES, Touch, class_of};
use crate::error::TraceError;

/// Pages of a profile, in bytes.
pub(super) const PAGE_BYTES: u64 = 4096;
/// Pages of a cluster: 8 MiB, the scale at which written pages keep together.
pub(super) const CLUSTER_PAGES: u64 = 2048;
/// Ends of recent requests that a sequential one may continue.
pub(super) const STREAMS: usize = 8;
/// Levels of recent activity.
pub(super) const LEVELS: usize = 4;

/// A workload's properties. Shares and probabilities are fractions of 1; where none fits, rows are empty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Short name.
    pub name: String,
    /// What it was made from: a trace that it was fitted to, or published figures and where they stand.
    pub source: String,
    /// Requests.
    pub requests: u64,
    /// Pages of 4 KiB of the address space.
    pub space_pages: u64,
    /// When requests come.
    pub arrival: Arrival,
    /// Probability that a request reads, by octave of the pause before it in nanoseconds and by whether the request
    /// before it was a read (first) or a write.
    pub reads: Vec<[f64; 2]>,
    /// Where and how large reads are.
    pub read: Access,
    /// Where and how large writes are.
    pub write: Access,
}

/// Pauses between requests: a chain over their octaves whose transitions depend on the activity of the last requests.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arrival {
    /// Upper limits of the levels of activity but the last: moving averages of the octaves.
    pub level_limits: Vec<f64>,
    /// Transitions: level, twice the octave of the last pause (plus one behind a write), octave of the next, probability.
    pub transitions: Vec<(u8, u8, u8, f64)>,
}

/// Places and sizes of one operation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Access {
    /// For each of equal slices of the workload: weights of the kinds of places, in a row for each group that the
    /// operation's request before was of: on a run, to a new site, to a known one; each small or large.
    pub kinds: Vec<[Vec<f64>; GROUPS]>,
    /// Which of the recent ends a run goes on from, the latest first.
    pub streams: Vec<f64>,
    /// Where new sites are: in a cluster that had the same operation before, in one that had only the other, in the one
    /// behind a touched cluster, elsewhere.
    pub new_clusters: [f64; 4],
    /// Recency of the cluster of a new site among those that had the same operation, in half octaves of clusters.
    pub rank_own_cluster: Vec<f64>,
    /// The same among those that had the other operation, where only that was there.
    pub rank_other_cluster: Vec<f64>,
    /// Untouched pages between a new site and what lies before it in the cluster, in octaves; what is missing to 1 has
    /// nothing before it there.
    pub new_gaps: Vec<f64>,
    /// What is drawn for each kind of place.
    pub places: Vec<OfPlace>,
}

/// What is drawn for one kind of place.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OfPlace {
    /// Known sites: recency among those of their kind, in half octaves of sites.
    pub ranks: Vec<f64>,
    /// Known sites: probability to begin inside.
    pub inside: f64,
    /// Probability of the size of the request before at this site, on this run or (new sites) to a new site.
    pub same_size: f64,
    /// Other sizes in sectors of 512 bytes with their shares.
    pub sizes: Vec<(u32, f64)>,
}

/// The kinds of places that requests go to, by the class of sizes of what was there or what the run went on with before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// On with a run where something was touched before.
    Again(usize),
    /// On with a run into the untouched.
    Onwards(usize),
    /// A known site, by its last operation.
    Known(Touch, usize),
    /// A new site.
    New,
}

/// Kinds of places.
pub(super) const KINDS: usize = 4 * CLASSES + 1;

impl Place {
    /// The kind as a number below [`KINDS`].
    pub(super) fn kind(self) -> usize {
        match self {
            Place::Again(class) => class,
            Place::Onwards(class) => CLASSES + class,
            Place::Known(touch, class) => (2 + touch as usize) * CLASSES + class,
            Place::New => 4 * CLASSES,
        }
    }

    /// The kind of a number.
    pub(super) fn of_kind(kind: usize) -> Place {
        let class = kind % CLASSES;
        match kind / CLASSES {
            0 => Place::Again(class),
            1 => Place::Onwards(class),
            2 => Place::Known(Touch::Read, class),
            3 => Place::Known(Touch::Write, class),
            _ => Place::New,
        }
    }

    /// The group of a request that went there with some pages, as a number below [`GROUPS`].
    pub(super) fn group(self, pages: u32) -> usize {
        let group = match self {
            Place::Again(_) | Place::Onwards(_) => 0,
            Place::New => 1,
            Place::Known(..) => 2,
        };
        2 * group + usize::from(class_of(pages) > 1)
    }
}

/// Groups of requests: on a run, to a new site, to a known one; each small or large.
pub(super) const GROUPS: usize = 6;

impl Profile {
    /// Reads a profile from a TOML file.
    ///
    /// # Errors
    /// A file that cannot be read, text that is no profile, values that no workload has.
    pub fn load(path: &str) -> Result<Profile, TraceError> {
        let text = std::fs::read_to_string(path).map_err(|error| {
            TraceError::parameter(
                format!("the stand-in profile {path} cannot be read: {error}"),
                "name a file that `rewear stand-in fit` wrote",
            )
        })?;
        Profile::from_toml(&text, path)
    }

    /// Reads a profile from TOML text; `origin` names it in messages.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn from_toml(text: &str, origin: &str) -> Result<Profile, TraceError> {
        let profile: Profile = toml::from_str(text).map_err(|error| {
            let line =
                error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
            let problem = error.message().replace('\n', " ");
            TraceError::parameter(
                format!("{origin}, line {line}: {problem}"),
                "correct the file, or make it again with `rewear stand-in fit`",
            )
        })?;
        profile.check()?;
        Ok(profile)
    }

    /// The profile as TOML text.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).unwrap_or_default()
    }

    /// Checks what the generator relies on.
    ///
    /// # Errors
    /// No requests, no space, probabilities outside 0 to 1, an operation that occurs and has no sizes.
    pub fn check(&self) -> Result<(), TraceError> {
        let wrong = |what: &str| {
            Err(TraceError::parameter(
                format!("the stand-in profile \"{}\": {what}", self.name),
                "make it with `rewear stand-in fit` or `rewear stand-in publish`",
            ))
        };
        if self.requests == 0 || self.space_pages == 0 {
            return wrong("it has no requests or no space");
        }
        if self.space_pages > 1 << 40 {
            return wrong("its space is beyond 4 PiB");
        }
        for (name, access) in [("read", &self.read), ("write", &self.write)] {
            if access.kinds.is_empty() {
                continue;
            }
            if access.places.len() != KINDS || access.kinds.iter().flatten().any(|row| row.len() != KINDS) {
                return wrong(&format!("{name} does not have {KINDS} kinds of places"));
            }
            let mut sizes = access.places.iter().flat_map(|place| &place.sizes);
            if sizes.any(|&(sectors, _)| sectors == 0 || sectors > 1 << 22) {
                return wrong(&format!("{name} has a size outside 1 to 2^22 sectors"));
            }
            if access.streams.len() > STREAMS {
                return wrong(&format!("{name} continues more than {STREAMS} streams"));
            }
        }
        if self.read.kinds.is_empty() && self.write.kinds.is_empty() {
            return wrong("it neither reads nor writes");
        }
        if self.shares().any(|share| !(0.0..=1.0).contains(&share)) {
            return wrong("a probability lies outside 0 to 1");
        }
        if self.arrival.level_limits.len() >= LEVELS
            || self
                .arrival
                .transitions
                .iter()
                .any(|&(level, from, to, _)| usize::from(level) >= LEVELS || from > 125 || to > 62)
        {
            return wrong("an arrival lies outside its scale");
        }
        Ok(())
    }

    fn shares(&self) -> impl Iterator<Item = f64> + '_ {
        let of = |access: &Access| -> Vec<f64> {
            let lists =
                [&access.streams, &access.rank_own_cluster, &access.rank_other_cluster, &access.new_gaps];
            let rows = access.kinds.iter().flatten().flatten();
            let places = access.places.iter().flat_map(|place| {
                let sizes = place.sizes.iter().map(|&(_, share)| share);
                place.ranks.iter().copied().chain([place.inside, place.same_size]).chain(sizes)
            });
            let lists = lists.into_iter().flatten().chain(rows).chain(&access.new_clusters).copied();
            lists.chain(places).collect()
        };
        let arrival = self.arrival.transitions.iter().map(|&(.., share)| share);
        of(&self.read)
            .into_iter()
            .chain(of(&self.write))
            .chain(self.reads.iter().flatten().copied())
            .chain(arrival)
    }
}
