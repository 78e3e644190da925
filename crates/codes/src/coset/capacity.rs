//! The sum capacity of cells that are only raised (Fiat, Shamir 1984; Fu, Han Vinck 1999).

/// Bits that a cell at `level`, of `2^bits` levels, takes in `writes` further writes: the logarithm
/// of the rising sequences of `writes` levels, `C(top - level + writes, writes)`.
pub fn bits_in_writes(bits: u8, level: u8, writes: u32) -> f64 {
    let room = f64::from((1u32 << bits) - 1) - f64::from(level);
    (1..=writes).map(|i| libm::log2((room + f64::from(i)) / f64::from(i))).sum()
}

/// The most writes that an erased cell of `2^bits` levels can take, of `payload` bits each.
pub fn most_writes(bits: u8, payload: f64) -> u32 {
    (1..)
        .take_while(|&writes| bits_in_writes(bits, 0, writes) >= f64::from(writes) * payload)
        .last()
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bounds_are_those_of_counted_sequences() {
        // Rising sequences of two levels out of four, counted: 10.
        let pairs = (0..4).flat_map(|a| (a..4).map(move |b| (a, b))).count() as f64;
        assert!((bits_in_writes(2, 0, 2) - pairs.log2()).abs() < 1e-12);
        assert_eq!(bits_in_writes(4, 15, 9), 0.0);
        for (bits, rate, writes) in
            [(4, 6.0 / 7.0, 2), (4, 0.5, 12), (4, 0.6, 7), (3, 0.5, 8), (2, 0.5, 6), (2, 0.8, 2), (4, 1.0, 1)]
        {
            assert_eq!(most_writes(bits, f64::from(bits) * rate), writes, "{bits} bits at {rate}");
        }
    }
}
