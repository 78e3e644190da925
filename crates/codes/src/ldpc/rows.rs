//! The inner loops of min-sum: one round over all rows of the matrix, on vectors.

use super::lanes::{LANES, Lanes};
use super::{Ldpc, MinSum, Workspace};

/// One round over all rows; in the `first` one all messages are 0 and not read.
///
/// # Safety
/// `work` was made for `code` ([`Ldpc::fits`]).
pub(super) unsafe fn iterate(code: &Ldpc, work: &mut Workspace, rules: &MinSum, first: bool) {
    let z = code.z;
    let stride = z + 64;
    let mut messages = work.messages.as_mut_ptr().cast::<i8>();
    let posteriors = work.posteriors.as_mut_ptr().cast::<i8>();
    let extrema = work.extrema.as_mut_ptr().cast::<i8>();
    for (edges, shifts) in code.rows.iter().zip(&code.relative_shifts) {
        // SAFETY: `fits` established the sizes: a posterior column is z + 64 long and a vector that
        // starts below z is at most 64; the row's messages are `edges.len()` runs of z; the four
        // extrema are z long each.
        unsafe {
            for lane in (0..z).step_by(LANES) {
                let row = edges.iter().zip(shifts).enumerate().map(|(e, (edge, shift))| {
                    let posterior = posteriors.add(edge.block * stride + ((shift + lane) & (z - 1)));
                    (posterior.cast_const(), messages.add(e * z + lane))
                });
                if first {
                    gather::<true>(row, extrema.add(lane), z, rules);
                } else {
                    gather::<false>(row, extrema.add(lane), z, rules);
                }
            }
            for lane in (0..z).step_by(LANES) {
                let row = edges.iter().enumerate().map(|(e, edge)| {
                    (posteriors.add(edge.block * stride + lane), messages.add(e * z + lane))
                });
                if lane < 64 {
                    scatter::<true>(row, extrema.add(lane).cast_const(), z);
                } else {
                    scatter::<false>(row, extrema.add(lane).cast_const(), z);
                }
            }
            messages = messages.add(edges.len() * z);
        }
    }
    for (i, word) in work.decisions.iter_mut().enumerate() {
        let (column, first) = (i / (z / 64), 64 * (i % (z / 64)));
        *word = 0;
        for lane in (0..64).step_by(LANES) {
            // SAFETY: first + lane + LANES <= z.
            let signs = unsafe { Lanes::load(posteriors.add(column * stride + first + lane)).signs() };
            *word |= signs << lane;
        }
    }
}

/// Messages from bits to the checks of one row, which take the place of the messages from the
/// checks, and the minima over them. Each item: posterior, message. Every shift ends where the next
/// row expects it, so the posteriors are read rotated and written straight. In the `FIRST` round
/// the messages from the checks are 0.
///
/// # Safety
/// All pointers are good for [`LANES`] bytes, `extrema` at
/// four places `z` apart.
#[inline(always)]
unsafe fn gather<const FIRST: bool>(
    row: impl Iterator<Item = (*const i8, *mut i8)>,
    extrema: *mut i8,
    z: usize,
    rules: &MinSum,
) {
    // SAFETY: as required of the caller.
    unsafe {
        let mut least = Lanes::splat(0xff);
        let mut second = Lanes::splat(0xff);
        let mut sign = Lanes::splat(0);
        for (posterior, message) in row {
            let mut t = Lanes::load(posterior);
            if !FIRST {
                t = t.sub_saturating(Lanes::load(message));
            }
            t.store(message);
            let magnitude = t.abs();
            second = second.min_unsigned(least.max_unsigned(magnitude));
            least = least.min_unsigned(magnitude);
            sign = sign.xor(t);
        }
        least.store(extrema);
        scale(least, rules).store(extrema.add(z));
        scale(second, rules).store(extrema.add(2 * z));
        sign.store(extrema.add(3 * z));
    }
}

#[inline(always)]
fn scale(magnitude: Lanes, rules: &MinSum) -> Lanes {
    let limited = magnitude.min_unsigned(Lanes::splat(127));
    let normalised = match rules.normalisation_bits {
        0 => limited,
        bits => limited.sub_saturating_unsigned(limited.shift_right_unsigned(bits)),
    };
    normalised
        .sub_saturating_unsigned(Lanes::splat(rules.offset))
        .min_unsigned(Lanes::splat(rules.message_limit))
}

/// Messages from the checks of one row back to the bits, and the new posteriors; with `COPY` also
/// their copy behind the column.
///
/// # Safety
/// As [`gather`]; with `COPY`, posteriors are good at two places `z` apart.
#[inline(always)]
unsafe fn scatter<const COPY: bool>(
    row: impl Iterator<Item = (*mut i8, *mut i8)>,
    extrema: *const i8,
    z: usize,
) {
    // SAFETY: as required of the caller.
    unsafe {
        let least = Lanes::load(extrema);
        let scaled_least = Lanes::load(extrema.add(z));
        let scaled_second = Lanes::load(extrema.add(2 * z));
        let sign = Lanes::load(extrema.add(3 * z));
        for (posterior, message) in row {
            let t = Lanes::load(message);
            // If two bits share the least magnitude, the second equals it, so comparing magnitudes
            // is enough.
            let magnitude = t.abs().select_equal(least, scaled_second, scaled_least);
            let new_message = magnitude.negate_where_negative(sign.xor(t));
            new_message.store(message);
            let new_posterior = t.add_saturating(new_message);
            new_posterior.store(posterior);
            if COPY {
                new_posterior.store(posterior.add(z));
            }
        }
    }
}
