//! Uniform random page writes at steady state: the whole replay against loops that only count.
//!
//! `counts` is a greedy page-mapped translation layer without time, statistics or legality; `map` is the bare update of a
//! map, an inverse map and counts. All three run in turn in the same process, several rounds; the medians are compared.
//! Prints one JSON object a line: name, value, unit, compared_with, ratio.

mod counts_only;

use std::hint::black_box;
use std::time::Instant;

use counts_only::{BareMap, CountsOnly, Uniform};
use rewear_sim::{Drive, ReplayOptions, options::PreconditionKind, replay};
use rewear_trace::Defaults;

struct Size {
    name: &'static str,
    channels: u32,
    dies_per_channel: u32,
    blocks_per_plane: u32,
    writes: u64,
    rounds: usize,
}

const PAGES_PER_BLOCK: u32 = 128;
const OVER_PROVISIONING: f64 = 0.28;

fn main() {
    let large = std::env::args().any(|argument| argument == "large");
    let mut sizes = vec![Size {
        name: "1M_pages",
        channels: 4,
        dies_per_channel: 2,
        blocks_per_plane: 1024,
        writes: 8_000_000,
        rounds: 5,
    }];
    if large {
        sizes.push(Size {
            name: "16M_pages",
            channels: 8,
            dies_per_channel: 4,
            blocks_per_plane: 4096,
            writes: 16_000_000,
            rounds: 3,
        });
    }
    for size in &sizes {
        measure(size);
    }
}

fn measure(size: &Size) {
    let blocks = size.channels * size.dies_per_channel * size.blocks_per_plane;
    let logical = (f64::from(blocks * PAGES_PER_BLOCK) / (1.0 + OVER_PROVISIONING)) as u32;
    let mut rng = Uniform::new(1);
    let mut counts = CountsOnly::new(blocks, PAGES_PER_BLOCK, logical);
    (0..logical).for_each(|lpn| counts.write(lpn));
    (0..6 * u64::from(logical)).for_each(|_| counts.write(rng.below(logical)));
    let mut map = BareMap::new(blocks, PAGES_PER_BLOCK, logical);

    let (mut count_s, mut map_s, mut replay_s) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..size.rounds {
        count_s.push(seconds(|| (0..size.writes).for_each(|_| counts.write(rng.below(logical)))));
        map_s.push(seconds(|| (0..size.writes).for_each(|_| map.update(rng.below(logical)))));
        replay_s.push(replay_seconds(size));
    }
    black_box((&counts, &map));
    let per_second = |mut seconds: Vec<f64>| {
        seconds.sort_by(f64::total_cmp);
        size.writes as f64 / seconds[seconds.len() / 2]
    };
    let (counts_rate, map_rate, rate) = (per_second(count_s), per_second(map_s), per_second(replay_s));
    for (compared_with, other) in [("counts_only_loop", counts_rate), ("bare_map_update", map_rate)] {
        println!(
            r#"{{"name": "uniform_writes_{}", "value": {rate:.0}, "unit": "host pages/s", "compared_with": "{compared_with} ({other:.0}/s)", "ratio": {:.3}}}"#,
            size.name,
            rate / other
        );
    }
}

/// Time of the replay proper: preconditioning is left out by watching for its end.
fn replay_seconds(size: &Size) -> f64 {
    let toml = format!(
        r#"
        name = "bench"
        [flash]
        channels = {}
        dies_per_channel = {}
        planes_per_die = 1
        blocks_per_plane = {}
        pages_per_block = {PAGES_PER_BLOCK}
        page_bytes = 8192
        bits_per_cell = 2
        timing = {{ read_ns = [50_000], program_ns = [500_000, 1_000_000], erase_ns = 3_000_000, channel_mb_per_s = 400 }}
        [ftl]
        over_provisioning = {OVER_PROVISIONING}
        "#,
        size.channels, size.dies_per_channel, size.blocks_per_plane
    );
    let drive = Drive::from_toml(&toml, "bench", &[]).expect("a valid drive");
    let pages = f64::from(size.channels * size.dies_per_channel * size.blocks_per_plane * PAGES_PER_BLOCK);
    let defaults = Defaults {
        pages: (pages / (1.0 + OVER_PROVISIONING)) as u64,
        page_bytes: 8192,
        requests: size.writes,
        seed: 7,
    };
    let mut workload = rewear_trace::workload("uniform", &defaults).expect("a valid workload");
    let options = ReplayOptions { precondition: PreconditionKind::Steady, ..ReplayOptions::default() };
    let mut began = None;
    let report = replay(&drive, &mut workload, &options, &mut |progress| {
        if progress.stage == rewear_sim::replay::Stage::Replay && began.is_none() {
            began = Some((Instant::now(), progress.done));
        }
        true
    })
    .expect("a complete replay");
    let (began, already_done) = began.expect("progress was reported");
    let elapsed = began.elapsed().as_secs_f64();
    assert!(report.garbage_collections > 0);
    elapsed * size.writes as f64 / (size.writes - already_done) as f64
}

fn seconds(work: impl FnOnce()) -> f64 {
    let began = Instant::now();
    work();
    began.elapsed().as_secs_f64()
}
