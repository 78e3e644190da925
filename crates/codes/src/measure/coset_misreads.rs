//! Pages of a coset code under an error-correcting code: invalid cells and misread bits together.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::coset::{Code, Writer, correct};
use crate::ecc_error::EccError;
use crate::ldpc::{Ldpc, MinSum, Workspace};

/// How pages were read: each was written over the one before, and read behind its write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct CosetReads {
    /// Words of a page, 8 to 64, each searched for by itself.
    pub words: u64,
    /// Pages that were read.
    pub pages: u64,
    /// Wrong bits of all pages before the error-correcting code: of invalid cells, and misread.
    pub wrong_bits: u64,
    /// Pages that the error-correcting code gave up.
    pub given_up: u64,
    /// Pages that were read as other data than was written, without a word.
    pub silent: u64,
}

/// A drive of cells with a coset code, an error-correcting code over their levels, and misreads.
#[derive(Debug)]
pub struct CosetReader {
    code: Code,
    ldpc: Ldpc,
    writer: Writer,
    work: Workspace,
    rng: Xoshiro256PlusPlus,
    reads: CosetReads,
}

impl CosetReader {
    /// Pages of `code` of cells of four bits, with bytes of parity over the Gray code of
    /// their levels.
    ///
    /// # Errors
    /// No LDPC code of these sizes.
    pub fn new(code: Code, parity_bytes: usize, seed: u64) -> Result<CosetReader, EccError> {
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
    ///
    /// # Errors
    /// None: the buffers fit by construction.
    pub fn read(&mut self, pages: u64, rber: f64) -> Result<CosetReads, Box<dyn std::error::Error>> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_come_back_from_their_gray_code_and_neighbours_differ_in_a_bit() {
        for levels in 0..=255u8 {
            let mut code = levels;
            gray(&mut code);
            if levels & 15 < 15 {
                let mut next = levels + 1;
                gray(&mut next);
                assert_eq!((code ^ next).count_ones(), 1);
            }
            from_gray(&mut code);
            assert_eq!(code, levels);
        }
    }

    #[test]
    fn pages_within_the_strength_of_the_code_are_right_and_others_are_given_up() {
        let code = Code::new(4, 0.844, 4096, 2).expect("known");
        for (rber, given_up) in [(0.0, 0), (1e-3, 0), (2e-2, 8)] {
            let mut reader = CosetReader::new(code.clone(), 448, 1).expect("fits");
            let reads = reader.read(4, rber).expect("fits");
            assert_eq!((reads.pages, reads.words, reads.given_up, reads.silent), (8, 512, given_up, 0));
            let bits = (reads.pages * 8 * (code.image_bytes() + 448) as u64) as f64;
            // Half of the reads are behind a last write, which leaves 0.15% of the bits wrong.
            let wanted = (rber + 0.000_75) * bits;
            assert!((reads.wrong_bits as f64 - wanted).abs() < 0.5 * wanted, "{reads:?}, {wanted}");
        }
    }
}
