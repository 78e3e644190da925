//! Correction of errors and erasures.

use super::bits::{bit, flip_bit};
use super::chien::Roots;
use super::syndrome::{add_error, all_syndromes};
use super::{Bch, MAX_ERRORS, MAX_WORDS, Remainder, berlekamp_massey, unused_mask};
use crate::ecc_error::{EccError, Uncorrectable};

/// The result of a successful decoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Corrected {
    /// Bits that were wrong and had not been reported as erased.
    pub bit_errors: u32,
    /// Erased bits that are part of the codeword; all now hold their right value.
    pub erased_bits: u32,
}

impl Bch {
    /// Corrects `data` and `parity` in place.
    ///
    /// `erasures` lists bits whose value is unknown, strictly ascending; bit i < 8 * `data_bytes`
    /// is bit i % 8 (0 the highest) of data byte i / 8, and the parity's bits follow. Erasures of
    /// binary symbols are filled once with 0s and once with 1s. In one of the two trials at most
    /// half of them are wrong. So any e errors and f erasures with 2e + f <= 2t are corrected,
    /// exactly.
    ///
    /// # Errors
    /// [`EccError::Uncorrectable`] when no codeword fits; [`EccError::Length`] and
    /// [`EccError::Erasure`] for misuse. The buffers then are as before.
    pub fn decode(
        &self,
        data: &mut [u8],
        parity: &mut [u8],
        erasures: &[u32],
    ) -> Result<Corrected, EccError> {
        self.check_lengths(data, parity)?;
        self.check_erasures(erasures)?;
        let remainder = self.received_remainder(data, parity);
        if erasures.is_empty() && remainder.iter().all(|&word| word == 0) {
            self.clear_unused(data, parity);
            return Ok(Corrected { bit_errors: 0, erased_bits: 0 });
        }
        let odd = self.syndromes.odd_syndromes(&remainder);
        if erasures.is_empty() {
            let beyond = EccError::Uncorrectable { reason: Uncorrectable::BeyondRadius { t: self.t } };
            let roots = self.locate(&odd).ok_or(beyond)?;
            self.flip(data, parity, roots.powers());
            self.clear_unused(data, parity);
            return Ok(Corrected { bit_errors: roots.powers().len() as u32, erased_bits: 0 });
        }
        self.decode_erasures(data, parity, erasures, odd)
    }

    fn decode_erasures(
        &self,
        data: &mut [u8],
        parity: &mut [u8],
        erasures: &[u32],
        mut odd: [u16; MAX_ERRORS],
    ) -> Result<Corrected, EccError> {
        let erased_bits = erasures.iter().filter(|&&index| self.power(index).is_some()).count();
        let limit = 2 * self.t;
        if erased_bits > limit {
            let reason = Uncorrectable::TooManyErasures { erasures: erased_bits, limit };
            return Err(EccError::Uncorrectable { reason });
        }
        // First trial: all erased bits 0, so those that are 1 count as flipped.
        for &index in erasures.iter().filter(|&&index| self.read(data, parity, index)) {
            if let Some(power) = self.power(index) {
                add_error(&self.field, &mut odd[..self.t], power);
            }
        }
        for fill in [false, true] {
            if fill {
                for power in erasures.iter().filter_map(|&index| self.power(index)) {
                    add_error(&self.field, &mut odd[..self.t], power);
                }
            }
            let Some(roots) = self.locate(&odd) else { continue };
            let erased = |&&power: &&u32| erasures.binary_search(&self.index(power)).is_ok();
            let bit_errors = roots.powers().len() - roots.powers().iter().filter(erased).count();
            // At most one codeword satisfies this; the other trial may have found a farther one.
            if 2 * bit_errors + erased_bits > limit {
                continue;
            }
            for &index in erasures.iter().filter(|&&index| self.power(index).is_some()) {
                if self.read(data, parity, index) != fill {
                    self.flip_index(data, parity, index);
                }
            }
            self.flip(data, parity, roots.powers());
            self.clear_unused(data, parity);
            return Ok(Corrected { bit_errors: bit_errors as u32, erased_bits: erased_bits as u32 });
        }
        Err(EccError::Uncorrectable { reason: Uncorrectable::BeyondRadius { t: self.t } })
    }

    /// The error powers of at most t errors with these odd syndromes.
    fn locate(&self, odd: &[u16; MAX_ERRORS]) -> Option<Roots> {
        let syndromes = all_syndromes(&self.field, &odd[..self.t]);
        let locator = berlekamp_massey::error_locator(&self.field, &syndromes, self.t)?;
        self.chien.roots(&self.field, &locator)
    }

    /// The remainder of the received word modulo g; bits that are no part of the code count as 0.
    fn received_remainder(&self, data: &mut [u8], parity: &[u8]) -> Remainder {
        let unused_bits = 8 * data.len() - self.data_bits;
        // The divider reads whole bytes: hide the unused bits from it.
        let hidden = if unused_bits > 0 { data[0] & unused_mask(unused_bits) } else { 0 };
        data[0] ^= hidden;
        let mut remainder = self.divider.remainder(data);
        data[0] ^= hidden;
        for (word, bytes) in remainder.iter_mut().zip(parity.chunks(8)) {
            let mut padded = [0u8; 8];
            padded[..bytes.len()].copy_from_slice(bytes);
            *word ^= u64::from_be_bytes(padded);
        }
        if !self.parity_bits.is_multiple_of(64) {
            remainder[self.parity_bits / 64] &= !(u64::MAX >> (self.parity_bits % 64));
        }
        debug_assert!(self.parity_bits.div_ceil(64) <= MAX_WORDS);
        remainder
    }

    fn clear_unused(&self, data: &mut [u8], parity: &mut [u8]) {
        data[0] &= !unused_mask(8 * data.len() - self.data_bits);
        let padding = 8 * parity.len() - self.parity_bits;
        if let Some(last) = parity.last_mut() {
            *last &= 0xff << padding;
        }
    }

    fn check_erasures(&self, erasures: &[u32]) -> Result<(), EccError> {
        let limit = 8 * (self.data_bytes() + self.parity_bytes()) as u32;
        let mut lowest = 0u32;
        for (entry, &position) in erasures.iter().enumerate() {
            if position < lowest || position >= limit {
                return Err(EccError::Erasure { position, entry, limit });
            }
            lowest = position + 1;
        }
        Ok(())
    }

    /// The power of x that the bit with this index in data and parity is the coefficient of; `None`
    /// for an unused bit.
    fn power(&self, index: u32) -> Option<u32> {
        let data_buffer_bits = 8 * self.data_bytes();
        let index = index as usize;
        let place = if index < data_buffer_bits {
            index.checked_sub(data_buffer_bits - self.data_bits)?
        } else {
            self.data_bits + index - data_buffer_bits
        };
        (self.codeword_bits() as u32).checked_sub(1 + place as u32)
    }

    /// The inverse of [`Bch::power`].
    fn index(&self, power: u32) -> u32 {
        let place = self.codeword_bits() - 1 - power as usize;
        let unused = 8 * self.data_bytes() - self.data_bits;
        (place + unused) as u32
    }

    fn read(&self, data: &[u8], parity: &[u8], index: u32) -> bool {
        match (index as usize).checked_sub(8 * data.len()) {
            None => bit(data, index as usize),
            Some(parity_index) => bit(parity, parity_index),
        }
    }

    fn flip_index(&self, data: &mut [u8], parity: &mut [u8], index: u32) {
        match (index as usize).checked_sub(8 * data.len()) {
            None => flip_bit(data, index as usize),
            Some(parity_index) => flip_bit(parity, parity_index),
        }
    }

    fn flip(&self, data: &mut [u8], parity: &mut [u8], powers: &[u32]) {
        for &power in powers {
            self.flip_index(data, parity, self.index(power));
        }
    }
}
