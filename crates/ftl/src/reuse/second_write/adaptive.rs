//! Separation `adaptive-size`: the size threshold follows the second writes that outlive their
//! blocks.
//!
//! The paper leaves an adaptive threshold to others (section 6.5) and says what it would balance. A
//! high threshold makes more second writes. A threshold too high makes some of data that is still
//! valid when its block is cleaned, and each of these costs a first write. So the share of second
//! writes that are still valid then is measured over some blocks; above 7% the threshold is
//! halved, below a quarter of that doubled.

/// Write requests of at least this size are cold at the beginning.
const START_BYTES: u64 = 64 << 10;
/// The threshold's least and greatest value.
const LEAST_BYTES: u64 = 16 << 10;
const MOST_BYTES: u64 = 1 << 20;
/// Blocks with second writes that are cleaned between two decisions.
const BLOCKS: u32 = 16;
/// Share of second writes valid when their block is cleaned above which the threshold is halved.
const MOST_VALID: f64 = 0.07;

/// See the module's page.
#[derive(Debug, Clone)]
pub(super) struct AdaptiveSize {
    cold_bytes: u64,
    request_bytes: u64,
    blocks: u32,
    valid: u64,
    written: u64,
}

impl AdaptiveSize {
    pub(super) fn new() -> AdaptiveSize {
        AdaptiveSize { cold_bytes: START_BYTES, request_bytes: 0, blocks: 0, valid: 0, written: 0 }
    }

    pub(super) fn announce(&mut self, bytes: u64) {
        self.request_bytes = bytes;
    }

    pub(super) fn is_hot(&self) -> bool {
        self.request_bytes < self.cold_bytes
    }

    pub(super) fn outlived(&mut self, valid: u32, written: u32) {
        self.blocks += 1;
        self.valid += u64::from(valid);
        self.written += u64::from(written);
        if self.blocks < BLOCKS {
            return;
        }
        let share = self.valid as f64 / self.written.max(1) as f64;
        if share > MOST_VALID {
            self.cold_bytes = (self.cold_bytes / 2).max(LEAST_BYTES);
        } else if share < MOST_VALID / 4.0 {
            self.cold_bytes = self.cold_bytes.saturating_mul(2).min(MOST_BYTES);
        }
        (self.blocks, self.valid, self.written) = (0, 0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_falls_when_second_writes_outlive_their_blocks_and_rises_when_they_do_not() {
        let mut policy = AdaptiveSize::new();
        policy.announce(64 << 10);
        assert!(!policy.is_hot());
        (0..16).for_each(|_| policy.outlived(0, 64));
        assert!(policy.is_hot(), "doubled");
        (0..16).for_each(|_| policy.outlived(3, 64));
        assert!(policy.is_hot(), "between the marks it stays");
        (0..16).for_each(|_| policy.outlived(30, 64));
        assert!(!policy.is_hot(), "halved");
        (0..1600).for_each(|_| policy.outlived(30, 64));
        assert_eq!(policy.cold_bytes, 16 << 10);
        (0..1600).for_each(|_| policy.outlived(0, 64));
        assert_eq!(policy.cold_bytes, 1 << 20);
    }
}
