//! Drives that have no miniature.

use rewear_flash::ConfigError;
use rewear_ftl::DriveConfig;
use rewear_ftl::policies::background::BackgroundConfig;

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
