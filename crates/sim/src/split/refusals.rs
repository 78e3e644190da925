//! Replays that cannot be carried out in parts.

use rewear_flash::ConfigError;
use rewear_flash::FlashConfig;
use rewear_flash::config::MediumKind;
use rewear_ftl::config::choices::{EraseUnit, MovedTo, Striping};
use rewear_ftl::config::ftl::FtlConfig;
use rewear_ftl::effort::EffortConfig;
use rewear_ftl::policies::background::BackgroundConfig;
use rewear_ftl::policies::streams::StreamsConfig;
use rewear_ftl::policies::victim::VictimConfig;
use rewear_ftl::policies::wear_levelling::WearLevellingConfig;
use rewear_ftl::recycle::RecycleConfig;
use rewear_ftl::reuse::ReuseConfig;
use rewear_ftl::{DriveConfig, Shape};

use crate::error::SimError;
use crate::options::{ArrivalKind, ReplayOptions};

/// What is wrong with a value that dies share, or that is of one order of all requests.
type Wrong = (bool, &'static str, &'static str);

/// Refuses what parts of the drive would not do as the whole one does.
pub(super) fn check(
    config: &DriveConfig,
    (options, arrival): (&ReplayOptions, ArrivalKind),
    (parts, whole): (u32, &Shape),
) -> Result<(), SimError> {
    if options.one_in.is_some() {
        return Err(SimError::Options(
            "a miniature has few dies and little work; leave the scale or the threads out".into(),
        ));
    }
    let with_times = if options.no_time { None } else { of_times(config, options, arrival) };
    if let Some((because, remedy)) = with_times {
        return Err(SimError::Options(format!(
            "several threads cannot replay this with times: {because}; {remedy}, or leave the threads out"
        )));
    }
    if let Some((key, because)) = shared_by_dies(config) {
        return Err(refused(key, because).into());
    }
    if config.flash.medium != MediumKind::Modelled {
        return Err(refused(
            "flash.medium",
            "contents are made up and compared in the order of all requests",
        )
        .into());
    }
    // Dies of a channel wait for each other.
    let (things, count) = match options.no_time {
        true => ("dies", whole.geometry.dies()),
        false => ("channels", whole.geometry.channels),
    };
    if parts == 0 || !count.is_multiple_of(parts) {
        let fitting: Vec<_> = (2..=count.min(64)).filter(|&n| count.is_multiple_of(n)).collect();
        return Err(SimError::Options(format!(
            "{parts} threads: the {count} {things} of {} do not fall into as many equal parts; give one of {fitting:?}, or leave the threads out",
            config.name
        )));
    }
    Ok(())
}

/// What makes the time of a request depend on others, wherever their pages lie, and the remedy.
fn of_times(
    config: &DriveConfig,
    options: &ReplayOptions,
    arrival: ArrivalKind,
) -> Option<(&'static str, &'static str)> {
    let wrong = [
        (
            arrival == ArrivalKind::Closed,
            "in a closed loop a request arrives when another has ended, wherever that lies",
            "let requests arrive at times of their own, keep no time",
        ),
        (
            config.ftl.command_queue.is_some(),
            "with ftl.command_queue a request waits until another has ended, wherever that lies",
            "keep no time",
        ),
        (
            options.page_barrier,
            "with the page barrier a page waits for the one before it, which lies elsewhere",
            "leave the barrier out",
        ),
        (options.queues, "queues are those of all dies when a request arrives", "leave the queues out"),
        (
            options.interval_ns.is_some(),
            "an interval has what all dies had done when a request came",
            "leave the interval out",
        ),
    ];
    wrong.into_iter().find(|&(is_so, ..)| is_so).map(|(_, because, remedy)| (because, remedy))
}

/// What the dies of a drive share beside times, or how pages leave theirs: its key, and why. `None`
/// of a drive whose dies are apart.
pub fn shared_by_dies(config: &DriveConfig) -> Option<(&'static str, &'static str)> {
    let DriveConfig { name: _, description: _, twin: _, product: _, flash, ftl, recycle, reuse, effort } =
        config;
    let wrong = of_schemes(recycle, reuse, effort).chain(of_layer(ftl)).chain(of_flash(flash));
    wrong.into_iter().find(|&(is_so, ..)| is_so).map(|(_, key, because)| (key, because))
}

/// The schemes whose dies are apart are named here, so that a new one is refused until it is.
fn of_schemes(
    recycle: &RecycleConfig,
    reuse: &ReuseConfig,
    effort: &EffortConfig,
) -> impl Iterator<Item = Wrong> + use<> {
    use ReuseConfig::{Coset, Seal, WomV};
    let reuses_apart = matches!(reuse, ReuseConfig::Nothing {} | WomV(_) | Coset(_) | Seal(_));
    let effort_is_apart = matches!(effort, EffortConfig::Uniform {} | EffortConfig::Agcr(_));
    [
        (
            *recycle != RecycleConfig::Nothing {},
            "recycle.scheme",
            "a content is looked up among the pages of all dies, and the store of invalid pages is one of all",
        ),
        (
            !reuses_apart,
            "reuse.scheme",
            "the scheme draws, counts and decides in the order of the writes to all dies",
        ),
        (!effort_is_apart, "effort.scheme", "the record of accesses ages with those to all dies"),
    ]
    .into_iter()
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
        (
            slc_cache.cache().is_some_and(|cache| cache.idle_after_ns.is_some()),
            "ftl.slc_cache.idle_after_ns",
            "the cache is folded when all dies are idle",
        ),
        (
            *wear_levelling != WearLevellingConfig::Nothing {},
            "ftl.wear_levelling",
            "the wear of all dies is compared",
        ),
        (*background != BackgroundConfig::Nothing {}, "ftl.background", "it works when all dies are idle"),
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
