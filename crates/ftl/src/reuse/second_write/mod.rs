//! Reuse `second-write`: the invalid pages of used blocks are written once more before the erase (Reusable SSD).
//!
//! # Idea
//! First writes store data as it is, so capacity and page size stay. When cleaning chooses a used block, its valid pages
//! stay and its invalid ones become free again: the block is *recycled*. Data that will soon be written again goes there as a
//! *second write*: a polar write-once-memory code puts one logical page on two invalid pages, whose programmed cells it
//! leaves programmed. The two pages lie on the two planes of a chip and are programmed and read together. With
//! [`writes`](SecondWriteConfig::writes) above 2, a reused block is recycled again, for third writes on four planes and fourth writes on
//! eight ([`further`]).
//!
//! # Paper
//! Yadgar, Yaakobi, Schuster: Write Once, Get 50% Free: Saving SSD Erase Costs Using WOM Codes, FAST '15. Section 3 (the code,
//! [`encoding`]), 4 and figure 5 ([`block_states`]), 5.1 ([`place`], [`lane`]), 5.2 ([`pairs`](crate::state::pairs)), 5.3 ([`prefetch`]), 5.4 ([`recycle_rule`]), 5.5
//! ([`separation`]), 5.6 ([`write`]).
//!
//! # Parameters
//! [`SecondWriteConfig`].
//!
//! # Cost
//! A second write programs two pages, and reads two before it. The cells take 5-6% of a page in its spare area. The block map: 4
//! bytes a block and a bit a page here; 2 bytes for every other block in the paper. Third writes take 121 bytes more of a page of 4
//! KB, fourth ones 53; their block maps 16 and 32 bytes a block, and a bit a page each.
//!
//! # Deviations
//! - A bit a page tells second writes from first writes that stayed valid in a recycled block; the paper's lookup by the
//!   block map alone mistakes them.
//! - The limit 2R holds for each plane, as section 5.4 has it for pools, and is tested with the victim counted in.
//! - Second writes stop where their halves would take the room that unwritten logical pages need; the paper's 2R leaves clean
//!   blocks out of the sum.
//! - Where units went out of service and second writes take the room that logical pages need, they are moved as first writes.
//! - Where every invalid page of a plane lies in recycled blocks, one of these is erased instead.
//! - The default storage is 211.6%, at which our code succeeds in 95% of attempts as the paper's does at 210%.

mod adaptive;
mod block_states;
pub mod config;
pub(crate) mod encoding;
pub mod endurance_limit;
mod further;
mod halves;
mod lane;
mod place;
mod prefetch;
mod recycle_rule;
pub mod separation;
mod write;

use block_states::Blocks;
use encoding::Outcomes;
use encoding::cells;
use further::cells::GroupCells;
use lane::Lane;
use rewear_codes::polar_wom::{GroupCode, PageCode, Retry as CodeRetry};
use rewear_flash::medium::CellFormat;
use rewear_flash::{Array, ConfigError, FlashConfig, Geometry, Nanos, ProgramAgain};
use separation::Separation;

use crate::error::FtlError;
use crate::shape::layout::{Layout, SlotShape};
use crate::state::pairs::Pairs;
pub use adaptive::AdaptiveSizeConfig;
pub use config::SecondWriteConfig;
pub(crate) use encoding::Tried;
pub(crate) use encoding::cells::Cells;

/// See the module's page.
#[derive(Debug, Clone)]
pub struct SecondWrite {
    config: SecondWriteConfig,
    page_bytes: u32,
    code: PageCode,
    /// The codes of third and fourth writes, where there are any.
    further_codes: Vec<GroupCode>,
    encode_ns: Nanos,
    separation: Separation,
    outcomes: Outcomes,
    blocks: Blocks,
    lanes: Vec<Lane>,
    /// Logical pages that each lane must have room for.
    exported_per_lane: u64,
    /// Third and fourth writes, where there are any.
    further: Vec<further::Kind>,
    planes_per_die: u32,
    /// Of the lanes that take turns, whose turn it was last: see [`lane_for`](Self::lane_for).
    turns: Vec<usize>,
    /// Work space for real bits, where cells are stored.
    pub(crate) cells: Option<Box<Cells>>,
}

/// Gauges beside the counters: blocks of the drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Figures {
    /// Recycled blocks now.
    pub recycled_blocks: u32,
    /// Reused blocks now.
    pub reused_blocks: u32,
    /// Most blocks that were either at a time, since the counters were reset.
    pub most_blocks: u32,
    /// Whether the drive makes third writes, and perhaps fourth ones.
    pub makes_further_writes: bool,
}

impl SecondWrite {
    pub(super) fn new(config: &SecondWriteConfig, flash: &FlashConfig) -> Result<SecondWrite, ConfigError> {
        config.check(flash)?;
        endurance_limit::erase_limit(config, flash)?;
        let raw_bytes = config.raw_bytes(flash.page_bytes);
        let code = PageCode::with_raw_bytes(flash.page_bytes as usize, raw_bytes, CodeRetry::Rotation);
        let code = code.map_err(|error| {
            let problem = format!("second writes on pages of {} bytes: {error}", flash.page_bytes);
            ConfigError::new("flash.page_bytes", problem, "give a power of two from 64 to 65536")
        })?;
        let further_codes = further::codes(config, flash)?;
        let further_bytes: usize = further_codes.iter().map(GroupCode::spare_bytes).sum();
        let spare_bytes = (code.spare_bytes() + further_bytes) as u32;
        if (1..spare_bytes).contains(&flash.spare_bytes) {
            return Err(ConfigError::new(
                "flash.spare_bytes",
                match further_bytes {
                    0 => format!(
                        "{} bytes, of which a second write alone takes {spare_bytes}",
                        flash.spare_bytes
                    ),
                    _ => format!(
                        "{} bytes, of which the writes behind the first take {spare_bytes}",
                        flash.spare_bytes
                    ),
                },
                "give more (or 0, which leaves the spare area out), or a smaller reuse.storage_percent or reuse.writes",
            ));
        }
        let reads = &flash.timing.read_ns;
        let mean_read_ns = reads.iter().sum::<u64>() / (reads.len() as u64).max(1);
        Ok(SecondWrite {
            page_bytes: flash.page_bytes,
            encode_ns: config.encode_ns.unwrap_or(mean_read_ns / 2),
            separation: Separation::new(&config.separation),
            outcomes: Outcomes::undecided(config.seed),
            blocks: Blocks::default(),
            lanes: Vec::new(),
            exported_per_lane: 0,
            further: Vec::new(),
            planes_per_die: flash.planes_per_die,
            turns: Vec::new(),
            cells: flash.stores_cells().then(|| Box::new(Cells::new(&code, further_bytes))),
            config: config.clone(),
            code,
            further_codes,
        })
    }

    /// Checks that pools are planes.
    pub(super) fn check_layout(&self, layout: &Layout, geometry: &Geometry) -> Result<(), ConfigError> {
        if layout.width == 1 && (!self.config.parallel || geometry.planes_per_die.is_multiple_of(2)) {
            return Ok(());
        }
        Err(ConfigError::new(
            "ftl.erase_unit",
            "second writes pair single blocks, and an erase unit has several",
            "set ftl.erase_unit = \"block\"",
        ))
    }

    /// Makes room for the state of every block, and works out the code's chances.
    pub(super) fn prepare(&mut self, flash: &FlashConfig, layout: &Layout) -> Result<(), ConfigError> {
        self.blocks = Blocks::new(&self.config, layout, endurance_limit::erase_limit(&self.config, flash)?);
        self.lanes = vec![Lane::IDLE; self.lane_count(layout) as usize];
        self.turns = vec![0; self.lanes.len() / self.lanes_in_turn()];
        self.exported_per_lane = u64::from(layout.exported_pages).div_ceil(self.lanes.len() as u64);
        let stores_cells = self.cells.is_some();
        let mut spare_at = cells::image_bytes(&self.code);
        for (index, code) in self.further_codes.iter().enumerate() {
            let (page_bytes, image_bytes) = (self.page_bytes as usize, self.image_bytes());
            let cells = stores_cells.then(|| GroupCells::new(code, page_bytes, image_bytes, spare_at));
            spare_at += code.spare_bytes();
            self.further.push(further::Kind::new(index, &self.config, layout, cells));
        }
        self.outcomes = Outcomes::new(&self.config, &self.code)
            .map_err(|error| ConfigError::new("reuse.attempts", error.to_string(), "give fewer"))?;
        Ok(())
    }

    pub(super) fn pairs(&self, layout: &Layout) -> Pairs {
        let words = layout.slots_per_unit.div_ceil(64);
        Pairs::new(layout.units(), words, self.lane_count(layout), self.config.parallel)
            .with_groups(self.config.further_kinds())
    }

    /// Two planes share the blocks that second writes go to; in sequential mode every plane has its own.
    fn lane_count(&self, layout: &Layout) -> u32 {
        if self.config.parallel { layout.pools / 2 } else { layout.pools }
    }

    fn lane_of(&self, pool: u32) -> usize {
        (if self.config.parallel { pool / 2 } else { pool }) as usize
    }

    /// The planes of a lane.
    #[inline(always)] // The way of every page.
    fn pools_of(&self, lane: usize) -> std::ops::Range<u32> {
        let lane = lane as u32;
        if self.config.parallel { 2 * lane..2 * lane + 2 } else { lane..lane + 1 }
    }

    /// The parts of their cycles that all blocks have begun, in erases. A cycle is counted in data: the first program of a page holds a
    /// page of it, each further one half as much as the one before.
    pub(super) fn unfinished_cycles(&self, array: &Array) -> f64 {
        let pages_of_data = |programs: u32| 2.0 - 2.0 / f64::from(1 << programs);
        let erases = array.wear().erases();
        array.unfinished_cycles(|block, programs| {
            let bears_more = self.blocks.bears_second_writes(erases[block as usize]);
            let expected = if bears_more { self.writes().into() } else { 1 };
            pages_of_data(programs) / pages_of_data(expected.max(programs))
        })
    }

    pub(super) fn min_clean_blocks(&self) -> u32 {
        self.config.min_clean_blocks
    }

    pub(super) fn slot_shape(&self) -> SlotShape {
        SlotShape::single(self.page_bytes)
    }

    pub(super) fn program_again(&self) -> ProgramAgain {
        ProgramAgain::Passes { limit: self.config.writes.into() }
    }

    pub(super) fn cell_format(&self) -> CellFormat {
        CellFormat { image_bytes: self.image_bytes(), ..CellFormat::binary(self.page_bytes) }
    }

    /// Bytes of a page's image: its cells, and the part of its spare area that the codes use.
    fn image_bytes(&self) -> usize {
        let further: usize = self.further_codes.iter().map(GroupCode::spare_bytes).sum();
        cells::image_bytes(&self.code) + further
    }

    /// Programs of a page between two erases.
    pub(super) fn writes(&self) -> u8 {
        self.config.writes
    }

    /// Checks the scheme against the rest of the translation layer.
    pub(crate) fn check_recovery(&self) -> Result<(), ConfigError> {
        if self.config.further_kinds() == 0 {
            return Ok(());
        }
        Err(ConfigError::new(
            "reuse.writes",
            format!(
                "{}, and records tell first and second writes only, so such a drive cannot be mounted",
                self.config.writes
            ),
            "give 2, or set ftl.recovery.scheme = \"none\"",
        ))
    }

    pub(super) fn encode(
        &self,
        _unit: u32,
        _slot: u32,
        data: &[u8],
        image: &mut [u8],
    ) -> Result<bool, FtlError> {
        cells::encode_first(data, image).map(|()| true)
    }

    pub(super) fn decode(
        &self,
        _unit: u32,
        _slot: u32,
        image: &[u8],
        data: &mut [u8],
    ) -> Result<(), FtlError> {
        cells::decode_first(image, data)
    }

    /// Bytes that the code takes of the spare area of a page.
    pub(super) fn spare_bytes_of_code(&self) -> u32 {
        (self.image_bytes() - self.page_bytes as usize) as u32
    }

    /// A mount found a unit that takes no second writes before it is erased.
    pub(super) fn restore_reused(&mut self, unit: u32) {
        self.blocks.restore_reused(unit);
    }

    pub(super) fn announce(&mut self, bytes: u64) {
        self.separation.announce(bytes);
    }

    pub(super) fn restart_clock(&mut self) {
        self.lanes.iter_mut().for_each(|lane| lane.prefetch.restart_clock());
        self.further.iter_mut().for_each(further::Kind::restart_clock);
    }

    pub(super) fn reset_figures(&mut self) {
        self.blocks.reset_most();
    }

    pub(crate) fn figures(&self) -> Figures {
        let (recycled_blocks, reused_blocks, most_blocks) = self.blocks.counts();
        let makes_further_writes = !self.further.is_empty();
        Figures { recycled_blocks, reused_blocks, most_blocks, makes_further_writes }
    }

    pub(super) fn audit(&self) -> Result<(), String> {
        self.blocks.audit()
    }
}
