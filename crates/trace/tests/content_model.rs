//! The model of value locality: its parameters mean what they say.

#![allow(clippy::unwrap_used)] // a test may stop where it stands

use std::collections::BTreeMap;

use proptest::prelude::*;
use rewear_trace::{Batch, Defaults, Fingerprint, Request, Source, workload};

type Writes = Vec<(Request, Vec<Fingerprint>)>;

fn draw(spec: &str) -> Writes {
    let mut source = workload(spec, &Defaults { pages: 1000, ..Defaults::default() }).unwrap();
    let (mut batch, mut all) = (Batch::default(), Vec::new());
    while source.fill(&mut batch).unwrap() > 0 {
        for request in &batch.requests {
            let content = batch.content_of(request).map(<[_]>::to_vec);
            assert_eq!(
                content.is_some(),
                request.operation.is_write(),
                "writes have content, reads have none"
            );
            all.extend(content.map(|content| (*request, content)));
        }
    }
    all
}

/// How often writes do each of what they may, of those that may.
#[derive(Debug, Default)]
struct Found {
    same: [f64; 2],
    returns: [f64; 2],
    new: [f64; 2],
    depths: BTreeMap<usize, f64>,
}

/// For pools so large that contents come again only to the page that had them.
fn found(writes: &Writes) -> Found {
    let mut found = Found::default();
    let mut held: BTreeMap<u64, Vec<Fingerprint>> = BTreeMap::new();
    for (request, content) in writes {
        let held = held.entry(request.offset_bytes).or_default();
        let print = content[0];
        let at = held.iter().position(|&other| other == print);
        if !held.is_empty() {
            found.same[0] += f64::from(u8::from(at == Some(0)));
            found.same[1] += 1.0;
        }
        if held.len() > 1 && at != Some(0) {
            found.returns[0] += f64::from(u8::from(at.is_some()));
            found.returns[1] += 1.0;
        }
        if let Some(at) = at {
            held.remove(at);
            // Only pages whose depth no cut can reach tell the distribution.
            if at > 0 && held.len() >= 8 {
                *found.depths.entry(at).or_default() += 1.0;
            }
        } else {
            found.new[0] += 1.0;
        }
        found.new[1] += 1.0;
        held.insert(0, print);
        held.truncate(9);
    }
    found
}

fn close(share: [f64; 2], expected: f64) -> Result<(), TestCaseError> {
    // Five standard deviations of a binomial share.
    let tolerance = 5.0 * (expected * (1.0 - expected) / share[1]).sqrt() + 1e-9;
    prop_assert!((share[0] / share[1] - expected).abs() <= tolerance, "{share:?} instead of {expected}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10))]

    #[test]
    fn writes_repeat_and_return_as_often_as_they_are_told(same in 0.0..0.6f64, returns in 0.0..0.9f64, depth in 1.0..3.0f64, seed in 0u64..1000) {
        let spec = format!("uniform:requests=60000,content=locality,values=268435456,popularity=0,new=1,same={same},return={returns},depth={depth},seed={seed}");
        let found = found(&draw(&spec));
        close(found.same, same)?;
        close(found.returns, returns)?;
        let all: f64 = found.depths.values().sum();
        if all > 1000.0 {
            close([found.depths.get(&1).copied().unwrap_or(0.0), all], 1.0 / depth)?;
        }
    }

    #[test]
    fn new_and_shared_contents_are_as_often_as_they_are_told(new in 0.05..0.95f64, popularity in 0.0..1.5f64, seed in 0u64..1000) {
        let spec = format!("uniform:requests=60000,content=locality,values=50,popularity={popularity},new={new},return=0,seed={seed}");
        let mut counts: BTreeMap<Fingerprint, f64> = BTreeMap::new();
        for (_, content) in draw(&spec) {
            *counts.entry(content[0]).or_default() += 1.0;
        }
        let single = counts.values().filter(|&&count| count == 1.0).count() as f64;
        close([single, 60_000.0], new)?;
        let shared = 60_000.0 - single;
        let weights: f64 = (1..=50u32).map(|rank| f64::from(rank).powf(-popularity)).sum();
        let most = counts.values().copied().fold(0.0, f64::max);
        let expected = if popularity > 0.4 { 1.0 / weights } else { most / shared };
        close([most, shared], expected)?;
        prop_assert_eq!(counts.values().filter(|&&count| count > 1.0).count(), 50);
    }

    #[test]
    fn churned_contents_live_for_so_many_draws(churn in 0.01..0.5f64, seed in 0u64..1000) {
        let spec = format!("uniform:requests=60000,content=locality,values=7,popularity=0.5,new=0,return=0,churn={churn},seed={seed}");
        let distinct: std::collections::BTreeSet<Fingerprint> = draw(&spec).into_iter().map(|(_, content)| content[0]).collect();
        close([distinct.len() as f64 - 7.0, 60_000.0 - 7.0], churn)?;
    }
}

#[test]
fn the_pages_of_a_request_share_their_fate() {
    let writes = draw(
        "sequential:pages=64,size=16KiB,requests=3000,content=locality,values=1000,popularity=0.5,new=0.3,return=0.3,depth=1",
    );
    let mut held: BTreeMap<u64, [Vec<Fingerprint>; 4]> = BTreeMap::new();
    let (mut returns, mut neighbours) = (0, BTreeMap::new());
    for (request, content) in &writes {
        let before = held.entry(request.offset_bytes).or_default();
        let back =
            |page: usize| before[page].len() > 1 && before[page][before[page].len() - 2] == content[page];
        if (0..4).all(back) {
            returns += 1;
        }
        for (page, &print) in content.iter().enumerate() {
            before[page].push(print);
        }
        for pair in content.windows(2) {
            *neighbours.entry((pair[0], pair[1])).or_insert(0) += 1;
        }
    }
    assert!((700..1100).contains(&returns), "{returns} of 3000 requests return as a whole");
    let again = neighbours.values().filter(|&&count| count > 1).count();
    assert!(again > 500, "{again} pairs of shared contents stay neighbours");
}

#[test]
fn the_requests_are_those_without_content() {
    let plain = |spec: &str| {
        let mut source = workload(spec, &Defaults::default()).unwrap();
        let mut batch = Batch::default();
        let mut rows = Vec::new();
        while source.fill(&mut batch).unwrap() > 0 {
            rows.extend(
                batch.requests.iter().map(|request| (request.at_ns, request.operation, request.offset_bytes)),
            );
        }
        rows
    };
    let spec = "zipf:requests=5000,read=0.3,arrival=poisson,pages=5000";
    assert_eq!(plain(spec), plain(&format!("{spec},content=locality,same=0.2")));
    let again = "lx-web:requests=3000;uniform:requests=100,content=locality";
    assert_eq!(draw(again), draw(again));
}

#[test]
fn mistakes_are_named() {
    for (spec, word) in [
        ("zipf:values=10", "content=locality"),
        ("zipf:content=all", "content"),
        ("zipf:content=locality,values=0", "values"),
        ("zipf:content=locality,values=2e9", "2^28"),
        ("zipf:content=locality,return=1.5", "return"),
        ("zipf:content=locality,depth=0.5", "depth"),
        ("lx-home:content=none,churn=0.1", "churn"),
    ] {
        let Err(error) = workload(spec, &Defaults::default()) else { panic!("{spec} is accepted") };
        assert!(error.to_string().contains(word), "{spec}: {error}");
    }
    assert!(workload("lx-home:content=none", &Defaults::default()).is_ok());
    assert!(workload("lx-home:volume_bytes=1e6", &Defaults::default()).is_ok());
}

/// The stand-ins against the statistics of the paper that they were set to (docs/notebook/stand-ins.md
/// has them side by side).
#[test]
fn the_stand_ins_have_the_statistics_of_the_paper() {
    // Overwrites (Table I), recyclable share (section III.B), writes removed by an unbounded store
    // (Figure 10; not stated for web).
    let paper = [
        ("lx-home", 0.725, 0.116, Some(0.164)),
        ("lx-mail", 0.902, 0.175, Some(0.311)),
        ("lx-web", 0.836, 0.161, None),
    ];
    for (name, overwrites, recyclable, removed) in paper {
        let found =
            rewear_trace::analyse(&mut *workload(name, &Defaults::default()).unwrap()).unwrap().content;
        let recycling = found.recycling.unwrap();
        let near = |measured: f64, expected: f64, what: &str| {
            assert!((measured - expected).abs() < 0.015, "{name}: {what} {measured} instead of {expected}");
        };
        near(found.overwrite_share.unwrap(), overwrites, "overwrites");
        near(recycling.recyclable_share_second_half.unwrap(), recyclable, "recyclable pages");
        if let Some(removed) = removed {
            near(
                found.second_half.recycled as f64 / found.second_half.page_writes as f64,
                removed,
                "removed writes",
            );
        }
        let classes = &recycling.by_value_accesses;
        let probability = |at: usize| classes[at].recycled_in_second_half as f64 / classes[at].invalid as f64;
        assert!((0.007..=0.069).contains(&probability(0)), "{name}: {}", probability(0));
        assert!((8..15).all(|at| (0.26..=0.42).contains(&probability(at))), "{name}: {classes:?}");
        let popular = |count: fn(&rewear_trace::analysis::PopularityClass) -> u64| {
            let sum = |part: &[_]| part.iter().map(count).sum::<u64>() as f64;
            sum(&classes[8..]) / sum(classes)
        };
        assert!((0.208..=0.34).contains(&popular(|class| class.invalid)), "{name}");
        assert!((0.528..=0.802).contains(&popular(|class| class.recycled_in_second_half)), "{name}");
    }
}
