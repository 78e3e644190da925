//! Speed of the error-correcting codes, in MB of user data per second and as a ratio to copying the
//! same buffers (data and parity) in the same run. `cargo bench -p rewear-codes --bench ecc [--
//! FILTER]`; run as a test (`cargo test --benches`) each case runs once. Prints one JSON object a
//! line: name, value, unit, compared_with, ratio.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_codes::bch::Bch;
use rewear_codes::ldpc::{Ldpc, MinSum, Sensing};
use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// Different pages, so that the branch predictor does not learn one by heart.
const PAGES: usize = 64;
/// The fastest round counts: the others were disturbed by whatever else the machine does.
const ROUNDS: usize = 40;

struct Bench {
    filter: String,
    once: bool,
}

/// Pages of user data with their parity.
#[derive(Clone)]
struct Pages {
    data: Vec<Vec<u8>>,
    parity: Vec<Vec<u8>>,
}

impl Pages {
    fn random(data_bytes: usize, parity_bytes: usize) -> Pages {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut page = || {
            let mut data = vec![0; data_bytes];
            rng.fill_bytes(&mut data);
            data
        };
        Pages { data: (0..PAGES).map(|_| page()).collect(), parity: vec![vec![0; parity_bytes]; PAGES] }
    }

    fn damaged(&self, errors: usize) -> Pages {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
        let mut damaged = self.clone();
        for data in &mut damaged.data {
            let mut places = std::collections::BTreeSet::new();
            while places.len() < errors {
                places.insert((rng.next_u64() % (8 * data.len() as u64)) as usize);
            }
            places.into_iter().for_each(|place| data[place / 8] ^= 1 << (place % 8));
        }
        damaged
    }
}

impl Bench {
    /// Times `work` on page after page, each restored from `pages` first; copying alone is timed in
    /// the same rounds and subtracted.
    fn run(&self, name: &str, pages: &Pages, mut work: impl FnMut(usize, &mut [u8], &mut [u8])) {
        if !name.contains(&self.filter) {
            return;
        }
        let mut scratch = pages.clone();
        let mut copies = Vec::new();
        let mut works = Vec::new();
        let mut next = 0;
        for _ in 0..if self.once { 1 } else { ROUNDS } {
            copies.push(per_page(self.once, &mut next, |i| restore(&mut scratch, pages, i)));
            works.push(per_page(self.once, &mut next, |i| {
                restore(&mut scratch, pages, i);
                work(i, &mut scratch.data[i], &mut scratch.parity[i]);
                black_box((&scratch.data[i], &scratch.parity[i]));
            }));
        }
        let fastest =
            |rounds: &[Duration]| rounds.iter().min().map_or(f64::NAN, |round| round.as_nanos() as f64);
        let copy_ns = fastest(&copies);
        let work_ns = (fastest(&works) - copy_ns).max(1.0);
        let megabytes = |ns: f64| pages.data[0].len() as f64 / ns * 1e3;
        println!(
            r#"{{"name": "{}", "value": {:.1}, "unit": "MB/s of user data", "compared_with": "memcpy of data and parity ({:.0} MB/s)", "ratio": {:.4}}}"#,
            name.replace(", ", " ").replace(' ', "_").to_lowercase(),
            megabytes(work_ns),
            megabytes(copy_ns),
            copy_ns / work_ns
        );
    }
}

fn restore(scratch: &mut Pages, pages: &Pages, i: usize) {
    scratch.data[i].copy_from_slice(&pages.data[i]);
    scratch.parity[i].copy_from_slice(&pages.parity[i]);
    black_box((&mut scratch.data[i], &mut scratch.parity[i]));
}

/// The mean over at least a millisecond (over all pages in turn, a few at a time), or over all
/// pages `once`.
fn per_page(once: bool, next: &mut usize, mut work: impl FnMut(usize)) -> Duration {
    let start = Instant::now();
    let mut count = 0u32;
    loop {
        for _ in 0..if once { PAGES } else { 8 } {
            work(*next);
            *next = (*next + 1) % PAGES;
            count += 1;
        }
        if once || start.elapsed() > Duration::from_millis(1) {
            return start.elapsed() / count;
        }
    }
}

fn bch(bench: &Bench, data_bytes: usize, t: usize) -> Result<(), Box<dyn Error>> {
    let code = Bch::new(data_bytes, t)?;
    let mut pages = Pages::random(data_bytes, code.parity_bytes());
    for (data, parity) in pages.data.iter().zip(&mut pages.parity) {
        code.encode(data, parity)?;
    }
    bench.run(&format!("bch {data_bytes} B t={t} encode"), &pages, |_, data, parity| {
        black_box(code.encode(data, parity).is_ok());
    });
    for errors in [0, 1, 4, t / 4, t / 2, t] {
        let label = format!("bch {data_bytes} B t={t} decode {errors} errors");
        bench.run(&label, &pages.damaged(errors), |i, data, parity| {
            let right = code.decode(data, parity, &[]).is_ok() && data == pages.data[i];
            assert!(right, "wrong decoding");
        });
    }
    Ok(())
}

fn ldpc(bench: &Bench, data_bytes: usize, parity_bytes: usize) -> Result<(), Box<dyn Error>> {
    let code = Ldpc::new(data_bytes, parity_bytes)?;
    let mut work = code.workspace();
    let mut pages = Pages::random(data_bytes, parity_bytes);
    for (data, parity) in pages.data.iter().zip(&mut pages.parity) {
        code.encode(data, parity)?;
    }
    let label = format!("ldpc {data_bytes}+{parity_bytes} B");
    bench.run(&format!("{label} encode"), &pages, |_, data, parity| {
        black_box(code.encode(data, parity).is_ok());
    });
    for errors in [0, 10, 40, 100] {
        let damaged = pages.damaged(errors);
        let mut iterations = 0;
        bench.run(&format!("{label} min-sum {errors} errors"), &damaged, |_, data, parity| {
            let found = code.decode_hard(&mut work, data, parity, &MinSum::default());
            iterations = found.map_or(u32::MAX, |found| found.iterations);
        });
        black_box(iterations);
    }
    // The cost of a round: random words never converge.
    let noise = Pages::random(data_bytes, parity_bytes);
    let rules = MinSum { max_iterations: 10, ..MinSum::default() };
    bench.run(&format!("{label} 10 rounds"), &noise, |_, data, parity| {
        black_box(code.decode_hard(&mut work, data, parity, &rules).is_ok());
    });
    soft(bench, &code, &pages)
}

fn soft(bench: &Bench, code: &Ldpc, pages: &Pages) -> Result<(), Box<dyn Error>> {
    let mut work = code.workspace();
    let rber = 4e-3;
    let sensing = Sensing::new(rber, 1)?;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let llrs: Vec<Vec<i8>> = (0..PAGES)
        .map(|i| {
            let bytes = pages.data[i].iter().chain(&pages.parity[i]);
            let bits = bytes.flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1 == 1));
            bits.map(|bit| sensing.read(bit, (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64)).collect()
        })
        .collect();
    let label =
        format!("ldpc {}+{} B soft, 3 references, RBER {rber}", code.data_bytes(), code.parity_bytes());
    bench.run(&label, pages, |i, data, parity| {
        let found = code.decode_soft(&mut work, &llrs[i], data, parity, &MinSum::default());
        assert!(found.is_ok(), "soft decoding failed");
    });
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let once = arguments.iter().all(|argument| argument != "--bench");
    // `large` asks every benchmark of the project for its largest sizes; here all cases run anyway.
    let is_filter = |argument: &String| !argument.starts_with("--") && argument != "large";
    let filter = arguments.into_iter().find(is_filter).unwrap_or_default();
    let bench = Bench { filter, once };
    for (data_bytes, t) in [(1024, 23), (2048, 36), (4096, 51), (4096, 184)] {
        bch(&bench, data_bytes, t)?;
    }
    for parity_bytes in [384, 1024] {
        ldpc(&bench, 4096, parity_bytes)?;
    }
    Ok(())
}
