//! How many writes a slot takes between two erases, from the mathematics of one cell (`wom-v`,
//! section 2.2).

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use rewear_codes::wom_v::{Code, EccCheck, EccThreshold, InvalidChain, WriteCounts};
use rewear_flash::FlashConfig;

use super::config::WomVConfig;

/// What ends the writes of a slot.
#[derive(Debug, Clone)]
pub(super) enum Cycle {
    /// One write a generation (NR mode).
    Generations {
        /// Generations of the code.
        limit: u16,
    },
    /// Modelled cells: a number of writes drawn for each slot when its unit is erased.
    Drawn { counts: WriteCounts, rng: Xoshiro256PlusPlus, refuses: bool },
    /// Stored cells: the number of cells of each of the slot's pages that count towards the limit.
    Counted { limit: usize, refuses: bool },
    /// The share of invalid cells of the whole unit. `shares[w]` is that of a page after `w`
    /// writes, on modelled cells.
    Unit { shares: Vec<f64>, max_share: f64 },
}

impl Cycle {
    /// Whether data is checked before a write, so that a slot may refuse it.
    pub(super) fn refuses(&self) -> bool {
        matches!(self, Cycle::Drawn { refuses: true, .. } | Cycle::Counted { refuses: true, .. })
    }
}

/// Longest table of shares; with few flipped bits the last entries hardly differ.
const MAX_SHARES: usize = 1 << 12;

/// A cycle and its figures.
pub(super) struct Worked {
    pub(super) cycle: Cycle,
    /// Writes of a slot between two erases that are expected when the unit is written as a whole.
    pub(super) mean_writes: f64,
    /// Writes of a slot that no one exceeds; `u16::MAX` where only the data decide.
    pub(super) most_writes: u16,
}

/// What follows from the configuration for slots of `pages` pages with `page_cells` cells each.
pub(super) fn work_out(
    config: &WomVConfig,
    code: Code,
    page_cells: usize,
    pages: u32,
    flash: &FlashConfig,
) -> Worked {
    if config.no_read {
        let limit = code.generations() as u16;
        return Worked {
            cycle: Cycle::Generations { limit },
            mean_writes: f64::from(limit),
            most_writes: limit,
        };
    }
    let threshold = config.threshold();
    if threshold.check == EccCheck::Unit {
        return unit_cycle(config, code, threshold);
    }
    let refuses = threshold.check == EccCheck::Pre;
    let counts = WriteCounts::new(code, page_cells, config.data(), threshold).together(pages);
    let mean_writes = counts.mean();
    if flash.stores_cells() {
        let cycle = Cycle::Counted { limit: threshold.limit(page_cells), refuses };
        return Worked { cycle, mean_writes, most_writes: u16::MAX };
    }
    let most_writes = u16::try_from(counts.most()).unwrap_or(u16::MAX);
    let rng = Xoshiro256PlusPlus::seed_from_u64(flash.seed);
    Worked { cycle: Cycle::Drawn { counts, rng, refuses }, mean_writes, most_writes }
}

fn unit_cycle(config: &WomVConfig, code: Code, threshold: EccThreshold) -> Worked {
    let mut chain = InvalidChain::new(code, config.data());
    let mut shares = vec![0.0];
    while shares.len() < MAX_SHARES && chain.invalid_share() < 0.999 {
        chain.write();
        shares.push(chain.invalid_share());
    }
    let max_share = threshold.max_invalid_share;
    let writes = shares.iter().position(|&share| share > max_share).unwrap_or(shares.len() - 1);
    Worked { cycle: Cycle::Unit { shares, max_share }, mean_writes: writes as f64, most_writes: u16::MAX }
}
