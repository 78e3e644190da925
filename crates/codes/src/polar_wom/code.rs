//! Construction of a polar WOM code, and what can be said of an attempt before it is made.

use super::message::Positions;
use super::sc::{Step, schedule};
use super::transform::{PART, determine, transform};
use crate::keystream::Keystream;
use crate::{CodeError, bits};

/// Attempts that the metadata of a second write can tell apart.
pub const ATTEMPTS: u8 = 8;

/// Words by which an attempt rotates one half of the cells further than the attempt before it.
const ROTATION_WORDS: usize = 3;

/// Largest codeword: 2^20 cells.
const MAX_CELLS: usize = 1 << 20;

/// The change that a second attempt on the same cells makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Retry {
    /// The order of the cells and the keystream: the programmed cells meet other partners in the
    /// code, so the attempt is as good as one on other pages.
    Rotation,
    /// The keystream alone, as by a new dither on the cells. A dither adds a fixed word to `x`, and
    /// by linearity a fixed word to the message. The determined positions stay, so attempts fail
    /// together.
    Dither,
}

/// The best attempt on given cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Plan {
    /// D: message bits that the programmed cells determine under this attempt. The attempt succeeds
    /// with probability `2^-D` for data the cells know nothing of; with certainty when D is 0.
    pub determined: usize,
    /// The attempt, below [`ATTEMPTS`].
    pub attempt: u8,
}

/// A polar WOM code: `message_bits` bits in `cells` cells, about half of them
/// programmed already.
///
/// Bitmaps of cells are in physical order: bit `i` of word `i / 64` is cell `i`; a one is a
/// programmed cell.
#[derive(Debug, Clone)]
pub struct PolarWom {
    pub(super) positions: Positions,
    pub(super) steps: Vec<Step>,
    cells: usize,
    message_bits: usize,
}

impl PolarWom {
    /// The code with `message_bits` bits on `cells` cells, a power of two from 64 to 2^20; other
    /// sizes are a [`CodeError::Parameters`].
    pub fn new(cells: usize, message_bits: usize) -> Result<PolarWom, CodeError> {
        let refuse = |problem| Err(CodeError::Parameters { code: "polar WOM", problem });
        if !cells.is_power_of_two() || !(64..=MAX_CELLS).contains(&cells) {
            return refuse(format!("{cells} cells; choose a power of two from 64 to {MAX_CELLS}"));
        }
        if message_bits == 0 || message_bits > cells {
            return refuse(format!("{message_bits} message bits; choose 1 to {cells} for {cells} cells"));
        }
        let mask = message_mask(cells, message_bits);
        let positions = Positions::new(mask);
        let steps = schedule(&positions);
        Ok(PolarWom { positions, steps, cells, message_bits })
    }

    /// Cells of a codeword.
    pub fn cells(&self) -> usize {
        self.cells
    }

    /// Bits of a message.
    pub fn message_bits(&self) -> usize {
        self.message_bits
    }

    /// 64-bit words of a bitmap of cells.
    pub fn cell_words(&self) -> usize {
        self.cells / 64
    }

    /// 64-bit words of a message.
    pub fn message_words(&self) -> usize {
        bits::words_for(self.message_bits)
    }

    /// The message positions of `u` as a bitmap.
    pub fn message_positions(&self) -> &[u64] {
        &self.positions.mask
    }

    /// D: how many message bits the `programmed` cells determine under `attempt`.
    ///
    /// # Errors
    /// [`CodeError::Size`] when `programmed` is not [`PolarWom::cell_words`] long,
    /// [`CodeError::Range`] for an attempt of [`ATTEMPTS`] or above.
    pub fn determined(&self, programmed: &[u64], attempt: u8) -> Result<usize, CodeError> {
        self.check_words("the bitmap of cells", programmed.len(), self.cell_words())?;
        self.check_attempt(attempt)?;
        let mut known = vec![0; self.cell_words()];
        Ok(self.count_determined(programmed, attempt, &mut known))
    }

    /// The attempt with the smallest D among the first `attempts`; the first such one. Stops at D =
    /// 0.
    ///
    /// # Errors
    /// As [`PolarWom::determined`]; 0 attempts are a [`CodeError::Range`] as well.
    pub fn plan(&self, programmed: &[u64], attempts: u8) -> Result<Plan, CodeError> {
        self.plan_into(programmed, attempts, &mut vec![0; self.cell_words()])
    }

    /// [`PolarWom::plan`] without allocation; `known` is overwritten.
    pub(super) fn plan_into(
        &self,
        programmed: &[u64],
        attempts: u8,
        known: &mut [u64],
    ) -> Result<Plan, CodeError> {
        self.check_words("the bitmap of cells", programmed.len(), self.cell_words())?;
        let last = attempts.checked_sub(1).ok_or(CodeError::Range {
            what: "attempts",
            count: usize::from(ATTEMPTS) + 1,
            got: 0,
        })?;
        self.check_attempt(last)?;
        let mut best = Plan { determined: usize::MAX, attempt: 0 };
        for attempt in 0..attempts {
            let determined = self.count_determined(programmed, attempt, known);
            if determined < best.determined {
                best = Plan { determined, attempt };
            }
            if determined == 0 {
                break;
            }
        }
        Ok(best)
    }

    /// [`PolarWom::determined`] without checks or allocation; `known` is overwritten.
    pub(super) fn count_determined(&self, programmed: &[u64], attempt: u8, known: &mut [u64]) -> usize {
        self.rotate_in(programmed, attempt, known);
        determine(known);
        known.iter().zip(&self.positions.mask).map(|(k, m)| (k & m).count_ones() as usize).sum()
    }

    /// Reads the message of a codeword that was written at `address` in `attempt`. Nothing needs to
    /// be known of the page's earlier content.
    ///
    /// # Errors
    /// [`CodeError::Size`] when `cells` or `message` have the wrong length, [`CodeError::Range`]
    /// for an impossible attempt. Any bitmap is a codeword, so garbage gives some message.
    pub fn decode(
        &self,
        cells: &[u64],
        address: u64,
        attempt: u8,
        message: &mut [u64],
    ) -> Result<(), CodeError> {
        self.check_decode(cells, attempt, message)?;
        let mut u = vec![0; self.cell_words()];
        self.decode_into(cells, Keystream::new(address, attempt.into()), attempt, &mut u, message);
        Ok(())
    }

    pub(super) fn check_decode(&self, cells: &[u64], attempt: u8, message: &[u64]) -> Result<(), CodeError> {
        self.check_words("the bitmap of cells", cells.len(), self.cell_words())?;
        self.check_words("the message", message.len(), self.message_words())?;
        self.check_attempt(attempt)
    }

    /// [`PolarWom::decode`] without checks or allocation; `u` is overwritten.
    pub(super) fn decode_into(
        &self,
        cells: &[u64],
        key: Keystream,
        rotation: u8,
        u: &mut [u64],
        message: &mut [u64],
    ) {
        self.rotate_in(cells, rotation, u);
        let part = PART.min(u.len());
        transform(u, |i| self.positions.count(part * i, part) > 0);
        self.positions.extract(u, message);
        key.apply(message);
        if let (Some(last), tail @ 1..) = (message.last_mut(), self.message_bits % 64) {
            *last &= (1 << tail) - 1;
        }
    }

    /// Words by which an attempt rotates the second half of the codeword against the first. That
    /// gives every cell a new partner at the first step, so the determined positions are drawn
    /// anew. (Rotating all words together would not: `i -> i + c` maps the pairs `(i, i + N/2)` to
    /// pairs, at every level, and leaves D as it is.)
    pub(super) fn shift(&self, rotation: u8) -> usize {
        ROTATION_WORDS * usize::from(rotation)
    }

    /// A bitmap in the order of the code.
    pub(super) fn rotate_in(&self, physical: &[u64], rotation: u8, code_order: &mut [u64]) {
        let (fixed, rotated) = physical.split_at(physical.len() / 2);
        let (head, tail) = rotated.split_at(self.shift(rotation) % rotated.len());
        let (first, second) = code_order.split_at_mut(fixed.len());
        first.copy_from_slice(fixed);
        second[..tail.len()].copy_from_slice(tail);
        second[tail.len()..].copy_from_slice(head);
    }

    /// The inverse of [`PolarWom::rotate_in`].
    pub(super) fn rotate_out(&self, code_order: &[u64], rotation: u8, physical: &mut [u64]) {
        physical.copy_from_slice(code_order);
        let (_, rotated) = physical.split_at_mut(code_order.len() / 2);
        rotated.rotate_right(self.shift(rotation) % rotated.len().max(1));
    }

    pub(super) fn check_words(
        &self,
        what: &'static str,
        got: usize,
        expected: usize,
    ) -> Result<(), CodeError> {
        if got == expected {
            Ok(())
        } else {
            Err(CodeError::Size { what, unit: "64-bit words", expected, got })
        }
    }

    pub(super) fn check_attempt(&self, attempt: u8) -> Result<(), CodeError> {
        if attempt < ATTEMPTS {
            Ok(())
        } else {
            Err(CodeError::Range { what: "attempt", count: ATTEMPTS.into(), got: attempt.into() })
        }
    }
}

/// Probability that each position of `u` is determined when every cell is programmed with
/// probability 1/2, in natural order. The first half of a code needs both cells of a pair, the
/// second half one.
fn determined_probabilities(cells: usize) -> Vec<f64> {
    let mut p = vec![0.5];
    while p.len() < cells {
        p = p.iter().flat_map(|p| [p * p, 2.0 * p - p * p]).collect();
    }
    p
}

/// The `message_bits` positions least likely to be determined, ties by index.
fn message_mask(cells: usize, message_bits: usize) -> Vec<u64> {
    let p = determined_probabilities(cells);
    let mut order: Vec<usize> = (0..cells).collect();
    order.sort_by(|a, b| p[*a].total_cmp(&p[*b]).then(a.cmp(b)));
    let mut mask = vec![0; cells / 64];
    for &position in &order[..message_bits] {
        bits::set(&mut mask, position, true);
    }
    mask
}
