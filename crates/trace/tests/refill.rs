//! Refills and the micro-benchmarks named after the WOM-v paper follow their definitions.

#![allow(clippy::unwrap_used)] // a test may stop where it stands

use crate::common::drain;
use proptest::prelude::*;
use rewear_trace::{Defaults, ErrorKind, Operation, workload};

const PAGE_BYTES: u64 = 4096;

/// The pages that are written. Every request must be a write of one page.
fn pages(spec: &str) -> Vec<u64> {
    let requests = drain(&mut *workload(spec, &Defaults::default()).unwrap()).unwrap();
    assert!(requests.iter().all(|one| one.operation == Operation::Write && one.length_bytes == PAGE_BYTES));
    requests.iter().map(|request| request.offset_bytes / PAGE_BYTES).collect()
}

fn sorted(pages: &[u64]) -> Vec<u64> {
    let mut pages = pages.to_vec();
    pages.sort_unstable();
    pages
}

/// The chosen pages by their definition.
fn chosen(pages: u64, part: f64, choose: &str) -> Vec<u64> {
    let count = (part * pages as f64).round() as u64;
    (0..count).map(|index| if choose == "strided" { index * pages / count } else { index }).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_pass_visits_every_chosen_page_once(
        region in 1u64..3000,
        part in 0.0f64..=1.0,
        choose in prop::sample::select(vec!["contiguous", "strided"]),
        order in prop::sample::select(vec!["sequential", "permutation", "fixed-permutation"]),
        fill in any::<bool>(),
        seed in any::<u32>(),
    ) {
        let expected = chosen(region, part, choose);
        prop_assume!(!expected.is_empty());
        prop_assert!(expected.is_sorted_by(|one, next| one < next) && *expected.last().unwrap() < region);
        let requests = 4 * expected.len();
        let spec = format!(
            "refill:pages={region},part={part},choose={choose},order={order},fill={fill},seed={seed},requests={requests}"
        );
        let all = pages(&spec);
        prop_assert_eq!(&all, &pages(&spec), "the same again");
        let (first, passes) = all.split_at(if fill { region as usize } else { 0 });
        prop_assert!(first.iter().copied().eq(0..first.len() as u64), "the fill is in address order");
        prop_assert_eq!(passes.len(), requests);
        let passes: Vec<&[u64]> = passes.chunks(expected.len()).collect();
        for pass in &passes {
            prop_assert_eq!(&sorted(pass), &expected);
            if order == "sequential" {
                prop_assert_eq!(*pass, &expected[..]);
            }
            if order == "fixed-permutation" {
                prop_assert_eq!(*pass, passes[0]);
            }
        }
    }
}

#[test]
fn permutations_are_drawn_afresh_for_each_pass_and_seed() {
    let spec = "refill:pages=1000,fill=false,order=permutation,requests=3000";
    let all = pages(spec);
    let (one, two, three) = (&all[..1000], &all[1000..2000], &all[2000..]);
    assert!(one != two && two != three && one != three);
    assert!(!one.is_sorted());
    // A random permutation has one fixed point on average.
    let still = one.iter().zip(two).filter(|(one, two)| one == two).count();
    assert!(still < 10, "{still} pages keep their place");
    for order in ["permutation", "fixed-permutation", "uniform"] {
        let spec = format!("refill:pages=1000,order={order},requests=1000");
        assert_ne!(pages(&spec), pages(&format!("{spec},seed=2")), "{order}");
    }
}

#[test]
fn passes_end_where_the_length_says() {
    // Two and a half passes, behind the fill.
    assert_eq!(pages("refill:pages=4,requests=5"), [0, 1, 2, 3, 0, 1, 2, 3, 0]);
    assert_eq!(pages("refill:pages=4,volume_bytes=20KiB"), [0, 1, 2, 3, 0, 1, 2, 3, 0]);
    assert_eq!(pages("refill:pages=4,part=50%,choose=strided,fill=false,requests=5"), [0, 2, 0, 2, 0]);
    assert_eq!(pages("refill:pages=5,part=40%,choose=strided,fill=false,requests=4"), [0, 2, 0, 2]);
    let source = workload("refill:pages=1000,volume_bytes=1MiB", &Defaults::default()).unwrap();
    assert_eq!(source.description().requests, Some(1256));
}

#[test]
fn uniform_rewrites_hit_chosen_pages_equally() {
    for choose in ["contiguous", "strided"] {
        let expected = chosen(200, 0.5, choose);
        let spec = format!("refill:pages=200,part=0.5,choose={choose},order=uniform,requests=1e6");
        let mut counts = [0u64; 200];
        for page in &pages(&spec)[200..] {
            counts[*page as usize] += 1;
        }
        assert_eq!(
            counts.iter().sum::<u64>(),
            expected.iter().map(|&page| counts[page as usize]).sum::<u64>()
        );
        // Chi-square with 99 degrees of freedom stays below 170 but for one seed in 100,000.
        let chi_square: f64 =
            expected.iter().map(|&page| (counts[page as usize] as f64 - 1e4).powi(2) / 1e4).sum();
        assert!(chi_square < 170.0, "{chi_square}");
    }
}

#[test]
fn overlapping_passes_are_those_of_the_released_generator() {
    // Its loop, as github.com/uoftsystems/womv prints pages: 100 in order, then 10 back.
    let mut released = Vec::new();
    for _ in 0..3 {
        let (mut page, mut of_segment) = (0, 0);
        while page < 1234 {
            if of_segment == 100 {
                of_segment = 0;
                page -= 10;
            }
            released.push(page);
            of_segment += 1;
            page += 1;
        }
    }
    let spec = format!("hot-s:order=overlapping,pages=1234,requests={}", released.len());
    assert_eq!(pages(&spec), released);
}

#[test]
fn windows_are_a_run_in_order_and_draws_from_a_window_in_turn() {
    let all = pages("hot-s:order=windows,pages=1234,requests=200000");
    let mut counts = [0u64; 1234];
    for (number, run) in all.chunks(100).enumerate() {
        let first = *run.iter().min().unwrap();
        if number % 2 == 0 {
            assert_eq!(first % 100, 0);
            assert!(run.iter().copied().eq(first..first + 100), "{number}");
        } else {
            assert!(run.iter().all(|&page| page < first + 100), "{number}");
            // 100 draws of 100 pages leave out 37 of them on average.
            let distinct = run.iter().collect::<std::collections::HashSet<_>>().len();
            assert!((40..90).contains(&distinct), "{distinct}");
        }
        run.iter().for_each(|&page| counts[page as usize] += 1);
    }
    assert!(counts.iter().all(|&count| count > 0), "every page is in a run or in a window");
    assert_eq!(pages("hot-s:order=windows,pages=3,requests=60").iter().max(), Some(&2), "a small region");
}

#[test]
fn the_micro_benchmarks_are_the_refills_they_are_said_to_be() {
    for (name, refill) in [
        ("hot-s", "order=sequential,part=1,choose=contiguous,fill=false"),
        ("hot-r", "order=fixed-permutation,part=1,choose=contiguous,fill=false"),
        ("cold", "order=sequential,part=0.2,choose=contiguous,fill=true"),
        ("low-gc", "order=uniform,part=0.5,choose=contiguous,fill=true"),
        ("high-gc", "order=uniform,part=1,choose=contiguous,fill=true"),
    ] {
        let common = "pages=1000,requests=5000,seed=3";
        assert_eq!(pages(&format!("{name}:{common}")), pages(&format!("refill:{refill},{common}")), "{name}");
    }
    assert_eq!(
        pages("cold:part=10%,choose=strided,pages=100,requests=100"),
        pages("refill:part=0.1,choose=strided,pages=100,requests=100"),
        "what a micro-benchmark presets can be chosen otherwise"
    );
}

#[test]
fn wrong_refills_are_explained() {
    for (spec, hint) in [
        ("refill:order=random", "fixed-permutation"),
        ("refill:choose=every", "strided"),
        ("refill:part=0", "above 0"),
        ("refill:part=1.1", "outside 0 to 1"),
        ("refill:part=0.1,pages=4", "rewrites none of 4"),
        ("refill:fill=maybe", "neither true nor false"),
        ("refill:read=0.5", "single pages"),
        ("hot-r:size=64KiB", "single pages"),
        ("low-gc:hot=0.5", "its parameters are: order, part, choose, fill"),
        ("hot", "hot-r"),
    ] {
        let error =
            workload(spec, &Defaults::default()).err().unwrap_or_else(|| panic!("{spec} is accepted"));
        assert!(error.kind == ErrorKind::Parameter && error.to_string().contains(hint), "{spec}: {error}");
    }
}
