//! The parity-check matrix of a syndrome-trellis code (Filler, Judas, Fridrich 2011).
//!
//! The matrix is a band: each row of the syndrome begins a block of columns, and a column reaches
//! from the row of its block over at most [`HEIGHT`] rows. Blocks have one width or two that differ
//! by one, spread evenly. The first block is wider: the search begins with one path, and needs
//! columns with which it can become many.

/// Rows that a column of the matrix reaches over; the search has `2^HEIGHT` states.
pub(super) const HEIGHT: usize = 6;

/// Blocks that the first one is wider by. Of 0 to 7 blocks, three left the fewest invalid cells on
/// pages of 4 and of 16 KiB.
const BLOCKS_IN_FIRST: usize = 3;

/// A matrix with a row for each bit of the message and a column for each cell of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Matrix {
    pub(super) rows: usize,
    pub(super) columns: usize,
}

impl Matrix {
    /// Whether the cells hold the message as it is.
    #[inline]
    pub(super) fn is_plain(&self) -> bool {
        self.rows == self.columns
    }

    /// The first column of the block of row `row`; that of row `rows` is the number of columns.
    #[inline]
    pub(super) fn block(&self, row: usize) -> usize {
        if row == 0 {
            return if self.rows == 0 { self.columns } else { 0 };
        }
        let wider = BLOCKS_IN_FIRST.min(self.columns - self.rows);
        self.columns * (row + wider) / (self.rows + wider)
    }

    /// The column `place` columns behind the first of its block, whose row is `row`: its rows from
    /// that one on; none lies behind the last.
    ///
    /// Both ends of the band are ones, so that every column can mend its block and the one
    /// [`HEIGHT`] rows on. What lies between differs from block to block: with the same columns in
    /// all of them two to three times as many cells are invalid at rates above 3/4. The factors had
    /// the fewest of 480 pairs.
    #[inline]
    pub(super) fn column(&self, row: usize, place: usize) -> u8 {
        let between = (12 * row + 11 * place) % (1 << (HEIGHT - 2));
        let column = 1 | between << 1 | 1 << (HEIGHT - 1);
        (column & (self.states(row) - 1)) as u8
    }

    /// Syndromes that the rows from `row` on can have within the band.
    #[inline]
    pub(super) fn states(&self, row: usize) -> usize {
        1 << (self.rows - row).min(HEIGHT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_begins_a_block_and_every_column_belongs_to_one() {
        for columns in [1, 2, 9, 64, 597] {
            for rows in 1..=columns {
                let matrix = Matrix { rows, columns };
                assert_eq!((matrix.block(0), matrix.block(rows)), (0, columns));
                for row in 0..rows {
                    assert!(matrix.block(row) < matrix.block(row + 1), "{matrix:?}, row {row}");
                    let column = matrix.column(row, 1);
                    assert!(column & 1 == 1 && usize::from(column) < matrix.states(row));
                }
            }
        }
    }
}
