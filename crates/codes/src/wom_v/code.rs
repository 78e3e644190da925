//! The parameters of a WOM-v code and the sizes that follow from them.

use crate::CodeError;

/// Largest supported number of bits in a cell: 64 levels.
const MAX_CELL_BITS: u8 = 6;

/// A WOM-v(k, N) code: `k` data bits in a cell of `2^N` levels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code {
    k: u8,
    n: u8,
}

impl Code {
    /// WOM-v(k, N) for `1 <= k < N <= 6`; any other pair is a [`CodeError::Parameters`].
    pub fn new(k: u8, n: u8) -> Result<Code, CodeError> {
        if k >= 1 && k < n && n <= MAX_CELL_BITS {
            Ok(Code { k, n })
        } else {
            let problem = format!("({k},{n}) does not exist; choose 1 <= k < N <= {MAX_CELL_BITS}");
            Err(CodeError::Parameters { code: "WOM-v", problem })
        }
    }

    /// All supported codes, by N then k.
    pub fn all() -> impl Iterator<Item = Code> {
        (2..=MAX_CELL_BITS).flat_map(|n| (1..n).map(move |k| Code { k, n }))
    }

    /// `k`: data bits in a cell.
    pub fn data_bits(&self) -> u8 {
        self.k
    }

    /// `N`: a cell has `2^N` levels.
    pub fn cell_bits(&self) -> u8 {
        self.n
    }

    /// Writes that any sequence of data is sure to get: `floor((2^N - 1) / (2^k - 1))`.
    pub fn generations(&self) -> u32 {
        u32::from(self.max_level()) / u32::from(self.step())
    }

    /// `Vmax = 2^N - 1`, the highest level of a cell.
    pub fn max_level(&self) -> u8 {
        (1 << self.n) - 1
    }

    /// The lowest level of the last generation, which it shares with the one before (Figure 2).
    pub fn last_generation(&self) -> u8 {
        (self.generations() as u8 - 1) * self.step()
    }

    /// `s = 2^k - 1`: the most levels one write raises a cell by (in no-read mode twice as many), and
    /// the mask of a cell's data.
    pub(crate) fn step(&self) -> u8 {
        (1 << self.k) - 1
    }

    /// Cells that hold `data_bytes` bytes. The last cell may hold fewer than `k` bits; its missing
    /// bits are zero.
    pub fn cells_for(&self, data_bytes: usize) -> usize {
        (8 * data_bytes).div_ceil(usize::from(self.k))
    }

    /// Bytes of the packed cell image of `data_bytes` bytes: two cells a byte up to N = 4 (the
    /// lower-numbered cell in the low nibble), one cell a byte above.
    pub fn image_bytes(&self, data_bytes: usize) -> usize {
        let cells = self.cells_for(data_bytes);
        if self.lane_bits() == 4 { cells.div_ceil(2) } else { cells }
    }

    /// Bits a cell takes in the packed image: 4 or 8.
    pub(crate) fn lane_bits(&self) -> u32 {
        if self.n <= 4 { 4 } else { 8 }
    }

    /// Level of cell `cell` in a packed image.
    ///
    /// # Errors
    /// [`CodeError::Range`] when the image ends before that cell.
    pub fn level(&self, image: &[u8], cell: usize) -> Result<u8, CodeError> {
        let per_byte = if self.lane_bits() == 4 { 2 } else { 1 };
        let byte = image.get(cell / per_byte).ok_or(CodeError::Range {
            what: "cell",
            count: image.len() * per_byte,
            got: cell,
        })?;
        Ok(if per_byte == 1 { *byte } else { byte >> (4 * (cell % 2)) & 15 })
    }

    /// Bits of metadata that the no-read mode keeps a page: enough for a generation, or "erased".
    pub fn generation_bits(&self) -> u32 {
        (self.generations() + 1).next_power_of_two().trailing_zeros()
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "WOM-v({},{})", self.k, self.n)
    }
}
