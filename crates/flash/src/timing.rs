//! How long operations take.

use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Nanos;
use crate::config::{FlashConfig, ServiceUnit};
use crate::error::ConfigError;
use crate::page_kind::PageKinds;
use crate::shared_pages::SharedPages;

/// The `[flash.timing]` table: latencies by kind of page, fastest kind first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TimingConfig {
    /// Sensing a page, per page kind: one value for all, or `flash.bits_per_cell` values.
    pub read_ns: Vec<u64>,
    /// Programming a page, per page kind.
    pub program_ns: Vec<u64>,
    /// Erasing a block.
    pub erase_ns: u64,
    /// Bandwidth of a channel in 10^6 bytes per second; 0 means that transfers take no time.
    #[serde(default)]
    pub channel_mb_per_s: u32,
}

/// With how much effort a page is programmed, and therefore how long it takes to program and to
/// read.
///
/// An index into the table of modes that the array was made with; mode 0 is the chip's normal one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProgramMode(pub u8);

impl ProgramMode {
    /// The chip's normal programming mode.
    pub const NORMAL: ProgramMode = ProgramMode(0);
}

/// Whether an operation's data crosses the channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transfer {
    /// Between the controller and the plane.
    Channel,
    /// Not at all: copyback inside a plane.
    None,
}

/// Checked latencies of one programming mode, per page kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModeTiming {
    /// Sensing, per page kind.
    pub read_ns: Vec<Nanos>,
    /// Programming, per page kind.
    pub program_ns: Vec<Nanos>,
}

impl ModeTiming {
    /// Checks the latencies of a mode of cells: keys for messages, and one value
    /// for all kinds of pages or one for each.
    ///
    /// # Errors
    /// As [`Timing::new`].
    pub fn new(
        bits_per_cell: u8,
        (read_key, read_ns): (&str, &[u64]),
        (program_key, program_ns): (&str, &[u64]),
    ) -> Result<ModeTiming, ConfigError> {
        let kinds = usize::from(bits_per_cell);
        Ok(ModeTiming {
            read_ns: per_kind(read_key, read_ns, kinds)?,
            program_ns: per_kind(program_key, program_ns, kinds)?,
        })
    }
}

impl ModeTiming {
    /// The latencies of pages with a multiple of the cells.
    #[must_use]
    pub fn times(mut self, cells: f64) -> ModeTiming {
        if cells != 1.0 {
            let all = self.read_ns.iter_mut().chain(&mut self.program_ns);
            all.for_each(|ns| *ns = (*ns as f64 * cells).round() as Nanos);
        }
        self
    }
}

/// Latencies of one page in one programming mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageTimes {
    /// Sensing.
    pub read_ns: Nanos,
    /// Programming.
    pub program_ns: Nanos,
}

/// Checked latencies of an array.
#[derive(Debug, Clone)]
pub struct Timing {
    /// For each mode, the pages of a block one after the other: one load finds the times of a page.
    pages: Vec<PageTimes>,
    pages_per_block: usize,
    /// In the normal mode: the time to program the pages of a block before each page, and all.
    programs_before: Vec<Nanos>,
    /// In the normal mode: the time to sense any page, where it is the same.
    same_read_ns: Option<Nanos>,
    /// Of each mode, whether its programs of a whole block take less than the normal ones.
    coarse: Vec<bool>,
    /// The longest times of all pages and modes: a drive that works in idle time asks at every
    /// request whether a step fits.
    slowest: PageTimes,
    /// Erase of a block.
    pub erase_ns: Nanos,
    /// Erase of a block whose cells hold one bit each.
    pub one_bit_erase_ns: Nanos,
    /// Transfer of one page over its channel.
    pub transfer_ns: Nanos,
}

impl Timing {
    /// Checks a configuration against the kinds of pages that its cells have. `extra_modes` follow
    /// the normal mode.
    ///
    /// # Errors
    /// A list whose length is neither 1 nor the bits per cell; a latency of more than an hour.
    pub fn new(config: &FlashConfig, extra_modes: &[ModeTiming]) -> Result<Timing, ConfigError> {
        let kinds = PageKinds::of_blocks(config)?;
        let timing = &config.timing;
        let normal = ModeTiming::new(
            config.bits_per_cell,
            ("flash.timing.read_ns", &timing.read_ns),
            ("flash.timing.program_ns", &timing.program_ns),
        )?;
        per_kind("flash.timing.erase_ns", &[timing.erase_ns], 1)?;
        if let Some(suspend_ns) = config.erase_suspend_ns {
            per_kind("flash.erase_suspend_ns", &[suspend_ns], 1)?;
            if !config.read_priority {
                return Err(ConfigError::new(
                    "flash.erase_suspend_ns",
                    "without read priority nothing suspends an erase",
                    "set flash.read_priority = true, or leave it out",
                ));
            }
        }
        if config.read_priority && config.service_unit == ServiceUnit::Chip {
            return Err(ConfigError::new(
                "flash.read_priority",
                "on chips whose planes work side by side in cleaning only, reads overtake nothing",
                "set flash.service_unit = \"plane\" or \"die\", or leave it out",
            ));
        }
        let transfer_ns = match u64::from(timing.channel_mb_per_s) {
            0 => 0,
            mb_per_s => {
                ((u64::from(config.page_bytes) + u64::from(config.spare_bytes)) * 1000).div_ceil(mb_per_s)
            }
        };
        let pages: Vec<PageTimes> = std::iter::once(&normal)
            .chain(extra_modes)
            .flat_map(|mode| {
                kinds.iter().enumerate().map(|(page, kind)| PageTimes {
                    read_ns: mode.read_ns[kind],
                    program_ns: if SharedPages::ends(config, page) { mode.program_ns[kind] } else { 0 },
                })
            })
            .collect();
        let pages_per_block = config.pages_per_block as usize;
        let whole_ns =
            |mode: &[PageTimes]| mode.iter().fold(0u64, |sum, page| sum.saturating_add(page.program_ns));
        let modes = || pages.chunks(pages_per_block.max(1)).map(whole_ns);
        let normal_ns = modes().next().unwrap_or(0);
        let coarse = modes().map(|ns| ns < normal_ns).collect();
        let normal_pages = &pages[..pages_per_block.min(pages.len())];
        let mut sum = 0u64;
        let programs_before = std::iter::once(0)
            .chain(normal_pages.iter().map(|page| {
                sum = sum.wrapping_add(page.program_ns);
                sum
            }))
            .collect();
        let most = |time: fn(&PageTimes) -> Nanos| pages.iter().map(time).max().unwrap_or(0);
        let slowest =
            PageTimes { read_ns: most(|page| page.read_ns), program_ns: most(|page| page.program_ns) };
        let first_read_ns = normal_pages.first().map(|page| page.read_ns);
        let same_read_ns = first_read_ns.filter(|&ns| normal_pages.iter().all(|page| page.read_ns == ns));
        Ok(Timing {
            programs_before,
            same_read_ns,
            pages,
            pages_per_block,
            coarse,
            slowest,
            erase_ns: timing.erase_ns,
            one_bit_erase_ns: timing.erase_ns,
            transfer_ns,
        })
    }

    /// The longest time to sense and the longest to program a page, over all modes.
    #[inline]
    pub fn slowest(&self) -> PageTimes {
        self.slowest
    }

    /// Whether a mode programs a block faster than the normal one does: with a coarser step.
    pub fn is_coarse(&self, mode: ProgramMode) -> bool {
        self.coarse[usize::from(mode.0)]
    }

    /// The mean times of the pages of a block in one mode, in nanoseconds: of sensing and of
    /// programming.
    pub fn mean_ns(&self, mode: ProgramMode) -> (f64, f64) {
        let first = usize::from(mode.0) * self.pages_per_block;
        let pages = &self.pages[first..first + self.pages_per_block];
        let mean = |time: fn(&PageTimes) -> Nanos| {
            pages.iter().map(|page| time(page) as f64).sum::<f64>() / pages.len() as f64
        };
        (mean(|page| page.read_ns), mean(|page| page.program_ns))
    }

    /// How many modes there are, the normal one included.
    pub fn modes(&self) -> usize {
        self.coarse.len()
    }

    /// The time to sense pages of a block in the normal mode, one after the other.
    #[inline]
    pub(crate) fn reads_ns(&self, pages: impl ExactSizeIterator<Item = u32>) -> Nanos {
        match self.same_read_ns {
            Some(read_ns) => read_ns * pages.len() as u64,
            None => pages.map(|page| self.of(ProgramMode::NORMAL, page).read_ns).sum(),
        }
    }

    /// The time to program pages in a row of a block in the normal mode, one after the other.
    #[inline]
    pub(crate) fn programs_ns(&self, pages: Range<u32>) -> Nanos {
        self.programs_before[pages.end as usize].wrapping_sub(self.programs_before[pages.start as usize])
    }

    /// The times of page `page` of any block.
    #[inline]
    pub fn of(&self, mode: ProgramMode, page: u32) -> PageTimes {
        self.pages[usize::from(mode.0) * self.pages_per_block + page as usize]
    }
}

fn per_kind(key: &str, values: &[u64], kinds: usize) -> Result<Vec<Nanos>, ConfigError> {
    const HOUR_NS: u64 = 3_600_000_000_000;
    if let Some(&long) = values.iter().find(|&&value| value > HOUR_NS) {
        return Err(ConfigError::new(key, format!("{long} ns is over an hour"), "give nanoseconds"));
    }
    match values {
        [one] => Ok(vec![*one; kinds]),
        many if many.len() == kinds => Ok(many.to_vec()),
        _ => Err(ConfigError::new(
            key,
            format!("{} values for {kinds} kinds of pages", values.len()),
            format!("give 1 value or {kinds}, one for each bit of flash.bits_per_cell"),
        )),
    }
}
