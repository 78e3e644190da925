//! Removing the conflicts of a failed attempt by linear algebra.
//!
//! Which cells are known at every step depends on the programmed cells only. Given those, the
//! codeword and the conflicts are linear in the message, the values and the choices that were free.
//! So the failed attempt is run once and its conflicts are noted. Each of the earliest free choices
//! is run on its own to see the conflicts that it inverts (several side by side in vector lanes). A
//! linear system gives a set of choices that inverts exactly these conflicts, and the attempt is
//! run once more with it.

use super::code::PolarWom;
use super::lanes::Lanes;
#[cfg(target_arch = "x86_64")]
use super::lanes::{Avx2Lanes, Avx512Lanes};
use super::sc::{Buffers, Observer, run};
use super::workspace::{Attempt, Many, Workspace, load, unload};
use crate::CodeError;
use crate::bits;

/// Free choices tried beyond the number of determined message bits.
const SPARE_CHOICES: usize = 32;
/// Most free choices tried.
const MAX_CHOICES: usize = 256;

/// Takes free choices in the order they come up, and notes every comparison of the message with
/// known cells.
struct Choices<'a, T> {
    /// 1 in the lanes that invert each of the first free choices.
    invert: &'a [T],
    next: usize,
    /// The outcome of every comparison: which bits were compared, and which of them differ.
    rows: &'a mut Vec<(u64, T)>,
}

impl<T: Lanes> Choices<'_, T> {
    #[inline(always)]
    fn take(&mut self) -> T {
        let choice = self.invert.get(self.next).copied().unwrap_or(T::splat(0));
        self.next += 1;
        choice
    }

    /// Takes choices for `unknown` cells. Out of line, as is `note`: every shape of subtree would
    /// hold a copy. So neither computes with vectors, whose instructions it lacks.
    #[cold]
    #[inline(never)]
    fn take_cells(&mut self, mut unknown: u64, x: &mut T) {
        while let (1.., Some(choice)) = (unknown, self.invert.get(self.next)) {
            let cell = unknown & unknown.wrapping_neg();
            for lane in 0..T::COUNT {
                x.set(lane, x.get(lane) ^ (choice.get(lane) * cell));
            }
            self.next += 1;
            unknown ^= cell;
        }
    }

    #[inline(never)]
    fn note(&mut self, checked: u64, conflict: T) {
        self.rows.push((checked, conflict));
    }
}

impl<T: Lanes> Observer<T> for Choices<'_, T> {
    #[inline(always)]
    fn free_cells(&mut self, known: T, ones: u64, x: &mut T) {
        // All lanes know the same cells.
        let unknown = ones & !known.get(0);
        if unknown != 0 && self.next < self.invert.len() {
            self.take_cells(unknown, x);
        }
    }
    #[inline(always)]
    fn free_repetition(&mut self, undecided: T) -> T {
        if undecided.get(0) & 1 == 1 { self.take() } else { T::splat(0) }
    }
    #[inline(always)]
    fn conflict(&mut self, checked: T, conflict: T) {
        if checked.get(0) != 0 {
            self.note(checked.get(0), conflict);
        }
    }
}

impl Workspace {
    /// Makes `attempt` again and removes its conflicts, if the free choices that come first can.
    /// Costs tens of encodings.
    ///
    /// # Errors
    /// As [`Workspace::encode`]. Conflicts that remain are no error: `attempt.success` is false
    /// then.
    pub fn repair(&mut self, code: &PolarWom, attempt: &mut Attempt<'_>) -> Result<(), CodeError> {
        self.check(code)?;
        attempt.check(code)?;
        let determined = code.count_determined(attempt.programmed, attempt.rotation, &mut self.scratch);
        let choices = (determined + SPARE_CHOICES).min(MAX_CHOICES);
        let wanted = run_one(self, code, attempt, &[]);
        let effects = match &mut self.many {
            Many::None => effects(code, &mut self.one, attempt, choices),
            // SAFETY (both): the workspace has these buffers only where the processor has the
            // instructions.
            #[cfg(target_arch = "x86_64")]
            Many::Avx2(buffers, _) => unsafe { effects_avx2(code, buffers, attempt, choices) },
            #[cfg(target_arch = "x86_64")]
            Many::Avx512(buffers, _) => unsafe { effects_avx512(code, buffers, attempt, choices) },
        };
        attempt.success = false;
        if let Some(chosen) = solve(wanted, effects) {
            let left = run_one(self, code, attempt, &chosen);
            attempt.success = left.iter().all(|word| *word == 0);
        }
        Ok(())
    }
}

/// Encodes with some choices inverted; gives the codeword to the attempt and returns the conflicts,
/// a bit a comparison.
fn run_one(
    workspace: &mut Workspace,
    code: &PolarWom,
    attempt: &mut Attempt<'_>,
    invert: &[u64],
) -> Vec<u64> {
    let mut rows = Vec::new();
    load(code, &mut workspace.one, &mut workspace.dense, std::slice::from_ref(attempt));
    let mut choices = Choices { invert, next: 0, rows: &mut rows };
    run(&code.steps, &code.positions.mask, &mut workspace.one, &mut choices);
    unload(code, &workspace.one, std::slice::from_mut(attempt));
    collect(&rows, 0)
}

/// The comparisons of one lane as a bitmap.
#[inline(always)]
fn collect<T: Lanes>(rows: &[(u64, T)], lane: usize) -> Vec<u64> {
    let total: u32 = rows.iter().map(|(checked, _)| checked.count_ones()).sum();
    let mut bitmap = vec![0; bits::words_for(total as usize)];
    let mut at = 0;
    for (checked, conflict) in rows {
        let (mut checked, conflict) = (*checked, conflict.get(lane));
        while checked != 0 {
            bits::set(&mut bitmap, at, conflict >> checked.trailing_zeros() & 1 == 1);
            checked &= checked - 1;
            at += 1;
        }
    }
    bitmap
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi2,popcnt")]
fn effects_avx2(
    code: &PolarWom,
    buffers: &mut Buffers<Avx2Lanes>,
    attempt: &Attempt<'_>,
    choices: usize,
) -> Vec<Vec<u64>> {
    effects(code, buffers, attempt, choices)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi2,popcnt")]
fn effects_avx512(
    code: &PolarWom,
    buffers: &mut Buffers<Avx512Lanes>,
    attempt: &Attempt<'_>,
    choices: usize,
) -> Vec<Vec<u64>> {
    effects(code, buffers, attempt, choices)
}

/// Which comparisons each of the first `choices` free choices inverts: encodings of zeros over
/// zeros with one choice each.
#[inline(always)]
fn effects<T: Lanes>(
    code: &PolarWom,
    buffers: &mut Buffers<T>,
    attempt: &Attempt<'_>,
    choices: usize,
) -> Vec<Vec<u64>> {
    let words = code.cell_words();
    let zero = T::splat(0);
    buffers.message.fill(zero);
    let shift = code.shift(attempt.rotation);
    for (i, known) in buffers.known[..words].iter_mut().enumerate() {
        *known = T::splat(attempt.programmed[code.physical(i, shift)]);
    }
    buffers.value[..words].fill(zero);
    let mut found = Vec::with_capacity(choices);
    let mut rows = Vec::new();
    for first in (0..choices).step_by(T::COUNT) {
        let lanes = T::COUNT.min(choices - first);
        let mut invert = vec![zero; first + lanes];
        for lane in 0..lanes {
            invert[first + lane].set(lane, 1);
        }
        rows.clear();
        run(
            &code.steps,
            &code.positions.mask,
            buffers,
            &mut Choices { invert: &invert, next: 0, rows: &mut rows },
        );
        found.extend((0..lanes).map(|lane| collect(&rows, lane)));
    }
    found
}

/// A set of `effects` whose sum is `wanted`, as one word (0 or 1) for each effect.
fn solve(mut wanted: Vec<u64>, effects: Vec<Vec<u64>>) -> Option<Vec<u64>> {
    let choices = effects.len();
    let identity = |i| {
        let mut set = vec![0; bits::words_for(choices)];
        bits::set(&mut set, i, true);
        set
    };
    let mut vectors: Vec<(Vec<u64>, Vec<u64>)> =
        effects.into_iter().enumerate().map(|(i, effect)| (effect, identity(i))).collect();
    let mut chosen = vec![0; bits::words_for(choices)];
    // Gaussian elimination, a vector at a time: each is reduced by none before it twice, and serves
    // for its lowest row.
    while let Some((vector, set)) = vectors.pop() {
        let Some(row) = lowest_one(&vector) else { continue };
        for (other, other_set) in &mut vectors {
            if bits::get(other, row) {
                add(other, &vector);
                add(other_set, &set);
            }
        }
        if bits::get(&wanted, row) {
            add(&mut wanted, &vector);
            add(&mut chosen, &set);
        }
    }
    let solved = wanted.iter().all(|word| *word == 0);
    solved.then(|| (0..choices).map(|i| u64::from(bits::get(&chosen, i))).collect())
}

fn lowest_one(words: &[u64]) -> Option<usize> {
    let word = words.iter().position(|word| *word != 0)?;
    Some(64 * word + words[word].trailing_zeros() as usize)
}

fn add(to: &mut [u64], other: &[u64]) {
    for (to, other) in to.iter_mut().zip(other) {
        *to ^= other;
    }
}
