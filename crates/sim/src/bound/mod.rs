//! How little a drive can write with a workload whose future is known.
//!
//! No drive programs less than the host writes. [`proven`] says from which spare flash on any
//! workload whatever can come near to that, by an argument; [`placement`] places the writes of one
//! workload with its future known and counts what is moved all the same. So the least write
//! amplification lies between 1 and [`Bound::possible`]. `docs/notebook/bounds.md` has the proof.
//!
//! Erase units of all pools count as one pool, all blocks are good, and nothing is written but the
//! pages of the host: what a drive has to do beside that only raises its own figure.

pub mod coded;
mod future;
#[cfg(test)]
mod optimum;
mod placement;
pub mod proven;

use schemars::JsonSchema;
use serde::Serialize;

use crate::error::SimError;
use crate::load::Drive;
use crate::options::ReplayOptions;
use crate::replay::{Progress, Stage};
use future::Future;
use placement::{Placement, Split};
use proven::proven_amplification;
use rewear_ftl::Shape;
use rewear_trace::Source;

/// Open erase units of a drive that are tried unless others are asked for.
pub const OPEN_UNITS: [u32; 6] = [1, 2, 4, 8, 16, 32];

/// More open units than any drive has.
pub const MOST_OPEN_UNITS: u32 = 1024;

/// What placement can do for a workload.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Bound {
    /// Erase units of the drive.
    pub erase_units: u32,
    /// Logical pages that fit an erase unit.
    pub pages_per_erase_unit: u32,
    /// Logical pages that the drive exports.
    pub exported_pages: u32,
    /// Logical pages that held data at a time, at most.
    pub most_pages_held: u32,
    /// Logical pages that the host wrote after the warm-up.
    pub host_pages_written: u64,
    /// The best placement of each number of open units that the spare flash leaves room for.
    pub placements: Vec<Placed>,
    /// The least write amplification of what was carried out: no drive needs more. That is one of
    /// the placements, or greedy cleaning with one open unit, which knows nothing of the future.
    pub possible: f64,
    /// What any workload can be written with that holds no more pages, filling and warm-up counted,
    /// with any number of open units. Absent where the spare flash is too small for the argument.
    pub proven: Option<f64>,
}

/// What was moved with the future known.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Placed {
    /// Erase units that are open at a time.
    pub open_units: u32,
    /// Pages programmed for each page that the host wrote.
    pub write_amplification: f64,
    /// Logical pages moved.
    pub pages_moved: u64,
}

/// Bounds the writes of `drive` under a workload with a known future, with given numbers of
/// open erase units, or with several of [`OPEN_UNITS`] if none are named.
///
/// Of `options` those count that say what is replayed: `precondition` (not `steady`), `loops`,
/// `max_requests`, `fit`, `warm_up` (a number of requests). Takes 12 bytes of memory for each page
/// written.
///
/// # Errors
/// Options of another kind or out of range; a workload that writes nothing, that reaches beyond the
/// drive, or whose writes do not fit the memory; more open units than the spare flash has room for.
pub fn bound(
    drive: &Drive,
    source: &mut dyn Source,
    options: &ReplayOptions,
    open_units: &[u32],
    progress: &mut dyn FnMut(Progress) -> bool,
) -> Result<Bound, SimError> {
    options.check()?;
    let layout = Shape::new(drive.configuration())?.layout;
    let spare = layout.units() - layout.exported_pages.div_ceil(layout.slots_per_unit);
    let open_units = checked(open_units, Placement::most_open(spare))?;
    let future = Future::read(drive, &layout, source, options, progress)?;
    let host = future.pages_counted();
    if host == 0 {
        let problem = "the workload writes nothing after the warm-up, so there is no write amplification";
        return Err(SimError::Options(format!(
            "{problem}; give a workload that writes, or a shorter warm-up"
        )));
    }
    let mut placements = Vec::with_capacity(open_units.len());
    for (index, &open) in open_units.iter().enumerate() {
        let state =
            Progress { stage: Stage::Place, done: index as u64, total: Some(open_units.len() as u64) };
        let mut moved = u64::MAX;
        for split in Split::ALL {
            let mut placement = Placement::new(&future, &layout, open, split);
            let all = placement.run(&mut || progress(state));
            moved = moved.min(all.ok_or(SimError::Interrupted)?);
        }
        let write_amplification = (host + moved) as f64 / host as f64;
        placements.push(Placed { open_units: open, write_amplification, pages_moved: moved });
    }
    let mut greedy = Placement::greedy(&future, &layout);
    let state = Progress { stage: Stage::Place, done: open_units.len() as u64, total: None };
    let moved_unknowing = greedy.run(&mut || progress(state)).ok_or(SimError::Interrupted)?;
    let moved = placements.iter().map(|placed| placed.pages_moved).fold(moved_unknowing, u64::min);
    Ok(Bound {
        erase_units: layout.units(),
        pages_per_erase_unit: layout.slots_per_unit,
        exported_pages: layout.exported_pages,
        most_pages_held: future.most_held,
        host_pages_written: host,
        placements,
        possible: (host + moved) as f64 / host as f64,
        proven: proven_amplification(layout.units(), layout.slots_per_unit, future.most_held),
    })
}

/// The numbers of open units to try: those asked for, or the usual ones that fit.
fn checked(asked: &[u32], most: u32) -> Result<Vec<u32>, SimError> {
    let most = most.min(MOST_OPEN_UNITS);
    let fits = |&open: &u32| (1..=most).contains(&open);
    if let Some(open) = asked.iter().find(|&open| !fits(open)) {
        return Err(SimError::Options(format!(
            "{open} open units: the spare flash of this drive has room for 1 to {most}; give one of them, or more \
             ftl.over_provisioning"
        )));
    }
    let chosen = if asked.is_empty() { &OPEN_UNITS } else { asked };
    let open: Vec<u32> = chosen.iter().copied().filter(fits).collect();
    if open.is_empty() {
        return Err(SimError::Options(
            "this drive has less than three spare erase units, too few to place anything; give more ftl.over_provisioning or \
             flash.blocks_per_plane"
                .into(),
        ));
    }
    Ok(open)
}
