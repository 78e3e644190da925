//! Uniform random page writes at steady state: the whole replay against loops that only count.
//!
//! `counts` is a greedy page-mapped translation layer without time, statistics or legality;
//! `fetched` is the same, which knows the writes that come and has its tables in the cache then;
//! `map` is the bare update of a map, an inverse map and counts. They run in turn with the replay,
//! and with one that keeps no time, in the same process, several rounds; the medians are compared.
//! Prints one JSON object a line: name, value, unit, compared_with, ratio.
//!
//! `only NAME WRITES` carries out one of them (or `replay`, `no_time`) on a million pages: for
//! `valgrind --tool=cachegrind --cache-sim=yes`, with two numbers of writes.

mod counts_only;
mod timed;
mod timed_replay;

use std::hint::black_box;
use std::time::Instant;

use rewear_sim::ReplayOptions;

use counts_only::{BareMap, CountsOnly, Uniform};
use timed::median;
use timed_replay::{Array, PAGES_PER_BLOCK};

const MILLION: Array = Array { channels: 4, dies_per_channel: 2, planes_per_die: 1, blocks_per_plane: 1024 };

struct Size {
    name: &'static str,
    array: Array,
    writes: u64,
    rounds: usize,
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let [_, only, name, writes, ..] = arguments.as_slice()
        && only == "only"
    {
        return once(name, writes.parse().expect("a number of writes"));
    }
    let large = arguments.iter().any(|argument| argument == "large");
    let mut sizes = vec![Size { name: "1M_pages", array: MILLION, writes: 8_000_000, rounds: 5 }];
    if large {
        sizes.push(Size {
            name: "16M_pages",
            array: Array { channels: 8, dies_per_channel: 4, planes_per_die: 1, blocks_per_plane: 4096 },
            writes: 16_000_000,
            rounds: 3,
        });
    }
    for size in &sizes {
        measure(size);
    }
}

fn measure(size: &Size) {
    let (blocks, logical) = (size.array.blocks(), size.array.logical_pages());
    let mut rng = Uniform::new(1);
    let mut counts = steady(&size.array, &mut rng);
    let mut map = BareMap::new(blocks, PAGES_PER_BLOCK, logical);

    let [mut count_s, mut fetched_s, mut map_s, mut replay_s, mut untimed_s] = [(); 5].map(|()| Vec::new());
    for _ in 0..size.rounds {
        count_s.push(seconds(|| (0..size.writes).for_each(|_| counts.write(rng.below(logical)))));
        fetched_s.push(seconds(|| counts.write_ahead(&mut rng, size.writes)));
        map_s.push(seconds(|| (0..size.writes).for_each(|_| map.update(rng.below(logical)))));
        for (no_time, times) in [(false, &mut replay_s), (true, &mut untimed_s)] {
            let options = ReplayOptions { no_time, ..ReplayOptions::default() };
            times.push(timed_replay::seconds(&size.array, "", "uniform", size.writes, options));
        }
    }
    black_box((&counts, &map));
    let per_second = |seconds: Vec<f64>| size.writes as f64 / median(seconds);
    let (counts_rate, map_rate, rate) = (per_second(count_s), per_second(map_s), per_second(replay_s));
    let (untimed_rate, fetched_rate) = (per_second(untimed_s), per_second(fetched_s));
    for (mode, rate, compared_with, other) in [
        ("", rate, "counts_only_loop", counts_rate),
        ("", rate, "bare_map_update", map_rate),
        ("no_time_", untimed_rate, "counts_only_loop", counts_rate),
        ("no_time_", untimed_rate, "fetched_ahead_loop", fetched_rate),
        ("no_time_", untimed_rate, "bare_map_update", map_rate),
    ] {
        println!(
            r#"{{"name": "uniform_writes_{mode}{}", "value": {rate:.0}, "unit": "host pages/s", "compared_with": "{compared_with} ({other:.0}/s)", "ratio": {:.3}}}"#,
            size.name,
            rate / other
        );
    }
}

/// A layer at its steady state.
fn steady(array: &Array, rng: &mut Uniform) -> CountsOnly {
    let logical = array.logical_pages();
    let mut counts = CountsOnly::new(array.blocks(), PAGES_PER_BLOCK, logical);
    (0..logical).for_each(|lpn| counts.write(lpn));
    (0..6 * u64::from(logical)).for_each(|_| counts.write(rng.below(logical)));
    counts
}

/// One of what is compared, for a tool that counts.
fn once(name: &str, writes: u64) {
    let (mut rng, logical) = (Uniform::new(1), MILLION.logical_pages());
    match name {
        "counts" | "fetched" => {
            let mut counts = steady(&MILLION, &mut rng);
            match name {
                "counts" => (0..writes).for_each(|_| counts.write(rng.below(logical))),
                _ => counts.write_ahead(&mut rng, writes),
            }
            black_box(&counts);
        }
        "map" => {
            let mut map = BareMap::new(MILLION.blocks(), PAGES_PER_BLOCK, logical);
            (0..writes).for_each(|_| map.update(rng.below(logical)));
            black_box(&map);
        }
        "replay" | "no_time" => {
            let options = ReplayOptions { no_time: name == "no_time", ..ReplayOptions::default() };
            timed_replay::seconds(&MILLION, "", "uniform", writes, options);
        }
        _ => panic!("{name}: give counts, fetched, map, replay or no_time"),
    }
}

fn seconds(work: impl FnOnce()) -> f64 {
    let began = Instant::now();
    work();
    began.elapsed().as_secs_f64()
}
