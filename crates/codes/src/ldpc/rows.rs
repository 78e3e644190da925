//! The inner loops of min-sum: one round over all rows of the matrix, on vectors of the machine's
//! width.

use super::lanes::{LaneEngine, Lanes};
use super::{Ldpc, MinSum, Workspace};

/// One round over all rows on the instructions that `rules` names; in the `first` one all messages
/// are 0 and not read.
pub(super) fn iterate(code: &Ldpc, work: &mut Workspace, rules: &MinSum, first: bool) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{__m256i, __m512i};
        #[target_feature(enable = "avx2")]
        fn avx2(code: &Ldpc, work: &mut Workspace, rules: &MinSum, first: bool) {
            // SAFETY: the instructions are enabled, and the workspace was checked against the code.
            unsafe { all_rows::<__m256i>(code, work, rules, first) }
        }
        #[target_feature(enable = "avx512f,avx512bw")]
        fn avx512(code: &Ldpc, work: &mut Workspace, rules: &MinSum, first: bool) {
            // SAFETY: as above.
            unsafe { all_rows::<__m512i>(code, work, rules, first) }
        }
        let has_avx512 = is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bw");
        if rules.engine == LaneEngine::Avx512 && has_avx512 {
            // SAFETY: the machine has these instructions.
            return unsafe { avx512(code, work, rules, first) };
        }
        if rules.engine != LaneEngine::Portable && is_x86_feature_detected!("avx2") {
            // SAFETY: the machine has these instructions.
            return unsafe { avx2(code, work, rules, first) };
        }
    }
    // SAFETY: arrays need no special instructions, and the workspace was checked against the code.
    unsafe { all_rows::<[i8; 16]>(code, work, rules, first) }
}

/// # Safety
/// The instructions of `V` are enabled, and `work` was made for `code` ([`Ldpc::fits`]).
#[inline(always)]
unsafe fn all_rows<V: Lanes>(code: &Ldpc, work: &mut Workspace, rules: &MinSum, first: bool) {
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
            for lane in (0..z).step_by(V::WIDTH) {
                let row = edges.iter().zip(shifts).enumerate().map(|(e, (edge, shift))| {
                    let posterior = posteriors.add(edge.block * stride + ((shift + lane) & (z - 1)));
                    (posterior.cast_const(), messages.add(e * z + lane))
                });
                if first {
                    gather::<V, true>(row, extrema.add(lane), z, rules);
                } else {
                    gather::<V, false>(row, extrema.add(lane), z, rules);
                }
            }
            for lane in (0..z).step_by(V::WIDTH) {
                let row = edges.iter().enumerate().map(|(e, edge)| {
                    (posteriors.add(edge.block * stride + lane), messages.add(e * z + lane))
                });
                if lane < 64 {
                    scatter::<V, true>(row, extrema.add(lane).cast_const(), z);
                } else {
                    scatter::<V, false>(row, extrema.add(lane).cast_const(), z);
                }
            }
            messages = messages.add(edges.len() * z);
        }
    }
    for (i, word) in work.decisions.iter_mut().enumerate() {
        let (column, first) = (i / (z / 64), 64 * (i % (z / 64)));
        *word = 0;
        for lane in (0..64).step_by(V::WIDTH) {
            // SAFETY: first + lane + V::WIDTH <= z.
            let signs = unsafe { V::load(posteriors.add(column * stride + first + lane)).signs() };
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
/// The instructions of `V` are enabled; all pointers are good for `V::WIDTH` bytes, `extrema` at
/// four places `z` apart.
#[inline(always)]
unsafe fn gather<V: Lanes, const FIRST: bool>(
    row: impl Iterator<Item = (*const i8, *mut i8)>,
    extrema: *mut i8,
    z: usize,
    rules: &MinSum,
) {
    // SAFETY: as required of the caller.
    unsafe {
        let mut least = V::splat(0xff);
        let mut second = V::splat(0xff);
        let mut sign = V::splat(0);
        for (posterior, message) in row {
            let mut t = V::load(posterior);
            if !FIRST {
                t = t.sub_saturating(V::load(message));
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

/// # Safety
/// The instructions of `V` are enabled.
#[inline(always)]
unsafe fn scale<V: Lanes>(magnitude: V, rules: &MinSum) -> V {
    // SAFETY: as required of the caller.
    unsafe {
        let limited = magnitude.min_unsigned(V::splat(127));
        let normalised = match rules.normalisation_bits {
            0 => limited,
            bits => limited.sub_saturating_unsigned(limited.shift_right_unsigned(bits)),
        };
        normalised.sub_saturating_unsigned(V::splat(rules.offset)).min_unsigned(V::splat(rules.message_limit))
    }
}

/// Messages from the checks of one row back to the bits, and the new posteriors; with `COPY` also
/// their copy behind the column.
///
/// # Safety
/// As [`gather`]; with `COPY`, posteriors are good at two places `z` apart.
#[inline(always)]
unsafe fn scatter<V: Lanes, const COPY: bool>(
    row: impl Iterator<Item = (*mut i8, *mut i8)>,
    extrema: *const i8,
    z: usize,
) {
    // SAFETY: as required of the caller.
    unsafe {
        let least = V::load(extrema);
        let scaled_least = V::load(extrema.add(z));
        let scaled_second = V::load(extrema.add(2 * z));
        let sign = V::load(extrema.add(3 * z));
        for (posterior, message) in row {
            let t = V::load(message);
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
