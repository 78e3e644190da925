//! Replays that cannot be carried out in parts.

use rewear_flash::ConfigError;
use rewear_flash::FlashConfig;
use rewear_flash::config::MediumKind;
use rewear_ftl::config::choices::{EraseUnit, MovedTo, Striping};
use rewear_ftl::config::ftl::FtlConfig;
use rewear_ftl::effort::EffortConfig;
use rewear_ftl::policies::background::BackgroundConfig;
use rewear_ftl::policies::slc_cache::SlcCacheConfig;
use rewear_ftl::policies::streams::StreamsConfig;
use rewear_ftl::policies::victim::VictimConfig;
use rewear_ftl::policies::wear_levelling::WearLevellingConfig;
use rewear_ftl::recycle::RecycleConfig;
use rewear_ftl::reuse::ReuseConfig;
use rewear_ftl::{DriveConfig, Shape};

use crate::error::SimError;
use crate::options::ReplayOptions;

/// What is wrong with a value that dies share, or that is of one order of all requests.
type Wrong = (bool, &'static str, &'static str);

/// Refuses what parts of the drive would not do as the whole one does.
pub(super) fn check(config: &DriveConfig, options: &ReplayOptions, parts: u32) -> Result<(), SimError> {
    if options.one_in.is_some() {
        return Err(SimError::Options(
            "a miniature has few dies and little work; leave the scale or the threads out".into(),
        ));
    }
    if !options.no_time {
        return Err(SimError::Options(
            "several threads replay counts, not times: a request ends with the last of its pages, wherever they lie; \
             keep no time, or leave the threads out"
                .into(),
        ));
    }
    dies_are_apart(config)?;
    if config.flash.medium != MediumKind::Modelled {
        return Err(refused(
            "flash.medium",
            "contents are made up and compared in the order of all requests",
        )
        .into());
    }
    let dies = Shape::new(config)?.geometry.dies();
    if parts == 0 || !dies.is_multiple_of(parts) {
        let fitting: Vec<_> = (2..=dies.min(64)).filter(|&n| dies.is_multiple_of(n)).collect();
        return Err(SimError::Options(format!(
            "{parts} threads: the {dies} dies of {} do not fall into as many equal parts; give one of {fitting:?}, or leave the threads out",
            config.name
        )));
    }
    Ok(())
}

/// Checks that the dies of a drive share nothing but times, and that all pages stay on theirs.
///
/// # Errors
/// What they share, by its key.
pub fn dies_are_apart(config: &DriveConfig) -> Result<(), ConfigError> {
    let DriveConfig { name: _, description: _, twin: _, product: _, flash, ftl, recycle, reuse, effort } =
        config;
    let of_schemes = [
        (*recycle != RecycleConfig::Nothing {}, "recycle.scheme", "equal contents lie on all dies"),
        (*reuse != ReuseConfig::Nothing {}, "reuse.scheme", "a scheme remembers pages of all dies"),
        (*effort != EffortConfig::Uniform {}, "effort.scheme", "a scheme remembers pages of all dies"),
    ];
    let wrong = of_schemes.into_iter().chain(of_layer(ftl)).chain(of_flash(flash));
    match wrong.into_iter().find(|&(is_so, ..)| is_so) {
        None => Ok(()),
        Some((_, key, because)) => Err(refused(key, because)),
    }
}

/// Every option of the translation layer is named here, so that a new one is decided about.
fn of_layer(ftl: &FtlConfig) -> impl Iterator<Item = Wrong> {
    let FtlConfig {
        over_provisioning: _,
        indirection_unit_bytes: _,
        summary_pages: _,
        summary_reads: _,
        gc_threshold: _,
        cleaning_step: _,
        moved_pages: _,
        copyback: _,
        command_queue: _,
        erase_unit,
        striping,
        moved_to,
        victim,
        streams,
        slc_cache,
        wear_levelling,
        background,
        write_buffer,
        metadata_share,
        recovery,
    } = ftl;
    let victim_of_pool =
        matches!(victim, VictimConfig::Greedy {} | VictimConfig::GreedyHighest {} | VictimConfig::Cyclic {});
    [
        (
            *striping != Striping::StaticDie,
            "ftl.striping",
            "only with \"static-die\" a logical page belongs to one die for ever",
        ),
        (*erase_unit == EraseUnit::Drive, "ftl.erase_unit", "an erase unit spans all dies"),
        (*moved_to != MovedTo::Pool, "ftl.moved_to", "pages move from die to die"),
        (!victim_of_pool, "ftl.victim", "the policy looks at, or draws for, all dies together"),
        (*streams != StreamsConfig::One {}, "ftl.streams", "the policy counts the writes to all dies"),
        (*slc_cache != SlcCacheConfig::Nothing {}, "ftl.slc_cache", "the cache is one of all dies"),
        (
            *wear_levelling != WearLevellingConfig::Nothing {},
            "ftl.wear_levelling",
            "the wear of all dies is compared",
        ),
        (
            *background != BackgroundConfig::Nothing {},
            "ftl.background",
            "no time is kept, so nothing is idle",
        ),
        (write_buffer.buffer().is_some(), "ftl.write_buffer", "the buffer is one of all dies"),
        (*metadata_share > 0.0, "ftl.metadata_share", "the journal is one of all dies"),
        (recovery.log().is_some(), "ftl.recovery", "the log is one of all dies"),
    ]
    .into_iter()
}

/// What of the flash alone makes dies depend on each other.
fn of_flash(flash: &FlashConfig) -> impl Iterator<Item = Wrong> {
    let failures = &flash.failures;
    [
        (
            failures.operations_fail() || failures.factory_bad_fraction > 0.0,
            "flash.failures",
            "failures are drawn in the order of all operations",
        ),
        (
            flash.endurance_cycles.is_some(),
            "flash.endurance_cycles",
            "a drive ends when all of its dies together have too few blocks left",
        ),
        (
            flash.pages_per_program > 1,
            "flash.pages_per_program",
            "pages wait for others in the order of time",
        ),
    ]
    .into_iter()
}

fn refused(key: &str, because: &str) -> ConfigError {
    ConfigError::new(
        key,
        format!("several threads cannot replay this drive: {because}"),
        "replay it with one thread, or change it",
    )
}
