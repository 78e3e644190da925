//! The array: what it consists of and what it says of itself. Its operations are in
//! [`crate::operations`], and which of them are legal says [`crate::admission`].

use crate::bit_errors::BitErrors;
use crate::chips::Chips;
use crate::config::{FlashConfig, MediumKind};
use crate::error::ConfigError;
use crate::medium::{CellFormat, Medium, Stored};
use crate::queue::Priority;
use crate::queue_lengths::QueueLengths;
use crate::shared_pages::SharedPages;
use crate::timeline::Timeline;
use crate::timing::{ModeTiming, ProgramMode, Timing};
use crate::wear::Wear;
use crate::word_lines::WordLines;
use crate::{Address, Geometry, Nanos, ProgramAgain};

/// Programming state of a block.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Block {
    /// Lowest page that the present pass may program; beyond all pages where word lines decide.
    pub(crate) next_page: u32,
    /// Passes before the present one; all their pages hold data.
    pub(crate) passes_done: u32,
    /// Highest programmed page + 1 over all passes since the erase.
    pub(crate) programmed: u32,
}

impl Block {
    pub(crate) fn erased(rule: ProgramAgain) -> Block {
        let by_word_lines = matches!(rule, ProgramAgain::LowPages { .. });
        Block { next_page: if by_word_lines { u32::MAX } else { 0 }, ..Block::default() }
    }
}

/// What an operation does beside the cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clock {
    /// It takes its time.
    Runs,
    /// It takes its time, and somebody wants to hear of it: reads that overtake, chips, pages that
    /// are shared, queues.
    IsHeard,
    /// It takes no time.
    Stands,
}

/// What a plane belongs to, and how long it worked.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plane {
    pub(crate) service_unit: u32,
    pub(crate) channel: u32,
    pub(crate) busy_ns: Nanos,
}

/// A NAND flash array.
#[derive(Debug, Clone)]
pub struct Array {
    pub(crate) geometry: Geometry,
    pub(crate) timing: Timing,
    pub(crate) rule: ProgramAgain,
    pub(crate) blocks: Vec<Block>,
    /// Programs of each page since its erase; empty where the rule permits only one, or word lines
    /// decide.
    pub(crate) programs: Vec<u16>,
    /// Where low pages are programmed again.
    pub(crate) word_lines: Option<Box<WordLines>>,
    pub(crate) medium: Medium,
    pub(crate) bit_errors: Option<Box<BitErrors>>,
    pub(crate) wear: Wear,
    pub(crate) planes: Vec<Plane>,
    /// When each service unit (plane or die) has served all it was asked for.
    pub(crate) free_at: Vec<Nanos>,
    pub(crate) channels: Vec<Timeline>,
    /// What is booked on each service unit, where reads may overtake it.
    pub(crate) priority: Option<Box<Priority>>,
    /// What has not ended on each service unit, where somebody wants to know.
    pub(crate) queue_lengths: Option<Box<QueueLengths>>,
    /// Chips that the host occupies as a whole, and cleaning by planes.
    pub(crate) chips: Option<Chips>,
    /// Registers of planes, where several pages are programmed together.
    pub(crate) shared: Option<Box<SharedPages>>,
    pub(crate) clock: Clock,
    /// The clock that goes on when it is restarted, while it is paused.
    paused: Option<Clock>,
    pub(crate) reprograms: u64,
}

impl Array {
    /// An erased array. `rule` and `cells` come from the code that will be written on it;
    /// `extra_modes` are programming modes beside the normal one.
    ///
    /// # Errors
    /// An impossible geometry or timing.
    pub fn new(
        config: &FlashConfig,
        rule: ProgramAgain,
        cells: CellFormat,
        extra_modes: &[ModeTiming],
    ) -> Result<Array, ConfigError> {
        let geometry = Geometry::new(config)?;
        let timing = Timing::new(config, extra_modes)?;
        let plane = |plane| Plane {
            service_unit: plane / geometry.planes_per_service_unit,
            channel: geometry.channel_of_plane(plane),
            busy_ns: 0,
        };
        let counted_pages = if rule.passes() > 1 { geometry.pages() as usize } else { 0 };
        let word_lines = match rule {
            ProgramAgain::LowPages { limit } => Some(Box::new(WordLines::new(config, &geometry, limit)?)),
            ProgramAgain::Never | ProgramAgain::Passes { .. } | ProgramAgain::Pages { .. } => None,
        };
        let bit_errors = match (&config.bit_errors, config.medium) {
            (Some(errors), MediumKind::Stored) => Some(BitErrors::new(errors, config, cells.image_bytes)?),
            _ => None,
        };
        let medium = match config.medium {
            MediumKind::Modelled => Medium::Modelled,
            MediumKind::Stored => {
                Medium::Stored(Stored::new(cells, geometry.blocks(), geometry.pages_per_block))
            }
        };
        let service_units = geometry.planes() / geometry.planes_per_service_unit;
        let program_wear =
            config.life.as_ref().map_or((0.0, 0.0), |life| (life.reprogram_wear, life.coarse_wear));
        let priority = Priority::new(config, service_units);
        let chips = Chips::new(config, &geometry);
        let shared = SharedPages::new(config, &geometry);
        let is_heard = priority.is_some() || chips.is_some() || shared.is_some();
        Ok(Array {
            timing,
            rule,
            blocks: vec![Block::erased(rule); geometry.blocks() as usize],
            programs: vec![0; counted_pages],
            word_lines,
            medium,
            bit_errors: bit_errors.map(Box::new),
            wear: Wear::new(geometry.blocks(), config.retires_at()?)
                .with_programs(program_wear, geometry.pages_per_block),
            planes: (0..geometry.planes()).map(plane).collect(),
            free_at: vec![0; service_units as usize],
            channels: vec![Timeline::default(); geometry.channels as usize],
            clock: if is_heard { Clock::IsHeard } else { Clock::Runs },
            paused: None,
            priority,
            chips,
            shared,
            queue_lengths: None,
            reprograms: 0,
            geometry,
        })
    }

    /// Bytes of memory that an array of this shape takes under a rule, stored cells left out.
    pub fn model_bytes(geometry: &Geometry, rule: ProgramAgain) -> u64 {
        // Erases of a block are counted beside it; a page's programs in two bytes, by the array or
        // by its word lines.
        let block = (size_of::<Block>() + size_of::<u32>()) as u64;
        let programs = match rule {
            ProgramAgain::LowPages { .. } => WordLines::model_bytes(geometry),
            _ if rule.passes() > 1 => geometry.pages() * size_of::<u16>() as u64,
            _ => 0,
        };
        let planes = u64::from(geometry.planes()) * size_of::<Plane>() as u64;
        u64::from(geometry.blocks()) * block + programs + planes
    }

    /// The shape of the array.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Erase counts.
    pub fn wear(&self) -> &Wear {
        &self.wear
    }

    /// Programs of pages that already held data, since the array was made.
    pub fn reprograms(&self) -> u64 {
        self.reprograms
    }

    /// Whether a mode programs with a coarser step than the normal one.
    pub fn is_coarse(&self, mode: ProgramMode) -> bool {
        self.timing.is_coarse(mode)
    }

    /// A block is about to be erased; a page of it was programmed in `mode`, if at all since the
    /// erase before.
    pub fn was_programmed_in(&mut self, at: Address, mode: ProgramMode) {
        if self.timing.is_coarse(mode) && self.is_programmed(at) {
            self.wear.programmed_coarsely(at.block);
        }
    }

    /// Programs of a block's pages that already held data, since its erase.
    #[inline(never)]
    pub(crate) fn reprograms_of(&self, block: u32) -> u64 {
        let pages = self.geometry.pages_per_block as usize;
        let programs = match &self.word_lines {
            Some(word_lines) => word_lines.programs_of(block),
            None if self.programs.is_empty() => return 0,
            None => &self.programs[block as usize * pages..][..pages],
        };
        programs.iter().map(|&programs| u64::from(programs.saturating_sub(1))).sum()
    }

    /// The parts of their present cycles that all blocks have used up, in erases: a plain block
    /// that is half written counts 0.5, one in its second of five passes between 0.2 and 0.4. Added
    /// to the erases it makes short runs comparable. `used` gives the part of its cycle that a page
    /// of a block has used after its programs.
    pub fn unfinished_cycles(&self, used: impl Fn(u32, u32) -> f64) -> f64 {
        let blocks = 0..self.blocks.len() as u32;
        let pages: f64 = if let Some(word_lines) = &self.word_lines {
            blocks.map(|block| f64::from(word_lines.programmed_pages(block)) * used(block, 1)).sum()
        } else if self.programs.is_empty() {
            blocks.map(|block| f64::from(self.blocks[block as usize].next_page) * used(block, 1)).sum()
        } else {
            let programs = self.programs.chunks_exact(self.geometry.pages_per_block as usize);
            let of_block = |(block, programs): (u32, &[u16])| -> f64 {
                // Neighbours were mostly programmed as often.
                let mut last = (0, used(block, 0));
                let mut used_by = |programs: u16| {
                    if programs != last.0 {
                        last = (programs, used(block, programs.into()));
                    }
                    last.1
                };
                programs.iter().map(|&programs| used_by(programs)).sum()
            };
            blocks.zip(programs).map(of_block).sum()
        };
        pages / f64::from(self.geometry.pages_per_block)
    }

    /// Whether the cells' contents are kept, so that programs and reads carry images.
    #[inline]
    pub fn stores_cells(&self) -> bool {
        matches!(self.medium, Medium::Stored(_))
    }

    /// Time each plane spent executing, and each channel transferring.
    pub fn busy_ns(&self) -> (Vec<Nanos>, Vec<Nanos>) {
        (
            self.planes.iter().map(|plane| plane.busy_ns).collect(),
            self.channels.iter().map(Timeline::busy_ns).collect(),
        )
    }

    /// Transfers use any idle time of their channel from now on, not only the latest: for a drive
    /// that asks for the operations of whole erase units at once, with transfers.
    pub fn keep_all_gaps(&mut self) {
        self.channels.iter_mut().for_each(Timeline::keep_all_gaps);
    }

    /// Latencies.
    pub fn timing(&self) -> &Timing {
        &self.timing
    }

    /// When all operations asked for so far have ended.
    pub fn idle_at(&self) -> Nanos {
        let channels = self.channels.iter().map(Timeline::free_at);
        self.free_at.iter().copied().chain(channels).max().unwrap_or(0)
    }

    /// When the service unit of a plane has served all it was asked for.
    #[inline]
    pub fn free_at(&self, plane: u32) -> Nanos {
        self.free_at[self.planes[plane as usize].service_unit as usize]
    }

    /// Counts busy times, and the queues that were seen, from zero.
    pub fn reset_busy_ns(&mut self) {
        self.planes.iter_mut().for_each(|plane| plane.busy_ns = 0);
        self.channels.iter_mut().for_each(Timeline::reset_busy_ns);
        if let Some(queues) = &mut self.queue_lengths {
            queues.reset();
        }
    }

    /// Stops the clock for good: operations are checked and counted as ever, and end when they are
    /// asked for.
    pub fn stop_clock(&mut self) {
        (self.clock, self.priority, self.chips, self.queue_lengths) = (Clock::Stands, None, None, None);
    }

    /// Stops the clock until it is restarted: nobody will see the times of what comes before. Not
    /// where planes remember what they sensed, which outlasts a restart.
    pub fn pause_clock(&mut self) {
        if self.shared.is_none() {
            self.paused.get_or_insert(self.clock);
            self.clock = Clock::Stands;
        }
    }

    /// Forgets all queues: the next operation finds an idle array at time 0. A clock that was paused
    /// runs again.
    pub fn restart_clock(&mut self) {
        self.clock = self.paused.take().unwrap_or(self.clock);
        self.free_at.fill(0);
        self.channels.iter_mut().for_each(Timeline::restart);
        if let Some(priority) = &mut self.priority {
            priority.restart_clock();
        }
        if let Some(queues) = &mut self.queue_lengths {
            queues.restart_clock();
        }
    }

    /// Some blocks hold one bit a cell, by the choice of the layer above: the time of their
    /// erase, and the part of a cycle that such a cycle wears.
    pub fn hold_one_bit(&mut self, erase_ns: Nanos, cycle_wear: f64) {
        self.timing.one_bit_erase_ns = erase_ns;
        self.wear.count_one_bit_cycles(cycle_wear);
    }
}
