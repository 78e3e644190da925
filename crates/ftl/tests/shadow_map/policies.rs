//! Every choice of every policy of the translation layer, in any combination.

use proptest::prelude::*;
use rewear_flash::failures::FailuresConfig;
use rewear_ftl::config::{CleaningStep, FtlConfig, MovedPages};
use rewear_ftl::host::write_buffer::{BufferConfig, WriteBufferConfig};
use rewear_ftl::policies::background::{BackgroundConfig, EachRequestConfig};
use rewear_ftl::policies::slc_cache::{CacheConfig, SlcCacheConfig, WhenFull};
use rewear_ftl::policies::streams::StreamsConfig;
use rewear_ftl::policies::streams::by_size::BySizeConfig;
use rewear_ftl::policies::streams::host::{HostConfig, Isolation};
use rewear_ftl::policies::streams::update_frequency::UpdateFrequencyConfig;
use rewear_ftl::policies::victim::VictimConfig;
use rewear_ftl::policies::victim::d_choices::DChoicesConfig;
use rewear_ftl::policies::victim::recycle_aware::RecycleAwareConfig;
use rewear_ftl::policies::wear_levelling::WearLevellingConfig;

pub(super) fn write_buffer() -> impl Strategy<Value = WriteBufferConfig> {
    let size =
        (1u32..40, 0.0f64..=1.0, any::<bool>()).prop_map(|(pages, destage_at, survives_power_loss)| {
            BufferConfig { pages, destage_at, survives_power_loss }
        });
    prop_oneof![
        Just(WriteBufferConfig::Nothing {}),
        size.clone().prop_map(WriteBufferConfig::Fifo),
        size.clone().prop_map(WriteBufferConfig::Lru),
        size.prop_map(WriteBufferConfig::Slru),
    ]
}

/// A cache of either kind, which only some drives can have.
pub(super) fn slc_cache() -> impl Strategy<Value = SlcCacheConfig> {
    let when_full = prop_oneof![Just(WhenFull::Fold), Just(WhenFull::Direct)];
    let cache = (0.05f64..0.4, when_full, prop::option::of(0u64..2000)).prop_map(
        |(share, when_full, idle_after_ns)| CacheConfig {
            share,
            when_full,
            // A static cache that is passed by is emptied in idle time only.
            idle_after_ns: idle_after_ns.or((when_full == WhenFull::Direct).then_some(100)),
            program_ns: Some(30),
            ..CacheConfig::default()
        },
    );
    prop_oneof![
        Just(SlcCacheConfig::Nothing {}),
        cache.clone().prop_map(SlcCacheConfig::Static),
        cache.prop_map(SlcCacheConfig::Dynamic),
    ]
}

/// Every choice of every policy, in any combination.
pub(super) fn policies() -> impl Strategy<Value = FtlConfig> {
    let victim = prop_oneof![
        Just(VictimConfig::Greedy {}),
        Just(VictimConfig::CostBenefit {}),
        // Single draws clean full units, too.
        prop_oneof![Just(1), 2u32..20].prop_map(|choices| VictimConfig::DChoices(DChoicesConfig { choices })),
        (0.0f64..=1.0)
            .prop_map(|most_discount| VictimConfig::RecycleAware(RecycleAwareConfig { most_discount })),
    ];
    let streams = prop_oneof![
        Just(StreamsConfig::One {}),
        Just(StreamsConfig::BySize(BySizeConfig { cold_bytes: 2048 })),
        Just(StreamsConfig::ByUpdateFrequency(UpdateFrequencyConfig { counters: 64, decay_writes: 50 })),
        prop_oneof![Just(Isolation::Initial), Just(Isolation::Persistent)]
            .prop_map(|isolation| StreamsConfig::Host(HostConfig { handles: 3, isolation })),
        Just(StreamsConfig::SepBit {}),
    ];
    let wear_levelling = prop_oneof![
        Just(WearLevellingConfig::Nothing {}),
        (1u32..4).prop_map(|spread| WearLevellingConfig::Static { spread }),
    ];
    let background = prop_oneof![
        Just(BackgroundConfig::Nothing {}),
        Just(BackgroundConfig::EraseInvalid {}),
        (0.0f64..0.5)
            .prop_map(|free_fraction| { BackgroundConfig::EachRequest(EachRequestConfig { free_fraction }) }),
    ];
    let moved = prop_oneof![Just(MovedPages::Together), Just(MovedPages::Apart)];
    let step = prop_oneof![
        3 => Just(CleaningStep::UntilRoom),
        1 => Just(CleaningStep::RestoreLazy),
        1 => Just(CleaningStep::RestoreEager),
        1 => Just(CleaningStep::OneUnit),
    ];
    (victim, streams, wear_levelling, background, moved, step).prop_map(
        |(victim, streams, wear_levelling, background, moved_pages, cleaning_step)| FtlConfig {
            cleaning_step,
            victim,
            streams,
            wear_levelling,
            background,
            moved_pages,
            ..FtlConfig::default()
        },
    )
}

/// Mostly none; else so often that a run sees several.
pub(super) fn failures() -> impl Strategy<Value = FailuresConfig> {
    let some =
        (0.0f64..0.05, 0.0f64..0.004, 0.0f64..0.02).prop_map(|(factory, program, erase)| FailuresConfig {
            factory_bad_fraction: factory,
            program_failure_probability: program,
            erase_failure_probability: erase,
        });
    prop_oneof![1 => Just(FailuresConfig::default()), 1 => some]
}
