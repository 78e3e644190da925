//! The erase units of each pool that the host never fills.

use rewear_flash::ConfigError;

use crate::config::drive::DriveConfig;
use crate::reuse::Reuse;
use crate::shape::layout::Layout;

/// The erase units of each pool that the host never fills, so that cleaning always finds a victim
/// and a place to move to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reserve {
    /// Cleaning starts when no more than this many units of a pool are free, and restores them.
    /// Those beyond the needed ones may wait for host writes instead.
    pub free_units: u32,
    /// Units that are free again after each cleaning, come what may.
    pub needed_units: u32,
    /// Whether units reopened for groups count as free ones where cleaning starts.
    pub counts_groups: bool,
    /// Whether the kept units are counted as slots that take a write, with those of waiting units.
    pub counts_waiting: bool,
    /// Open units of a pool: one, and one more for each kind of data that is kept apart.
    pub streams: u32,
    /// Host writes avoid a pool that holds this many valid pages.
    pub valid_limit: u32,
}

/// Whether units may go out of service.
pub(super) fn units_retire(config: &DriveConfig) -> bool {
    config.flash.failures.operations_fail() || config.flash.endurance_cycles.is_some()
}

impl Reserve {
    pub(super) fn new(
        layout: &Layout,
        config: &DriveConfig,
        reuse: &Reuse,
        bad_units: &[u32],
    ) -> Result<Reserve, ConfigError> {
        // A unit that fails while it is written does not come back, and its pages need a place. A
        // unit that is retired when it is erased gives nothing back for the one that its pages
        // moved to. What was open when power failed may not go on after the mount.
        let for_failures = u32::from(units_retire(config) || config.ftl.recovery.log().is_some());
        let config = &config.ftl;
        let threshold = (config.gc_threshold * f64::from(layout.units_per_pool)).floor() as u32;
        // Any threshold may be asked for; one beyond the pool leaves nothing and is refused below.
        let least = reuse.facts.least_free_units;
        let kept_units = threshold.max(least.unwrap_or(1)).saturating_add(for_failures);
        let needed_units = least.map_or(kept_units, |least| least + for_failures);
        let free_units = kept_units.saturating_add(reuse.facts.reserve_units);
        let streams = config.open_units() + reuse.facts.open_units;
        let needed = free_units.saturating_add(streams);
        let valid_limit = layout.units_per_pool.saturating_sub(needed) * layout.slots_per_unit;
        // One page a pool beside the exported ones: a page is written before its old copy becomes
        // invalid.
        let usable = bad_units
            .iter()
            .map(|&bad| valid_limit.saturating_sub(bad * layout.slots_per_unit))
            .map(|pages| u64::from(pages).saturating_sub(1))
            .sum::<u64>();
        if usable >= u64::from(layout.exported_pages) {
            return Ok(Reserve {
                free_units,
                needed_units,
                counts_groups: least.is_some(),
                counts_waiting: reuse.facts.counts_waiting_units,
                streams,
                valid_limit,
            });
        }
        let remedy = if layout.units_per_pool > needed && usable > 0 {
            let least = f64::from(layout.slots()) / usable as f64 - 1.0;
            format!("give at least {:.4}, or more flash.blocks_per_plane", (least * 1e4).ceil() / 1e4)
        } else {
            format!("give more than {needed} flash.blocks_per_plane")
        };
        Err(ConfigError::new(
            "ftl.over_provisioning",
            format!(
                "{} of {} erase units in each pool{} leaves less than the {needed} spare ones that cleaning works with",
                config.over_provisioning,
                layout.units_per_pool,
                match bad_units.iter().max() {
                    Some(&bad) if bad > 0 => format!(" (up to {bad} of them bad or set aside)"),
                    _ => String::new(),
                }
            ),
            remedy,
        ))
    }
}
