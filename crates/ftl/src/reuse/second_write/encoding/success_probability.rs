//! The polar code's chances on randomly written pages, worked out once.
//!
//! The message bits that programmed cells determine, D, depend on the cells alone, and an attempt
//! succeeds with probability 2^-D. To count D for every second write would cost more than all the
//! rest of the simulation. So it is counted for a thousand pairs of pages, for every attempt on
//! them, and a second write draws one of these pairs.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;
use rewear_codes::polar_wom::PageCode;

use super::Outcome;
use crate::error::FtlError;

const PAIRS: usize = 1024;

/// The chance of each attempt on each pair of pages, of 2^32.
#[derive(Debug, Clone)]
pub(super) struct Masks {
    chances: Vec<u64>,
    attempts: usize,
}

impl Masks {
    /// Counts D on random pages, which keep at most half of their cells programmed as first writes
    /// do.
    pub(super) fn new(
        code: &PageCode,
        attempts: u8,
        rng: &mut Xoshiro256PlusPlus,
    ) -> Result<Masks, FtlError> {
        let polar = code.polar();
        let mut cells = vec![0; polar.cell_words()];
        let mut chances = Vec::with_capacity(PAIRS * usize::from(attempts));
        for _ in 0..PAIRS {
            cells.fill_with(|| rng.next_u64());
            let page_words = cells.len() / 2;
            for page in cells.chunks_exact_mut(page_words) {
                let ones: u32 = page.iter().map(|word| word.count_ones()).sum();
                if ones as usize > page_words * 32 {
                    page.iter_mut().for_each(|word| *word = !*word);
                }
            }
            for attempt in 0..attempts {
                let determined =
                    polar.determined(&cells, attempt).map_err(|error| FtlError::Code(error.to_string()))?;
                chances.push(if determined > 32 { 0 } else { (1u64 << 32) >> determined });
            }
        }
        Ok(Masks { chances, attempts: usize::from(attempts) })
    }

    /// Mean chance of an attempt.
    pub(super) fn success_probability(&self) -> f64 {
        self.chances.iter().map(|&chance| chance as f64).sum::<f64>()
            / self.chances.len() as f64
            / 4_294_967_296.0
    }

    /// The outcome of up to `tries` attempts on a pair of pages, drawn at random where it is not
    /// known yet.
    #[inline]
    pub(super) fn draw(&self, tries: u8, mask: &mut Option<u32>, rng: &mut Xoshiro256PlusPlus) -> Outcome {
        let pair = *mask.get_or_insert_with(|| rng.next_u32() % PAIRS as u32) as usize * self.attempts;
        let chances = self.chances[pair..pair + self.attempts].iter().take(usize::from(tries));
        let failed = chances.take_while(|&&chance| u64::from(rng.next_u32()) >= chance).count() as u8;
        Outcome { failed, success: usize::from(failed) < self.attempts.min(usize::from(tries)) }
    }
}
