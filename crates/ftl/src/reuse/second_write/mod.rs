//! Reuse `second-write`: the invalid pages of used blocks are written once more before the erase
//! (Reusable SSD).
//!
//! # Idea
//! First writes store data as it is, so capacity and page size stay. A used block that cleaning
//! chooses is *recycled*: its valid pages stay, its invalid ones are written again. Data that will
//! soon be written again goes there as a *second write*. A polar write-once-memory code puts one
//! logical page on two invalid pages, whose programmed cells it leaves programmed.
//! The two pages lie on the two planes of a chip and are programmed and read together. In
//! sequential mode they lie in a row of one block. Two such pages are a *group* (`state/groups.rs`).
//! [`write`] is their way from arrival to program.
//!
//! Victims are recycled before they are erased, as the paper says, or where a hot write finds no
//! pair ([`Recycling`]).
//!
//! # Paper
//! Yadgar, Yaakobi, Schuster: Write Once, Get 50% Free: Saving SSD Erase Costs Using WOM Codes,
//! FAST '15. Section by section, and the file of each:
//!
//! | section | file |
//! |---|---|
//! | 3, the code and its success | [`encoding`] |
//! | 3, how long a block bears second writes | [`recycle_rule`] |
//! | 4, figure 5, states of a block | [`block_states`] |
//! | 4 and 5.1, figure 6, page allocation | [`page_allocation`], [`recycled_active`] |
//! | 5.2, block map | `state/groups.rs` |
//! | 5.3, prefetching | [`prefetch`] |
//! | 5.4, recycling: the two rules, and what they lead to | [`recycle_rule`], [`recycle_or_erase`] |
//! | 5.5, hot and cold data | [`hot_cold_separation`], [`adaptive`] |
//! | 6.5, following the workload | [`guard`] |
//! | 5.6, retries | [`retry`] |
//!
//! # Parameters
//! [`SecondWriteConfig`].
//!
//! # Cost
//! A second write programs two pages, and reads two before it. The cells take 5-6% of a page in its
//! spare area. The block map: 8 bytes a block and a bit a page here; 2 bytes for every other block
//! in the paper. The guard's ghost list: a bit a logical page.
//!
//! Controller RAM: `8 * blocks + slots / 8 + pages / 8`, and the counters of `by-update-frequency`.
//!
//! # Deviations
//! - By default clean blocks alone count towards the threshold of cleaning, which then always erases.
//!   A victim is recycled when a hot write finds no pair, and at most two blocks of a plane wait. The
//!   paper's rule is `recycling = "before-erasing"`. While recycled blocks wait it lends as many clean
//!   ones that the plain drive keeps.
//! - Under the paper's rule cleaning restores the sum of clean and recycled blocks, and two clean ones
//!   at once; the paper does not say how long it goes on.
//! - By default prefetching waits until the chip idles. The paper's is `prefetch = "at-once"`.
//! - By default a pair is kept for up to four failed writes (`pair_failures`); in the paper a write
//!   that fails becomes a first write, and nothing is said of its pair. Its experiments have 1 here.
//! - The plain drive beside it levels no wear and migrates no cold data, as the paper's does
//!   (section 6.1): `ftl.wear_levelling` is a key of both.
//! - No FTL with log blocks, and no partial map in memory (section 5.2 names both in passing).
//! - A bit a page tells second writes from first writes that stayed valid in a recycled block; the
//!   paper's lookup by the block map alone mistakes them.
//! - The limit 2R holds for each plane, as section 5.4 has it for pools, and is tested with the
//!   victim counted in.
//! - Second writes stop where their halves would take the room that unwritten logical pages need;
//!   the paper's 2R leaves clean blocks out of the sum.
//! - Where units went out of service and second writes take the room that logical pages need, they
//!   are moved as first writes.
//! - Where every invalid page of a plane lies in recycled blocks, one of these is erased instead.
//! - The default storage is 211.6%, at which our code succeeds in 95% of attempts as the paper's
//!   does at 210%.

mod adaptive;
mod block_states;
pub mod config;
mod encoding;
mod guard;
pub mod hot_cold_separation;
mod page_allocation;
mod parts;
pub(crate) mod prefetch;
pub(crate) mod recycle_or_erase;
mod recycle_rule;
mod recycled_active;
mod retry;
mod reused_blocks;
pub(crate) mod write;

use block_states::BlockStates;
use config::Recycling;
use encoding::{GroupCells, Outcomes, first_write};
use guard::Guard;
use hot_cold_separation::Separation;
use recycle_rule::{LEAST_CLEAN, PlaneShape, RecycleRule};
use recycled_active::RecycledActive;
use rewear_codes::polar_wom::{PageCode, Retry as CodeRetry};
use rewear_flash::medium::CellFormat;
use rewear_flash::{ConfigError, FlashConfig, Geometry, Nanos, ProgramAgain};

use crate::address::{Pool, SlotAddress, Unit};
use crate::config::ftl::FtlConfig;
use crate::error::FtlError;
use crate::reuse::facts::{Facts, Places, ProgramRule, Remembers, SpareUse};
use crate::reuse::reclaim_decision::{ReclaimDecision, UnitEvent, Victim};
use crate::reuse::scheme::Scheme;
use crate::reuse::slot_code::SlotCode;
use crate::shape::layout::Layout;
use crate::state::State;
use crate::state::groups::GroupsShape;
use config::PASSES;
pub use config::SecondWriteConfig;

/// Blocks of the drive: gauges beside the counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SecondWriteFigures {
    /// Recycled blocks now.
    pub recycled_blocks: u32,
    /// Reused blocks now.
    pub reused_blocks: u32,
    /// Most blocks that were either at a time, since the counters were reset.
    pub most_blocks: u32,
}

/// See the module's page.
#[derive(Debug, Clone)]
pub struct SecondWrite {
    config: SecondWriteConfig,
    page_bytes: u32,
    code: PageCode,
    encode_ns: Nanos,
    separation: Separation,
    blocks: BlockStates,
    rule: RecycleRule,
    guard: Option<Guard>,
    active: RecycledActive,
    /// Logical pages that each lane of second writes must have room for.
    exported_per_lane: u64,
    planes_per_die: u32,
    /// Of the lanes that take turns, whose turn it was last: see [`page_allocation`].
    turns: Vec<usize>,
}

impl SecondWrite {
    fn facts(&self, flash: &FlashConfig) -> Facts {
        let image_bytes = self.image_bytes();
        Facts {
            cell_format: CellFormat { image_bytes, ..CellFormat::binary(self.page_bytes) },
            programs: ProgramRule {
                again: ProgramAgain::Passes { limit: PASSES },
                // Both halves of a second write go over pages that were programmed before.
                per_erase: PASSES.into(),
                passes_per_erase: 1.0,
            },
            places: Places::Chosen,
            spare: SpareUse::records(2, self.code.spare_bytes() as u32),
            scrambles_data: true,
            groups: Some(self.groups_shape()),
            least_free_units: match self.config.recycling {
                Recycling::BeforeErasing => Some(LEAST_CLEAN),
                Recycling::ForHotWrites => None,
            },
            remembers: Remembers { bytes_per_unit: 3, bit_a_slot: self.is_guarded(), ..Remembers::default() },
            ..Facts::plain(flash)
        }
    }

    /// Second writes take a pair of planes; in sequential mode every plane has its own.
    pub(super) fn groups_shape(&self) -> GroupsShape {
        GroupsShape { parallel: self.config.parallel }
    }

    /// Bytes of a page's image: its cells, and the part of its spare area that the codes use.
    fn image_bytes(&self) -> usize {
        self.page_bytes as usize + self.code.spare_bytes()
    }

    fn is_guarded(&self) -> bool {
        self.config.guard == config::GuardChoice::GhostList
    }

    pub(crate) fn figures(&self) -> SecondWriteFigures {
        let (recycled_blocks, reused_blocks, most_blocks) = self.blocks.counts();
        SecondWriteFigures { recycled_blocks, reused_blocks, most_blocks }
    }
}

impl Scheme for SecondWrite {
    type Config = SecondWriteConfig;

    fn new(config: &SecondWriteConfig, flash: &FlashConfig) -> Result<(SecondWrite, Facts), ConfigError> {
        config.check(flash)?;
        let code = polar_code(config, flash)?;
        let reads = &flash.timing.read_ns;
        let mean_read_ns = reads.iter().sum::<u64>() / (reads.len() as u64).max(1);
        let scheme = SecondWrite {
            page_bytes: flash.page_bytes,
            encode_ns: mean_read_ns / 2,
            separation: Separation::new(&config.separation),
            blocks: BlockStates::default(),
            rule: RecycleRule::default(),
            guard: None,
            active: RecycledActive::none(Outcomes::undecided(flash.seed)),
            exported_per_lane: 0,
            planes_per_die: flash.planes_per_die,
            turns: Vec::new(),
            config: config.clone(),
            code,
        };
        let facts = scheme.facts(flash);
        Ok((scheme, facts))
    }

    fn check(&self, _: &FtlConfig, layout: &Layout, geometry: &Geometry) -> Result<(), ConfigError> {
        if layout.width == 1 && (!self.config.parallel || geometry.planes_per_die.is_multiple_of(2)) {
            return Ok(());
        }
        Err(ConfigError::new(
            "ftl.erase_unit",
            "second writes pair single blocks, and an erase unit has several",
            "set ftl.erase_unit = \"block\"",
        ))
    }

    fn prepare(&mut self, flash: &FlashConfig, layout: &Layout) -> Result<(), ConfigError> {
        self.blocks = BlockStates::new(layout.pools, layout.units_per_pool);
        let exported = f64::from(layout.exported_pages) / f64::from(layout.slots_per_unit);
        let plane =
            PlaneShape { blocks: layout.units_per_pool, logical_blocks: exported / f64::from(layout.pools) };
        self.rule = RecycleRule::new(&self.config, plane, flash.endurance_cycles);
        self.guard = self.is_guarded().then(|| Guard::new(layout.slots().into(), layout.exported_pages));
        let (shape, image_bytes) = (self.groups_shape(), self.image_bytes());
        let lanes = layout.pools / shape.pools();
        self.turns = vec![0; lanes as usize / self.lanes_in_turn()];
        self.exported_per_lane = u64::from(layout.exported_pages).div_ceil(u64::from(lanes));
        let stores_cells = flash.stores_cells();
        let outcomes = Outcomes::new(&self.config, &self.code, flash)
            .map_err(|error| ConfigError::new("reuse.retry", error.to_string(), "set \"none\""))?;
        let cells = stores_cells.then(|| GroupCells::new(&self.code, image_bytes));
        let at_once = self.config.prefetch == config::PrefetchChoice::AtOnce;
        self.active = RecycledActive::new(shape.pools(), at_once, layout, outcomes, cells);
        Ok(())
    }

    fn controller_bytes(&self, layout: &Layout) -> u64 {
        let ghost_list = if self.is_guarded() { Guard::bytes(layout.exported_pages) } else { 0 };
        self.groups_shape().table_bytes(layout) + self.config.separation.table_bytes(layout) + ghost_list
    }

    fn reclaim(&self, view: &State, victim: &Victim) -> ReclaimDecision {
        match self.recycles_for(view, victim.unit, victim.why) {
            true => ReclaimDecision::ReopenForGroups,
            false => ReclaimDecision::Erase,
        }
    }

    fn victim(&mut self, view: &State, pool: Pool, chosen: Option<Unit>) -> Option<Unit> {
        match chosen {
            Some(chosen) if self.guard.is_some() => Some(self.outlived_or(view, pool, chosen)),
            chosen => chosen,
        }
    }

    fn hears(&mut self, view: &State, unit: Unit, event: UnitEvent) {
        match event {
            UnitEvent::Emptying => self.begins_to_empty(view, unit),
            UnitEvent::Erased => self.erased(unit, false),
            UnitEvent::Lost => self.erased(unit, true),
            UnitEvent::BarredFromReuse => self.blocks.bar_from_reuse(unit),
            UnitEvent::Reopened => {}
        }
    }

    #[inline]
    fn announce(&mut self, bytes: u64) {
        self.separation.announce(bytes);
    }

    /// The parts of their cycles that all blocks have begun, in erases. A cycle is counted in data:
    /// the first program of a page holds a page of it, each further one half a page.
    fn unfinished_cycles(&self, view: &State) -> Option<f64> {
        let pages_of_data = |programs: u32| f64::from(programs.min(1) + programs) / 2.0;
        let erases = view.array.wear().erases();
        Some(view.array.unfinished_cycles(|block, programs| {
            let bears_more = self.rule.bears_second_writes(erases[block as usize]);
            let expected = if bears_more { PASSES.into() } else { 1 };
            pages_of_data(programs) / pages_of_data(expected.max(programs))
        }))
    }

    fn restart_clock(&mut self) {
        self.active.lanes.iter_mut().for_each(|lane| lane.prefetch.restart_clock());
    }

    fn reset_figures(&mut self) {
        self.blocks.reset_most();
    }

    fn audit(&self) -> Result<(), String> {
        self.blocks.audit(|plane| self.rule.limit(plane))
    }
}

impl SlotCode for SecondWrite {
    fn encode(&mut self, _: SlotAddress, data: &[u8], image: &mut [u8]) -> Result<bool, FtlError> {
        if self.active.cells.is_some() {
            first_write::encode(data, image)?;
        }
        Ok(true)
    }

    fn decode(&self, _: SlotAddress, image: &[u8], data: &mut [u8]) -> Result<(), FtlError> {
        if self.active.cells.is_some() { first_write::decode(image, data) } else { Ok(()) }
    }
}

/// The polar code of a drive's pages.
fn polar_code(config: &SecondWriteConfig, flash: &FlashConfig) -> Result<PageCode, ConfigError> {
    let raw_bytes = config.raw_bytes(flash.page_bytes);
    let code = PageCode::with_raw_bytes(flash.page_bytes as usize, raw_bytes, CodeRetry::Rotation);
    let code = code.map_err(|error| {
        let problem = format!("second writes on pages of {} bytes: {error}", flash.page_bytes);
        ConfigError::new("flash.page_bytes", problem, "give a power of two from 64 to 65536")
    })?;
    let spare_bytes = code.spare_bytes() as u32;
    if (1..spare_bytes).contains(&flash.spare_bytes) {
        return Err(ConfigError::new(
            "flash.spare_bytes",
            format!("{} bytes; a second write alone takes {spare_bytes}", flash.spare_bytes),
            "give more (or 0, which leaves the spare area out), or a smaller reuse.storage_percent",
        ));
    }
    Ok(code)
}
