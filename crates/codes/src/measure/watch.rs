//! The way out of a long measurement.

/// Called between trials with those done and all of them; returns whether to go on. It has no
/// influence on the result of a measurement that it lets finish.
pub type Watch<'a> = dyn FnMut(u64, u64) -> bool + 'a;
