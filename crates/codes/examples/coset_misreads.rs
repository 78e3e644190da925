//! Pages of a coset code, read with misread bits under an LDPC code over the levels of their cells.
//!
//! `cargo run --release -p rewear-codes --example coset_misreads -- [SECONDS] [SEED]`. Of each rate
//! of misread bits a share of the time is taken: the last is past what the code corrects. Prints
//! what was read, and what that says: without a silent error in n words there is at most one in
//! n / 3, at 95%.

use std::error::Error;
use std::time::{Duration, Instant};

use rewear_codes::coset::Code;
use rewear_codes::measure::CosetReader;

const PAGE_BYTES: usize = 4096;
/// 9% of the bits of the cells.
const PARITY_BYTES: usize = 448;
const CODES: [(f64, u32); 2] = [(0.844, 2), (0.6, 5)];
const MISREAD: [f64; 4] = [1e-4, 1e-3, 3e-3, 4.5e-3];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let seconds: f64 = arguments.first().map_or(Ok(60.0), |text| text.parse())?;
    let seed: u64 = arguments.get(1).map_or(Ok(1), |text| text.parse())?;
    let each = Duration::try_from_secs_f64(seconds / (CODES.len() * MISREAD.len()) as f64)?;
    println!("| QLC rate, writes | misread bits | words | pages | wrong bits | given up | silent |");
    println!("|---|--:|--:|--:|--:|--:|--:|");
    let (mut words, mut silent) = (0, 0);
    for (rate, writes) in CODES {
        for rber in MISREAD {
            let mut reader = CosetReader::new(Code::new(4, rate, PAGE_BYTES, writes)?, PARITY_BYTES, seed)?;
            let begun = Instant::now();
            let mut reads = reader.read(1, rber)?;
            while begun.elapsed() < each {
                reads = reader.read(16, rber)?;
            }
            let part = |count: u64| 100.0 * count as f64 / reads.pages as f64;
            println!(
                "| {rate}, {writes} | {rber} | {} | {} | {:.0} a page | {:.2}% | {} |",
                reads.words,
                reads.pages,
                reads.wrong_bits as f64 / reads.pages as f64,
                part(reads.given_up),
                reads.silent
            );
            words += reads.words;
            silent += reads.silent;
        }
    }
    println!("\n{words} words, {silent} pages silently wrong.");
    if silent == 0 {
        println!("At most {:.1e} of the words are, at 95%.", 3.0 / words as f64);
    }
    Ok(())
}
