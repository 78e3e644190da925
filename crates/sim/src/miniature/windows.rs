//! Memories of schemes that are counted in accesses of the whole drive.

use rewear_flash::ConfigError;
use rewear_ftl::DriveConfig;
use rewear_ftl::effort::EffortConfig;
use rewear_ftl::policies::streams::StreamsConfig;
use rewear_ftl::policies::streams::update_frequency::UpdateFrequencyConfig;
use rewear_ftl::reuse::ReuseConfig;
use rewear_ftl::reuse::second_write::hot_cold_separation::SeparationConfig;

/// Accesses that a memory must span to say anything.
const LEAST_ACCESSES: u32 = 32;

/// Makes them as much shorter as the drive is smaller.
pub(super) fn shorten(config: &mut DriveConfig, one_in: f64) -> Result<(), ConfigError> {
    if let StreamsConfig::ByUpdateFrequency(counters) = &mut config.ftl.streams {
        of_counters(counters, "ftl.streams.scheme", one_in)?;
    }
    if let ReuseConfig::SecondWrite(second_write) = &mut config.reuse
        && let SeparationConfig::ByUpdateFrequency(counters) = &mut second_write.separation
    {
        of_counters(counters, "reuse.separation.scheme", one_in)?;
    }
    if let EffortConfig::DifferentiatedEcc(scheme) = &mut config.effort {
        let separator = &mut scheme.separator;
        let key = "effort.separator.decay_accesses";
        separator.decay_accesses = shorter(separator.decay_accesses, key, one_in)?;
        separator.bits = smaller_table(separator.bits, one_in, 8);
    }
    Ok(())
}

fn of_counters(counters: &mut UpdateFrequencyConfig, key: &str, one_in: f64) -> Result<(), ConfigError> {
    counters.decay_writes = shorter(counters.decay_writes, key, one_in)?;
    counters.counters = smaller_table(counters.counters, one_in, 16);
    Ok(())
}

/// The power of two nearest to a part of one.
fn smaller_table(entries: u32, one_in: f64, least: u32) -> u32 {
    let log2 = (f64::from(entries) / one_in).log2().round().max(0.0);
    (1u32 << log2 as u32).max(least)
}

fn shorter(accesses: u32, key: &str, one_in: f64) -> Result<u32, ConfigError> {
    let shorter = (f64::from(accesses) / one_in).round() as u32;
    if shorter >= LEAST_ACCESSES {
        return Ok(shorter);
    }
    let most = accesses / LEAST_ACCESSES;
    let remedy = match most {
        0 | 1 => "replay the whole workload, without a scale".to_string(),
        _ => format!("give a scale of 1/{most} or larger"),
    };
    Err(ConfigError::new(
        key,
        format!(
            "{accesses} accesses of the drive are {shorter} of a miniature with one page in {one_in:.0}, too few to tell hot pages from cold"
        ),
        remedy,
    ))
}
