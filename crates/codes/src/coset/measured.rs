//! Measured shares of invalid cells, which the codes leave to the error-correcting code.
//!
//! `cargo run --release -p rewear-codes --example coset_codes` measures [`MEASURED`] again. The table
//! is that of a search that broke ties otherwise. Today's has all shares within 1.5 standard
//! deviations of the difference.

/// A code with a number of writes.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Measured {
    /// Bits of a cell.
    pub bits: u8,
    /// Data bits for each bit of a cell.
    pub rate: f64,
    /// Writes between two erases.
    pub writes: u32,
    /// Writes of this rate that the sum capacity has room for.
    pub bound: u32,
    /// Share of cells that are invalid behind the last write. Fewer are behind those before it.
    pub invalid: f64,
    /// Share of the bits of cells that are wrong then, by the Gray code of levels.
    pub wrong_bits: f64,
}

/// Means over 10^6 cells in pages of 4096 bytes of random data, seed 1. Pages of 512 bytes have the
/// same shares, larger ones lower shares.
pub const MEASURED: [Measured; 59] = [
    measured(2, 1.0, 1, 1, 0.000000, 0.000000),
    measured(2, 0.8, 2, 2, 0.012130, 0.007993),
    measured(2, 0.75, 2, 2, 0.000531, 0.000325),
    measured(2, 0.7, 3, 3, 0.027859, 0.019045),
    measured(2, 0.7, 2, 3, 0.000059, 0.000029),
    measured(2, 0.667, 3, 3, 0.005466, 0.003727),
    measured(2, 0.667, 2, 3, 0.000012, 0.000006),
    measured(2, 0.6, 4, 4, 0.014203, 0.009657),
    measured(2, 0.6, 3, 4, 0.000062, 0.000033),
    measured(2, 0.5, 6, 6, 0.027141, 0.017602),
    measured(2, 0.5, 5, 6, 0.000433, 0.000246),
    measured(2, 0.5, 4, 6, 0.000009, 0.000004),
    measured(2, 0.4, 9, 10, 0.025806, 0.015713),
    measured(2, 0.4, 8, 10, 0.001122, 0.000647),
    measured(2, 0.4, 7, 10, 0.000047, 0.000023),
    measured(2, 0.333, 12, 14, 0.017394, 0.010142),
    measured(2, 0.333, 11, 14, 0.001126, 0.000608),
    measured(2, 0.333, 10, 14, 0.000059, 0.000030),
    measured(3, 1.0, 1, 1, 0.000000, 0.000000),
    measured(3, 0.844, 2, 2, 0.023299, 0.012370),
    measured(3, 0.833, 2, 2, 0.015358, 0.008116),
    measured(3, 0.8, 2, 2, 0.000960, 0.000523),
    measured(3, 0.75, 2, 3, 0.000023, 0.000014),
    measured(3, 0.7, 3, 3, 0.000997, 0.000598),
    measured(3, 0.7, 2, 3, 0.000005, 0.000004),
    measured(3, 0.667, 4, 4, 0.027217, 0.016007),
    measured(3, 0.667, 3, 4, 0.000188, 0.000114),
    measured(3, 0.667, 2, 4, 0.000000, 0.000000),
    measured(3, 0.6, 5, 5, 0.010656, 0.006253),
    measured(3, 0.6, 4, 5, 0.000050, 0.000031),
    measured(3, 0.5, 7, 8, 0.000961, 0.000566),
    measured(3, 0.5, 6, 8, 0.000013, 0.000009),
    measured(3, 0.4, 12, 14, 0.030063, 0.016942),
    measured(3, 0.4, 11, 14, 0.001480, 0.000831),
    measured(3, 0.4, 10, 14, 0.000082, 0.000045),
    measured(3, 0.333, 16, 19, 0.008136, 0.004529),
    measured(3, 0.333, 15, 19, 0.000429, 0.000233),
    measured(3, 0.333, 14, 19, 0.000025, 0.000013),
    measured(4, 1.0, 1, 1, 0.000000, 0.000000),
    measured(4, 0.857, 2, 2, 0.009957, 0.004928),
    measured(4, 0.844, 2, 2, 0.002982, 0.001507),
    measured(4, 0.833, 2, 2, 0.000883, 0.000458),
    measured(4, 0.8, 2, 3, 0.000039, 0.000024),
    measured(4, 0.75, 3, 3, 0.001355, 0.000782),
    measured(4, 0.75, 2, 3, 0.000003, 0.000001),
    measured(4, 0.7, 4, 4, 0.006036, 0.003331),
    measured(4, 0.7, 3, 4, 0.000056, 0.000035),
    measured(4, 0.667, 4, 5, 0.000078, 0.000048),
    measured(4, 0.6, 6, 7, 0.001181, 0.000672),
    measured(4, 0.6, 5, 7, 0.000010, 0.000007),
    measured(4, 0.5, 10, 12, 0.011990, 0.006778),
    measured(4, 0.5, 9, 12, 0.000351, 0.000197),
    measured(4, 0.5, 8, 12, 0.000027, 0.000015),
    measured(4, 0.4, 16, 19, 0.008668, 0.005023),
    measured(4, 0.4, 15, 19, 0.000420, 0.000216),
    measured(4, 0.4, 14, 19, 0.000016, 0.000009),
    measured(4, 0.333, 23, 27, 0.006229, 0.003847),
    measured(4, 0.333, 22, 27, 0.000342, 0.000196),
    measured(4, 0.333, 21, 27, 0.000035, 0.000018),
];

const fn measured(bits: u8, rate: f64, writes: u32, bound: u32, invalid: f64, wrong_bits: f64) -> Measured {
    Measured { bits, rate, writes, bound, invalid, wrong_bits }
}

impl Measured {
    /// The probability that the last write leaves more than `limit` invalid cells in a page of
    /// `cells` cells. They fail in pairs, so the variance is twice that of a Poisson number.
    pub fn exceeds(&self, cells: usize, limit: usize) -> f64 {
        let mean = self.invalid * cells as f64;
        if mean == 0.0 { 0.0 } else { 0.5 * libm::erfc((limit as f64 + 0.5 - mean) / (4.0 * mean).sqrt()) }
    }
}

/// The code of a rate with the most writes that leave at most a share `most` of invalid cells.
pub fn best(bits: u8, rate: f64, most: f64) -> Option<&'static Measured> {
    of_cells(bits).filter(|of| (of.rate - rate).abs() < 5e-4 && of.invalid <= most).max_by_key(|of| of.writes)
}

/// All codes of cells of `bits` bits, the densest first.
pub fn of_cells(bits: u8) -> impl Iterator<Item = &'static Measured> {
    MEASURED.iter().filter(move |of| of.bits == bits)
}
