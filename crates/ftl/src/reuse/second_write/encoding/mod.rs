//! Does an encoding succeed? Drawn by probability (`table`), drawn by the code's chances on pages
//! (`mask`), or tried (`full`).

pub(super) mod first_write;
mod group_cells;
mod success_probability;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_codes::CodeError;
use rewear_codes::polar_wom::PageCode;
use rewear_flash::FlashConfig;

use super::config::{Fidelity, Retry, SecondWriteConfig};
use crate::error::FtlError;
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

/// What decides an attempt.
#[derive(Debug, Clone)]
enum Decides {
    /// The same probability for every attempt, of 2^32.
    Probability(u64),
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
        code: &PageCode,
        flash: &FlashConfig,
    ) -> Result<Outcomes, FtlError> {
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
    /// itself must say. `mask` is the pair whose chances were drawn for these pages before, if they
    /// were.
    #[inline]
    pub(super) fn draw(&mut self, tries: u8, mask: &mut Option<u32>) -> Option<Outcome> {
        let rng = &mut self.rng;
        match &self.decides {
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
