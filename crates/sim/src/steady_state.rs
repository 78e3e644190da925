//! Whether a drive has settled: the write amplification of successive windows.

/// The write amplification counts as steady when this many windows in a row ..
const WINDOWS: usize = 4;

/// Watches the write amplification of windows of host writes.
///
/// A drive is steady when the last four windows lie within a fraction of each other. A write
/// amplification of 1 is a drive that does not clean yet, not a steady state.
#[derive(Debug, Clone)]
pub struct SteadyState {
    spread: f64,
    latest: [f64; WINDOWS],
    windows: usize,
}

impl SteadyState {
    /// `.. spread` is how far the windows may lie apart, as a fraction of the least.
    pub fn new(spread: f64) -> SteadyState {
        SteadyState { spread, latest: [0.0; WINDOWS], windows: 0 }
    }

    /// Takes the write amplification of the next window; whether the drive is steady now.
    pub fn window(&mut self, write_amplification: f64) -> bool {
        self.latest[self.windows % WINDOWS] = write_amplification;
        self.windows += 1;
        let (least, most) =
            self.latest.iter().fold((f64::MAX, 0.0f64), |(low, high), &x| (low.min(x), high.max(x)));
        least > 1.0 && most <= least * (1.0 + self.spread)
    }

    /// Windows seen.
    pub fn windows(&self) -> usize {
        self.windows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_like_windows_are_steady_and_a_drive_that_does_not_clean_is_not() {
        let mut state = SteadyState::new(0.01);
        assert!((0..20).all(|_| !state.window(1.0)));
        let settled: Vec<_> =
            [3.0, 2.5, 2.2, 2.21, 2.2, 2.21, 2.19].map(|window| state.window(window)).to_vec();
        assert_eq!(settled, [false, false, false, false, false, true, true]);
    }
}
