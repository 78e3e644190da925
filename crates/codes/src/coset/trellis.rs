//! The search for the cheapest bits of a syndrome: the Viterbi algorithm over the partial syndromes
//! that a band of the matrix can have, 64 words side by side.

use super::matrix::{HEIGHT, Matrix};
use super::metrics::{LANES, Metrics};
use super::plan::MAX_COST;

const STATES: usize = 1 << HEIGHT;
const HALF: usize = STATES / 2;
/// The metric of a path that does not exist.
const NEVER: u8 = u8::MAX;
/// Columns after which the least metric is taken off all.
const COLUMNS_TO_RESET: usize = 3;
/// While some states have no path the metrics of the others are cut here, so that no path that
/// exists costs as much as [`NEVER`] before the next reset.
const MOST: u8 = NEVER - 1 - COLUMNS_TO_RESET as u8 * MAX_COST;

/// The metrics of all states, 64 words each.
type States = [[u8; LANES]; STATES];

/// What a zero and a one cost in a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Costs {
    pub(super) zero: [u8; 128],
    pub(super) one: [u8; 128],
}

/// Work space of searches.
#[derive(Debug, Clone)]
pub(super) struct Trellis {
    /// Of each column and state, the words whose best path into it has a one there.
    ones: Vec<[u64; STATES]>,
}

/// What a search is given, and where it leaves the bits.
pub(super) struct Search<'a> {
    pub(super) matrix: Matrix,
    /// The syndrome: bit `w` of row `r` is that of word `w`.
    pub(super) rows: &'a [u64],
    pub(super) costs: &'a Costs,
    /// Which costs hold, for each column and word; bits above `index_mask` say something else.
    pub(super) cells: &'a [[u8; LANES]],
    pub(super) index_mask: u8,
    /// The bits found: bit `w` of column `c` is that of word `w`.
    pub(super) found: &'a mut [u64],
}

impl Trellis {
    pub(super) fn new(columns: usize) -> Trellis {
        Trellis { ones: vec![[0; STATES]; columns] }
    }

    /// Finds bits of least cost whose syndromes are `rows`.
    ///
    /// # Safety
    /// The processor must have the instructions of `M`.
    #[inline(always)]
    pub(super) unsafe fn search<M: Metrics>(&mut self, search: &mut Search<'_>) {
        // SAFETY: the caller vouches for the instructions.
        unsafe {
            if search.rows.is_empty() {
                search.cheapest::<M>();
                return;
            }
            self.forward::<M>(search);
        }
        self.trace_back(search);
    }

    /// Works out which bit ends the best path into each state behind each column.
    ///
    /// # Safety
    /// The processor must have the instructions of `M`.
    #[inline(always)]
    unsafe fn forward<M: Metrics>(&mut self, search: &Search<'_>) {
        let matrix = search.matrix;
        let mut metrics: States = [[NEVER; LANES]; STATES];
        metrics[0] = [0; LANES];
        let (mut since_reset, mut all_exist) = (0, false);
        for (row, &wanted) in search.rows.iter().enumerate() {
            let block = matrix.block(row)..matrix.block(row + 1);
            let (states, last) = (matrix.states(row), block.len() - 1);
            for (place, index) in block.enumerate() {
                let column = usize::from(matrix.column(row, place));
                // SAFETY: the caller vouches for the instructions.
                unsafe {
                    let cost = search.cost::<M>(index);
                    match (states == STATES, place) {
                        (true, 0) => enter(&mut metrics, column, cost),
                        (true, _) => step(&mut metrics, column, cost, &mut self.ones[index]),
                        (false, _) => {
                            step_at_end(&mut metrics[..states], column, cost, &mut self.ones[index])
                        }
                    }
                    since_reset += 1;
                    let mut going_on = &mut metrics[..states];
                    if place == last {
                        leave::<M>(&mut metrics, wanted);
                        going_on = &mut metrics[..states / 2];
                    }
                    if since_reset >= COLUMNS_TO_RESET {
                        since_reset = 0;
                        match all_exist {
                            true => reset::<M>(going_on),
                            false => all_exist = reset_existing::<M>(going_on) && states == STATES,
                        }
                    }
                }
            }
        }
    }

    /// Follows the best path of each word back from the syndrome's end. The states of all words are
    /// kept as planes: bit `w` of `state[b]` is bit `b` of word `w`.
    #[inline(always)]
    fn trace_back(&self, search: &mut Search<'_>) {
        let (matrix, rows) = (search.matrix, search.rows);
        let mut state = [0u64; HEIGHT];
        for row in (0..rows.len()).rev() {
            let block = matrix.block(row)..matrix.block(row + 1);
            let full = matrix.states(row) == STATES;
            state.copy_within(..HEIGHT - 1, 1);
            state[0] = rows[row];
            for (place, index) in block.enumerate().rev() {
                let column = matrix.column(row, place);
                let bits = match (full, place) {
                    (true, 0) => state[HEIGHT - 1],
                    _ => choose(&self.ones[index], &state),
                };
                for (reach, plane) in state.iter_mut().enumerate() {
                    *plane ^= bits & 0u64.wrapping_sub(u64::from(column >> reach & 1));
                }
                search.found[index] = bits;
            }
        }
    }
}

impl Search<'_> {
    /// What a zero and a one cost in a column.
    #[inline(always)]
    unsafe fn cost<M: Metrics>(&self, index: usize) -> [M; 2] {
        // SAFETY: the caller vouches for the instructions.
        unsafe {
            let cells = M::load(&self.cells[index]).and(M::load(&[self.index_mask; LANES]));
            [cells.look_up(&self.costs.zero), cells.look_up(&self.costs.one)]
        }
    }
}

impl Search<'_> {
    /// The cheaper bit of each cell, where there is no data.
    #[inline(always)]
    unsafe fn cheapest<M: Metrics>(&mut self) {
        for index in 0..self.found.len() {
            // SAFETY: the caller vouches for the instructions.
            self.found[index] = unsafe {
                let [zero, one] = self.cost::<M>(index);
                one.is_below(zero)
            };
        }
    }
}

/// Of each word the bit of `ones` that its state names.
#[inline(always)]
fn choose(ones: &[u64; STATES], state: &[u64; HEIGHT]) -> u64 {
    let mut left = *ones;
    for (bit, &plane) in state.iter().enumerate().rev() {
        let (low, high) = left[..2 << bit].split_at_mut(1 << bit);
        for (low, high) in low.iter_mut().zip(high) {
            *low ^= (*low ^ *high) & plane;
        }
    }
    left[0]
}

/// The first column of a block: its last row is new, so that a state is reached from one other only,
/// by a one if it has that row.
#[inline(always)]
unsafe fn enter<M: Metrics>(metrics: &mut States, column: usize, [zero, one]: [M; 2]) {
    let (low, high) = metrics.split_at_mut(HALF);
    for (state, low) in low.iter_mut().enumerate() {
        // SAFETY: the caller vouches for the instructions.
        unsafe {
            let before = M::load(low);
            before.add_saturating(one).store(&mut high[(state ^ column) % HALF]);
            before.add_saturating(zero).store(low);
        }
    }
}

/// Any other column: two states are reached from both.
#[inline(always)]
unsafe fn step<M: Metrics>(metrics: &mut States, column: usize, cost: [M; 2], ones: &mut [u64; STATES]) {
    let (low, high) = metrics.split_at_mut(HALF);
    let (ones_low, ones_high) = ones.split_at_mut(HALF);
    for (state, (low, ones_low)) in low.iter_mut().zip(ones_low).enumerate() {
        let other = (state ^ column) % HALF;
        // SAFETY: the caller vouches for the instructions.
        unsafe { (*ones_low, ones_high[other]) = both(low, &mut high[other], cost) }
    }
}

/// As [`step`] in the last blocks, whose columns reach the last row.
unsafe fn step_at_end<M: Metrics>(
    metrics: &mut [[u8; LANES]],
    column: usize,
    cost: [M; 2],
    ones: &mut [u64; STATES],
) {
    let top = 1 << column.checked_ilog2().unwrap_or_default();
    for state in (0..metrics.len()).filter(|state| state & top == 0) {
        let other = state ^ column;
        let (mut a, mut b) = (metrics[state], metrics[other]);
        // SAFETY: the caller vouches for the instructions.
        (ones[state], ones[other]) = unsafe { both(&mut a, &mut b, cost) };
        (metrics[state], metrics[other]) = (a, b);
    }
}

/// Two states that a one leads to from each other: the words for which it does.
#[inline(always)]
unsafe fn both<M: Metrics>(a: &mut [u8; LANES], b: &mut [u8; LANES], [zero, one]: [M; 2]) -> (u64, u64) {
    // SAFETY: the caller vouches for the instructions.
    unsafe {
        let before = (M::load(a), M::load(b));
        let (stays, comes) = (before.0.add_saturating(zero), before.1.add_saturating(one));
        let into_a = comes.is_below(stays);
        stays.min(comes).store(a);
        let (stays, comes) = (before.1.add_saturating(zero), before.0.add_saturating(one));
        stays.min(comes).store(b);
        (into_a, comes.is_below(stays))
    }
}

/// Behind a block: only the states whose first row is `wanted` go on, and that row is left behind.
#[inline(always)]
unsafe fn leave<M: Metrics>(metrics: &mut States, wanted: u64) {
    for state in 0..HALF {
        // SAFETY: the caller vouches for the instructions.
        unsafe {
            let (zero, one) = (M::load(&metrics[2 * state]), M::load(&metrics[2 * state + 1]));
            zero.replace(wanted, one).store(&mut metrics[state]);
        }
    }
}

/// Takes the least metric of each word off all of it.
#[inline(always)]
unsafe fn reset<M: Metrics>(metrics: &mut [[u8; LANES]]) {
    // SAFETY: the caller vouches for the instructions.
    unsafe {
        let least = least::<M>(metrics);
        for state in metrics {
            M::load(state).sub_saturating(least).store(state);
        }
    }
}

/// As [`reset`], but leaves states without a path at [`NEVER`]. Returns whether there are none.
#[inline(always)]
unsafe fn reset_existing<M: Metrics>(metrics: &mut [[u8; LANES]]) -> bool {
    let mut all = u64::MAX;
    // SAFETY: the caller vouches for the instructions.
    unsafe {
        let (least, never) = (least::<M>(metrics), M::load(&[NEVER; LANES]));
        let most = M::load(&[MOST; LANES]);
        for state in metrics {
            let metric = M::load(state);
            let exists = metric.is_below(never);
            never.replace(exists, metric.sub_saturating(least).min(most)).store(state);
            all &= exists;
        }
    }
    all == u64::MAX
}

#[inline(always)]
unsafe fn least<M: Metrics>(metrics: &[[u8; LANES]]) -> M {
    // SAFETY: the caller vouches for the instructions.
    unsafe { metrics[1..].iter().fold(M::load(&metrics[0]), |least, state| least.min(M::load(state))) }
}

#[cfg(test)]
mod tests {
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    use super::*;

    fn syndrome(matrix: Matrix, bits: u64) -> u64 {
        let mut syndrome = 0;
        for row in 0..matrix.rows {
            for (place, index) in (matrix.block(row)..matrix.block(row + 1)).enumerate() {
                syndrome ^= ((bits >> index & 1) * u64::from(matrix.column(row, place))) << row;
            }
        }
        syndrome
    }

    #[test]
    fn the_cheapest_bits_are_found_exhaustively() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for (rows, columns) in [(0, 5), (1, 5), (3, 13), (5, 12), (7, 13), (9, 12), (12, 13)] {
            let matrix = Matrix { rows, columns };
            let mut random = || std::array::from_fn(|_| (rng.next_u64() % 9) as u8);
            let costs = Costs { zero: random(), one: random() };
            let cells: Vec<[u8; LANES]> =
                (0..columns).map(|_| std::array::from_fn(|_| rng.next_u64() as u8)).collect();
            let rows: Vec<u64> = (0..rows).map(|_| rng.next_u64()).collect();
            let mut found = vec![0; columns];
            let mut search = Search {
                matrix,
                rows: &rows,
                costs: &costs,
                cells: &cells,
                index_mask: 127,
                found: &mut found,
            };
            // SAFETY: arrays need no special instruction.
            unsafe { Trellis::new(columns).search::<[u8; LANES]>(&mut search) };
            (0..LANES).for_each(|word| {
                let cost = |bits: u64| -> u32 {
                    let of = |column: usize| {
                        let cell = usize::from(cells[column][word] & 127);
                        u32::from([costs.zero, costs.one][(bits >> column & 1) as usize][cell])
                    };
                    (0..columns).map(of).sum()
                };
                let of_word =
                    |from: &[u64]| (0..).zip(from).fold(0, |all, (i, bits)| all | (bits >> word & 1) << i);
                let (wanted, bits) = (of_word(&rows), of_word(&found));
                let best = (0..1 << columns).filter(|&bits| syndrome(matrix, bits) == wanted).map(cost).min();
                assert_eq!(
                    (syndrome(matrix, bits), Some(cost(bits))),
                    (wanted, best),
                    "{matrix:?}, word {word}"
                );
            });
        }
    }
}
