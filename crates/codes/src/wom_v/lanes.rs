//! The arithmetic of WOM-v on all cells of a 64-bit word at once.
//!
//! A word holds 16 cells of 4 bits or 8 cells of 8 bits. Every function is constant in its data (no
//! branches), so that loops over words turn into vector code.

/// Bits a cell takes in the packed image.
pub(super) const fn width(n: u32) -> u32 {
    if n <= 4 { 4 } else { 8 }
}

/// Cells in a word.
pub(super) const fn cells(n: u32) -> u32 {
    64 / width(n)
}

/// Bytes of data in a word of cells.
pub(super) const fn data_bytes(k: u32, n: u32) -> usize {
    (cells(n) * k / 8) as usize
}

/// `value` in every cell.
pub(super) const fn repeat(n: u32, value: u64) -> u64 {
    let mut all = 0;
    let mut cell = 0;
    while cell < cells(n) {
        all |= value << (cell * width(n));
        cell += 1;
    }
    all
}

/// Mask with `field` ones at the start of every `period` bits.
const fn stripes(field: u32, period: u32) -> u64 {
    let ones = if field >= 64 { u64::MAX } else { (1 << field) - 1 };
    let mut all = 0;
    let mut at = 0;
    while at < 64 {
        all |= ones << at;
        at += period;
    }
    all
}

/// Moves field `i` of `x` (bits `k * i ..`) to cell `i`, by halving groups of fields.
#[inline(always)]
pub(super) fn spread<const K: u32, const N: u32>(mut x: u64) -> u64 {
    let (w, mut half) = (width(N), cells(N) / 2);
    while half > 0 {
        let (field, shift, period) = (half * K, half * (w - K), 2 * half * w);
        let low = stripes(field, period);
        x = if 2 * K <= w {
            (x | x << shift) & (low | low << (half * w))
        } else {
            (x & low) | (x & low << field) << shift
        };
        half /= 2;
    }
    x
}

/// The inverse of [`spread`]: moves the low `k` bits of cell `i` to field `i`.
#[inline(always)]
pub(super) fn gather<const K: u32, const N: u32>(x: u64) -> u64 {
    let w = width(N);
    let mut x = x & repeat(N, (1 << K) - 1);
    let mut half = 1;
    while half < cells(N) {
        let (field, shift, period) = (half * K, half * (w - K), 2 * half * w);
        let low = stripes(field, period);
        x = (x & low) | (x & low << (half * w)) >> shift;
        half *= 2;
    }
    x
}

/// Raises the `level`s to the next ones that hold `data`: the new levels, and a one somewhere in
/// each cell that had to stop at the highest level instead.
///
/// The next one that holds `d` is `level + missing` with its lowest `k` bits put to `d`, where
/// `missing` is `2^k - 1 - d`.
#[inline(always)]
pub(super) fn raise<const K: u32, const N: u32>(level: u64, data: u64) -> (u64, u64) {
    let mask = repeat(N, (1 << K) - 1);
    let missing = data ^ mask;
    if N == 4 {
        // Four-bit cells have no room for a carry: add below the top bit, then put the top bit
        // back.
        let top = level & over_bits(N);
        let sum = (level ^ top) + missing;
        let over = sum & top;
        let full = over | (over - (over >> 3));
        (((sum | mask) ^ missing ^ top) | full, over)
    } else {
        let sum = level + missing;
        let over = sum & over_bits(N);
        let full = over - (over >> N);
        ((((sum | mask) ^ missing) & !over) | full, over)
    }
}

/// The bit of every cell that tells whether it was raised past the highest level.
pub(super) const fn over_bits(n: u32) -> u64 {
    if n == 4 { repeat(4, 8) } else { repeat(n, 1 << n) }
}

/// The bits above a legal level in every cell.
pub(super) const fn illegal_bits(n: u32) -> u64 {
    !repeat(n, (1 << n) - 1)
}

/// One bit for each cell that does not hold its `data`. After [`raise`] these are the cells that
/// had to stop. The highest level holds `2^k - 1`, which can be reached from every level. So a cell
/// that stopped never holds its data by chance.
#[inline(always)]
pub(super) fn mismatches<const K: u32, const N: u32>(level: u64, data: u64) -> u64 {
    let differs = level ^ data;
    let any = (0..K).fold(0, |any, bit| any | differs >> bit) & repeat(N, 1);
    if width(N) == 4 { gather::<1, 4>(any) } else { gather::<1, 8>(any) }
}
