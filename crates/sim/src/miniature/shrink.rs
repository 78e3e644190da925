//! The configuration of a smaller drive that cleans as the whole one does.

use rewear_flash::ConfigError;
use rewear_ftl::config::choices::EraseUnit;
use rewear_ftl::shape::layout::Layout;
use rewear_ftl::shape::reserve::Reserve;
use rewear_ftl::{DriveConfig, Shape};

use super::windows;

/// Erase units of a pool that are taken away only where nothing else is left.
const ENOUGH_UNITS: u32 = 256;
/// Fewest erase units of a pool.
const LEAST_UNITS: u32 = 64;
/// Fewest spare erase units of a pool, the reserve of cleaning left out.
const LEAST_SPARE: f64 = 4.0;
/// Fewest logical pages of an erase unit that is made smaller: among small units greedy cleaning
/// finds better victims.
pub(super) const LEAST_SLOTS: u32 = 256;
/// How much larger than asked a miniature may be.
const ROUNDING: f64 = 1.1;

/// A drive of about one of `one_in` pages.
///
/// # Errors
/// Too few or too small erase units, with a scale at which there are enough; a memory of a scheme
/// that would be too short.
pub(super) fn shrink(config: &DriveConfig, whole: &Shape, one_in: u32) -> Result<DriveConfig, ConfigError> {
    if let Some(small) = shrunk(config, whole, one_in)? {
        return Ok(small);
    }
    let fewer = std::iter::successors(Some(one_in), |&before| Some(before - before.div_ceil(10)));
    let holds = fewer
        .take_while(|&fewer| fewer > 1)
        .find(|&fewer| shrunk(config, whole, fewer).is_ok_and(|small| small.is_some()));
    Err(too_small(one_in, holds))
}

/// As [`shrink`]; `None` where erase units would be too few or too small.
fn shrunk(config: &DriveConfig, whole: &Shape, one_in: u32) -> Result<Option<DriveConfig>, ConfigError> {
    let layout = &whole.layout;
    let mut small = config.clone();
    let flash = &mut small.flash;
    let mut left = f64::from(one_in);

    // Dies: pools that are alike, or a narrower unit.
    let dies = whole.geometry.dies();
    let narrows = config.ftl.erase_unit == EraseUnit::Drive;
    let least_dies = if narrows { part_of(dies, layout.slots_per_unit, LEAST_SLOTS) } else { 1 };
    let fewer = reduced(dies, left, least_dies, 1, f64::ceil);
    left *= f64::from(fewer) / f64::from(dies);
    (flash.channels, flash.dies_per_channel) = (fewer, 1);
    let slots = if narrows { layout.slots_per_unit * fewer / dies } else { layout.slots_per_unit };

    let blocks = flash.blocks_per_plane;
    let mut fewer = reduced(blocks, left, ENOUGH_UNITS, 1, f64::floor);
    left *= f64::from(fewer) / f64::from(blocks);
    if !config.ftl.summary_pages {
        let pages = flash.pages_per_block;
        // Whole logical pages, and all kinds of pages alike.
        let kinds = 2 * u32::from(flash.bits_per_cell) * layout.slot_pages;
        let step = if pages.is_multiple_of(kinds) { kinds } else { pages };
        let shorter = reduced(pages, left, part_of(pages, slots, LEAST_SLOTS), step, f64::ceil);
        left *= f64::from(shorter) / f64::from(pages);
        flash.pages_per_block = shorter;
    }
    let again = reduced(fewer, left, LEAST_UNITS, 1, f64::floor);
    left *= f64::from(again) / f64::from(fewer);
    fewer = again;
    flash.blocks_per_plane = fewer;
    if left > ROUNDING {
        return Ok(None);
    }
    windows::shorten(&mut small, f64::from(one_in) / left)?;
    let Some(shape) = keep_spare_share(&mut small, whole) else { return Ok(None) };
    let least = LEAST_SPARE.min(spare_units(layout, &whole.reserve));
    Ok((spare_units(&shape.layout, &shape.reserve) >= least).then_some(small))
}

/// `count` divided by `by`, in steps, and no less than `least` where it is that many.
fn reduced(count: u32, by: f64, least: u32, step: u32, round: fn(f64) -> f64) -> u32 {
    let wanted = round(f64::from(count) / f64::from(step) / by).max(1.0) as u32 * step;
    wanted.max(least.div_ceil(step) * step).min(count)
}

/// How much of `count` is needed so that of `all` in proportion `least` are left.
fn part_of(count: u32, all: u32, least: u32) -> u32 {
    (f64::from(count) * f64::from(least) / f64::from(all)).ceil() as u32
}

/// Sets the over-provisioning such that the spare space beyond the reserve has the share of the
/// exported capacity that it has on the whole drive; `None` where that makes no drive.
fn keep_spare_share(small: &mut DriveConfig, whole: &Shape) -> Option<Shape> {
    let share = in_use(&whole.layout, &whole.reserve) / f64::from(whole.layout.exported_pages);
    // The reserve of some schemes depends on how much is spare, so twice.
    for _ in 0..2 {
        let shape = Shape::new(small).ok()?;
        let exported = (in_use(&shape.layout, &shape.reserve) / share).floor();
        // Half a page more, so that rounding down comes out at it.
        small.ftl.over_provisioning = f64::from(shape.layout.slots()) / (exported + 0.5) - 1.0;
    }
    Shape::new(small).ok()
}

/// Slots that hold pages when a victim is chosen: all but the free units of the reserve. The open
/// unit of host writes is full then, and those of schemes may never be opened.
fn in_use(layout: &Layout, reserve: &Reserve) -> f64 {
    let units = f64::from(layout.units_per_pool.saturating_sub(reserve.free_units));
    units * f64::from(layout.pools) * f64::from(layout.slots_per_unit)
}

/// Whether a pool of the miniature has fewer units than one of the whole drive, or smaller ones.
pub(super) fn changes_units(whole: &Shape, small: &Shape) -> bool {
    let of = |shape: &Shape| (shape.layout.units_per_pool, shape.layout.slots_per_unit);
    of(whole) != of(small)
}

/// Erase units of a pool that hold neither exported pages nor the reserve.
pub(super) fn spare_units(layout: &Layout, reserve: &Reserve) -> f64 {
    let spare = in_use(layout, reserve) - f64::from(layout.exported_pages);
    spare / f64::from(layout.pools) / f64::from(layout.slots_per_unit)
}

fn too_small(one_in: u32, holds: Option<u32>) -> ConfigError {
    let remedy = match holds {
        None => "replay the whole workload, without a scale, or take a larger drive".to_string(),
        Some(most) => format!("give a scale of 1/{most} or larger, or take a larger drive"),
    };
    ConfigError::new(
        "flash.blocks_per_plane",
        format!(
            "a miniature of 1/{one_in} would have too few or too small erase units to clean as this drive does"
        ),
        remedy,
    )
}
