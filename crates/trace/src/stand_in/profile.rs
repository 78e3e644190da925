//! Profiles of stand-ins: the properties of a workload that decide what it does to a drive.

pub use super::deck::Deck;
pub use super::lengths::Lengths;
pub(super) use super::place::{GROUPS, KINDS, Place};

/// Pages of a profile, in bytes.
pub(super) const PAGE_BYTES: u64 = 4096;
/// Equal parts of a workload whose kinds of places are counted apart.
pub(super) const SLICES: usize = 16;
/// Levels of recent activity.
pub(super) const LEVELS: usize = 4;

/// A workload's properties, as counts of what happens in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Short name.
    pub name: String,
    /// Where its figures are published.
    pub source: String,
    /// Requests.
    pub requests: u64,
    /// Pages of 4 KiB of the address space.
    pub space_pages: u64,
    /// Parameters of `content=locality`, if the workload has content.
    pub content: Option<String>,
    /// When requests come, and what they do.
    pub arrival: Arrival,
    /// Where and how large reads are.
    pub read: Access,
    /// Where and how large writes are.
    pub write: Access,
    /// Where and how large trims are.
    pub trim: Access,
}

/// Pauses between requests and their operations: a chain over moments (`stand_in::moment`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arrival {
    /// Whether requests have times of their own; otherwise they come one behind the other.
    pub is_timed: bool,
    /// Factor of all pauses, which makes up for octaves being drawn evenly: the whole takes as long
    /// as it took.
    pub stretch: f64,
    /// Swing of the rate over a day, as part of the mean.
    pub day_swing: f64,
    /// For each moment, as a number: the moments that followed, and how often each did.
    pub chain: Vec<(u16, Vec<u16>, Deck)>,
}

/// Places and sizes of one operation. Its requests come in runs; each goes on where it
/// stopped before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Access {
    /// Kinds of places, by the slice of the workload (of `SLICES` equal ones) and the group that
    /// the operation's run before was of.
    pub kinds: Vec<(u8, u8, Deck)>,
    /// Which of the recent sites is followed, the latest first.
    pub followed: Deck,
    /// Which of the recent requests has the last page that is an edge, the latest first.
    pub edges: Deck,
    /// Requests of this operation between two of a run, in octaves.
    pub between: Deck,
    /// Sizes of requests of one page, in sectors of 512 bytes.
    pub sectors: Deck,
    /// Behind what new sites lie: behind a site that was read, written or trimmed last, or (3)
    /// before everything.
    pub behind: Deck,
    /// Recency of that site among all of its operation, in half octaves of sites.
    pub behind_ranks: [Deck; 3],
    /// Untouched pages between, in octaves.
    pub new_gaps: Deck,
    /// Runs to new sites with some pages touched before, and those with none.
    pub wholly_new: Deck,
    /// Draws by kind of place.
    pub places: Vec<OfPlace>,
}

impl Access {
    /// Whether there are none.
    pub(super) fn is_none(&self) -> bool {
        self.kinds.is_empty()
    }
}

/// Draws for one kind of place.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OfPlace {
    /// Recency among the sites of the class, in half octaves of sites.
    pub ranks: Deck,
    /// Runs that begin at the first page of a site, and inside it.
    pub inside: Deck,
    /// Runs with some pages not touched before, and those with all touched.
    pub covered: Deck,
    /// Runs of another size than the run before at this site or (new sites) to a new site, and of
    /// the same.
    pub same_size: Deck,
    /// Other sizes.
    pub lengths: Lengths,
}
