//! Does an encoding succeed? Drawn by probability (`table`), drawn by the code's chances on pages
//! (`mask`), or tried (`full`).

pub(in crate::reuse) mod coset_pair;
mod first_write;
mod group_cells;
mod pair_cells;
mod success_probability;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_codes::CodeError;
use rewear_codes::polar_wom::PageCode;
use rewear_flash::FlashConfig;

use super::config::{Fidelity, Retry, SecondWriteConfig};
use crate::error::FtlError;
pub(super) use coset_pair::CosetPair;
pub(crate) use group_cells::WriteOfPair;
pub(super) use group_cells::{GroupCells, PageForCells};
use success_probability::Masks;

/// Attempts that were made at one group of slots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Outcome {
    /// Those that failed.
    pub(super) failed: u8,
    /// Whether the last one succeeded.
    pub(super) success: bool,
}

/// What puts a page on two that were written.
#[derive(Debug, Clone)]
pub(super) enum PairCode {
    Polar(PageCode),
    Coset(CosetPair),
}

/// What decides an attempt.
#[derive(Debug, Clone)]
enum Decides {
    /// The same probability for every attempt, of 2^32.
    Probability(u64),
    /// That of the last of so many writes of a pair; those before it succeed.
    LastWrite(u8, u64),
    /// What the code would do on randomly written pages.
    Masks(Masks),
    /// The code itself.
    Code,
}

#[derive(Debug, Clone)]
pub(super) struct Outcomes {
    decides: Decides,
    rng: Xoshiro256PlusPlus,
}

impl Outcomes {
    /// Before the code's chances are known, or where the code itself decides.
    pub(super) fn undecided(seed: u64) -> Outcomes {
        Outcomes { decides: Decides::Code, rng: Xoshiro256PlusPlus::seed_from_u64(seed) }
    }

    /// Works out the chances of `code`, where they are needed.
    pub(super) fn new(
        config: &SecondWriteConfig,
        code: &PairCode,
        flash: &FlashConfig,
    ) -> Result<Outcomes, FtlError> {
        let code = match code {
            PairCode::Polar(code) => code,
            PairCode::Coset(pair) => {
                let decides = match config.success_probability {
                    _ if flash.stores_cells() => Decides::Code,
                    Some(probability) => Decides::Probability(of_2_to_32(probability)),
                    None => Decides::LastWrite(pair.writes, of_2_to_32(1.0 - pair.refusal)),
                };
                return Ok(Outcomes { decides, ..Outcomes::undecided(flash.seed) });
            }
        };
        let on_one_pair = if config.retry == Retry::SamePages { config.tries() } else { 1 };
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(flash.seed);
        let decides = match (config.fidelity, config.success_probability) {
            (Fidelity::Table, Some(probability)) => Decides::Probability(of_2_to_32(probability)),
            (Fidelity::Table, None) => {
                Decides::Probability(of_2_to_32(Masks::new(code, 1, &mut rng)?.success_probability()))
            }
            (Fidelity::Mask, _) => Decides::Masks(Masks::new(code, on_one_pair, &mut rng)?),
            (Fidelity::Full, _) => Decides::Code,
        };
        Ok(Outcomes { decides, rng })
    }

    /// Draws the outcome of up to `tries` attempts on one group of slots; `None` where the code
    /// itself must say. `write` is the number of the write among those of the group, from 0 on;
    /// `mask` the pair whose chances were drawn for these pages before, if they were.
    #[inline]
    pub(super) fn draw(&mut self, tries: u8, write: u8, mask: &mut Option<u32>) -> Option<Outcome> {
        let rng = &mut self.rng;
        match &self.decides {
            Decides::LastWrite(writes, chance) => {
                let success = write + 1 < *writes || u64::from(rng.next_u32()) < *chance;
                Some(Outcome { failed: u8::from(!success), success })
            }
            Decides::Probability(chance) => {
                let failed = (0..tries).take_while(|_| u64::from(rng.next_u32()) >= *chance).count() as u8;
                Some(Outcome { failed, success: failed < tries })
            }
            Decides::Masks(masks) => Some(masks.draw(tries, mask, rng)),
            Decides::Code => None,
        }
    }
}

fn of_2_to_32(probability: f64) -> u64 {
    (probability * 4_294_967_296.0).round() as u64
}

#[allow(clippy::needless_pass_by_value)] // The shape `map_err` asks for.
fn code_error(error: CodeError) -> FtlError {
    FtlError::Code(error.to_string())
}
