//! What threads give a served drive, without a transport: 4 KiB random writes, for a second each.
//!
//! Under dynamic striping the drive is one state under one lock, under static striping it has a
//! lock for each channel. Threads write anywhere, or each to channels of its own, whose state stays
//! in its processor's cache. Prints one JSON object a line.

use std::time::{Duration, Instant};

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_live::{LiveDrive, LiveOptions};
use rewear_sim::Drive;

const ROUNDS: usize = 3;
const TIME: Duration = Duration::from_secs(1);
/// Writes between two looks at the clock.
const TURN: u64 = 64;

fn main() {
    let drives = [("one_lock", open("dynamic")), ("lock_a_channel", open("static-die"))];
    for (name, drive) in &drives {
        let mut found = [const { Vec::new() }; 3];
        for _ in 0..ROUNDS {
            found[0].push(writes_a_second(drive, 1, 1));
            found[1].push(writes_a_second(drive, 2, 1));
            found[2].push(writes_a_second(drive, 2, 2));
        }
        let [alone, anywhere, apart] = found.map(|mut rates: Vec<f64>| {
            rates.sort_by(f64::total_cmp);
            rates[ROUNDS / 2]
        });
        for (where_to, rate) in [("anywhere", anywhere), ("apart", apart)] {
            println!(
                r#"{{"name": "live_two_threads_{name}_{where_to}", "value": {rate:.0}, "unit": "writes/s", "compared_with": "one thread ({alone:.0}/s)", "ratio": {:.3}}}"#,
                rate / alone
            );
        }
    }
}

/// A plain drive of sixteen channels, filled.
#[allow(clippy::expect_used)] // The configuration is here.
fn open(striping: &str) -> LiveDrive {
    let toml = include_str!("../../../presets/toshiba-slc.toml");
    let settings = [("ftl.striping", striping), ("flash.channels", "16"), ("flash.blocks_per_plane", "32")];
    let settings = settings.map(|(key, value)| (key.to_string(), value.to_string()));
    let config = Drive::from_toml(toml, "toshiba-slc", &settings).expect("a drive").configuration().clone();
    let drive = LiveDrive::open(LiveOptions::new(config)).expect("a drive in memory");
    let data = vec![1; 1 << 20];
    for at in (0..drive.size_bytes() & !0xf_ffff).step_by(data.len()) {
        drive.write(at, &data, false).expect("room");
    }
    drive
}

/// Writes of so many threads together, of which each writes to one of `shares` of the pages.
#[allow(clippy::expect_used)]
fn writes_a_second(drive: &LiveDrive, threads: u64, shares: u64) -> f64 {
    let began = Instant::now();
    let work = |seed: u64| {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let (mut data, pages, mut writes) = ([0; 4096], drive.size_bytes() / 4096, 0);
        while began.elapsed() < TIME {
            for _ in 0..TURN {
                data[..8].copy_from_slice(&rng.next_u64().to_le_bytes());
                let page = rng.next_u64() % (pages / shares) * shares + seed % shares;
                drive.write(page * 4096, &data, false).expect("room");
            }
            writes += TURN;
        }
        writes
    };
    let writes: u64 = std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = (0..threads).map(|seed| scope.spawn(move || work(seed))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a thread that ends")).sum()
    });
    writes as f64 / began.elapsed().as_secs_f64()
}
