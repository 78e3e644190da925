//! Encoding in linear time, and the parity checks of a word.

use super::words::{add_column, add_columns, block_to_bytes, rotate, rotated};
use super::{Ldpc, MAX_ROWS, with_words};
use crate::ecc_error::EccError;

impl Ldpc {
    /// Writes the parity of `data` to `parity`.
    ///
    /// # Errors
    /// [`EccError::Length`] for buffers of other sizes.
    pub fn encode(&self, data: &[u8], parity: &mut [u8]) -> Result<(), EccError> {
        self.check_lengths(data, parity)?;
        with_words!(self.z, encode_words(self, data, parity));
        Ok(())
    }

    /// True if `data` and `parity` satisfy all parity checks.
    ///
    /// # Errors
    /// [`EccError::Length`] for buffers of other sizes.
    pub fn is_codeword(&self, data: &[u8], parity: &[u8]) -> Result<bool, EccError> {
        self.check_lengths(data, parity)?;
        Ok(with_words!(self.z, unsatisfied_checks(self, data, parity)) == 0)
    }
}

/// Checks of the word that are violated.
pub(super) fn unsatisfied_checks<const W: usize>(code: &Ldpc, data: &[u8], parity: &[u8]) -> u32 {
    let mut checks = data_checks::<W>(code, data);
    add_columns(parity, &code.columns[code.data_blocks..], &mut checks);
    checks.as_flattened().iter().map(|word| word.count_ones()).sum()
}

fn data_checks<const W: usize>(code: &Ldpc, data: &[u8]) -> [[u64; W]; MAX_ROWS] {
    let mut checks = [[0u64; W]; MAX_ROWS];
    add_columns(data, &code.columns[..code.data_blocks], &mut checks);
    checks
}

fn encode_words<const W: usize>(code: &Ldpc, data: &[u8], parity: &mut [u8]) {
    let checks = data_checks::<W>(code, data);
    let mut trial = checks;
    solve_triangle(code, &mut trial, |_, _| {});
    // The gap column must cancel the rest that the triangle leaves in the last row.
    let gap = multiply::<W>(&trial[code.rows.len() - 1], &code.gap_inverse);
    block_to_bytes(&gap, parity, 0);
    let mut checks = checks;
    add_column(&[gap; 2], &code.columns[code.data_blocks], &mut checks);
    solve_triangle(code, &mut checks, |column, block| block_to_bytes(block, parity, column));
}

/// Chooses the triangle's columns so that every row but the last is satisfied; `found` receives
/// them.
fn solve_triangle<const W: usize>(
    code: &Ldpc,
    checks: &mut [[u64; W]; MAX_ROWS],
    mut found: impl FnMut(usize, &[u64; W]),
) {
    for column in 1..code.rows.len() {
        let edges = &code.columns[code.data_blocks + column];
        let Some(diagonal) = edges.first() else { continue };
        let back = code.z - diagonal.shift;
        let block = rotate(&checks[diagonal.block], back % code.z);
        add_column(&[block; 2], edges, checks);
        found(column, &block);
    }
}

/// The product of two circulants given by their first columns: sum of x^i y over the set bits i of
/// x.
fn multiply<const W: usize>(x: &[u64; W], y: &[u64]) -> [u64; W] {
    let mut y_block = [0u64; W];
    y_block.copy_from_slice(y);
    let doubled = [y_block; 2];
    let mut product = [0u64; W];
    for (w, &word) in x.iter().enumerate() {
        let mut rest = word;
        while rest != 0 {
            let bit = 64 * w + rest.trailing_zeros() as usize;
            for (sum, term) in product.iter_mut().zip(rotated(&doubled, (64 * W - bit) % (64 * W))) {
                *sum ^= term;
            }
            rest &= rest - 1;
        }
    }
    product
}

/// The inverse of the gap's circulant phi: the last row's answer to a single 1 in the gap column.
///
/// With z a power of two, phi^z = phi(x^z) = phi(1) = 1 for odd weight, so the inverse is
/// phi^(z-1).
pub(super) fn gap_inverse(code: &Ldpc) -> Result<Vec<u64>, EccError> {
    fn inverse<const W: usize>(code: &Ldpc) -> Vec<u64> {
        let mut unit = [0u64; W];
        unit[0] = 1;
        let mut checks = [[0u64; W]; MAX_ROWS];
        add_column(&[unit; 2], &code.columns[code.data_blocks], &mut checks);
        solve_triangle(code, &mut checks, |_, _| {});
        let mut square = checks[code.rows.len() - 1];
        let mut power = unit;
        // z - 1 = 1 + 2 + 4 + ... + z/2.
        for _ in 0..code.z.ilog2() {
            power = multiply(&power, &square);
            square = multiply(&square, &square);
        }
        if square == unit { power.to_vec() } else { Vec::new() }
    }
    let found = with_words!(code.z, inverse(code));
    if found.is_empty() {
        let reason =
            format!("the parity part of {} rows is not invertible; use another parity size", code.rows.len());
        return Err(EccError::Parameters { code: "LDPC", reason });
    }
    Ok(found)
}
