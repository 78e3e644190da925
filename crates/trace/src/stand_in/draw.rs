//! Drawing from a list of shares.

use rand_xoshiro::Xoshiro256PlusPlus;

use crate::workloads::random::unit;

/// The place of a share in a list, with probability proportional to it; `None` if there is nothing to draw.
pub(super) fn index(
    shares: impl Iterator<Item = f64> + Clone,
    random: &mut Xoshiro256PlusPlus,
) -> Option<usize> {
    let total: f64 = shares.clone().sum();
    if total <= 0.0 {
        return None;
    }
    let mut left = unit(random) * total;
    let mut last = None;
    for (place, share) in shares.enumerate().filter(|&(_, share)| share > 0.0) {
        if left < share {
            return Some(place);
        }
        left -= share;
        last = Some(place);
    }
    last
}
