//! Writing: plane after plane, the cheapest bits with the data for syndrome.

use super::code::Code;
use super::matrix::Matrix;
use super::metrics::{LANES, Metrics};
use super::planes;
use super::trellis::{Search, Trellis};
use crate::CodeError;
use crate::isa::{Isa, Level};

/// A cell that a write would have had to lower. It keeps its level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidCell {
    /// Its nibble in the image: the low one of byte `cell / 2`, or the high one.
    pub cell: u32,
    /// The level that it should have.
    pub wanted: u8,
}

/// Writes pages of one code; holds the work space.
#[derive(Debug, Clone)]
pub struct Writer {
    isa: Isa,
    /// Of each column: levels before the write (bits 0 to 3) and the planes that were found (bits 4
    /// to 7, the least significant first).
    cells: Vec<[u8; LANES]>,
    rows: Vec<u64>,
    found: Vec<u64>,
    trellis: Trellis,
    invalid: Vec<InvalidCell>,
}

impl Writer {
    /// A writer for pages of a code, with the widest instructions of this processor.
    pub fn new(code: &Code) -> Writer {
        Writer::with_isa(code, Isa::best())
    }

    /// [`Writer::new`] with given instructions; all write the same levels.
    pub fn with_isa(code: &Code, isa: Isa) -> Writer {
        Writer {
            isa,
            cells: vec![[0; LANES]; code.columns()],
            rows: Vec::with_capacity(code.columns()),
            found: vec![0; code.columns()],
            trellis: Trellis::new(code.columns()),
            invalid: Vec::new(),
        }
    }

    /// Writes `data` over what `image` holds as write `write` since the erase, from 0 on. Cells are
    /// only raised. Returns those that would have had to be lowered: errors at unknown places for
    /// later reads.
    ///
    /// # Errors
    /// [`CodeError::Size`] when `image` or `data` have another size than a page;
    /// [`CodeError::Range`] for a write that the code does not have; [`CodeError::NotACodeword`]
    /// when a cell has a level above the highest. Nothing is changed on an error.
    pub fn write(
        &mut self,
        code: &Code,
        write: u32,
        data: &[u8],
        image: &mut [u8],
    ) -> Result<&[InvalidCell], CodeError> {
        CodeError::check_bytes("the cell image", image.len(), code.image_bytes())?;
        CodeError::check_bytes("the data", data.len(), code.data_bytes())?;
        code.plan(write)?;
        let illegal = !(0x11 * ((1u8 << code.bits()) - 1));
        if let Some(byte) = image.iter().position(|byte| byte & illegal != 0) {
            let (low, high) = (image[byte] & 15, image[byte] >> 4);
            let (cell, found) = if low & illegal != 0 { (2 * byte, low) } else { (2 * byte + 1, high) };
            return Err(CodeError::NotACodeword { code: "coset", cell, found: found.into() });
        }
        match self.isa.0 {
            // SAFETY: arrays need no special instruction.
            Level::Portable => unsafe { self.find::<[u8; LANES]>(code, write, data, image) },
            // SAFETY: an `Isa` of this level exists only where the processor has these features.
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => unsafe { self.find_avx2(code, write, data, image) },
        }
        Ok(&self.invalid)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
    unsafe fn find_avx2(&mut self, code: &Code, write: u32, data: &[u8], image: &mut [u8]) {
        // SAFETY: the instructions are enabled here.
        unsafe { self.find::<super::metrics::Pair>(code, write, data, image) }
    }

    /// Finds the levels of the cells, plane after plane, and raises them.
    ///
    /// # Safety
    /// The processor must have the instructions of `M`.
    #[inline(always)]
    unsafe fn find<M: Metrics>(&mut self, code: &Code, write: u32, data: &[u8], image: &mut [u8]) {
        planes::unpack(code.words(), image, &mut self.cells);
        let (bytes, mut left) = (code.words() / 8, data);
        let planes = code.plan(write).map_or(&[][..], |plan| &plan.planes);
        for (plane, plan) in planes.iter().enumerate() {
            let (now, behind) = left.split_at(left.len().min(plan.rows * bytes));
            left = behind;
            self.rows.clear();
            if bytes == 8 {
                let (whole, rest) = now.as_chunks::<8>();
                self.rows.extend(whole.iter().map(|eight| u64::from_le_bytes(*eight)));
                self.rows.extend((!rest.is_empty()).then(|| crate::bits::u64_from(rest)));
            } else {
                self.rows.extend(now.chunks(bytes).map(crate::bits::u64_from));
            }
            // Behind the end of the data there are zeros.
            self.rows.resize(plan.rows, 0);
            let matrix = Matrix { rows: plan.rows, columns: code.columns() };
            if matrix.is_plain() {
                self.found.copy_from_slice(&self.rows);
            } else {
                let Writer { cells, rows, found, .. } = self;
                let index_bits = 4 + plane;
                let mut search = Search { matrix, rows, odds: &plan.odds, cells, index_bits, found };
                // SAFETY: the caller vouches for the instructions.
                unsafe { self.trellis.search::<M>(&mut search) };
            }
            for (&bits, cells) in self.found.iter().zip(&mut self.cells) {
                // SAFETY: as above.
                unsafe {
                    let before = M::load(cells);
                    before.replace(bits, before.or(M::load(&[16 << plane; LANES]))).store(cells);
                }
            }
        }
        self.raise(code, image);
    }

    /// Raises the cells to what was found, where that is not below their level.
    #[inline(always)]
    fn raise(&mut self, code: &Code, image: &mut [u8]) {
        self.invalid.clear();
        let words = code.words();
        for (column, cells) in self.cells.iter_mut().enumerate() {
            let is_below = |cell: u8| cell >> 4 < cell & 15;
            if cells[..words].iter().fold(false, |any, &cell| any | is_below(cell)) {
                for (word, &cell) in cells[..words].iter().enumerate().filter(|(_, cell)| is_below(**cell)) {
                    let byte = column * (words / 2) + word % (words / 2);
                    let at = 2 * byte + usize::from(word >= words / 2);
                    self.invalid.push(InvalidCell { cell: at as u32, wanted: cell >> 4 });
                }
            }
            for cell in cells {
                *cell = (*cell & 15).max(*cell >> 4);
            }
        }
        planes::pack(words, &self.cells, image);
    }
}

/// Gives the cells of `invalid` the levels that they should have, as an error-correcting code does.
pub fn correct(image: &mut [u8], invalid: &[InvalidCell]) {
    for &InvalidCell { cell, wanted } in invalid {
        let byte = &mut image[cell as usize / 2];
        *byte = if cell % 2 == 0 { *byte & 0xf0 | wanted } else { *byte & 15 | wanted << 4 };
    }
}
