//! Pages of a coset code, read with misread bits under an LDPC code over the levels of their cells.
//!
//! `cargo run --release -p rewear-codes --example coset_misreads -- [SECONDS] [SEED]`. Of each rate
//! of misread bits a share of the time is taken: the last is past what the code corrects. Prints
//! what was read, and what that says: without a silent error in n words there is at most one in
//! n / 3, at 95%.

use std::error::Error;
use std::time::{Duration, Instant};

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_codes::coset::{Code, Writer, correct};
use rewear_codes::ecc_error::EccError;
use rewear_codes::ldpc::{Ldpc, MinSum, Workspace};

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

/// How pages were read: each was written over the one before, and read behind its write.
#[derive(Clone, Copy)]
struct CosetReads {
    /// Words, each searched for alone; a page has 8 to 64.
    words: u64,
    /// Pages that were read.
    pages: u64,
    /// Wrong bits of all pages before the error-correcting code: of invalid cells, and misread.
    wrong_bits: u64,
    /// Pages that the error-correcting code gave up.
    given_up: u64,
    /// Pages that were read as other data than was written, without a word.
    silent: u64,
}

/// A drive of cells with a coset code, an error-correcting code over their levels, and misreads.
struct CosetReader {
    code: Code,
    ldpc: Ldpc,
    writer: Writer,
    work: Workspace,
    rng: Xoshiro256PlusPlus,
    reads: CosetReads,
}

impl CosetReader {
    /// Pages of `code` of cells of four bits, with some bytes of parity over the Gray code of
    /// their levels.
    fn new(code: Code, parity_bytes: usize, seed: u64) -> Result<CosetReader, EccError> {
        let ldpc = Ldpc::new(code.image_bytes(), parity_bytes)?;
        Ok(CosetReader {
            writer: Writer::new(&code),
            work: ldpc.workspace(),
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            reads: CosetReads { words: 0, pages: 0, wrong_bits: 0, given_up: 0, silent: 0 },
            code,
            ldpc,
        })
    }

    /// Writes and reads `pages` erased pages as often as the code does, where a bit is misread with
    /// the probability `rber`. The sums of all calls.
    fn read(&mut self, pages: u64, rber: f64) -> Result<CosetReads, Box<dyn Error>> {
        let CosetReader { code, ldpc, writer, work, rng, reads } = self;
        let (mut data, mut read) = (vec![0; code.data_bytes()], vec![0; code.data_bytes()]);
        let mut parity = vec![0; ldpc.parity_bytes()];
        for _ in 0..pages {
            let mut image = vec![0; code.image_bytes()];
            for write in 0..code.writes() {
                rng.fill_bytes(&mut data);
                let invalid = writer.write(code, write, &data, &mut image)?;
                let mut wanted = image.clone();
                correct(&mut wanted, invalid);
                wanted.iter_mut().for_each(gray);
                ldpc.encode(&wanted, &mut parity)?;
                let mut levels = image.clone();
                levels.iter_mut().for_each(gray);
                reads.wrong_bits += wrong_bits(&levels, &wanted);
                reads.wrong_bits += misread(rng, &mut levels, rber) + misread(rng, &mut parity, rber);
                reads.pages += 1;
                reads.words += code.words() as u64;
                match ldpc.decode_hard(work, &mut levels, &mut parity, &MinSum::default()) {
                    Ok(_) => {
                        levels.iter_mut().for_each(from_gray);
                        code.decode(write, &levels, &mut read)?;
                        reads.silent += u64::from(read != data);
                    }
                    Err(EccError::Uncorrectable { .. }) => reads.given_up += 1,
                    Err(error) => return Err(error.into()),
                }
            }
        }
        Ok(*reads)
    }
}

/// Two levels as their Gray code.
fn gray(levels: &mut u8) {
    *levels ^= *levels >> 1 & 0x77;
}

fn from_gray(levels: &mut u8) {
    *levels ^= *levels >> 1 & 0x77;
    *levels ^= *levels >> 2 & 0x33;
}

fn wrong_bits(one: &[u8], other: &[u8]) -> u64 {
    one.iter().zip(other).map(|(one, other)| u64::from((one ^ other).count_ones())).sum()
}

/// Flips bits; their number.
fn misread(rng: &mut Xoshiro256PlusPlus, bytes: &mut [u8], rber: f64) -> u64 {
    if rber <= 0.0 {
        return 0;
    }
    let (mut at, mut flipped) = (0.0, 0);
    loop {
        // Bits between two misread ones have a geometric distribution.
        let uniform = ((rng.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64;
        at += (libm::log(uniform) / libm::log1p(-rber)).floor();
        if at >= 8.0 * bytes.len() as f64 {
            return flipped;
        }
        bytes[at as usize / 8] ^= 1 << (at as usize % 8);
        flipped += 1;
        at += 1.0;
    }
}
