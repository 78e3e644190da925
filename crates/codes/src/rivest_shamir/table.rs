//! The two printed tables and pages of their codewords.

use crate::CodeError;

/// Which of the two writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Generation {
    /// On erased cells.
    First,
    /// On cells of a first write.
    Second,
}

/// A table of the code: a codeword of three cells for two bits of data in each generation.
///
/// Numbers have the bits as printed: the leftmost is the most significant. On a page the leftmost
/// bit of a pair has the lower bit number, and the leftmost cell of a codeword the lower cell
/// number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Table {
    name: &'static str,
    /// The bit that an erased cell reads.
    erased: bool,
    words: [[u8; 4]; 2],
}

impl Table {
    /// `second-write`, Table 1: cells go from 0 to 1.
    pub const SECOND_WRITE: Table = Table {
        name: "second-write, Table 1",
        erased: false,
        words: [[0b000, 0b010, 0b100, 0b001], [0b111, 0b101, 0b011, 0b110]],
    };

    /// `seal`, Table I: cells go from 1 to 0.
    pub const SEAL: Table = Table {
        name: "seal, Table I",
        erased: true,
        words: [[0b111, 0b110, 0b101, 0b011], [0b000, 0b001, 0b010, 0b100]],
    };

    /// The paper and the number of the table.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The byte of an erased page.
    pub fn erased_byte(&self) -> u8 {
        if self.erased { 0xff } else { 0 }
    }

    /// The codeword of the two low bits of `data`.
    pub fn codeword(&self, generation: Generation, data: u8) -> u8 {
        self.words[generation as usize][usize::from(data & 3)]
    }

    /// The generation and data of a codeword, its three low bits. Every pattern is a
    /// codeword.
    pub fn data(&self, word: u8) -> (Generation, u8) {
        for generation in [Generation::First, Generation::Second] {
            if let Some(data) = self.words[generation as usize].iter().position(|w| *w == word & 7) {
                return (generation, data as u8);
            }
        }
        // The tables hold all eight patterns, so this is not reached.
        (Generation::Second, 0)
    }

    /// Bytes of cells for `data_bytes` bytes: three cells for two bits.
    pub fn image_bytes(&self, data_bytes: usize) -> usize {
        (12 * data_bytes).div_ceil(8)
    }

    /// Writes `data`. A second write leaves a codeword alone that holds its data already, as the
    /// paper says.
    ///
    /// # Errors
    /// [`CodeError::Size`] when `image` is not [`Table::image_bytes`] long;
    /// [`CodeError::NotACodeword`] when cells are not erased (first write), or have had their
    /// second write and hold other data. Nothing is changed on an error.
    pub fn encode(&self, generation: Generation, data: &[u8], image: &mut [u8]) -> Result<(), CodeError> {
        CodeError::check_bytes("the cell image", image.len(), self.image_bytes(data.len()))?;
        for i in 0..4 * data.len() {
            self.next_word(generation, read_word(image, i), pair(data, i)).map_err(|found| {
                CodeError::NotACodeword {
                    code: if generation == Generation::First { "an erased page" } else { "a first write" },
                    cell: 3 * i,
                    found: found.into(),
                }
            })?;
        }
        for i in 0..4 * data.len() {
            if let Ok(word) = self.next_word(generation, read_word(image, i), pair(data, i)) {
                write_word(image, i, word);
            }
        }
        Ok(())
    }

    /// Reads the data of either generation.
    ///
    /// # Errors
    /// [`CodeError::Size`] when `image` is not [`Table::image_bytes`] long.
    pub fn decode(&self, image: &[u8], data: &mut [u8]) -> Result<(), CodeError> {
        CodeError::check_bytes("the cell image", image.len(), self.image_bytes(data.len()))?;
        data.fill(0);
        for i in 0..4 * data.len() {
            let (_, pair) = self.data(read_word(image, i));
            // The printed order is left to right, the page's from the low bit up.
            data[i / 4] |= (pair >> 1 | (pair & 1) << 1) << (2 * (i % 4));
        }
        Ok(())
    }

    /// The codeword to write over `old`, or `old` itself as the error.
    fn next_word(&self, generation: Generation, old: u8, data: u8) -> Result<u8, u8> {
        let word = self.codeword(generation, data);
        match generation {
            Generation::First => (old == self.erased_byte() & 7).then_some(word).ok_or(old),
            Generation::Second => match self.data(old) {
                (_, held) if held == data => Ok(old),
                (Generation::First, _) => Ok(word),
                (Generation::Second, _) => Err(old),
            },
        }
    }

    /// The table as the papers print it.
    pub fn print(&self) -> String {
        let rows = (0..4u8).map(|data| {
            let [first, second] = [Generation::First, Generation::Second].map(|g| self.codeword(g, data));
            format!("{data:02b}    {first:03b}        {second:03b}\n")
        });
        format!("{}\ndata  1st write  2nd write\n{}", self.name, rows.collect::<String>())
    }
}

/// Pair `i` of the data as printed.
fn pair(data: &[u8], i: usize) -> u8 {
    let pair = data[i / 4] >> (2 * (i % 4)) & 3;
    pair >> 1 | (pair & 1) << 1
}

/// Cells `3 i ..` as printed.
fn read_word(image: &[u8], i: usize) -> u8 {
    (3 * i..3 * i + 3).fold(0, |word, cell| word << 1 | (image[cell / 8] >> (cell % 8) & 1))
}

fn write_word(image: &mut [u8], i: usize, word: u8) {
    for (cell, bit) in (3 * i..3 * i + 3).zip([word >> 2 & 1, word >> 1 & 1, word & 1]) {
        image[cell / 8] = image[cell / 8] & !(1 << (cell % 8)) | bit << (cell % 8);
    }
}
