//! Parameters of `recycle.scheme = "lx"`.

use rewear_flash::ConfigError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of `lx`. Defaults are the paper's, or its letter where it has no figure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LxConfig {
    /// Invalid pages that the fingerprint store remembers; 0 for no bound.
    pub entries: u32,
    /// Order in which entries leave a full store and a scan meets them.
    pub order: Order,
    /// Order of entries of equal rank under `probability`.
    pub ties: Ties,
    /// The subject of an entry.
    pub entry: EntryPer,
    /// Accesses that make a page popular.
    pub popularity: Popularity,
    /// Growth of popularity with each access (alpha of equation 1), above 0 and at most 10.
    pub growth: f64,
    /// Decay of the probability with each newer version (beta of equation 4), at least 0 and below
    /// 1.
    pub decay: f64,
    /// Logical neighbours on each side whose invalid pages are loaded to the head of the store when
    /// a page is recycled (fast loading); 0 turns it off.
    pub fast_load_reach: u32,
    /// Invalid pages of each such neighbour that are loaded, the newest first.
    pub fast_load_depth: u32,
    /// Physical pages that may answer a write.
    pub answers: Answers,
    /// A write may be answered by the page that it replaces, which is then invalid before the
    /// look-up.
    pub own_page: bool,
    /// Place of a page that answers a write.
    pub scope: Scope,
    /// Time to compute and look up the fingerprint of a page, in nanoseconds; every page written
    /// waits for it.
    pub hash_ns: u64,
    /// Pages whose fingerprints are computed side by side; 0 for any number.
    pub hash_engines: u32,
    /// Time of each comparison of a scan through the store, in nanoseconds: up to the match, or
    /// through the whole store where there is none. 0 stands for an index.
    pub comparison_ns: u64,
}

impl Default for LxConfig {
    fn default() -> Self {
        LxConfig {
            entries: 128 * 1024,
            order: Order::Probability,
            ties: Ties::NewestFirst,
            entry: EntryPer::Page,
            popularity: Popularity::PageReads,
            growth: 0.1,
            decay: 0.15,
            fast_load_reach: 1,
            fast_load_depth: 1,
            answers: Answers::Invalid,
            own_page: true,
            scope: Scope::Drive,
            hash_ns: 32_000,
            hash_engines: 0,
            comparison_ns: 0,
        }
    }
}

/// The order of the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// The page that entered or was loaded last comes first.
    Lru,
    /// The page with the highest recyclable probability (equation 4) comes first.
    Probability,
}

/// Tie-breaking order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ties {
    /// The entry that came to its rank last.
    NewestFirst,
    /// The entry that has had its rank longest.
    OldestFirst,
}

/// What an entry stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EntryPer {
    /// An invalid page.
    Page,
    /// A content: the page that was invalidated last.
    Fingerprint,
}

/// Accesses that make a page popular.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Popularity {
    /// Host reads of the physical page while it is valid.
    PageReads,
    /// Host reads of the content, and writes of it after the first, as long as any page holds it.
    ValueAccesses,
}

/// Physical pages that may answer a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Answers {
    /// Invalid pages: recycling.
    Invalid,
    /// Valid pages, which several logical pages then share: deduplication.
    Valid,
    /// Both.
    All,
}

/// Place of a page that answers a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// Anywhere.
    Drive,
    /// In the pool that the write would go to otherwise (a plane, if the erase unit is a block).
    Pool,
}

impl LxConfig {
    /// Whether several logical pages may share a physical one.
    pub fn shares_pages(&self) -> bool {
        self.answers != Answers::Invalid
    }

    /// Whether invalid pages are revived.
    pub fn recycles(&self) -> bool {
        self.answers != Answers::Valid
    }

    /// Checks ranges.
    ///
    /// # Errors
    /// The first parameter that cannot be, with its remedy.
    pub fn check(&self) -> Result<(), ConfigError> {
        let wrong = |key: &str, problem: String, remedy: &str| {
            Err(ConfigError::new(format!("recycle.{key}"), problem, remedy))
        };
        if !(self.growth > 0.0 && self.growth <= 10.0) {
            return wrong(
                "growth",
                format!("{} is no growth factor", self.growth),
                "give 0.1 to 0.15, or up to 10",
            );
        }
        if !(0.0..1.0).contains(&self.decay) {
            return wrong(
                "decay",
                format!("{} is no decay factor", self.decay),
                "give 0.15 to 0.2, or 0 to below 1",
            );
        }
        if self.fast_load_reach > 1024 || self.fast_load_depth > 1024 {
            return wrong("fast_load_reach", "fast loading beyond 1024 pages".into(), "give at most 1024");
        }
        if self.entries > 1 << 30 {
            return wrong(
                "entries",
                format!("{} entries", self.entries),
                "give at most 2^30, or 0 for no bound",
            );
        }
        Ok(())
    }
}
