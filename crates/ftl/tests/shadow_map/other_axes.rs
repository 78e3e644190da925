//! Every scheme of the two other axes: how carefully a page is programmed, and whether it must be.

use proptest::prelude::*;
use rewear_ftl::effort::EffortConfig;
use rewear_ftl::effort::agcr::AgcrConfig;
use rewear_ftl::effort::agcr::config::HistoryKind;
use rewear_ftl::effort::differentiated_ecc::DifferentiatedEccConfig;
use rewear_ftl::effort::differentiated_ecc::config::{
    AccessUnit, Age, RewriteTime, SeparatorConfig, Unclassified,
};
use rewear_ftl::recycle::RecycleConfig;
use rewear_ftl::recycle::lx::config::*;

/// Every choice of every effort scheme; thresholds and periods at which much is rewritten.
pub(super) fn effort() -> impl Strategy<Value = EffortConfig> {
    let separator =
        (0u8..4, 3u32..8, 1u32..60).prop_map(|(choices, log_bits, decay_accesses)| SeparatorConfig {
            bits: 1 << log_bits,
            decay_accesses,
            access: if choices & 1 == 0 { AccessUnit::Page } else { AccessUnit::Request },
            age: if choices & 2 == 0 { Age::Reset } else { Age::Update },
        });
    let unclassified =
        prop_oneof![Just(Unclassified::Normal), Just(Unclassified::LowCost), Just(Unclassified::Keep)];
    let rewrite =
        prop_oneof![Just(RewriteTime::BehindRead), Just(RewriteTime::Idle), Just(RewriteTime::Never)];
    let differentiated = (separator, unclassified, rewrite, -4.0f64..4.0, -2.0f64..3.0).prop_map(
        |(separator, unclassified, rewrite, m, n)| DifferentiatedEccConfig {
            m,
            n,
            low_cost_program_ns: vec![50],
            low_cost_read_ns: vec![40],
            unclassified,
            rewrite,
            separator,
        },
    );
    let agcr = any::<bool>().prop_map(|all| {
        let history = if all { HistoryKind::SinceStart } else { HistoryKind::Latest };
        AgcrConfig { history, ..AgcrConfig::default() }
    });
    prop_oneof![
        1 => Just(EffortConfig::Uniform {}),
        1 => differentiated.prop_map(EffortConfig::DifferentiatedEcc),
        1 => agcr.prop_map(EffortConfig::Agcr),
    ]
}

/// Every way to recycle.
pub(super) fn recycle() -> impl Strategy<Value = RecycleConfig> {
    let order = prop_oneof![Just(Order::Lru), Just(Order::Probability)];
    let ties = prop_oneof![Just(Ties::NewestFirst), Just(Ties::OldestFirst)];
    let entry = prop_oneof![Just(EntryPer::Page), Just(EntryPer::Fingerprint)];
    let popularity = prop_oneof![Just(Popularity::PageReads), Just(Popularity::ValueAccesses)];
    let answers = prop_oneof![Just(Answers::Invalid), Just(Answers::Valid), Just(Answers::All)];
    let scope = prop_oneof![4 => Just(Scope::Drive), 1 => Just(Scope::Pool)];
    let sizes = (0u32..50, 0u32..4, 0u32..3, 0u32..3, any::<bool>());
    let fingerprints = (order, ties, entry, popularity, answers, scope, sizes).prop_map(
        |(order, ties, entry, popularity, answers, scope, sizes)| {
            let (entries, fast_load_reach, fast_load_depth, hash_engines, own_page) = sizes;
            RecycleConfig::Lx(LxConfig {
                entries,
                order,
                ties,
                entry,
                popularity,
                answers,
                scope,
                fast_load_reach,
                fast_load_depth,
                hash_ns: 30,
                hash_engines,
                own_page,
                comparison_ns: 1,
                ..LxConfig::default()
            })
        },
    );
    prop_oneof![1 => Just(RecycleConfig::Nothing {}), 2 => fingerprints]
}
