//! Every reuse scheme with every choice that it leaves.

use proptest::prelude::*;
use rewear_ftl::policies::streams::by_size::BySizeConfig;
use rewear_ftl::policies::streams::update_frequency::UpdateFrequencyConfig;
use rewear_ftl::reuse::ReuseConfig;
use rewear_ftl::reuse::coset::{self, CosetConfig};
use rewear_ftl::reuse::seal::SealConfig;
use rewear_ftl::reuse::seal::victim_selection::Policy;
use rewear_ftl::reuse::second_write::SecondWriteConfig;
use rewear_ftl::reuse::second_write::config::{
    Fidelity, GuardChoice, PlaneChoice, PrefetchChoice, Recycling, Retry,
};
use rewear_ftl::reuse::second_write::hot_cold_separation::SeparationConfig;
use rewear_ftl::reuse::wom_v::{InvalidCellCheck, Reopening, ReserveOf, WomVConfig};

/// Second writes in every way, on blocks of which some have outlived them.
pub(super) fn second_write() -> impl Strategy<Value = SecondWriteConfig> {
    let fidelity = prop_oneof![Just(Fidelity::Table), Just(Fidelity::Mask), Just(Fidelity::Full)];
    let retry = prop_oneof![Just(Retry::Nothing), Just(Retry::SamePages), Just(Retry::OtherPages)];
    let separation = prop_oneof![
        Just(SeparationConfig::Nothing {}),
        Just(SeparationConfig::BySize(BySizeConfig { cold_bytes: 2048 })),
        Just(SeparationConfig::AdaptiveSize {}),
        Just(SeparationConfig::ByUpdateFrequency(UpdateFrequencyConfig { counters: 64, decay_writes: 50 })),
    ];
    let plane_choice = prop_oneof![
        Just(PlaneChoice::Striped),
        Just(PlaneChoice::MostClean),
        Just(PlaneChoice::FewestClean),
        Just(PlaneChoice::FewestValid),
        Just(PlaneChoice::OldCopy),
    ]
    .prop_map(Some);
    let chances = (prop::option::of(0.3f64..=1.0), 210.0f64..230.0);
    let guard = prop_oneof![3 => Just(GuardChoice::Nothing), 1 => Just(GuardChoice::GhostList)];
    let limits = (1u32..4, prop_oneof![Just(1.0), Just(0.01)]);
    let prefetch =
        prop_oneof![Just(PrefetchChoice::Off), Just(PrefetchChoice::Idle), Just(PrefetchChoice::AtOnce)];
    let recycling = prop_oneof![Just(Recycling::BeforeErasing), Just(Recycling::ForHotWrites)];
    (fidelity, retry, separation, plane_choice, chances, limits, prefetch, any::<bool>(), (guard, recycling))
        .prop_map(
            |(fidelity, retry, separation, plane_choice, chances, limits, prefetch, parallel, choices)| {
                let (guard, recycling) = choices;
                SecondWriteConfig {
                    fidelity,
                    retry,
                    separation,
                    plane_choice,
                    success_probability: chances.0,
                    storage_percent: chances.1,
                    pair_failures: limits.0,
                    life_fraction: limits.1,
                    prefetch,
                    parallel,
                    guard,
                    recycling,
                }
            },
        )
}

/// Every code in every mode; with little or much patience for invalid cells.
pub(super) fn wom_v() -> impl Strategy<Value = (u8, ReuseConfig)> {
    let code = (1u8..5).prop_flat_map(|k| (k + 1..7).prop_map(move |n| (k, n)));
    let reopen = prop_oneof![
        Just(Reopening::AfterMoving),
        Just(Reopening::InPlace),
        Just(Reopening::InPlaceIntact),
        Just(Reopening::InPlaceAny),
    ];
    let check = [
        InvalidCellCheck::Pre,
        InvalidCellCheck::Post,
        InvalidCellCheck::LastGeneration,
        InvalidCellCheck::Unit,
    ];
    let check = prop::sample::select(check.to_vec());
    let threshold = prop_oneof![Just(None), (0.0f64..0.5).prop_map(Some)];
    (code, (any::<bool>(), any::<bool>()), reopen, check, threshold).prop_map(
        |((k, n), (no_read, waits), reopen, ecc_check, ecc_threshold)| {
            let may_wait = matches!(reopen, Reopening::InPlace | Reopening::InPlaceIntact)
                && (no_read || ecc_check != InvalidCellCheck::Pre);
            let reserve =
                if waits && may_wait { ReserveOf::ProgrammableSlots } else { ReserveOf::ErasedUnits };
            let config =
                WomVConfig { no_read, reopen, reserve, ecc_check, ecc_threshold, ..WomVConfig::baseline(k) };
            (n, ReuseConfig::WomV(config))
        },
    )
}

/// Dense and sparse codes of all kinds of cells.
pub(super) fn coset() -> impl Strategy<Value = (u8, ReuseConfig)> {
    let rate = prop_oneof![Just(0.8), Just(0.7), Just(0.5), Just(1.0)];
    let reopen = prop_oneof![Just(coset::Reopening::AfterMoving), Just(coset::Reopening::InPlaceAny)];
    (2u8..5, rate, reopen, prop_oneof![Just(0.03), Just(0.08)]).prop_map(
        |(bits, rate, reopen, ecc_threshold)| {
            (bits, ReuseConfig::Coset(CosetConfig { reopen, ecc_threshold, ..CosetConfig::of_rate(rate) }))
        },
    )
}

/// Overwriting in place with every victim policy and little or much patience.
pub(super) fn seal() -> impl Strategy<Value = (u8, ReuseConfig)> {
    let victims = prop_oneof![Just(Policy::Seal), Just(Policy::SealPreserve), Just(Policy::Automatic)];
    (victims, 1u8..10, any::<bool>()).prop_map(|(victims, limit, limit_counts_first)| {
        (2u8, ReuseConfig::Seal(SealConfig { victims, limit, limit_counts_first, ..SealConfig::default() }))
    })
}

/// Bits a cell and a reuse scheme that they allow. A new scheme is one more line.
pub(super) fn reuse() -> impl Strategy<Value = (u8, ReuseConfig)> {
    prop_oneof![
        Just((1u8, ReuseConfig::Nothing {})),
        Just((3u8, ReuseConfig::Nothing {})),
        wom_v(),
        wom_v(),
        coset(),
        second_write().prop_map(|config| (1u8, ReuseConfig::SecondWrite(config))),
        second_write().prop_map(|config| (2u8, ReuseConfig::SecondWrite(config))),
        seal(),
        seal(),
    ]
}
