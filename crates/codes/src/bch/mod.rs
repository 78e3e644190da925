//! Binary BCH codes: any t, shortened to the data size, systematic, correcting errors and erasures.
//!
//! # Definition
//! A code is given by its data bits k and t. Its field is the smallest GF(2^m) with k + deg g <=
//! 2^m - 1. It is built on the Conway polynomial of degree m ([`crate::gf2m::conway_polynomial`]),
//! with alpha = x. The generator g is the least common multiple of the minimal polynomials of
//! alpha, alpha^3, ..., alpha^(2t-1) (narrow sense, primitive). The number of parity bits is r =
//! deg g <= m t.
//!
//! # Bit order
//! Data bit 0 is the highest bit (0x80) of data byte 0 and the coefficient of x^(k+r-1); then the
//! order of bytes, high bit first. The parity d(x) x^r mod g(x) is stored the same way: bit 0 of
//! byte 0 (0x80) is the coefficient of x^(r-1). The last parity byte's low bits beyond r are 0 and
//! no part of the code: the decoder ignores and clears them. A code whose k is no multiple of 8
//! leaves the *high* bits of data byte 0 unused (0).
//!
//! # Guarantee
//! e errors and f erasures are corrected whenever 2e + f <= 2t. Beyond that the decoder returns
//! [`EccError::Uncorrectable`] and leaves the buffers as they were. A word within the correction
//! radius of another codeword is corrected to that one: no decoder can tell. That happens to about
//! n^t / (t! 2^r) of the words with more than t errors: for 512 B to 13% at t = 2, 0.2% at t = 4
//! and less than 1e-9 at t = 12.

mod berlekamp_massey;
mod bits;
mod chien;
mod decode;
mod generator;
mod remainder;
mod syndrome;

pub use decode::Corrected;

use crate::ecc_error::EccError;
use crate::gf2m::{Gf2m, MAX_DEGREE, MIN_DEGREE};
use chien::ChienSearch;
use generator::{BinaryPolynomial, generator_polynomial};
use remainder::{Divider, MAX_WORDS, Remainder};
use syndrome::SyndromeRows;

/// The largest t offered.
pub const MAX_ERRORS: usize = 512;
/// The most parity bits offered.
pub const MAX_PARITY_BITS: usize = 64 * MAX_WORDS;

/// A shortened binary BCH code. See the [module](self) for its definition and bit order.
#[derive(Debug, Clone)]
pub struct Bch {
    field: Gf2m,
    t: usize,
    data_bits: usize,
    parity_bits: usize,
    generator: BinaryPolynomial,
    divider: Divider,
    syndromes: SyndromeRows,
    chien: ChienSearch,
}

impl Bch {
    /// The code for `data_bytes` bytes of data that corrects `t` bit errors.
    ///
    /// # Errors
    /// [`EccError::Parameters`] when no field up to GF(2^16) is large enough, t is 0 or above
    /// [`MAX_ERRORS`], or the parity would exceed [`MAX_PARITY_BITS`].
    pub fn new(data_bytes: usize, t: usize) -> Result<Bch, EccError> {
        Bch::with_data_bits(data_bytes.saturating_mul(8), t)
    }

    /// The code for `data_bits` bits of data that corrects `t` bit errors; [`Bch::new`] for whole
    /// bytes.
    ///
    /// # Errors
    /// As [`Bch::new`].
    pub fn with_data_bits(data_bits: usize, t: usize) -> Result<Bch, EccError> {
        let (field, generator) = smallest_field(data_bits, t)?;
        let parity_bits = generator.degree();
        Ok(Bch {
            divider: Divider::new(&generator),
            syndromes: SyndromeRows::new(&field, t, parity_bits),
            chien: ChienSearch::new(&field, t, (data_bits + parity_bits) as u32),
            field,
            t,
            data_bits,
            parity_bits,
            generator,
        })
    }

    /// Errors that are always corrected.
    pub fn t(&self) -> usize {
        self.t
    }

    /// m of the field GF(2^m).
    pub fn field_degree(&self) -> u32 {
        self.field.degree()
    }

    /// k, data bits of a codeword.
    pub fn data_bits(&self) -> usize {
        self.data_bits
    }

    /// Bytes of a data buffer.
    pub fn data_bytes(&self) -> usize {
        self.data_bits.div_ceil(8)
    }

    /// r = deg g, parity bits of a codeword.
    pub fn parity_bits(&self) -> usize {
        self.parity_bits
    }

    /// Bytes of a parity buffer.
    pub fn parity_bytes(&self) -> usize {
        self.parity_bits.div_ceil(8)
    }

    /// k + r, bits of a codeword.
    pub fn codeword_bits(&self) -> usize {
        self.data_bits + self.parity_bits
    }

    /// The powers of x whose coefficient in g is 1, descending: the generator polynomial in the
    /// form other software takes.
    pub fn generator_powers(&self) -> Vec<usize> {
        (0..=self.parity_bits).rev().filter(|&power| self.generator.coefficient(power)).collect()
    }

    /// Writes the parity of `data` ([`Bch::data_bytes`] bytes) to `parity` ([`Bch::parity_bytes`]
    /// bytes).
    ///
    /// # Errors
    /// [`EccError::Length`] for buffers of other sizes, [`EccError::UnusedBits`] when bits that the
    /// code does not store are set.
    pub fn encode(&self, data: &[u8], parity: &mut [u8]) -> Result<(), EccError> {
        self.check_lengths(data, parity)?;
        let unused_bits = 8 * data.len() - self.data_bits;
        if unused_bits > 0 && data[0] & unused_mask(unused_bits) != 0 {
            return Err(EccError::UnusedBits { unused_bits });
        }
        let remainder = self.divider.remainder(data);
        for (bytes, word) in parity.chunks_mut(8).zip(&remainder) {
            bytes.copy_from_slice(&word.to_be_bytes()[..bytes.len()]);
        }
        Ok(())
    }

    fn check_lengths(&self, data: &[u8], parity: &[u8]) -> Result<(), EccError> {
        for (buffer, expected, actual) in
            [("data", self.data_bytes(), data.len()), ("parity", self.parity_bytes(), parity.len())]
        {
            if expected != actual {
                return Err(EccError::Length { buffer, expected, actual });
            }
        }
        Ok(())
    }
}

/// The high bits of the first data byte that the code does not store.
fn unused_mask(unused_bits: usize) -> u8 {
    !(0xff >> unused_bits)
}

fn smallest_field(data_bits: usize, t: usize) -> Result<(Gf2m, BinaryPolynomial), EccError> {
    let refuse = |reason| Err(EccError::Parameters { code: "BCH", reason });
    if data_bits == 0 || !(1..=MAX_ERRORS).contains(&t) {
        return refuse(format!("{data_bits} data bits, t = {t}: need data, and 1 <= t <= {MAX_ERRORS}"));
    }
    for degree in MIN_DEGREE..=MAX_DEGREE {
        // Cheap bound first: g has at least one root per odd power, and a field that cannot hold
        // the data is not built.
        if data_bits.saturating_add(t) >= 1 << degree {
            continue;
        }
        let field = Gf2m::new(degree)?;
        let Some(generator) = generator_polynomial(&field, t) else { continue };
        if data_bits + generator.degree() > field.order() as usize {
            continue;
        }
        if generator.degree() > MAX_PARITY_BITS {
            return refuse(format!(
                "{} parity bits, at most {MAX_PARITY_BITS} are offered",
                generator.degree()
            ));
        }
        return Ok((field, generator));
    }
    refuse(format!("{data_bits} data bits with t = {t} need more than the 65535 bits of GF(2^{MAX_DEGREE})"))
}
