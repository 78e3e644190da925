//! A drive in miniature: fewer dies, or fewer blocks, for a sample of the workload's pages.
//!
//! What cleaning costs depends on how full a pool is, how many erase units it has and how many
//! pages one of them holds, and on how long a unit takes to fill beside the lives of the data. Pools
//! are alike, so a drive with fewer of them and as much less work cleans as the whole one does.
//! Where there is one pool left, its units become fewer, and then smaller. The reserve of cleaning
//! is a number of units, of which fewer units lose a larger part; so the exported capacity is set
//! such that the spare space beyond the reserve keeps its share ([`shrink`]). What would not be the
//! same in small is refused ([`refusals`]).

mod refusals;
mod shrink;
mod windows;

use rewear_ftl::Shape;
use rewear_trace::{Sampled, Sampling};
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::SimError;
use crate::load::Drive;

/// The largest part of the spare pages within which a page counts as written again and again, as a
/// power of two: what is written so is invalid again before its unit is cleaned.
const REACH_OF_SPARE: u32 = 4;
/// More of them are not remembered: they would not stay in the processor's cache.
const MOST_REACH: u32 = 1 << 20;

/// A drive in miniature, and the sample of pages that it takes.
#[derive(Debug, Clone)]
pub struct Miniature {
    /// The smaller drive.
    pub drive: Drive,
    /// Which pages are written to it.
    pub sampling: Sampling,
    /// Logical pages of an erase unit of the whole drive, where the miniature has fewer units a pool
    /// or smaller ones; and the most dies that can be taken away from the whole one.
    changed: Option<(u32, u32)>,
}

/// How a report came about that is of a miniature.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct MiniatureReport {
    /// One of so many pages was asked for.
    pub asked: u32,
    /// Exported pages of the drive for each one of the miniature.
    pub one_in: f64,
    /// Seed of the sample.
    pub seed: u64,
    /// Logical pages in the sample.
    pub sampled_pages: u64,
    /// Pools of the miniature.
    pub pools: u32,
    /// Erase units in each of its pools.
    pub units_per_pool: u32,
    /// Logical pages in each of them.
    pub slots_per_unit: u32,
    /// Erase units of a pool that hold neither exported pages nor the reserve of cleaning.
    pub spare_units: f64,
    /// Page writes of the workload, in the last pass over it.
    pub page_writes: u64,
    /// Share of them that went to pages written shortly before, which are sampled by writes.
    pub frequent_share: f64,
    /// Page writes of the sample, times `one_in`, over those of the workload: 1 for a sample that
    /// is as busy as the whole.
    pub busyness: f64,
    /// Mean over the page writes of the workload: pages that their request writes to the same pool.
    pub pages_together: f64,
}

impl Miniature {
    /// A miniature of `drive` with one of `one_in` pages, picked by `seed`.
    ///
    /// # Errors
    /// A scale out of range, a drive whose figures would not be the same in small, or too few
    /// blocks for one so small.
    pub fn new(drive: &Drive, one_in: u32, seed: u64) -> Result<Miniature, SimError> {
        if !(2..=100_000).contains(&one_in) {
            return Err(SimError::Options(format!("scale 1/{one_in}: give 1/2 to 1/100000")));
        }
        refusals::check(drive.configuration())?;
        let whole = Shape::new(drive.configuration())?;
        let config = shrink::shrink(drive.configuration(), &whole, one_in)?;
        let small = Shape::new(&config)?;
        let (pages, own) = (u64::from(whole.layout.exported_pages), u64::from(small.layout.exported_pages));
        // The last page stands for all that are written again and again.
        let sampled_pages = (own - 1).max(1);
        let spare = whole.layout.slots() - whole.layout.exported_pages;
        let reach = (1u32 << (spare / REACH_OF_SPARE).max(2).ilog2()).min(MOST_REACH);
        Ok(Miniature {
            drive: Drive::new(config)?,
            changed: shrink::changes_units(&whole, &small)
                .then(|| (whole.layout.slots_per_unit, whole.layout.pools / small.layout.pools.max(1))),
            sampling: Sampling {
                pages,
                page_bytes: u64::from(whole.layout.logical_page_bytes),
                pools: u64::from(whole.layout.pools),
                group_pages: (pages / sampled_pages).min(u64::from(one_in)),
                sampled_pages,
                reach,
                seed,
            },
        })
    }

    /// What a report says of it.
    ///
    /// # Errors
    /// Requests that are large beside an erase unit, where the miniature's units are others.
    pub fn report(&self, asked: u32, sampled: Sampled) -> Result<MiniatureReport, SimError> {
        let Shape { layout, reserve, .. } = Shape::new(self.drive.configuration())?;
        let one_in = self.sampling.pages as f64 / self.sampling.sampled_pages as f64;
        let writes = sampled.page_writes.max(1) as f64;
        let pages_together = sampled.pool_mates as f64 / writes;
        if let Some((slots, dies)) = self.changed {
            refusals::check_requests(pages_together, slots, dies)?;
        }
        Ok(MiniatureReport {
            asked,
            one_in,
            seed: self.sampling.seed,
            sampled_pages: self.sampling.sampled_pages,
            pools: layout.pools,
            units_per_pool: layout.units_per_pool,
            slots_per_unit: layout.slots_per_unit,
            spare_units: shrink::spare_units(&layout, &reserve),
            page_writes: sampled.page_writes,
            frequent_share: sampled.frequent_writes as f64 / writes,
            busyness: sampled.sampled_writes as f64 * one_in / writes,
            pages_together,
        })
    }
}
