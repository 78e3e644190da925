//! The parity-check matrix: circulant permutation blocks placed one column at a time.
//!
//! Every data column has four blocks in the rows that are least used so far. Its shifts are chosen
//! one by one. A shift that closes a cycle of length 4 is forbidden (girth at least 6). Among the
//! others the one that closes the fewest cycles of length 6 wins. This is progressive edge growth
//! on circulants (X.-Y. Hu, E. Eleftheriou, D. Arnold, IEEE Trans. Inf. Theory 51(1), 2005). Cycles
//! of circulant blocks are those of M. Fossorier, IEEE Trans. Inf. Theory 50(8), 2004.
//!
//! The parity part is approximately lower triangular with a gap of one block (T. Richardson, R.
//! Urbanke, IEEE Trans. Inf. Theory 47(2), 2001): linear-time encoding, yet column weight 4 except
//! for the last two columns. The usual dual diagonal has weight 2 throughout, and bits of two
//! checks are what hard decisions fail on.

use super::{Edge, MAX_COLUMN_WEIGHT};
use crate::ecc_error::EccError;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Part of the definition of the codes: another seed gives another code.
const SEED: u64 = 0x7265_7765_6172;

/// Blocks of each column, ascending rows; the last one has shift 0. Data columns first, then the
/// gap column, then the triangle.
pub(super) type Columns = Vec<Vec<Edge>>;

/// Differences of shifts seen so far between each ordered pair of rows, and how many two-step paths
/// have each difference.
struct Cycles {
    z: usize,
    rows: usize,
    /// steps[(a * rows + b)]: the shift differences s_a - s_b of columns that have both rows.
    steps: Vec<Vec<usize>>,
    /// direct[(a * rows + b) * z + d]: how often d occurs among them.
    direct: Vec<u32>,
    /// two_step[(a * rows + b) * z + d]: paths a -> c -> b over two columns with total difference
    /// d.
    two_step: Vec<u32>,
}

impl Cycles {
    fn new(z: usize, rows: usize) -> Cycles {
        let pairs = rows * rows;
        Cycles {
            z,
            rows,
            steps: vec![Vec::new(); pairs],
            direct: vec![0; pairs * z],
            two_step: vec![0; pairs * z],
        }
    }

    fn difference(&self, a: usize, b: usize) -> usize {
        (a + self.z - b) % self.z
    }

    /// Cycles of length 6 that a block at (row, shift) closes with the column's blocks so far;
    /// `None` if one has length 4.
    fn closed_by(&self, row: usize, shift: usize, column: &[Edge]) -> Option<u32> {
        let mut six = 0;
        for edge in column {
            let place = (row * self.rows + edge.block) * self.z + self.difference(shift, edge.shift);
            if self.direct[place] > 0 {
                return None;
            }
            six += self.two_step[place];
        }
        Some(six)
    }

    fn add_column(&mut self, column: &[Edge]) {
        let mut fresh = Vec::new();
        for from in column {
            for to in column.iter().filter(|to| to.block != from.block) {
                fresh.push((from.block, to.block, self.difference(from.shift, to.shift)));
            }
        }
        for &(a, b, d) in &fresh {
            for c in 0..self.rows {
                // a -> b -> c and c -> a -> b.
                for i in 0..self.steps[b * self.rows + c].len() {
                    let total = (d + self.steps[b * self.rows + c][i]) % self.z;
                    self.two_step[(a * self.rows + c) * self.z + total] += 1;
                }
                for i in 0..self.steps[c * self.rows + a].len() {
                    let total = (d + self.steps[c * self.rows + a][i]) % self.z;
                    self.two_step[(c * self.rows + b) * self.z + total] += 1;
                }
            }
        }
        for (a, b, d) in fresh {
            self.steps[a * self.rows + b].push(d);
            self.direct[(a * self.rows + b) * self.z + d] += 1;
        }
    }
}

/// Builds the columns of a code of circulants of size `z` with `data_blocks` + `rows` columns and
/// `rows` rows of blocks.
///
/// # Errors
/// [`EccError::Parameters`] when there are too many columns to avoid cycles of length 4.
pub(super) fn construct(z: usize, data_blocks: usize, rows: usize) -> Result<Columns, EccError> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(SEED ^ (z << 40 | data_blocks << 16 | rows) as u64);
    let mut cycles = Cycles::new(z, rows);
    let mut load = vec![0u32; rows];
    // The parity part first: its rows are fixed by the triangle.
    let gap = gap_rows(rows);
    let mut parity = Vec::with_capacity(rows);
    for chosen in std::iter::once(gap).chain((1..rows).map(|column| triangle_rows(column, rows))) {
        parity.push(place_column(&chosen, &mut cycles, &mut rng)?);
        chosen.iter().for_each(|&row| load[row] += 1);
    }
    let mut columns = Vec::with_capacity(data_blocks + rows);
    for _ in 0..data_blocks {
        let chosen = least_loaded_rows(&load, &mut rng);
        columns.push(place_column(&chosen, &mut cycles, &mut rng)?);
        chosen.iter().for_each(|&row| load[row] += 1);
    }
    columns.extend(parity);
    Ok(columns)
}

/// Rows of triangle column `column` (1..rows): the diagonal `column` - 1 and up to three spread
/// over the rows below.
fn triangle_rows(column: usize, rows: usize) -> Vec<usize> {
    let diagonal = column - 1;
    let below = rows - 1 - diagonal;
    let mut chosen = vec![diagonal];
    let extra = below.min(MAX_COLUMN_WEIGHT - 1);
    chosen.extend((0..extra).map(|i| diagonal + 1 + i * below / extra));
    chosen
}

/// Rows of the gap column: the set of four (in lexicographic order) that makes the parity part
/// invertible.
///
/// A circulant polynomial over x^z - 1 = (x + 1)^z, z a power of two, is invertible exactly when
/// its weight is odd. So it is enough that the matrix of block weights modulo 2 is invertible.
fn gap_rows(rows: usize) -> Vec<usize> {
    // With p_0 = 1: what the triangle must be in each row, and so what remains in the last row.
    let invertible = |gap: &[usize]| {
        let mut sums = vec![false; rows];
        gap.iter().for_each(|&row| sums[row] ^= true);
        for column in 1..rows {
            if sums[column - 1] {
                triangle_rows(column, rows).iter().for_each(|&row| sums[row] ^= true);
            }
        }
        sums[rows - 1]
    };
    let spread = |first: usize| [0, 1, 2, 3].map(|i| (first + i * rows / 4) % rows);
    let spread_sets = (0..rows).map(spread);
    let three = (0..rows).flat_map(|a| (a + 1..rows).map(move |b| [0, a, b, b]));
    for mut set in spread_sets.chain(three) {
        set.sort_unstable();
        let mut set = set.to_vec();
        set.dedup();
        if invertible(&set) {
            return set;
        }
    }
    vec![rows - 1]
}

fn least_loaded_rows(load: &[u32], rng: &mut Xoshiro256PlusPlus) -> Vec<usize> {
    let mut order: Vec<(u32, u64, usize)> =
        load.iter().enumerate().map(|(row, &count)| (count, rng.next_u64(), row)).collect();
    order.sort_unstable();
    let mut chosen: Vec<usize> = order.iter().take(MAX_COLUMN_WEIGHT).map(|&(_, _, row)| row).collect();
    chosen.sort_unstable();
    chosen
}

fn place_column(
    rows: &[usize],
    cycles: &mut Cycles,
    rng: &mut Xoshiro256PlusPlus,
) -> Result<Vec<Edge>, EccError> {
    let z = cycles.z;
    let mut column: Vec<Edge> = Vec::with_capacity(rows.len());
    // A column of blocks may be rotated as a whole, so its last row has shift 0: the decoder then
    // ends each round unrotated.
    for (i, &row) in rows.iter().rev().enumerate() {
        let offset = if i == 0 { 0 } else { (rng.next_u64() % z as u64) as usize };
        let candidates = if i == 0 { 1 } else { z };
        let best = (0..candidates)
            .map(|k| (k + offset) % z)
            .filter_map(|shift| cycles.closed_by(row, shift, &column).map(|six| (six, shift)))
            .min_by_key(|&(six, _)| six);
        let Some((_, shift)) = best else {
            let reason = format!("no circulant shift of size {z} avoids cycles of length 4; use more parity");
            return Err(EccError::Parameters { code: "LDPC", reason });
        };
        column.push(Edge { block: row, shift });
    }
    column.reverse();
    cycles.add_column(&column);
    Ok(column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_columns_share_two_checks() {
        for (z, data_blocks, rows) in [(256, 128, 12), (256, 128, 14), (64, 64, 8), (128, 64, 6)] {
            let columns = construct(z, data_blocks, rows).unwrap();
            let mut seen = std::collections::BTreeSet::new();
            for column in &columns {
                for (i, a) in column.iter().enumerate() {
                    for b in &column[i + 1..] {
                        let difference = (a.shift + z - b.shift) % z;
                        assert!(seen.insert((a.block, b.block, difference)), "cycle of length 4");
                    }
                }
            }
        }
    }

    #[test]
    fn rows_are_balanced_and_columns_have_four_blocks() {
        let (data_blocks, rows) = (128, 12);
        let columns = construct(256, data_blocks, rows).unwrap();
        let weights: Vec<usize> =
            (0..rows).map(|row| columns.iter().flatten().filter(|edge| edge.block == row).count()).collect();
        let (least, most) = (weights.iter().min().unwrap(), weights.iter().max().unwrap());
        assert!(most - least <= 2, "{weights:?}");
        let light = columns.iter().filter(|column| column.len() < MAX_COLUMN_WEIGHT).count();
        assert!(light <= 3, "{light} columns of weight below 4");
        assert!(columns[..data_blocks].iter().all(|column| column.len() == MAX_COLUMN_WEIGHT));
    }
}
