//! The life of a drive whose second writes end before its blocks do.
//!
//! A run is a few cycles of young blocks, so all of it has second writes. They end at a part of a
//! block's life (`reuse.life_fraction`). So a life is that part as measured, and the rest as in a
//! replay of the same drive in which they ended before the first.

use rewear_ftl::Ftl;
use rewear_ftl::policies::streams::StreamsConfig;
use rewear_ftl::policies::victim::VictimConfig;
use rewear_ftl::reuse::ReuseConfig;
use rewear_trace::Source;

use crate::error::SimError;
use crate::load::Drive;
use crate::options::ReplayOptions;
use crate::replay::{Progress, replay_fitted, stop_clock};
use crate::report::Report;

/// Part of a block's life in which it takes second writes, and the drive behind it; `None` where
/// they never end, or none are made.
fn behind_second_writes(drive: &Drive) -> Result<Option<(f64, Drive)>, SimError> {
    let mut config = drive.configuration().clone();
    let ReuseConfig::SecondWrite(second_writes) = &mut config.reuse else { return Ok(None) };
    let part = std::mem::replace(&mut second_writes.life_fraction, 0.0);
    Ok(if part > 0.0 && part < 1.0 { Some((part, Drive::new(config)?)) } else { None })
}

/// Works out the life of a report of a run from the two parts, where second writes end before the
/// blocks do. That takes a second replay, which has no series, log or queues.
///
/// # Errors
/// As [`crate::replay::replay`].
pub(crate) fn add_later_life(
    report: &mut Report,
    drive: &Drive,
    source: &mut dyn Source,
    options: &ReplayOptions,
    progress: &mut dyn FnMut(Progress) -> bool,
) -> Result<(), SimError> {
    let Some(life) = report.life.as_mut().filter(|life| !life.simulated) else { return Ok(()) };
    let Some((part, later)) = behind_second_writes(drive)? else { return Ok(()) };
    let ftl = &drive.configuration().ftl;
    if matches!(ftl.victim, VictimConfig::Custom(_)) || matches!(ftl.streams, StreamsConfig::Custom(_)) {
        // A policy from outside would remember the first replay.
        life.settled = false;
        return Ok(());
    }
    let mut fresh = Ftl::new(later.configuration())?;
    if options.no_time {
        stop_clock(&mut fresh, false)?;
    }
    let options = ReplayOptions { interval_ns: None, queues: false, ..options.clone() };
    let without = replay_fitted(&later, fresh, source, &options, progress, None)?;
    // Blocks that aged beyond the part in the run made no second writes any more.
    let is_young = report.wear.pe_cycles.mean <= part * f64::from(life.cycles);
    match &without.life {
        Some(other) => life.goes_on_as(part, other, is_young),
        None => life.settled = false,
    }
    Ok(())
}
