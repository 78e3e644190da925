//! Cells without a code: `N` bits of data are a cell's level, and the cell is written once.
//!
//! The end of the row of rates: what WOM-v(N, N) would be. Images have the same form as those of
//! the codes, so that units of either kind live on one medium.

use crate::CodeError;

/// Cells of `2^N` levels that hold `N` bits each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plain {
    n: u8,
}

impl Plain {
    /// Cells of `n` bits, 1 to 6.
    ///
    /// # Errors
    /// Any other number of bits.
    pub fn new(n: u8) -> Result<Plain, CodeError> {
        if (1..=6).contains(&n) {
            return Ok(Plain { n });
        }
        let problem = format!("cells of {n} bits are not supported; choose 1 to 6");
        Err(CodeError::Parameters { code: "plain cells", problem })
    }

    /// Cells that hold `data_bytes` bytes. The last one may hold fewer than `N` bits; its missing
    /// bits are zero.
    pub fn cells_for(&self, data_bytes: usize) -> usize {
        (8 * data_bytes).div_ceil(usize::from(self.n))
    }

    /// Bytes of the packed cell image of `data_bytes` bytes, as
    /// [`Code::image_bytes`](super::Code::image_bytes).
    pub fn image_bytes(&self, data_bytes: usize) -> usize {
        self.cells_for(data_bytes).div_ceil(self.cells_per_byte())
    }

    /// The levels of `data` on erased cells.
    ///
    /// # Errors
    /// [`CodeError::Size`] when `image` is not [`image_bytes`](Self::image_bytes) long.
    pub fn encode(&self, data: &[u8], image: &mut [u8]) -> Result<(), CodeError> {
        CodeError::check_bytes("the cell image", image.len(), self.image_bytes(data.len()))?;
        let (n, cells, width) = (u32::from(self.n), self.cells_per_byte(), 8 / self.cells_per_byte());
        let (mut bytes, mut bits, mut count) = (data.iter(), 0u32, 0u32);
        for packed in image {
            *packed = 0;
            for cell in 0..cells {
                if count < n {
                    bits |= u32::from(bytes.next().copied().unwrap_or(0)) << count;
                    count += 8;
                }
                *packed |= ((bits & self.mask()) as u8) << (cell * width);
                (bits, count) = (bits >> n, count - n);
            }
        }
        Ok(())
    }

    /// Reads the data back.
    ///
    /// # Errors
    /// [`CodeError::Size`] when `image` does not fit `data`; [`CodeError::NotACodeword`] for a
    /// level that the cells do not have.
    pub fn decode(&self, image: &[u8], data: &mut [u8]) -> Result<(), CodeError> {
        CodeError::check_bytes("the cell image", image.len(), self.image_bytes(data.len()))?;
        let (n, cells, width) = (u32::from(self.n), self.cells_per_byte(), 8 / self.cells_per_byte());
        let (mut bytes, mut bits, mut count) = (data.iter_mut(), 0u32, 0u32);
        for (index, packed) in image.iter().enumerate() {
            for cell in 0..cells {
                let level = u32::from(packed >> (cell * width)) & ((1 << width) - 1);
                if level > self.mask() {
                    let (cell, found) = (index * cells + cell, level);
                    return Err(CodeError::NotACodeword { code: "plain cells", cell, found });
                }
                (bits, count) = (bits | level << count, count + n);
                if count >= 8 {
                    if let Some(byte) = bytes.next() {
                        *byte = bits as u8;
                    }
                    (bits, count) = (bits >> 8, count - 8);
                }
            }
        }
        Ok(())
    }

    fn mask(&self) -> u32 {
        (1 << self.n) - 1
    }

    fn cells_per_byte(&self) -> usize {
        if self.n <= 4 { 2 } else { 1 }
    }
}
