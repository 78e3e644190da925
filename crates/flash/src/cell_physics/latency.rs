//! How long a step takes to program and a number of references to read.
//!
//! The times solve Table I of the differentiated-ECC paper: programs of 650, 1300, 2600 us are 1 /
//! step, LDPC reads of 75 and 145 us are one and three sensings of 35 us and 40 us besides, BCH
//! reads of 45 us one sensing and 10 us.

use crate::Nanos;

/// Programming a page with the normal step; the number of pulses, and so the time, goes as 1 / step.
const PROGRAM_NS: f64 = 1_300_000.0;
/// Sensing a page once, with one reference for each boundary it is read at.
const SENSE_NS: Nanos = 35_000;
/// Further time of a BCH read: decoding and all that is constant.
const BCH_DECODE_NS: Nanos = 10_000;
/// Further time of an LDPC read.
const LDPC_DECODE_NS: Nanos = 40_000;

/// Programming a page with a step of `ratio` times the normal one.
pub(super) fn program_ns(ratio: f64) -> Nanos {
    libm::round(PROGRAM_NS / ratio) as Nanos
}

/// Reading a BCH page.
pub(super) fn bch_read_ns() -> Nanos {
    SENSE_NS + BCH_DECODE_NS
}

/// Reading an LDPC page with `references` references at each boundary.
pub(super) fn ldpc_read_ns(references: usize) -> Nanos {
    SENSE_NS * references as Nanos + LDPC_DECODE_NS
}
