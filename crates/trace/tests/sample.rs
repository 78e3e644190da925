//! A sample of a workload's pages: which requests are left, where they go, and what is refused.

use rewear_trace::{
    AnySource, Batch, Defaults, Operation, PageCutter, Request, Sample, Sampled, Sampling, Source, workload,
};

const PAGE: u64 = 4096;
const PAGES: u64 = 20_000;

const SAMPLING: Sampling = Sampling {
    pages: PAGES,
    page_bytes: PAGE,
    pools: 4,
    group_pages: 20,
    sampled_pages: 990,
    reach: 64,
    seed: 5,
};

fn source(spec: &str) -> AnySource {
    workload(spec, &Defaults { pages: PAGES, page_bytes: PAGE, ..Defaults::default() }).expect("a workload")
}

/// All requests of a source, each with the length that was asked for.
fn all(source: &mut dyn Source) -> Vec<(Request, Option<u64>)> {
    let mut batch = Batch::with_limit(200);
    let mut all = Vec::new();
    while source.fill(&mut batch).expect("a batch") > 0 {
        assert!(batch.requests.len() <= 200);
        all.extend(
            batch.requests.iter().enumerate().map(|(index, request)| (*request, batch.asked_bytes(index))),
        );
    }
    all
}

fn sampled(spec: &str, sampling: Sampling) -> (Vec<(Request, Option<u64>)>, Sampled) {
    let mut sample = Sample::new(source(spec), sampling).expect("a sample");
    let requests = all(&mut sample);
    (requests, sample.sampled())
}

fn page_writes(requests: &[(Request, Option<u64>)]) -> u64 {
    let writes = requests.iter().filter(|(request, _)| request.operation.is_write());
    writes.map(|(request, _)| request.pages(PAGE).count() as u64).sum()
}

#[test]
fn a_sample_has_its_share_of_the_writes_even_where_a_few_pages_have_most() {
    // How far the busiest or calmest of five samples is from its share.
    let deviation = |spec: &str, reach| {
        let of_seed = |seed| {
            let (requests, counts) = sampled(spec, Sampling { seed, reach, ..SAMPLING });
            assert_eq!(counts.page_writes, 400_000);
            assert_eq!(counts.sampled_writes, page_writes(&requests));
            (counts.sampled_writes as f64 / 400_000.0 * PAGES as f64 / 990.0 - 1.0).abs()
        };
        (1..6).map(of_seed).fold(0.0, f64::max)
    };
    assert!(deviation("uniform:requests=400000", 1) < 0.02);
    let skewed = "zipf:theta=1.2,requests=400000";
    let (by_page, by_write) = (deviation(skewed, 1), deviation(skewed, 2048));
    assert!(by_page > 0.2 && by_write < 0.1, "{by_page} {by_write}");
}

#[test]
fn the_same_sample_comes_again_and_another_seed_has_other_pages() {
    let spec = "hot-cold:requests=50000,read=0.3";
    let mut sample = Sample::new(source(spec), SAMPLING).expect("a sample");
    let first = all(&mut sample);
    sample.rewind().expect("a second pass");
    assert_eq!(all(&mut sample), first);
    assert_ne!(sampled(spec, Sampling { seed: 6, ..SAMPLING }).0, first);
}

#[test]
fn a_pass_in_order_stays_one_and_meets_every_sampled_page_once() {
    let (requests, _) = sampled("sequential:requests=100,size=819200", SAMPLING);
    let pages: Vec<u64> = requests.iter().flat_map(|(request, _)| request.pages(PAGE)).collect();
    assert_eq!(pages, (0..990).collect::<Vec<_>>());
    // 200 pages are ten groups of which each but the few left out has its page: one piece.
    assert_eq!(requests.len(), 100);
    assert!(requests.iter().all(|&(_, asked)| asked == Some(819_200)));
}

/// Ten pages on four pools: two pools have three of them, two have two.
#[test]
fn pages_of_a_request_in_the_same_pool_are_counted() {
    let of_bytes =
        |bytes: u64| sampled(&format!("sequential:requests=100,size={bytes}"), SAMPLING).1.pool_mates;
    assert_eq!(of_bytes(PAGE), 100);
    assert_eq!(of_bytes(4 * PAGE), 400);
    assert_eq!(of_bytes(10 * PAGE), 100 * (9 + 9 + 4 + 4));
}

#[test]
fn reads_and_writes_of_a_stretch_go_to_the_same_pages() {
    let pages = |operation: &str| {
        let spec = format!("sequential:requests=37,size=2048000,read={operation}");
        let (requests, _) = sampled(&spec, Sampling { reach: 1, ..SAMPLING });
        requests.iter().map(|(request, _)| request.pages(PAGE)).collect::<Vec<_>>()
    };
    assert_eq!(pages("0"), pages("1"));
}

#[test]
fn a_part_of_a_page_stays_one() {
    let cutter = PageCutter::new(PAGE);
    for read in [0, 1] {
        let spec = format!("uniform:requests=50000,size=1024,page_bytes=1024,pages=80000,read={read}");
        let (requests, counts) = sampled(&spec, Sampling { reach: 1, ..SAMPLING });
        assert!(requests.len() > 1500, "{}", requests.len());
        for (request, _) in &requests {
            assert_eq!(request.length_bytes, 1024);
            assert_eq!(cutter.pieces(request.offset_bytes, 1024).count(), 1);
        }
        assert_eq!(counts.page_writes, 50_000 * (1 - read));
        let at = |quarter: u64| {
            requests.iter().filter(|(request, _)| request.offset_bytes % PAGE == quarter * 1024).count()
        };
        assert!((0..4).all(|quarter| at(quarter) > 300), "every part of a page is met");
    }
}

#[test]
fn what_lies_beyond_the_drive_is_an_error_behind_all_before_it() {
    let mut sample =
        Sample::new(source("sequential:requests=200,size=819200,pages=40000"), SAMPLING).expect("a sample");
    let mut batch = Batch::default();
    assert_eq!(sample.fill(&mut batch).expect("what came before"), 100);
    let error = sample.fill(&mut batch).expect_err("an error").to_string();
    assert!(error.contains("exports 81920000 bytes"), "{error}");
    assert_eq!(sample.fill(&mut batch).expect("the end"), 0);
    sample.rewind().expect("from the start");
    assert_eq!(sample.fill(&mut batch).expect("what came before"), 100);
}

#[test]
fn samplings_that_cannot_be_are_refused() {
    let wrong = [
        Sampling { sampled_pages: 0, ..SAMPLING },
        Sampling { sampled_pages: 1001, ..SAMPLING },
        Sampling { group_pages: 0, ..SAMPLING },
        Sampling { pools: 0, ..SAMPLING },
        Sampling { reach: 3, ..SAMPLING },
        Sampling { pages: 1 << 32, ..SAMPLING },
    ];
    for sampling in wrong {
        assert!(Sample::new(source("uniform"), sampling).is_err(), "{sampling:?}");
    }
}

#[test]
fn trims_and_flushes_have_their_share() {
    let mut compact = Vec::new();
    for turn in 0..1000 {
        compact.push(Request::new(turn, Operation::Flush, 0, 0));
        compact.push(Request::new(turn, Operation::Trim, turn % 10 * 2000 * PAGE, 2000 * PAGE));
    }
    let mut sample = Sample::new(Given { requests: compact, next: 0 }, SAMPLING).expect("a sample");
    let requests = all(&mut sample);
    let of = |operation| requests.iter().filter(move |(request, _)| request.operation == operation);
    assert_eq!(of(Operation::Flush).count(), 50);
    assert_eq!(of(Operation::Trim).count(), 1000);
    let trimmed: u64 = of(Operation::Trim).map(|(request, _)| request.length_bytes).sum();
    assert_eq!(trimmed, 100 * 990 * PAGE);
}

/// Requests that a test gives.
struct Given {
    requests: Vec<Request>,
    next: usize,
}

impl Source for Given {
    fn fill(&mut self, batch: &mut Batch) -> Result<usize, rewear_trace::TraceError> {
        batch.clear();
        while let Some(request) = self.requests.get(self.next).filter(|_| !batch.is_full()) {
            batch.push(*request);
            self.next += 1;
        }
        Ok(batch.requests.len())
    }

    fn rewind(&mut self) -> Result<(), rewear_trace::TraceError> {
        self.next = 0;
        Ok(())
    }

    fn description(&self) -> rewear_trace::Description {
        source("uniform").description()
    }

    fn progress(&self) -> Option<(u64, u64)> {
        None
    }
}
