//! Drives that have no miniature.

use rewear_flash::ConfigError;
use rewear_ftl::DriveConfig;
use rewear_ftl::policies::background::BackgroundConfig;

use super::shrink::LEAST_SLOTS;

/// Refuses what would not be the same in small.
pub(super) fn check(config: &DriveConfig) -> Result<(), ConfigError> {
    let failures = &config.flash.failures;
    let wrong = [
        (
            config.recycle.wants_content(),
            "recycle.scheme",
            "equal contents lie on pages in and out of the sample, so hardly a write would find its own",
        ),
        (
            config.ftl.write_buffer.buffer().is_some(),
            "ftl.write_buffer",
            "a buffer absorbs pages that are written again at once, and the sample does not keep these apart",
        ),
        (
            config.ftl.background != BackgroundConfig::Nothing {},
            "ftl.background",
            "a miniature keeps no time, so nothing is idle",
        ),
        (
            config.ftl.slc_cache.cache().is_some_and(|cache| cache.idle_after_ns.is_some()),
            "ftl.slc_cache.idle_after_ns",
            "a miniature keeps no time, so the cache is not folded when nothing else is done",
        ),
        (
            config.ftl.recovery.log().is_some(),
            "ftl.recovery",
            "the log has so many blocks however small the drive is",
        ),
        (
            failures.operations_fail() || failures.factory_bad_fraction > 0.0,
            "flash.failures",
            "a block that fails is a large part of a small drive",
        ),
    ];
    match wrong.into_iter().find(|&(is_so, ..)| is_so) {
        None => Ok(()),
        Some((_, key, because)) => Err(ConfigError::new(
            key,
            format!("no miniature tells what this drive costs: {because}"),
            "replay the whole workload, without a scale, or turn it off",
        )),
    }
}

/// Mean pages of a request in a unit up to which they count as written one by one. Pages that die
/// together make a unit as if of fewer, larger pages. Units of a quarter of the pages lower write
/// amplification by 14% at 7% of spare space (`docs/notebook/validation.md`), that is 7% each time
/// that they are halved, and 1.1 pages together are 0.14 halvings: 1%.
const MOST_TOGETHER: f64 = 1.1;

/// Refuses requests that are large beside an erase unit of `slots` pages of the whole drive, where
/// those of the miniature are others: the sample has fewer pages of each request in a unit, so they
/// do not die together as on the whole drive. A miniature in which dies are taken away alone has as
/// many; that may be `dies` times fewer.
pub(super) fn check_requests(pages_together: f64, slots: u32, dies: u32) -> Result<(), ConfigError> {
    // In larger units what dies together is little.
    if pages_together <= MOST_TOGETHER || f64::from(slots) / pages_together >= f64::from(LEAST_SLOTS) {
        return Ok(());
    }
    let remedy = match dies {
        0 | 1 => "replay the whole workload, without a scale".to_string(),
        _ => format!("give a scale of 1/{dies}, at which units stay as they are, or replay without a scale"),
    };
    Err(ConfigError::new(
        "flash.pages_per_block",
        format!(
            "{:.1} pages of a request lie in an erase unit of {slots}, and die together; the erase units of this miniature \
             hold fewer of them, so it would clean more than the whole drive",
            pages_together.min(f64::from(slots))
        ),
        remedy,
    ))
}
