//! The search for the cheapest bits of a syndrome: the Viterbi algorithm over the partial syndromes
//! that a band of the matrix can have, 64 words side by side.
//!
//! A block of columns begins and ends with the partial syndromes of [`HALF`] rows. Its first column
//! brings a row in, and its last one must leave the wanted bit in the row that goes out. So of the
//! last column only half of the states are worked out, and the first two columns are one step.
//!
//! States have labels of their own in each word: a label is the state xor a difference that the
//! words keep apart. Where words want different bits of the outgoing row they would take different
//! states. With labels they take the same, and the difference takes in what differs.

use std::ops::Range;

use super::matrix::{HEIGHT, Matrix};
use super::metrics::{LANES, Metrics};
use super::plan::MAX_COST;

const STATES: usize = 1 << HEIGHT;
const HALF: usize = STATES / 2;
/// The metric of a path that costs nothing; metrics are signed.
const NONE: u8 = i8::MIN as u8;
/// The metric of a path that does not exist.
const NEVER: u8 = i8::MAX as u8;
/// Columns after which the least metric is taken off all.
const COLUMNS_TO_RESET: usize = 3;
/// While some states have no path the metrics of the others are cut here, so that no path that
/// exists costs as much as [`NEVER`] before the next reset.
const MOST: u8 = NEVER.wrapping_sub(1 + COLUMNS_TO_RESET as u8 * MAX_COST);
/// The most that is taken off at once with the costs of a block's first columns.
const MOST_TAKEN_OFF: u8 = NONE.wrapping_add(2 * MAX_COST);

/// The metrics of all states, 64 words each.
type States = [[u8; LANES]; STATES];
/// Those at the ends of blocks.
type Halves = [[u8; LANES]; HALF];

/// The cost of a one less that of a zero in a cell, as signed bytes.
pub(super) type Odds = [u8; 128];

/// The result of the search for a column.
#[derive(Debug, Clone)]
struct Step {
    /// Of each label behind the column, the words whose best path into it comes from the other label.
    crosses: [u64; STATES],
    /// The words in which a path that crosses has a zero, and one that stays a one.
    swapped: u64,
}

/// Work space of searches.
#[derive(Debug, Clone)]
pub(super) struct Trellis {
    steps: Vec<Step>,
    /// Of each row, the end of its block, and the words that take odd labels on behind it.
    ends: Vec<u32>,
    odd: Vec<u64>,
    /// Rows whose blocks are searched as a whole: all states exist, and no column is cut off.
    by_blocks: Range<usize>,
    whole: Box<States>,
    now: Box<Halves>,
    next: Box<Halves>,
}

/// Inputs of a search, and the place for the bits.
pub(super) struct Search<'a> {
    pub(super) matrix: Matrix,
    /// The syndrome: bit `w` of row `r` is that of word `w`.
    pub(super) rows: &'a [u64],
    pub(super) odds: &'a Odds,
    /// Which odds hold, for each column and word; bits from `index_bits` on say something else.
    pub(super) cells: &'a [[u8; LANES]],
    pub(super) index_bits: usize,
    /// The bits found: bit `w` of column `c` is that of word `w`.
    pub(super) found: &'a mut [u64],
}

/// Differences of labels from states, as planes: bit `w` of plane `b` is bit `b` of word `w`.
type Planes = [u64; HEIGHT];

impl Trellis {
    pub(super) fn new(columns: usize) -> Trellis {
        Trellis {
            steps: vec![Step { crosses: [0; STATES], swapped: 0 }; columns],
            ends: Vec::with_capacity(columns),
            odd: Vec::with_capacity(columns),
            by_blocks: 0..0,
            whole: Box::new([[NEVER; LANES]; STATES]),
            now: Box::new([[NEVER; LANES]; HALF]),
            next: Box::new([[NEVER; LANES]; HALF]),
        }
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

    /// Works out which step ends the best path into each state behind each column. The first rows,
    /// where some states have no path, and the last, whose columns are cut off, go by single steps.
    ///
    /// # Safety
    /// The processor must have the instructions of `M`.
    #[inline(always)]
    unsafe fn forward<M: Metrics>(&mut self, search: &Search<'_>) {
        let matrix = search.matrix;
        *self.now = [[NEVER; LANES]; HALF];
        self.now[0] = [NONE; LANES];
        self.odd.clear();
        self.by_blocks = usize::MAX..search.rows.len().saturating_sub(HEIGHT - 1);
        let mut difference: Planes = [0; HEIGHT];
        // SAFETY: the caller vouches for the instructions.
        unsafe {
            let (mut least, mut since_reset) = (M::load(&[NONE; LANES]), 0);
            self.ends.clear();
            let mut end = matrix.block(0);
            for row in 0..search.rows.len() {
                let block = end..matrix.block(row + 1);
                end = block.end;
                self.ends.push(end as u32);
                if self.by_blocks.contains(&row) {
                    since_reset += block.len();
                    let resets = since_reset >= COLUMNS_TO_RESET;
                    let found = self.whole_block::<M>(search, row, block, &mut difference, (least, resets));
                    least = M::load(&[NONE; LANES]);
                    if resets {
                        (least, since_reset) = (found, 0);
                    }
                } else if self.column_by_column::<M>(search, row, block, &mut difference) {
                    self.by_blocks.start = self.by_blocks.start.min(row + 1);
                }
                let [_, behind @ ..] = difference;
                difference = [behind[0], behind[1], behind[2], behind[3], behind[4], 0];
            }
        }
    }

    /// A block with the states of all of its columns, one after the other. Whether all states have a
    /// path behind it.
    #[inline(always)]
    unsafe fn column_by_column<M: Metrics>(
        &mut self,
        search: &Search<'_>,
        row: usize,
        block: Range<usize>,
        difference: &mut Planes,
    ) -> bool {
        let Trellis { steps, odd, whole, now, .. } = self;
        let states = search.matrix.states(row);
        whole[..HALF].copy_from_slice(&now[..]);
        whole[HALF..].fill([NEVER; LANES]);
        // SAFETY: the caller vouches for the instructions.
        unsafe {
            for (place, index) in block.enumerate() {
                if place % COLUMNS_TO_RESET == 0 {
                    reset_existing::<M>(&mut whole[..states]);
                }
                let column = usize::from(search.matrix.column(row, place));
                let odds = search.odds::<M>(index);
                step(&mut whole[..states], column, odds, &mut steps[index], difference);
            }
            let takes_odd = search.rows[row] ^ difference[0];
            odd.push(takes_odd);
            leave::<M>(whole, takes_odd, now);
            states == STATES && reset_existing::<M>(&mut now[..])
        }
    }

    /// A block as few steps: `least` is to be taken off first. Returns the least metric behind it.
    #[inline(always)]
    unsafe fn whole_block<M: Metrics>(
        &mut self,
        search: &Search<'_>,
        row: usize,
        block: Range<usize>,
        difference: &mut Planes,
        (least, resets): (M, bool),
    ) -> M {
        let Trellis { steps, odd, whole, now, next, .. } = self;
        let (first, last) = (block.start, block.end - 1);
        let column = |index: usize| usize::from(search.matrix.column(row, index - first));
        // SAFETY: the caller vouches for the instructions.
        unsafe {
            if first + 2 < block.end {
                let columns = [column(first), column(first + 1)];
                let costs = [costs_of(search.odds::<M>(first)), costs_of(search.odds::<M>(first + 1))];
                let sums = sums(costs[0], costs[1], least);
                enter_and_step(now, columns, sums, whole, &mut steps[first + 1].crosses);
                steps[first + 1].swapped = 0;
                for (index, here) in (first + 2..last).zip(&mut steps[first + 2..last]) {
                    step(&mut whole[..], column(index), search.odds::<M>(index), here, difference);
                    if (index - first) % COLUMNS_TO_RESET == 0 {
                        reset::<M>(&mut whole[..]);
                    }
                }
            }
            // These words would take odd labels: there a path that stays has a one.
            let swapped = search.rows[row] ^ difference[0];
            let costs_of_last = swap(costs_of(search.odds::<M>(last)), swapped);
            let crosses = &mut steps[last].crosses;
            let found = match block.len() {
                1 => enter_and_leave(now, column(last), take_off(costs_of_last, least), next, resets),
                2 => {
                    let columns = [column(first), column(last)];
                    let sums = sums(costs_of(search.odds::<M>(first)), costs_of_last, least);
                    enter_step_and_leave(now, columns, sums, next, crosses, resets)
                }
                _ => step_and_leave(whole, column(last), costs_of_last, next, crosses, resets),
            };
            steps[first].swapped = 0;
            steps[last].swapped = swapped;
            differ(difference, swapped, column(last));
            odd.push(0);
            std::mem::swap(now, next);
            found
        }
    }

    /// Follows the best path of each word back from the syndrome's end. The labels of all words are
    /// kept as planes: bit `w` of `label[b]` is bit `b` of word `w`.
    #[inline(always)]
    fn trace_back(&self, search: &mut Search<'_>) {
        let matrix = search.matrix;
        let mut label: Planes = [0; HEIGHT];
        for row in (0..search.rows.len()).rev() {
            let before = row.checked_sub(1).map_or(matrix.block(0), |before| self.ends[before] as usize);
            let block = before..self.ends[row] as usize;
            let (first, last) = (block.start, block.end - 1);
            let by_blocks = self.by_blocks.contains(&row);
            let [before @ .., _] = label;
            label = [self.odd[row], before[0], before[1], before[2], before[3], before[4]];
            for index in block.rev() {
                let column = usize::from(matrix.column(row, index - first));
                let step = &self.steps[index];
                let crosses = if by_blocks && index == first {
                    label[HEIGHT - 1]
                } else if by_blocks && index == last {
                    choose::<HALF>(&step.crosses, &label[1..])
                } else {
                    choose::<STATES>(&step.crosses, &label)
                };
                differ(&mut label, crosses, column);
                search.found[index] = crosses ^ step.swapped;
            }
        }
    }
}

/// Takes over a column into the labels of some words.
#[inline(always)]
fn differ(planes: &mut Planes, words: u64, column: usize) {
    for (bit, plane) in planes.iter_mut().enumerate() {
        *plane ^= words & 0u64.wrapping_sub((column >> bit & 1) as u64);
    }
}

impl Search<'_> {
    /// The cost of a one less that of a zero in a column.
    #[inline(always)]
    unsafe fn odds<M: Metrics>(&self, index: usize) -> M {
        // SAFETY: the caller vouches for the instructions.
        unsafe {
            let mask = ((1u32 << self.index_bits) - 1) as u8;
            M::load(&self.cells[index]).and(M::load(&[mask; LANES])).look_up(self.odds, self.index_bits)
        }
    }

    /// The cheaper bit of each cell, where there is no data.
    #[inline(always)]
    unsafe fn cheapest<M: Metrics>(&mut self) {
        for index in 0..self.found.len() {
            // SAFETY: the caller vouches for the instructions.
            self.found[index] = unsafe { self.odds::<M>(index).is_below(M::load(&[0; LANES])) };
        }
    }
}

/// Costs of a zero and a one, the cheaper of them nothing.
#[inline(always)]
unsafe fn costs_of<M: Metrics>(odds: M) -> [M; 2] {
    // SAFETY: the caller vouches for the instructions.
    unsafe {
        let nothing = M::load(&[0; LANES]);
        let negative = odds.min(nothing);
        [nothing.sub_saturating(negative), odds.sub_saturating(negative)]
    }
}

/// The costs, those of some words the other way round.
#[inline(always)]
unsafe fn swap<M: Metrics>([zero, one]: [M; 2], words: u64) -> [M; 2] {
    // SAFETY: the caller vouches for the instructions.
    unsafe { [zero.replace(words, one), one.replace(words, zero)] }
}

/// Costs, with a metric taken off that is at most [`MOST_TAKEN_OFF`].
#[inline(always)]
unsafe fn take_off<M: Metrics, const N: usize>(costs: [M; N], least: M) -> [M; N] {
    // SAFETY: the caller vouches for the instructions.
    unsafe {
        let mut costs = costs;
        for cost in &mut costs {
            *cost = cost.add_saturating(M::load(&[NONE; LANES])).sub_saturating(least);
        }
        costs
    }
}

/// Costs of paths through the first two columns of a block, by their bits: 00, 11, 10, 01.
#[inline(always)]
unsafe fn sums<M: Metrics>(first: [M; 2], second: [M; 2], least: M) -> [M; 4] {
    // SAFETY: the caller vouches for the instructions.
    unsafe {
        let sums = [
            first[0].add_saturating(second[0]),
            first[1].add_saturating(second[1]),
            first[1].add_saturating(second[0]),
            first[0].add_saturating(second[1]),
        ];
        take_off(sums, least)
    }
}

/// Of each word the bit of the first `N` of `crosses` that its label names.
#[inline(always)]
fn choose<const N: usize>(crosses: &[u64; STATES], label: &[u64]) -> u64 {
    let mut left = *crosses;
    for (bit, &plane) in label.iter().enumerate().rev() {
        let (low, high) = left[..2 << bit].split_at_mut(1 << bit);
        for (low, high) in low.iter_mut().zip(high) {
            *low ^= (*low ^ *high) & plane;
        }
    }
    left[0]
}

/// A column over all states of the band: two labels are reached from both.
#[inline(always)]
unsafe fn step<M: Metrics>(
    metrics: &mut [[u8; LANES]],
    column: usize,
    odds: M,
    step: &mut Step,
    difference: &mut Planes,
) {
    let top = 1 << column.checked_ilog2().unwrap_or_default();
    // SAFETY: the caller vouches for the instructions.
    unsafe {
        let nothing = M::load(&[0; LANES]);
        let [zero, one] = costs_of(odds);
        let cost = zero.add_saturating(one);
        // Where a zero costs more, a path that stays has the one.
        step.swapped = odds.is_below(nothing);
        differ(difference, step.swapped, column);
        for label in (0..metrics.len()).filter(|label| label & top == 0) {
            let other = label ^ column;
            let before = (M::load(&metrics[label]), M::load(&metrics[other]));
            let (stays, comes) = (before.0, before.1.add_saturating(cost));
            step.crosses[label] = comes.is_below(stays);
            stays.min(comes).store(&mut metrics[label]);
            let (stays, comes) = (before.1, before.0.add_saturating(cost));
            step.crosses[other] = comes.is_below(stays);
            stays.min(comes).store(&mut metrics[other]);
        }
    }
}

/// Behind a block: only labels of one parity go on, and their row is left behind.
#[inline(always)]
unsafe fn leave<M: Metrics>(whole: &States, takes_odd: u64, to: &mut Halves) {
    for (label, to) in to.iter_mut().enumerate() {
        // SAFETY: the caller vouches for the instructions.
        unsafe {
            let (even, odd) = (M::load(&whole[2 * label]), M::load(&whole[2 * label + 1]));
            even.replace(takes_odd, odd).store(to);
        }
    }
}

/// A block of one column: its bit follows from the label.
#[inline(always)]
unsafe fn enter_and_leave<M: Metrics>(
    now: &Halves,
    column: usize,
    [even, odd]: [M; 2],
    next: &mut Halves,
    resets: bool,
) -> M {
    // SAFETY: the caller vouches for the instructions.
    unsafe {
        let mut least = M::load(&[MOST_TAKEN_OFF; LANES]);
        for label in 0..HALF / 2 {
            let stays = M::load(&now[2 * label]).add_saturating(even);
            let comes = M::load(&now[2 * label + 1]).add_saturating(odd);
            if resets {
                least = least.min(stays.min(comes));
            }
            stays.store(&mut next[label]);
            comes.store(&mut next[(label ^ column >> 1) % HALF]);
        }
        least
    }
}

/// A block of two columns.
#[inline(always)]
unsafe fn enter_step_and_leave<M: Metrics>(
    now: &Halves,
    [first, second]: [usize; 2],
    [zeros, ones, by_first, by_second]: [M; 4],
    next: &mut Halves,
    crosses: &mut [u64; STATES],
    resets: bool,
) -> M {
    // SAFETY: the caller vouches for the instructions.
    unsafe {
        let mut least = M::load(&[MOST_TAKEN_OFF; LANES]);
        for label in 0..HALF / 2 {
            let from = [2 * label, ((2 * label) ^ first ^ second) % HALF];
            let best = better(now, from, [zeros, ones], &mut next[label], &mut crosses[label]);
            least = if resets { least.min(best) } else { least };
        }
        for label in HALF / 2..HALF {
            let from = [((2 * label) ^ first) % HALF, ((2 * label) ^ second) % HALF];
            let best = better(now, from, [by_first, by_second], &mut next[label], &mut crosses[label]);
            least = if resets { least.min(best) } else { least };
        }
        least
    }
}

/// The better of a path that stays and one that crosses, and the words in which that is the latter.
#[inline(always)]
unsafe fn better<M: Metrics>(
    metrics: &[[u8; LANES]],
    from: [usize; 2],
    costs: [M; 2],
    to: &mut [u8; LANES],
    crosses: &mut u64,
) -> M {
    // SAFETY: the caller vouches for the instructions.
    unsafe {
        let stays = M::load(&metrics[from[0]]).add_saturating(costs[0]);
        let comes = M::load(&metrics[from[1]]).add_saturating(costs[1]);
        let best = stays.min(comes);
        best.store(to);
        *crosses = comes.is_below(stays);
        best
    }
}

/// The first two columns of a longer block.
#[inline(always)]
unsafe fn enter_and_step<M: Metrics>(
    now: &Halves,
    [first, second]: [usize; 2],
    [zeros, ones, by_first, by_second]: [M; 4],
    whole: &mut States,
    crosses: &mut [u64; STATES],
) {
    // SAFETY: the caller vouches for the instructions.
    unsafe {
        for label in 0..HALF {
            let from = [label, (label ^ first ^ second) % HALF];
            better(now, from, [zeros, ones], &mut whole[label], &mut crosses[label]);
        }
        for label in HALF..STATES {
            let from = [(label ^ first) % HALF, (label ^ second) % HALF];
            better(now, from, [by_first, by_second], &mut whole[label], &mut crosses[label]);
        }
    }
}

/// The last column of such a block.
#[inline(always)]
unsafe fn step_and_leave<M: Metrics>(
    whole: &States,
    column: usize,
    costs: [M; 2],
    next: &mut Halves,
    crosses: &mut [u64; STATES],
    resets: bool,
) -> M {
    // SAFETY: the caller vouches for the instructions.
    unsafe {
        let mut least = M::load(&[MOST_TAKEN_OFF; LANES]);
        for label in 0..HALF {
            let from = [2 * label, ((2 * label) ^ column) % STATES];
            let best = better(whole, from, costs, &mut next[label], &mut crosses[label]);
            least = if resets { least.min(best) } else { least };
        }
        least
    }
}

/// Takes the least metric of each word off all of it.
#[inline(always)]
unsafe fn reset<M: Metrics>(metrics: &mut [[u8; LANES]]) {
    // SAFETY: the caller vouches for the instructions.
    unsafe {
        let least = least::<M>(metrics);
        for state in metrics {
            lowered(M::load(state), least).store(state);
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
            never.replace(exists, lowered(metric, least).min(most)).store(state);
            all &= exists;
        }
    }
    all == u64::MAX
}

/// A metric with the least one taken off.
#[inline(always)]
unsafe fn lowered<M: Metrics>(metric: M, least: M) -> M {
    // SAFETY: the caller vouches for the instructions.
    // The least metric becomes NONE, and no difference is more than a byte holds.
    unsafe { metric.sub_wrapping(least).sub_wrapping(M::load(&[NONE; LANES])) }
}

#[inline(always)]
unsafe fn least<M: Metrics>(metrics: &[[u8; LANES]]) -> M {
    // SAFETY: the caller vouches for the instructions.
    unsafe {
        let mut least = M::load(&metrics[0]);
        for state in &metrics[1..] {
            least = least.min(M::load(state));
        }
        least
    }
}

#[cfg(test)]
mod tests {
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    use super::*;

    /// Words to search: what a one costs more than a zero, by cell, and the wanted rows.
    struct Words {
        matrix: Matrix,
        odds: Odds,
        cells: Vec<[u8; LANES]>,
        rows: Vec<u64>,
    }

    impl Words {
        fn random(matrix: Matrix, rng: &mut Xoshiro256PlusPlus) -> Words {
            let odds =
                std::array::from_fn(|_| (rng.next_u64() % 17) as u8).map(|odds: u8| odds.wrapping_sub(8));
            let cells = (0..matrix.columns).map(|_| std::array::from_fn(|_| rng.next_u64() as u8)).collect();
            Words { matrix, odds, cells, rows: (0..matrix.rows).map(|_| rng.next_u64()).collect() }
        }

        /// The bits of the search, and whether it went by whole blocks.
        fn found(&self) -> (Vec<u64>, bool) {
            let mut trellis = Trellis::new(self.matrix.columns);
            let mut found = vec![0; self.matrix.columns];
            let (rows, odds, cells) = (&self.rows[..], &self.odds, &self.cells[..]);
            let mut search =
                Search { matrix: self.matrix, rows, odds, cells, index_bits: 7, found: &mut found };
            // SAFETY: arrays need no special instruction.
            unsafe { trellis.search::<[u8; LANES]>(&mut search) };
            (found, !trellis.by_blocks.is_empty())
        }

        fn cost(&self, word: usize, column: usize, bit: u64) -> u32 {
            let odds = i32::from(self.odds[usize::from(self.cells[column][word] & 127)] as i8);
            (odds * bit as i32 - odds.min(0)) as u32
        }

        fn wanted(&self, word: usize, row: usize) -> u64 {
            self.rows[row] >> word & 1
        }

        /// The least cost of a word, by all partial syndromes one column after the other.
        fn least_cost(&self, word: usize) -> Option<u32> {
            let mut costs = std::collections::BTreeMap::from([(0u64, 0)]);
            for row in 0..self.matrix.rows {
                let block = self.matrix.block(row)..self.matrix.block(row + 1);
                for (place, column) in block.enumerate() {
                    let rows = u64::from(self.matrix.column(row, place));
                    let mut behind = std::collections::BTreeMap::new();
                    for (&state, &cost) in &costs {
                        for bit in 0..2 {
                            let cost = cost + self.cost(word, column, bit);
                            let least = behind.entry(state ^ (bit * rows)).or_insert(cost);
                            *least = cost.min(*least);
                        }
                    }
                    costs = behind;
                }
                costs.retain(|state, _| state & 1 == self.wanted(word, row));
                costs = costs.into_iter().map(|(state, cost)| (state >> 1, cost)).collect();
            }
            costs.into_values().min()
        }
    }

    #[test]
    fn the_cheapest_bits_are_found() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let sizes =
            [(1, 5), (5, 12), (3, 13), (9, 12), (12, 13), (40, 44), (30, 45), (40, 80), (20, 61), (12, 90)];
        for (rows, columns) in sizes {
            let words = Words::random(Matrix { rows, columns }, &mut rng);
            let (found, by_blocks) = words.found();
            // Few spare columns leave states without a path to the end.
            assert_eq!(by_blocks, rows >= 12 && columns > 44, "{rows} rows, {columns} columns");
            for word in 0..8 {
                let bits = |column: usize| found[column] >> word & 1;
                let cost: u32 = (0..columns).map(|column| words.cost(word, column, bits(column))).sum();
                assert_eq!(Some(cost), words.least_cost(word), "{rows}, {columns}, word {word}");
                for row in 0..rows {
                    let first = row.saturating_sub(HEIGHT - 1);
                    let syndrome = (first..=row).fold(0, |sum, from| {
                        let block = words.matrix.block(from)..words.matrix.block(from + 1);
                        block.enumerate().fold(sum, |sum, (place, column)| {
                            let reaches = u64::from(words.matrix.column(from, place)) >> (row - from) & 1;
                            sum ^ bits(column) & reaches
                        })
                    });
                    assert_eq!(
                        syndrome,
                        words.wanted(word, row),
                        "{rows}, {columns}, word {word}, row {row}"
                    );
                }
            }
        }
    }
}
