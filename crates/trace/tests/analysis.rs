//! Analyses of whole traces: recorded ones against other counts of them, made-up ones against what
//! they are made to be.

#![allow(clippy::unwrap_used)] // a test may stop where it stands

use std::path::Path;

use crate::common::recorded_traces;
use proptest::prelude::*;
use rewear_trace::analysis::{Analysis, Class};
use rewear_trace::{
    Batch, Defaults, Description, Kind, OpenOptions, Operation, Request, Source, TraceError, analyse, info,
    open, workload,
};

/// The traces of the repository.
fn shipped(name: &str) -> Analysis {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../recordings").join(name);
    analyse(&mut *open(&path, &OpenOptions::default()).unwrap()).unwrap()
}

/// Requests in memory.
struct Listed {
    requests: Vec<Request>,
    volumes: Vec<String>,
    next: usize,
}

impl Listed {
    fn new(requests: Vec<Request>, volumes: &[&str]) -> Self {
        Self { requests, volumes: volumes.iter().map(|&name| name.to_owned()).collect(), next: 0 }
    }
}

impl Source for Listed {
    fn fill(&mut self, batch: &mut Batch) -> Result<usize, TraceError> {
        batch.clear();
        let end = (self.next + 7).min(self.requests.len());
        self.requests[self.next..end].iter().for_each(|&request| batch.push(request));
        self.next = end;
        Ok(batch.requests.len())
    }
    fn rewind(&mut self) -> Result<(), TraceError> {
        self.next = 0;
        Ok(())
    }
    fn description(&self) -> Description {
        Description {
            name: "listed".to_owned(),
            format: "memory".to_owned(),
            kind: Kind::Trace,
            timed: true,
            requests: None,
            time_unit: String::new(),
            note: String::new(),
        }
    }
    fn progress(&self) -> Option<(u64, u64)> {
        None
    }
    fn volumes(&self) -> &[String] {
        &self.volumes
    }
}

fn of_workload(spec: &str) -> Analysis {
    analyse(&mut *workload(spec, &Defaults::default()).unwrap()).unwrap()
}

fn total(classes: &[Class]) -> u64 {
    classes.iter().map(|class| class.count).sum()
}

#[test]
fn the_recordings_with_content_are_as_their_readme_says() {
    for (name, requests, page_writes, recycled, popular) in [
        ("home.rwt", 140_580, 704_765, 0.359, 0.401),
        ("mail.rwt", 462_054, 911_843, 0.145, 0.815),
        ("web.rwt", 95_819, 385_325, 0.250, 0.135),
    ] {
        let found = shipped(name);
        assert_eq!(found.operations.iter().map(|operation| operation.requests).sum::<u64>(), requests);
        assert_eq!(found.content.whole.page_writes, page_writes);
        let recycling = found.content.recycling.unwrap();
        assert_eq!(recycling.writes_with_content, page_writes, "{name}: every write has content");
        assert!((recycling.removed_share.unwrap() - recycled).abs() < 0.0006, "{name}: {recycling:?}");
        let hot: u64 = recycling.by_value_accesses[8..].iter().map(|class| class.recycled).sum();
        let share = hot as f64 / found.content.whole.recycled as f64;
        assert!((share - popular).abs() < 0.0006, "{name}: {share}");
        // The page cache stood between program and record: what a page holds is hardly ever written
        // again.
        assert!(recycling.writes_of_same_content * 100 < page_writes, "{name}: {recycling:?}");
    }
}

/// Counted by hand with a list of the invalid pages' digests that is searched for every write.
#[test]
fn the_digests_of_an_fiu_trace_are_used() {
    let Some(folder) = recorded_traces() else { return };
    let path = folder.join("fiu_mail_cheetah_first9998.blkparse.xz");
    let found = analyse(&mut *open(&path, &OpenOptions::default()).unwrap()).unwrap();
    let whole = found.content.whole;
    assert_eq!((whole.page_writes, whole.invalidated, whole.recycled), (1_102, 214, 58));
}

#[test]
fn the_recorded_day_is_as_its_readme_says() {
    let found = shipped("day.rwt");
    let requests: Vec<u64> = found.operations.iter().map(|operation| operation.requests).collect();
    assert_eq!(requests, [91_902, 372_346, 30_807, 62_210]);
    assert_eq!(found.rewrites.page_writes, 1_856_812);
    assert_eq!(found.arrivals.duration_ns / 1_000_000_000, 492);
    assert_eq!(found.footprint.pages.only_written + found.footprint.pages.shared, 258_127);
}

#[test]
fn figures_agree_with_each_other_and_with_the_counts_of_every_trace() {
    let Some(folder) = recorded_traces() else { return };
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "xz"));
    files.sort();
    assert!(!files.is_empty());
    for file in files {
        let mut source = open(&file, &OpenOptions::default()).unwrap();
        let (found, counted) = (analyse(&mut *source).unwrap(), info(&mut *source).unwrap());
        let name = file.display();
        assert_eq!(found.rewrites.page_writes, counted.write.pages, "{name}");
        assert_eq!(found.rewrites.first_writes, counted.distinct_pages_written, "{name}");
        let reads: u64 = found.footprint.regions.iter().map(|region| region.page_reads).sum();
        assert_eq!(reads, counted.read.pages, "{name}");
        assert_eq!(total(&found.rewrites.pages_written), found.rewrites.rewrites, "{name}");
        let requests: u64 = found
            .arrivals
            .intervals
            .iter()
            .map(|interval| interval.reads + interval.writes + interval.trims + interval.flushes)
            .sum();
        assert_eq!(requests, counted.requests, "{name}");
        let regions: u64 = found.footprint.regions.iter().map(|region| region.pages.total()).sum();
        assert_eq!(regions, found.footprint.pages.total(), "{name}");
    }
}

#[test]
fn a_sequential_workload_comes_round_after_the_whole_region() {
    let found = of_workload("sequential:requests=3000,pages=1000,page_bytes=4096");
    assert_eq!(found.rewrites.rewrites, 2000);
    let [class] = found.rewrites.pages_written[..] else { panic!("all distances are 999") };
    assert_eq!((class.up_to, class.count), (1024, 2000));
}

#[test]
fn a_uniform_workload_is_even_and_a_zipf_workload_is_not() {
    let [uniform, zipf] = ["uniform:", "zipf:theta=1,"]
        .map(|generator| format!("{generator}requests=200000,pages=2000,page_bytes=4096"));
    // The share of the accesses that the tenth of the pages with most of them receives.
    let hot = |spec: &str| {
        let mut source = workload(spec, &Defaults::default()).unwrap();
        let (mut batch, mut counts) = (Batch::default(), vec![0u32; 2000]);
        while source.fill(&mut batch).unwrap() > 0 {
            batch.requests.iter().for_each(|request| counts[(request.offset_bytes / 4096) as usize] += 1);
        }
        counts.sort_unstable();
        f64::from(counts[1800..].iter().sum::<u32>()) / 200_000.0
    };
    assert!((0.10..0.13).contains(&hot(&uniform)), "{}", hot(&uniform));
    // Harmonic numbers: H(200) / H(2000) = 5.878 / 8.178.
    assert!((hot(&zipf) - 0.719).abs() < 0.03, "{}", hot(&zipf));
    let uniform = of_workload(&uniform);
    // Under uniform writes to n pages, distances between writes of a page average n - 1.
    let data = &uniform.rewrites.pages_written;
    let median = data.iter().scan(0, |sum, class| {
        *sum += class.count;
        Some((class.up_to, *sum))
    });
    let half = median.into_iter().find(|&(_, sum)| 2 * sum >= uniform.rewrites.rewrites).unwrap().0;
    assert_eq!(half, 2048, "the median of a geometric distribution of mean 2000 is 1386");
}

#[test]
fn volumes_lie_side_by_side() {
    let on = |volume, operation, offset| {
        let mut request = Request::new(0, operation, offset, 4096);
        request.volume = volume;
        request
    };
    let requests = vec![
        on(0, Operation::Write, 0),
        on(1, Operation::Read, 0),
        on(1, Operation::Write, 8192),
        on(0, Operation::Read, 0),
    ];
    let found = analyse(&mut Listed::new(requests, &["a", "b"])).unwrap();
    let pages = found.footprint.pages;
    assert_eq!((pages.only_read, pages.only_written, pages.shared), (1, 1, 1));
    let volumes: Vec<_> = found
        .footprint
        .volumes
        .iter()
        .map(|volume| (volume.name.as_str(), volume.first_byte, volume.bytes))
        .collect();
    assert_eq!(volumes, [("a", 0, 4096), ("b", 1 << 20, 12_288)]);
    assert_eq!(found.rewrites.rewrites, 0);
}

#[test]
fn nothing_to_analyse_is_no_trouble_and_an_impossible_request_is_an_error() {
    for requests in [vec![], vec![Request::flush(5)], vec![Request::new(0, Operation::Trim, 0, 1 << 60)]] {
        let found = analyse(&mut Listed::new(requests, &[])).unwrap();
        assert_eq!(found.footprint.regions, []);
        assert_eq!(found.overlap.shared_share, None);
    }
    let long = Request::new(0, Operation::Write, 0, 1 << 40);
    let error = analyse(&mut Listed::new(vec![Request::flush(0), long], &[])).unwrap_err().to_string();
    assert!(error.contains("record 2"), "{error}");
}

fn any_request() -> impl Strategy<Value = Request> {
    let address = prop_oneof![0u64..1 << 16, 0u64..1 << 40, any::<u64>()];
    let length = prop_oneof![0u64..20_000, 0u64..1 << 22];
    (any::<u64>(), 0..Operation::ALL.len(), address, length, 0u16..4).prop_map(
        |(at_ns, operation, offset, length, volume)| {
            let mut request = Request::new(at_ns, Operation::ALL[operation], offset, length);
            request.volume = volume;
            request
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]
    #[test]
    fn any_requests_give_figures_without_a_hole(requests in prop::collection::vec(any_request(), 0..40)) {
        // Volumes of nearly 2^64 bytes exceed the address space together: an error is right then.
        if let Ok(found) = analyse(&mut Listed::new(requests.clone(), &[])) {
            let json = serde_json::to_string(&found).unwrap();
            prop_assert!(!json.contains("NaN"));
            prop_assert_eq!(&found, &analyse(&mut Listed::new(requests, &[])).unwrap());
            let cells = |grid: &[Vec<u64>]| grid.iter().flatten().sum::<u64>();
            let pages: u64 = found.overlap.intervals.iter().map(|roles| roles.total()).sum();
            prop_assert!(cells(&found.overlap.page_reads) + cells(&found.overlap.page_writes) >= pages);
        }
    }
}
