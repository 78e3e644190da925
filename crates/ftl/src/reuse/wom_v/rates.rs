//! The code rate follows the drive's fullness, unit by unit (beyond the paper, whose section 6
//! leaves it to future work).
//!
//! An erased unit is opened with the code of the lowest rate that leaves its pool no fuller than
//! `max_fill` if all of its units had it. So a drive with little data writes everything many times,
//! and a full one is the drive without a code. A unit keeps its code until it is erased. It takes
//! its remaining writes as long as its pool, under its code, would be no fuller than half way
//! between `max_fill` and full. Otherwise it is erased early.
//!
//! A pool's cleaning begins when all of its usable units are closed or about to be. A code is
//! chosen only if the data fills less than all of these under it. So some closed unit has fewer
//! valid pages than a unit of that code has slots, and cleaning works. A victim with more (another
//! policy than greedy may name one) goes to a denser code. At the densest the drive is the drive
//! without a code, whose capacity it exports.

use rewear_flash::{ConfigError, FlashConfig};

use super::WomV;
use super::config::WomVConfig;
use super::unit_code::wom_v_code;
use crate::address::{Pool, Unit};
use crate::reuse::reclaim_decision::UnitShape;
use crate::shape::layout::{MAX_SLOT_PAGES, SlotShape};
use crate::shape::parts::UnitsOfPart;
use crate::state::State;

/// What the codes of a drive are chosen by.
#[derive(Debug, Clone)]
pub(super) struct Rates {
    max_fill: f64,
    /// The unit of each pool whose valid pages are being moved, and how many it had.
    emptying: Vec<(Unit, u32)>,
}

impl Rates {
    pub(super) fn new(config: &WomVConfig) -> Rates {
        Rates { max_fill: config.max_fill, emptying: Vec::new() }
    }

    pub(super) fn prepare(&mut self, pools: u32) {
        self.emptying = vec![(Unit::NONE, 0); pools as usize];
    }

    /// Fill above which a unit loses its code although it takes further writes.
    fn keep_fill(&self) -> f64 {
        f64::midpoint(self.max_fill, 1.0)
    }
}

/// Data bits a cell of every code, and the logical page that all of them can hold. That page has
/// bytes of data, and takes some number of flash pages under the densest and under the sparsest
/// code.
pub(super) fn shape(config: &WomVConfig, flash: &FlashConfig) -> Result<(Vec<u8>, SlotShape), ConfigError> {
    let n = flash.bits_per_cell;
    wom_v_code(config.data_bits, n)?;
    let codes: Vec<u8> =
        std::iter::once(config.data_bits).chain(config.denser_codes.iter().copied()).collect();
    if codes.windows(2).any(|pair| pair[0] >= pair[1]) || codes.last().is_some_and(|&k| k > n) {
        return Err(ConfigError::new(
            "reuse.denser_codes",
            format!(
                "{:?} behind reuse.data_bits = {} on cells of {n} bits",
                config.denser_codes, config.data_bits
            ),
            format!(
                "give rising numbers of bits, each more than the one before and at most flash.bits_per_cell = {n}"
            ),
        ));
    }
    // The fewest pages of data that fill whole flash pages under every code.
    let data_pages = codes
        .iter()
        .map(|&k| u32::from(k) / gcd(k.into(), n.into()))
        .fold(1, |all, pages| all / gcd(all, pages) * pages);
    let pages = |k: u8| data_pages * u32::from(n) / u32::from(k);
    let (least, most) = (pages(codes[codes.len() - 1]), pages(codes[0]));
    if most as usize > MAX_SLOT_PAGES {
        return Err(ConfigError::new(
            "reuse.denser_codes",
            format!(
                "a logical page that fills whole flash pages under all of {codes:?} takes {most} of them"
            ),
            format!(
                "give fewer codes, or such as divide flash.bits_per_cell, so that {MAX_SLOT_PAGES} are enough"
            ),
        ));
    }
    let logical_page_bytes = flash.page_bytes * data_pages;
    Ok((codes, SlotShape { pages: least, most_pages: most, logical_page_bytes }))
}

impl WomV {
    /// Whether units may have different codes.
    pub(super) fn varies(&self) -> bool {
        self.codes.len() > 1
    }

    /// A free unit was opened, for the pages of a `victim` under cleaning or for the host: gives it
    /// a code.
    pub(super) fn give_code(&mut self, view: &State, unit: Unit, victim: Option<Unit>) -> UnitShape {
        let index = self.code_to_open(view, view.units.pool_of(unit), victim);
        self.of_unit[unit.index()] = index as u8;
        self.begin(unit);
        let code = &self.codes[index];
        UnitShape { slot_pages: code.pages, slots: code.slots }
    }

    /// The valid pages of a unit are about to be moved.
    pub(super) fn begins_to_empty(&mut self, state: &State, unit: Unit) {
        if self.varies() {
            self.rates.emptying[state.units.pool_of(unit).index()] = (unit, state.units.valid(unit));
        }
    }

    /// Whether a unit may be written again under its code, or is erased so that it can have a
    /// denser one.
    pub(super) fn keeps_code(&self, state: &State, unit: Unit) -> bool {
        let index = usize::from(self.of_unit[unit.index()]);
        index + 1 == self.codes.len()
            || self.fill(state, state.units.pool_of(unit), index) <= self.rates.keep_fill()
    }

    /// Units of each code, the sparsest first. A free unit counts for the code that it had.
    pub(in crate::reuse) fn units_by_code(&self) -> Option<Vec<(u8, u32)>> {
        if !self.varies() {
            return None;
        }
        let count = |index| self.of_unit.iter().filter(|&&of| usize::from(of) == index).count() as u32;
        Some(self.codes.iter().enumerate().map(|(index, code)| (code.data_bits, count(index))).collect())
    }

    /// Takes over of a part of the drive the codes of units, and how often their slots were written.
    pub(in crate::reuse) fn take_units(&mut self, units: &UnitsOfPart, of: &WomV) {
        if self.varies() {
            for (unit, own) in units.each() {
                self.of_unit[unit.index()] = of.of_unit[own.index()];
                self.slots.take_writes(unit, &of.slots, own);
            }
        }
    }

    fn code_to_open(&self, state: &State, pool: Pool, victim: Option<Unit>) -> usize {
        let to_move = victim.map_or(0, |unit| match self.rates.emptying[pool.index()] {
            // As many as it had at first: those that were moved have taken what room there was.
            (emptying, valid) if emptying == unit => valid,
            _ => state.units.valid(unit),
        });
        let fits = |&index: &usize| {
            let most = self.rates.max_fill * f64::from(self.codes[index].slots);
            self.fill(state, pool, index) <= self.rates.max_fill && f64::from(to_move) < most
        };
        (0..self.codes.len() - 1).find(fits).unwrap_or(self.codes.len() - 1)
    }

    /// The share of a pool's usable units that its valid pages would fill if all units had this
    /// code.
    fn fill(&self, state: &State, pool: Pool, index: usize) -> f64 {
        let densest = f64::from(self.codes[self.codes.len() - 1].slots);
        let limit =
            f64::from(state.units.pool_valid_limit(pool)) / densest * f64::from(self.codes[index].slots);
        f64::from(state.units.pool_valid(pool)) / limit.max(1.0)
    }
}

fn gcd(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { gcd(b, a % b) }
}
