//! Workloads follow their definitions, and repeat.

#![allow(clippy::unwrap_used)] // a test may stop where it stands

mod caches;

use std::collections::BTreeSet;

use crate::common::drain;
use rewear_trace::{
    Batch, COMMON_PARAMETERS, Defaults, ErrorKind, GENERATORS, Generator, Operation, Request, workload,
};

fn draw(spec: &str) -> Vec<Request> {
    drain(&mut *workload(spec, &Defaults::default()).unwrap()).unwrap()
}

fn pages(requests: &[Request]) -> Vec<u64> {
    requests.iter().map(|request| request.offset_bytes / 4096).collect()
}

fn close(measured: f64, expected: f64, tolerance: f64) {
    assert!((measured - expected).abs() <= tolerance, "{measured} instead of {expected}");
}

#[test]
fn the_same_specification_gives_the_same_requests_and_another_seed_others() {
    for spec in [
        "uniform",
        "zipf",
        "hot-cold",
        "jesd219",
        "roles",
        "flash-cache",
        "kv-cache",
        "zones:zone=64KiB,active=2",
        "sequential:arrival=diurnal,rate=1e6",
        "overwrite-regions:pages=1000",
    ] {
        let spec = if spec.contains(':') {
            format!("{spec},requests=5000")
        } else {
            format!("{spec}:requests=5000,arrival=poisson")
        };
        let one = draw(&spec);
        assert_eq!(one, draw(&spec), "{spec}");
        assert_ne!(one, draw(&format!("{spec},seed=2")), "{spec}");
        let mut source = workload(&spec, &Defaults::default()).unwrap();
        assert_eq!(drain(&mut *source).unwrap(), one);
        source.rewind().unwrap();
        assert_eq!(drain(&mut *source).unwrap(), one);
        assert_eq!(source.description().requests, Some(one.len() as u64));
    }
}

#[test]
fn a_further_pass_draws_on_and_a_rewound_one_begins_again() {
    for spec in ["uniform", "zipf", "hot-cold"] {
        let long = draw(&format!("{spec}:requests=4000"));
        let mut source = workload(&format!("{spec}:requests=2000"), &Defaults::default()).unwrap();
        let first = drain(&mut *source).unwrap();
        source.next_pass().unwrap();
        let second = drain(&mut *source).unwrap();
        assert_eq!([first.clone(), second].concat(), long, "{spec}");
        source.rewind().unwrap();
        assert_eq!(drain(&mut *source).unwrap(), first, "{spec}");
    }
}

/// The warm-up of a workload is the state of its data set, which a further pass finds written.
#[test]
fn a_further_pass_goes_on_behind_the_warm_up() {
    for (length, first_has) in [("requests=300", 364), ("volume_bytes=1200KiB", 364)] {
        let spec = |length: &str| format!("overwrite-regions:pages=64,region=0.25,{length}");
        let mut source = workload(&spec(length), &Defaults::default()).unwrap();
        let first = drain(&mut *source).unwrap();
        assert_eq!(first.len(), first_has, "{length}");
        let mut all = first.clone();
        for _ in 0..2 {
            source.next_pass().unwrap();
            all.extend(drain(&mut *source).unwrap());
        }
        assert_eq!(all, draw(&spec("requests=900")), "{length}");
        source.rewind().unwrap();
        assert_eq!(drain(&mut *source).unwrap(), first, "{length}");
    }
}

/// A region that a description leaves open is all of the drive, whatever the size of its pages.
#[test]
fn the_region_is_the_drives_in_bytes() {
    let drive = Defaults { pages: 1000, page_bytes: 4096, ..Defaults::default() };
    for (page_bytes, pages) in [(512, 8000), (4096, 1000), (16384, 250), (12288, 333), (8192 * 1024, 1)] {
        let spec = format!("sequential:page_bytes={page_bytes},requests=10000");
        let end = drain(&mut *workload(&spec, &drive).unwrap()).unwrap();
        let end = end.iter().map(|request| request.offset_bytes + request.length_bytes).max();
        assert_eq!(end, Some(pages * page_bytes), "{page_bytes}");
    }
}

#[test]
fn pages_keep_their_roles() {
    let spec =
        "roles:pages=32000,requests=200000,read=0.4,shared=0.2,only_read=0.3,shared_hits=0.25,theta=0.5";
    let requests = draw(spec);
    let mut uses = vec![[false; 2]; 32_000];
    for (request, page) in requests.iter().zip(pages(&requests)) {
        uses[page as usize][usize::from(request.operation == Operation::Write)] = true;
    }
    let of = |used: [bool; 2]| uses.iter().filter(|&&page| page == used).count() as f64 / 32_000.0;
    // Of 1000 extents 200 are shared, 300 only read, 500 only written; some pages are never hit.
    assert!(of([true, true]) <= 0.2 && of([true, true]) > 0.15, "{}", of([true, true]));
    close(of([true, false]), 0.3, 0.05);
    close(of([false, true]), 0.5, 0.05);
    // With phases no shared page is read and written in the same one.
    let phased = draw(&format!("{spec},phase=1000"));
    for phase in phased.chunks(1000) {
        let mut kinds = std::collections::BTreeMap::new();
        for (request, page) in phase.iter().zip(pages(phase)) {
            assert_eq!(*kinds.entry(page).or_insert(request.operation), request.operation);
        }
    }
    assert!(workload("roles:shared=0,shared_hits=0.1", &Defaults::default()).is_err());
    assert!(workload("roles:shared=0.5,only_read=0.5", &Defaults::default()).is_err());
    assert!(workload("roles:only_read=0", &Defaults::default()).is_err());
}

#[test]
fn sequential_goes_round() {
    assert_eq!(pages(&draw("sequential:pages=3,requests=7")), [0, 1, 2, 0, 1, 2, 0]);
    assert_eq!(pages(&draw("sequential:pages=5,requests=4,size=8KiB,offset_bytes=40960")), [10, 12, 10, 12]);
}

#[test]
fn uniform_reaches_every_page_equally() {
    let mut counts = [0u64; 100];
    for page in pages(&draw("uniform:pages=100,requests=1e6")) {
        counts[page as usize] += 1;
    }
    // The counts are binomial with a mean of 10,000: chi-square with 99 degrees of freedom stays
    // below 170 but for one seed in 100,000.
    let chi_square: f64 = counts.iter().map(|&count| (count as f64 - 1e4).powi(2) / 1e4).sum();
    assert!(chi_square < 170.0, "{chi_square}");
}

#[test]
fn zipf_ranks_have_their_probabilities() {
    let (theta, pages_in_all, requests) = (0.9, 1000u64, 1_000_000u64);
    let total: f64 = (1..=pages_in_all).map(|rank| (rank as f64).powf(-theta)).sum();
    let mut counts = vec![0u64; pages_in_all as usize];
    for page in
        pages(&draw(&format!("zipf:theta={theta},pages={pages_in_all},requests={requests},scatter=false")))
    {
        counts[page as usize] += 1;
    }
    for rank in [1u64, 2, 5, 10, 100, 500] {
        let expected = requests as f64 * (rank as f64).powf(-theta) / total;
        close(counts[rank as usize - 1] as f64, expected, 5.0 * expected.sqrt());
    }
    let mut scattered = vec![0u64; pages_in_all as usize];
    for page in pages(&draw(&format!("zipf:theta={theta},pages={pages_in_all},requests={requests}"))) {
        scattered[page as usize] += 1;
    }
    assert_ne!(counts, scattered);
    scattered.sort_unstable_by(|one, other| other.cmp(one));
    close(scattered[0] as f64, requests as f64 / total, 5.0 * (requests as f64 / total).sqrt());
}

#[test]
fn hot_pages_get_their_share() {
    let requests = draw("hot-cold:hot=10%,hits=90%,pages=1000,requests=100000,scatter=false");
    let hot = pages(&requests).into_iter().filter(|&page| page < 100).count();
    close(hot as f64, 90_000.0, 500.0);
}

#[test]
fn jesd219_parts_get_their_shares() {
    let requests = draw("jesd219:pages=1000,requests=100000");
    let at = pages(&requests);
    let part = |range: std::ops::Range<u64>| at.iter().filter(|page| range.contains(page)).count() as f64;
    close(part(0..50), 50_000.0, 500.0);
    close(part(50..200), 30_000.0, 500.0);
    close(part(200..1000), 20_000.0, 500.0);
}

#[test]
fn reads_and_sizes_are_mixed_as_asked() {
    let requests = draw("uniform:pages=1000,requests=100000,read=0.3,size=4KiB*70/64KiB*30");
    let reads = requests.iter().filter(|request| request.operation == Operation::Read).count();
    let large = requests.iter().filter(|request| request.length_bytes == 65536).count();
    close(reads as f64, 30_000.0, 800.0);
    close(large as f64, 30_000.0, 800.0);
    assert!(requests.iter().all(|request| request.end_bytes() <= 1000 * 4096));
}

#[test]
fn a_volume_of_data_ends_a_workload() {
    let requests = draw("uniform:pages=1000,volume_bytes=10MiB,size=4KiB*1/12KiB*1");
    let bytes: u64 = requests.iter().map(|request| request.length_bytes).sum();
    assert!((10 << 20..(10 << 20) + 12288).contains(&bytes));
}

#[test]
fn arrivals_keep_their_rates() {
    let times = |spec: &str| {
        draw(&format!("uniform:requests=100000,{spec}")).iter().map(|one| one.at_ns).collect::<Vec<_>>()
    };
    let seconds = |ns: u64| ns as f64 / 1e9;
    assert!(times("arrival=closed").iter().all(|&ns| ns == 0));
    assert_eq!(times("arrival=fixed,rate=3")[2..5], [666_666_666, 1_000_000_000, 1_333_333_333]);
    close(seconds(*times("arrival=poisson,rate=1000").last().unwrap()), 100.0, 1.5);
    let bursts = times("arrival=bursts,rate=1000,on_s=2,off_s=3");
    assert!(bursts.iter().all(|ns| ns % 5_000_000_000 <= 2_000_000_000), "nothing arrives in a pause");
    close(seconds(*bursts.last().unwrap()), 247.5, 6.0);
    let day = times("arrival=diurnal,rate=1000,period_s=10,swing=1");
    close(seconds(*day.last().unwrap()), 100.0, 1.5);
    let quarter =
        |from: u64| day.iter().filter(|&&ns| ns % 10_000_000_000 / 2_500_000_000 == from).count() as f64;
    // The integral of 1 + sin over the first and the third quarter.
    close(quarter(0) + quarter(1), 100_000.0 * (0.5 + 1.0 / std::f64::consts::PI), 1500.0);
}

#[test]
fn overwrite_regions_follow_section_v() {
    let requests = draw("overwrite-regions:pages=1000,region=5%,skew=0.6,requests=100000");
    let (warmup, main) = requests.split_at(1000);
    assert_eq!(pages(warmup), (0..1000).collect::<Vec<_>>());
    for request in &requests {
        let region = if request.offset_bytes / 4096 < 950 { Operation::Write } else { Operation::Overwrite };
        assert_eq!(request.operation, region);
    }
    let overwrites = main.iter().filter(|request| request.operation == Operation::Overwrite).count();
    assert_eq!(main.len(), 100_000);
    close(overwrites as f64, 60_000.0, 800.0);
    let mut counts = [0u64; 1000];
    for page in pages(main) {
        counts[page as usize] += 1;
    }
    let chi_square =
        |counts: &[u64], mean: f64| counts.iter().map(|&n| (n as f64 - mean).powi(2) / mean).sum::<f64>();
    // With 49 and 949 degrees of freedom, one seed in 100,000 is above.
    let overwritten = chi_square(&counts[950..], overwrites as f64 / 50.0);
    let written = chi_square(&counts[..950], (100_000 - overwrites) as f64 / 950.0);
    assert!(overwritten < 105.0 && written < 1145.0, "{overwritten} {written}");
}

#[test]
fn the_length_of_overwrite_regions_follows_the_warmup() {
    // Section V: a data set of 6 GB in pages of 32 KB, then 12 GB; here a thousandth of it.
    let dataset = "overwrite-regions:page_bytes=32KiB,pages=192,volume_bytes=12MiB";
    let requests = draw(dataset);
    assert_eq!(requests.len(), 192 + 384);
    assert!(requests.iter().all(|one| one.length_bytes == 32768 && one.offset_bytes % 32768 == 0));
    assert_eq!(draw(&format!("{dataset},warmup=false")).len(), 384);
}

#[test]
fn phases_follow_each_other_in_time() {
    let requests = draw(
        "sequential:pages=4,requests=4,arrival=fixed,rate=1 + uniform:requests=1e+3,read=1; sequential:requests=2,arrival=fixed,rate=1",
    );
    assert_eq!(requests.len(), 1006);
    assert!(requests.is_sorted_by_key(|request| request.at_ns));
    assert_eq!(
        (requests[3].at_ns, requests[4].at_ns, requests[1005].at_ns),
        (3_000_000_000, 3_000_000_000, 4_000_000_000)
    );
    assert!(requests[4..1004].iter().all(|request| request.operation == Operation::Read));
}

#[test]
fn wrong_specifications_are_explained() {
    for (spec, hint) in [
        ("", "zipf"),
        ("ziph", "zipf"),
        ("zipf:theta", "seed=7"),
        ("zipf:tehta=1", "theta"),
        ("zipf:theta=-1", "0 to 10"),
        ("zipf:theta=nan", "skew"),
        ("zipf:pages=0", "least"),
        ("zipf:pages=1e30", "whole number"),
        ("uniform:theta=1", "no parameter"),
        ("uniform:read=2", "0 to 1"),
        ("uniform:size=100", "512"),
        ("uniform:pages=1,size=8KiB", "region"),
        ("uniform:size=4KiB*0", "weight"),
        ("uniform:arrival=never", "poisson"),
        ("uniform:rate=5", "arrival=fixed"),
        ("uniform:arrival=poisson,swing=0.5", "arrival=diurnal"),
        ("uniform:requests=0", "least"),
        ("uniform:requests=5,requests=6", "twice"),
        ("uniform:requests=5,volume_bytes=4096", "one of them"),
        ("uniform:page_bytes=1000", "512"),
        ("uniform:offset_bytes=1", "page_bytes"),
        ("uniform:pages=1e15,page_bytes=1MiB", "2^62"),
        ("hot-cold:hot=0", "part"),
        ("overwrite-regions:region=1", "region"),
        ("overwrite-regions:read=0.5", "single pages"),
        ("sequential:seed=x", "whole number"),
    ] {
        let error =
            workload(spec, &Defaults::default()).err().unwrap_or_else(|| panic!("{spec} is accepted"));
        assert!(error.kind == ErrorKind::Parameter && error.to_string().contains(hint), "{spec}: {error}");
    }
}

const PROFILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments/workloads/lx/mail.toml");

/// Whether reads and request sizes are refused.
fn writes_single_pages(generator: &Generator) -> bool {
    generator.name == "overwrite-regions" || generator.parameters.iter().any(|row| row.name == "fill")
}

#[test]
fn every_parameter_of_the_tables_is_accepted_at_its_default() {
    for generator in GENERATORS {
        for parameter in generator.parameters.iter().chain(COMMON_PARAMETERS) {
            let value = match parameter.name {
                // Room for a region.
                "pages" if generator.name == "flash-cache" => "10000",
                "pages" if generator.name == "kv-cache" => "1000000",
                "size" if generator.name == "flash-cache" => continue,
                "size" | "read" | "values" | "popularity" | "new" | "return" | "depth" | "same" | "churn"
                    if generator.name == "kv-cache" =>
                {
                    continue;
                }
                "pages" | "dataset_pages" => "1000",
                "page_bytes" => "4096",
                "size" | "read" if writes_single_pages(generator) => continue,
                "size" => "4KiB",
                "requests" | "writes" | "volume_bytes" => "10000",
                _ => parameter.default,
            };
            let arrival = match parameter.name {
                "rate" => ",arrival=fixed",
                "on_s" | "off_s" => ",arrival=bursts",
                "period_s" | "swing" => ",arrival=diurnal",
                "values" | "popularity" | "new" | "return" | "depth" | "same" | "churn" => {
                    ",content=locality"
                }
                _ => "",
            };
            // A stand-in takes what its profile does not decide, and nothing without a profile.
            let spec = match (generator.name, parameter.name) {
                ("stand-in", "profile") => format!("stand-in:profile={PROFILE}"),
                ("stand-in", "offset_bytes" | "requests" | "seed" | "content") => {
                    format!("stand-in:profile={PROFILE},{}={value}", parameter.name)
                }
                ("stand-in", _) | ("zones", "read") => continue,
                // The default is that of a drive.
                ("zones", "zone") => "zones:zone=16KiB".to_owned(),
                ("zones", name) => format!("zones:zone=16KiB,{name}={value}{arrival}"),
                (name, _) => format!("{name}:{}={value}{arrival}", parameter.name),
            };
            assert!(workload(&spec, &Defaults::default()).is_ok(), "{spec}");
        }
    }
}

#[test]
fn requests_of_several_phases_add_up_without_overflow() {
    let source =
        workload("uniform:requests=18446744073709551615;uniform:requests=1", &Defaults::default()).unwrap();
    assert_eq!(source.description().requests, Some(u64::MAX));
    assert_eq!(source.progress(), Some((0, u64::MAX)));
}

#[test]
fn content_of_a_region_that_memory_does_not_hold_is_refused() {
    for (spec, word) in
        [("uniform:content=locality,pages=1e9", "256 GiB"), ("uniform:content=locality,values=1e9", "2^28")]
    {
        let error = workload(spec, &Defaults::default()).err().unwrap().to_string();
        assert!(error.contains(word), "{error}");
    }
    assert!(workload("uniform:content=locality,pages=67108864", &Defaults::default()).is_ok());
}

#[test]
fn requests_carry_the_placement_identifiers_that_are_asked_for() {
    let identifiers = |spec: &str| -> Vec<u8> { draw(spec).iter().map(|request| request.stream).collect() };
    let two = identifiers("uniform:requests=1500,stream=3;zipf:requests=1500");
    assert_eq!(two, [vec![3; 1500], vec![0; 1500]].concat());
    let spec = "hot-cold:pages=1000,hot=0.1,hits=0.7,scatter=false,requests=5000";
    let requests = draw(&format!("{spec},stream=component"));
    assert!(
        requests.iter().zip(pages(&requests)).all(|(request, page)| request.stream == u8::from(page >= 100))
    );
    // Identifiers change nothing else.
    assert_eq!(pages(&requests), pages(&draw(spec)));
    for (spec, says) in [("uniform:stream=256", "0 to 255"), ("zipf:stream=component", "hot-cold")] {
        let error = workload(spec, &Defaults::default()).err().unwrap();
        assert!(format!("{} {}", error.problem, error.remedy).contains(says), "{error:?}");
    }
}
