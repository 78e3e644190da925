//! Measures the waterfalls of the LDPC codes and fits their radii: the table
//! `ldpc_limits::MEASURED`.
//!
//! `cargo run --release -p rewear-codes --example ldpc_limits -- [PARITY_BYTES] [FRAMES] [SEED]`. A
//! point takes up to FRAMES frames and ends early once 400 failed; points go down from nine
//! failures of ten until fewer than 20 of FRAMES fail.

use rewear_codes::ecc_limits::USUAL_UBER;
use rewear_codes::ecc_measure::{LdpcDecoder, Trials, measure_ldpc};
use rewear_codes::ldpc::{Ldpc, MinSum};
use rewear_codes::ldpc_limits::{LdpcRadius, Waterfall};
use std::error::Error;

const DATA_BYTES: usize = 4096;
/// Parity bytes, and the raw bit errors up to which reads with 1, 3, 5, 7 references are likely to
/// succeed.
const CODES: [(usize, [f64; 4]); 3] = [
    (256, [145.0, 320.0, 350.0, 365.0]),
    (384, [235.0, 505.0, 545.0, 565.0]),
    (1024, [870.0, 1480.0, 1570.0, 1620.0]),
];
const BATCH: u32 = 500;
const ENOUGH_FAILURES: u32 = 400;
const TOO_FEW_FAILURES: u32 = 20;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let only: Option<usize> = arguments.first().map(|text| text.parse()).transpose()?;
    let frames: u32 = arguments.get(1).map_or(Ok(40_000), |text| text.parse())?;
    let seed: u64 = arguments.get(2).map_or(Ok(1), |text| text.parse())?;
    for (parity_bytes, guesses) in CODES {
        if only.is_some_and(|only| only != parity_bytes) {
            continue;
        }
        let code = Ldpc::new(DATA_BYTES, parity_bytes)?;
        for (extra_pairs, t) in guesses.into_iter().enumerate() {
            let references = 1 + 2 * extra_pairs;
            let start = LdpcRadius { data_bytes: DATA_BYTES, parity_bytes, references, t, spread: 0.03 * t };
            let points = waterfall(&code, &start, frames, seed)?;
            let fitted = start.fitted(&points);
            for point in &points {
                let measured = f64::from(point.failed) / f64::from(point.frames);
                println!(
                    "{parity_bytes} B, {references} references, RBER {:.4e}: {:>5} of {:>6} failed, {measured:.3e}, fitted {:.3e}",
                    point.rber,
                    point.failed,
                    point.frames,
                    fitted.frame_error_rate(point.rber)
                );
            }
            println!("{fitted:?}, at UBER {USUAL_UBER:e}: {:.4e}", fitted.rber_at_uber(USUAL_UBER)?);
        }
    }
    Ok(())
}

fn waterfall(
    code: &Ldpc,
    start: &LdpcRadius,
    frames: u32,
    seed: u64,
) -> Result<Vec<Waterfall>, Box<dyn Error>> {
    let rules = MinSum::default();
    let decoder = match start.references / 2 {
        0 => LdpcDecoder::Hard(rules),
        extra_pairs => LdpcDecoder::Soft { extra_pairs, rules },
    };
    let factor = if start.references == 1 { 0.95 } else { 0.97 };
    let mut rber = 1.1 * start.t / start.codeword_bits() as f64;
    let mut points = Vec::new();
    loop {
        let mut point = Waterfall { rber, frames: 0, failed: 0 };
        while point.frames < frames && point.failed < ENOUGH_FAILURES {
            let trials = Trials {
                frames: BATCH,
                seed: seed + (points.len() as u64) * 1_000_000 + u64::from(point.frames),
            };
            point.failed += measure_ldpc(code, &decoder, rber, trials, &mut |_, _| true)?.frame_errors;
            point.frames += BATCH;
        }
        if point.failed < point.frames / 20 * 19 {
            points.push(point);
        }
        if point.failed < TOO_FEW_FAILURES {
            return Ok(points);
        }
        rber *= factor;
    }
}
