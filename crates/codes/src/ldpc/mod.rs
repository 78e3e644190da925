//! Quasi-cyclic low-density parity-check codes for pages: encoding, hard and soft decoding.
//!
//! # Definition
//! The parity-check matrix is an array of z x z blocks (z a power of two, 64 to 256), each 0 or a
//! cyclically shifted identity. Block column c holds codeword bits c z .. (c+1) z: the data, then
//! the parity. A block (row r, column c, shift s) means that check i of row r contains bit (i + s)
//! mod z of column c. [`Ldpc::blocks`] lists the blocks; how they are chosen is told in
//! `construction.rs`.
//!
//! # Bit order
//! Bit i of a buffer is bit i % 8 of byte i / 8, bit 0 the lowest (0x01). LLR i belongs to data bit
//! i, and those of the parity follow. An LLR is positive when the bit is more likely 0.
//!
//! # Guarantee
//! The decoder returns a codeword or [`EccError::Uncorrectable`](crate::ecc_error::EccError);
//! unlike BCH it has no fixed correction radius, see the measured frame error rates.

mod construction;
mod encode;
mod min_sum;
mod sensing;
mod words;
mod workspace;

pub use min_sum::MinSum;
pub use sensing::Sensing;
pub use workspace::Workspace;

use crate::ecc_error::EccError;

/// Blocks in a column.
const MAX_COLUMN_WEIGHT: usize = 4;
/// Circulant sizes, largest first.
const CIRCULANT_SIZES: [usize; 3] = [MAX_CIRCULANT, 128, 64];
const MAX_CIRCULANT: usize = 256;
/// Rows of blocks: fewer leave no choice of rows, more are slower without being better.
const MIN_ROWS: usize = 6;
const MAX_ROWS: usize = 64;
/// The most bytes of data in a codeword.
const MAX_DATA_BYTES: usize = 8192;

/// One circulant block as seen from its column (then `block` is the row) or from its row (then it
/// is the column).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Edge {
    block: usize,
    shift: usize,
}

/// The result of a successful decoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LdpcCorrected {
    /// Bits that changed against the hard decisions that were read.
    pub bit_errors: u32,
    /// Rounds of decoding; 0 when the word read was a codeword.
    pub iterations: u32,
}

/// A quasi-cyclic LDPC code. See the [module](self) for its definition and bit order.
#[derive(Debug, Clone)]
pub struct Ldpc {
    z: usize,
    data_blocks: usize,
    /// Per block column its blocks, ascending rows.
    columns: Vec<Vec<Edge>>,
    /// Per block row its blocks, ascending columns.
    rows: Vec<Vec<Edge>>,
    /// The inverse of the circulant that the first parity block is solved with.
    gap_inverse: Vec<u64>,
}

impl Ldpc {
    /// The code for `data_bytes` bytes of data with `parity_bytes` bytes of parity.
    ///
    /// Both must be multiples of the circulant size (32, 16 or 8 bytes: the largest that leaves at
    /// least 6 rows of blocks is used). For 4 KB pages 256 (rate 0.941), 384 (0.914), 448 (0.901)
    /// and 1024 bytes (0.8) are usual; for 1 KB 96, for 512 B 64.
    ///
    /// # Errors
    /// [`EccError::Parameters`] for sizes that do not fit.
    pub fn new(data_bytes: usize, parity_bytes: usize) -> Result<Ldpc, EccError> {
        let sizes_allowed = (1..=MAX_DATA_BYTES).contains(&data_bytes) && parity_bytes <= MAX_DATA_BYTES;
        let fits = |z: &&usize| {
            (8 * data_bytes).is_multiple_of(**z)
                && (8 * parity_bytes).is_multiple_of(**z)
                && (MIN_ROWS..=MAX_ROWS).contains(&(8 * parity_bytes / **z))
        };
        let Some(&z) = CIRCULANT_SIZES.iter().find(|z| sizes_allowed && fits(z)) else {
            let reason = format!(
                "{data_bytes} B data with {parity_bytes} B parity: need multiples of 8, 16 or 32 B, {MIN_ROWS} to {MAX_ROWS} of them \
                 for the parity, and at most {MAX_DATA_BYTES} B of data"
            );
            return Err(EccError::Parameters { code: "LDPC", reason });
        };
        let (data_blocks, row_count) = (8 * data_bytes / z, 8 * parity_bytes / z);
        let columns = construction::construct(z, data_blocks, row_count)?;
        let mut rows = vec![Vec::new(); row_count];
        for (c, column) in columns.iter().enumerate() {
            for edge in column {
                rows[edge.block].push(Edge { block: c, shift: edge.shift });
            }
        }
        let mut code = Ldpc { z, data_blocks, columns, rows, gap_inverse: Vec::new() };
        code.gap_inverse = encode::gap_inverse(&code)?;
        Ok(code)
    }

    /// Bytes of a data buffer.
    pub fn data_bytes(&self) -> usize {
        self.data_blocks * self.z / 8
    }

    /// Bytes of a parity buffer.
    pub fn parity_bytes(&self) -> usize {
        self.rows.len() * self.z / 8
    }

    /// Bits of a codeword, the number of LLRs a soft decoder takes.
    pub fn codeword_bits(&self) -> usize {
        self.columns.len() * self.z
    }

    /// Data bits over codeword bits.
    pub fn rate(&self) -> f64 {
        self.data_blocks as f64 / self.columns.len() as f64
    }

    /// z, the size of a circulant block in bits.
    pub fn circulant_bits(&self) -> usize {
        self.z
    }

    /// The nonzero blocks of the parity-check matrix: (row, column, shift).
    pub fn blocks(&self) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
        self.rows
            .iter()
            .enumerate()
            .flat_map(|(row, edges)| edges.iter().map(move |edge| (row, edge.block, edge.shift)))
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

/// Runs `$function::<W>` for the number of words in a circulant.
macro_rules! with_words {
    ($z:expr, $function:ident($($argument:expr),*)) => {
        match $z / 64 {
            1 => $function::<1>($($argument),*),
            2 => $function::<2>($($argument),*),
            _ => $function::<4>($($argument),*),
        }
    };
}
use with_words;
