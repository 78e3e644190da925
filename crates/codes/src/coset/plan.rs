//! Plans of a code's writes: how many data bits each bit plane of a word takes, and what
//! a zero and a one cost in each cell.
//!
//! Both follow from a model of one cell. A write that carries `payload` bits and leaves the most
//! room for `left` further writes raises a cell from level l to v with the probability
//! `P(v | l) ~ 2^(strength * B(v))`, where `B(v)` is the sum capacity of those writes from level v
//! on (`strength` 1 would be that of a code at the sum capacity). The planes are written from the
//! least significant up. The entropy of a plane, given those below it, is what it can carry. A
//! reader needs the number of rows of each plane, which depend on the number of the write only.

use super::trellis::Odds;

/// Redundancy of a plane, in bits a cell, below which it has none and holds its data as it is.
const LEAST_REDUNDANCY: f64 = 0.01;
/// The most that lowest planes which hold their data as it is may take of the payload. They
/// need no search.
const COST_OF_PLAIN: f64 = 0.01;
/// Units of a cost for a natural logarithm of odds.
const COST_SCALE: f64 = 4.0;
/// Cost of the unlikeliest bit that is possible.
const UNLIKELIEST: u8 = 40;
/// Cost of a bit with which a cell could not be raised to any level.
pub(super) const MAX_COST: u8 = 60;

/// The plan of one write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WritePlan {
    /// The least significant first.
    pub(super) planes: Vec<PlanePlan>,
}

/// The plan of one bit plane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PlanePlan {
    /// Data bits of a word in this plane.
    pub(super) rows: usize,
    /// The cost of a one less that of a zero, by the planes below (above bit 3) and the level before the
    /// write.
    pub(super) odds: Odds,
}

/// Plans `writes` writes of words of `columns` cells of `bits` bits with `rows` bits of data. The
/// entropy of all of them exceeds the data by the same share, the largest that is possible: a search
/// in a trellis of this size falls short of the entropy. `None` if the entropy is less than the
/// data.
pub(super) fn plan(bits: u8, rows: usize, columns: usize, writes: u32) -> Option<Vec<WritePlan>> {
    if rows == usize::from(bits) * columns && writes == 1 {
        // Every level holds other data: there is nothing to choose.
        let whole = |_| PlanePlan { rows: columns, odds: [0; 128] };
        return Some(vec![WritePlan { planes: (0..bits).map(whole).collect() }]);
    }
    let payload = rows as f64 / columns as f64;
    // Every cell is erased before the first write.
    let mut before = vec![0.0; 1 << bits];
    before[0] = 1.0;
    let most = most_margin(bits, &before, 0, payload, writes)?;
    let costs_little = |plain| {
        let margin = most_margin(bits, &before, plain, payload, writes)?;
        (margin >= most - COST_OF_PLAIN).then_some((plain, margin))
    };
    let (plain, margin) = (1..bits.into()).map_while(costs_little).last().unwrap_or((0, most));
    let raises = chain(bits, &before, plain, payload * (1.0 + margin), writes)?;
    let mut levels = before;
    let write = |raises: &Raises| {
        let rows = divide(rows, columns, &entropies(bits, &levels, raises));
        levels = after(&levels, raises);
        let plane = |(plane, rows)| PlanePlan { rows, odds: odds(plane, raises) };
        WritePlan { planes: rows.into_iter().enumerate().map(plane).collect() }
    };
    Some(raises.iter().map(write).collect())
}

/// The largest share by which the entropy of all writes can exceed the payload; `None` if they
/// cannot carry it.
fn most_margin(bits: u8, before: &[f64], plain: usize, payload: f64, writes: u32) -> Option<f64> {
    let fits = |margin: f64| chain(bits, before, plain, payload * (1.0 + margin), writes).is_some();
    if !fits(0.0) {
        return None;
    }
    let (mut low, mut high) = (0.0, 0.5);
    for _ in 0..12 {
        let middle = f64::midpoint(low, high);
        if fits(middle) { low = middle } else { high = middle }
    }
    Some(low)
}

/// The raises of each write if all carry `payload` bits a cell, or `None` if the last cannot.
fn chain(bits: u8, before: &[f64], plain: usize, payload: f64, writes: u32) -> Option<Vec<Raises>> {
    let mut levels = before.to_vec();
    (0..writes)
        .rev()
        .map(|left| {
            let raises = best_raises(bits, plain, &levels, payload, left)?;
            levels = after(&levels, &raises);
            Some(raises)
        })
        .collect()
}

/// The shares of levels behind a write.
fn after(levels: &[f64], raises: &Raises) -> Vec<f64> {
    (0..levels.len()).map(|to| (0..=to).map(|from| levels[from] * raises[from][to]).sum()).collect()
}

/// Probabilities of the level behind a write, by the level before.
type Raises = Vec<Vec<f64>>;

/// The raises that carry the payload and leave the most room, if any carry it.
fn best_raises(bits: u8, plain: usize, levels: &[f64], payload: f64, left: u32) -> Option<Raises> {
    let room = room(bits, plain, left);
    let entropy = |strength| {
        let raises = raises(&room, plain, strength);
        let of = |from: &[f64]| from.iter().filter(|&&p| p > 0.0).map(|p| -p * libm::log2(*p)).sum::<f64>();
        levels.iter().zip(&raises).map(|(share, from)| share * of(from)).sum::<f64>()
    };
    if entropy(0.0) < payload {
        return None;
    }
    // The entropy falls with the strength. The last write leaves no room, and all raises are equal.
    let (mut low, mut high) = (0.0, if left == 0 { 0.0 } else { 16.0 });
    for _ in 0..20 {
        let middle = f64::midpoint(low, high);
        if entropy(middle) > payload { low = middle } else { high = middle }
    }
    Some(raises(&room, plain, low))
}

/// The bits that `left` further writes can carry, from each level on. The `plain` lowest planes hold
/// data as it is in all of them. Without such planes these are the bits of
/// [`bits_in_writes`](super::capacity::bits_in_writes).
fn room(bits: u8, plain: usize, left: u32) -> Vec<f64> {
    let mut room = vec![0.0; 1 << bits];
    for _ in 0..left {
        let sums = |from: usize| {
            let of = |low: usize| -> f64 {
                (from..room.len()).filter(|to| to % (1 << plain) == low).map(|to| libm::exp2(room[to])).sum()
            };
            let all: f64 = (0..1 << plain).map(|low| libm::log2(of(low)).max(NO_ROOM)).sum();
            plain as f64 + all / f64::from(1u32 << plain)
        };
        room = (0..room.len()).map(sums).collect();
    }
    room
}

/// The logarithm of the share of a level that no further write can follow.
const NO_ROOM: f64 = -64.0;

fn raises(room: &[f64], plain: usize, strength: f64) -> Raises {
    let weight = |from: usize, to: usize| {
        if to < from { 0.0 } else { libm::exp2(strength * (room[to] - room[from])) }
    };
    (0..room.len())
        .map(|from| {
            let step = 1 << plain;
            let of = |low: usize| (0..room.len()).skip(low).step_by(step);
            let sums: Vec<f64> = (0..step).map(|low| of(low).map(|to| weight(from, to)).sum()).collect();
            let share = |to: usize| match sums[to % step] {
                0.0 => 0.0,
                sum => weight(from, to) / sum / step as f64,
            };
            (0..room.len()).map(share).collect()
        })
        .collect()
}

/// The probabilities that the bit of a plane is 0 and 1 behind a write from level `from`, with
/// `below` in the planes below.
fn of_bit(raises: &[f64], plane: usize, below: usize) -> [f64; 2] {
    let mask = (1 << plane) - 1;
    let mut sums = [0.0; 2];
    for (level, share) in raises.iter().enumerate().filter(|(level, _)| level & mask == below) {
        sums[level >> plane & 1] += share;
    }
    sums
}

/// The entropy of each plane, given those below it and the level before the write, in bits a cell.
fn entropies(bits: u8, levels: &[f64], raises: &Raises) -> Vec<f64> {
    let of_plane = |plane: usize| {
        let of_cell = |from: usize| {
            (0..1 << plane)
                .map(|below| {
                    let [zero, one] = of_bit(&raises[from], plane, below);
                    let all = zero + one;
                    [zero, one].iter().filter(|&&p| p > 0.0).map(|&p| p * libm::log2(all / p)).sum::<f64>()
                })
                .sum::<f64>()
        };
        levels.iter().enumerate().map(|(from, share)| share * of_cell(from)).sum()
    };
    (0..usize::from(bits)).map(of_plane).collect()
}

/// Divides the data bits of a word over its planes. What the planes have to spare is taken from
/// those that are neither full nor empty: a plane of entropy h gives up to `h (1 - h)`.
fn divide(rows: usize, columns: usize, entropies: &[f64]) -> Vec<usize> {
    let cells = columns as f64;
    let payload = rows as f64 / cells;
    let sum: f64 = entropies.iter().sum();
    let most: f64 = entropies.iter().map(|h| h * (1.0 - h)).sum();
    let given = ((sum - payload) / most.max(1e-9)).clamp(0.0, 1.0);
    let takes = |h: f64| h * (1.0 - given * (1.0 - h));
    let wide = payload / entropies.iter().map(|&h| takes(h)).sum::<f64>();
    let mut left = rows;
    let mut divided = vec![0; entropies.len()];
    for (plane, &entropy) in entropies.iter().enumerate().rev() {
        // The planes below can take no more than their cells.
        let least = left.saturating_sub(plane * columns);
        let takes = takes(entropy) * wide.min(1.0);
        let takes = if takes > 1.0 - LEAST_REDUNDANCY { 1.0 } else { takes };
        divided[plane] = (libm::round(takes * cells) as usize).clamp(least, columns).min(left);
        left -= divided[plane];
    }
    divided
}

/// The cost of a one of a plane less that of a zero, by the level before the write and the planes below.
fn odds(plane: usize, raises: &Raises) -> Odds {
    std::array::from_fn(|index| {
        let (below, from) = (index >> 4, index & 15);
        let Some(raises) = raises.get(from).filter(|_| below < 1 << plane) else { return 0 };
        let cost = match of_bit(raises, plane, below) {
            // No level is left, whatever the bit: the cell is invalid already.
            [0.0, 0.0] => 0.0,
            [0.0, _] => -f64::from(MAX_COST),
            [_, 0.0] => f64::from(MAX_COST),
            [zero, one] => {
                let cost = libm::round(COST_SCALE * libm::log(zero / one));
                cost.clamp(-f64::from(UNLIKELIEST), f64::from(UNLIKELIEST))
            }
        };
        cost as i8 as u8
    })
}
