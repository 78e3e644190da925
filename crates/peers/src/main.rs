//! LDPC decoding beside ldpc-toolbox (D. Estevez), on the same code and the same words, in the same
//! run.
//!
//! Both decode hard decisions with layered schedules and 8-bit messages; ldpc-toolbox takes LLRs in
//! floating point and rules better than min-sum, which is why iterations are printed as well.
//! Prints one JSON object a line: name, value, unit, compared_with, ratio.

use std::error::Error;
use std::hint::black_box;
use std::time::{Duration, Instant};

use ldpc_toolbox::decoder::LdpcDecoder;
use ldpc_toolbox::decoder::factory::{DecoderFactory, DecoderImplementation};
use ldpc_toolbox::sparse::SparseMatrix;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_codes::ldpc::{Ldpc, MinSum, Workspace};

const DATA_BYTES: usize = 4096;
const PARITY_BYTES: usize = 384;
const FRAMES: usize = 32;
const ROUNDS: usize = 5;
const MAX_ITERATIONS: u32 = 30;

/// The faster one of the peer's layered decoders with 8-bit messages, and one in floating point.
const PEERS: [(&str, DecoderImplementation); 2] = [
    ("HLAminstari8", DecoderImplementation::HLAminstari8),
    ("HLAminstarf32", DecoderImplementation::HLAminstarf32),
];

/// A word as it was stored and as it was read.
struct Frame {
    sent: Vec<u8>,
    read: Vec<u8>,
}

/// Time and outcome of decoding all frames once.
#[derive(Clone, Copy)]
struct Run {
    time: Duration,
    right: usize,
    iterations: usize,
}

fn main() -> Result<(), Box<dyn Error>> {
    let code = Ldpc::new(DATA_BYTES, PARITY_BYTES)?;
    for bit_errors in [10, 40, 100] {
        let frames = frames(&code, bit_errors)?;
        let mut work = code.workspace();
        let rules = MinSum { max_iterations: MAX_ITERATIONS, ..MinSum::default() };
        let ours = fastest(|| decode_ours(&code, &mut work, &rules, &frames));
        for (name, implementation) in PEERS {
            let mut decoder = implementation.build_decoder(parity_checks(&code));
            let theirs = fastest(|| decode_theirs(&mut *decoder, &frames));
            print(bit_errors, name, ours, theirs);
        }
    }
    Ok(())
}

fn print(bit_errors: usize, peer: &str, ours: Run, theirs: Run) {
    let speed = |run: Run| (FRAMES * DATA_BYTES) as f64 / run.time.as_secs_f64() / 1e6;
    let rounds = |run: Run| run.iterations as f64 / FRAMES as f64;
    println!(
        r#"{{"name": "ldpc_{DATA_BYTES}+{PARITY_BYTES}_b_min_sum_{bit_errors}_errors", "value": {:.2}, "unit": "MB/s of user data ({:.1} rounds, {} of {FRAMES} right)", "compared_with": "ldpc-toolbox {peer} ({:.2} MB/s, {:.1} rounds, {} of {FRAMES} right)", "ratio": {:.2}}}"#,
        speed(ours),
        rounds(ours),
        ours.right,
        speed(theirs),
        rounds(theirs),
        theirs.right,
        speed(ours) / speed(theirs)
    );
}

/// Random codewords with exactly `bit_errors` wrong bits each.
fn frames(code: &Ldpc, bit_errors: usize) -> Result<Vec<Frame>, Box<dyn Error>> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut frames = Vec::new();
    for _ in 0..FRAMES {
        let mut sent = vec![0; DATA_BYTES + PARITY_BYTES];
        let (data, parity) = sent.split_at_mut(DATA_BYTES);
        rng.fill_bytes(data);
        code.encode(data, parity)?;
        let mut read = sent.clone();
        let mut wrong = 0;
        while wrong < bit_errors {
            let place = (rng.next_u64() % code.codeword_bits() as u64) as usize;
            let mask = 1 << (place % 8);
            if (read[place / 8] ^ sent[place / 8]) & mask == 0 {
                read[place / 8] ^= mask;
                wrong += 1;
            }
        }
        frames.push(Frame { sent, read });
    }
    Ok(frames)
}

/// The parity-check matrix with a row a check and a column a bit.
fn parity_checks(code: &Ldpc) -> SparseMatrix {
    let z = code.circulant_bits();
    let mut matrix = SparseMatrix::new(8 * PARITY_BYTES, code.codeword_bits());
    for (row, column, shift) in code.blocks() {
        for i in 0..z {
            matrix.insert(row * z + i, column * z + (i + shift) % z);
        }
    }
    matrix
}

fn decode_ours(code: &Ldpc, work: &mut Workspace, rules: &MinSum, frames: &[Frame]) -> Run {
    let mut words: Vec<Vec<u8>> = frames.iter().map(|frame| frame.read.clone()).collect();
    let start = Instant::now();
    let mut iterations = 0;
    for word in &mut words {
        let (data, parity) = word.split_at_mut(DATA_BYTES);
        let found = code.decode_hard(work, data, parity, rules);
        iterations += found.map_or(MAX_ITERATIONS, |found| found.iterations) as usize;
    }
    let time = start.elapsed();
    let right = words.iter().zip(frames).filter(|(word, frame)| **word == frame.sent).count();
    black_box(&words);
    Run { time, right, iterations }
}

fn decode_theirs(decoder: &mut dyn LdpcDecoder, frames: &[Frame]) -> Run {
    let llrs: Vec<Vec<f64>> = frames.iter().map(|frame| llrs(&frame.read)).collect();
    let start = Instant::now();
    let outputs: Vec<_> = llrs
        .iter()
        .map(|llrs| decoder.decode(llrs, MAX_ITERATIONS as usize).unwrap_or_else(|failed| failed))
        .collect();
    let time = start.elapsed();
    let right =
        outputs.iter().zip(frames).filter(|(output, frame)| output.codeword == bits(&frame.sent)).count();
    Run { time, right, iterations: outputs.iter().map(|output| output.iterations).sum() }
}

/// LLRs of hard decisions at a raw bit error rate of 0.4%.
fn llrs(read: &[u8]) -> Vec<f64> {
    let certainty = (0.996f64 / 0.004).ln();
    bits(read).into_iter().map(|bit| if bit == 1 { -certainty } else { certainty }).collect()
}

fn bits(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().flat_map(|byte| (0..8).map(move |i| byte >> i & 1)).collect()
}

fn fastest(mut run: impl FnMut() -> Run) -> Run {
    let mut best = run();
    for _ in 1..ROUNDS {
        let again = run();
        if again.time < best.time {
            best = again;
        }
    }
    best
}
