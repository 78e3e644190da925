//! How long the drive lives: bytes until its blocks are worn out, drive writes, years.

use rewear_flash::ConfigError;
use rewear_flash::{Geometry, LifeConfig};
use rewear_ftl::policies::wear_levelling::WearLevellingConfig;
use rewear_ftl::{DriveConfig, Ftl, Shape};
use schemars::JsonSchema;
use serde::Serialize;

use crate::evenness::{Mortality, evenness};
use crate::long_run::{Mark, SecondHalf};
use crate::options::ArrivalKind;
use crate::report::Circumstances;

const NS_PER_DAY: f64 = 86_400e9;
const DAYS_PER_YEAR: f64 = 365.25;
/// Years over which data sheets spread drive writes.
const RATED_YEARS: f64 = 5.0;

/// The life of the drive under this workload. Simulated where the run went on until the drive died;
/// otherwise extrapolated from the second half of the run.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LifeReport {
    /// Whether the run followed the drive to its end.
    pub simulated: bool,
    /// Bytes that the host can write until the drive dies.
    pub tbw_bytes: u64,
    /// The same in exported capacities.
    pub drive_writes: f64,
    /// Drive writes a day over five years, as data sheets have them.
    pub drive_writes_per_day: f64,
    /// Years until then at the rate of the run; absent where it took no time.
    pub years: Option<f64>,
    /// Bytes that the host writes a day at the rate of the run.
    pub host_bytes_per_day: Option<f64>,
    /// What sets that rate: the times of the `trace`, or how fast the drive serves a `closed` loop.
    pub rate: ArrivalKind,
    /// What ends it.
    pub ends: LifeEnds,
    /// P/E cycles that a block endures.
    pub cycles: u32,
    /// `tbw_bytes` with the least and with the most cycles that published sources give; absent where
    /// they give one figure, and where the run followed the drive to its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tbw_bytes_between: Option<(u64, u64)>,
    /// Where that figure comes from.
    pub source: String,
    /// Cycles from which on a page is not corrected any more; absent where cells are not asked.
    pub uncorrectable_cycles: Option<f64>,
    /// Mean cycles of the blocks at the end as a part of what they endure: 1 if all die at once.
    pub evenness: f64,
    /// Whether the run went on until what the life is extrapolated from had settled: flash erased
    /// and programmed for a byte written, and the evenness. True where nothing was extrapolated.
    pub settled: bool,
    /// Part of a block's life in which it takes second writes (`reuse.life_fraction`); absent where
    /// they do not end before the block. The life is that part as measured, and the rest as in a
    /// second replay, without them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second_writes_part: Option<f64>,
    /// `tbw_bytes` if second writes went on to the end of each block.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second_writes_tbw_bytes: Option<u64>,
    /// Part of the wear that programs without an erase cause.
    pub reprogram_share: f64,
    /// Part of the wear that programs with a coarse step cause beyond others; absent where they
    /// cause none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coarse_share: Option<f64>,
}

/// What ends a drive's life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LifeEnds {
    /// Blocks with used-up cycles leave less flash than the exported capacity needs.
    WornBlocks,
    /// Pages of too many blocks cannot be corrected any more.
    UncorrectablePages,
    /// The blocks of a static cache (`ftl.slc_cache`) used up their cycles before the others.
    WornCache,
}

/// The cycles of a block, and why no more.
struct Limit {
    cycles: u32,
    /// Least and most of them that are published.
    between: Option<(u32, u32)>,
    source: String,
    uncorrectable_cycles: Option<f64>,
    ends: LifeEnds,
}

impl Limit {
    fn new(config: &DriveConfig) -> Result<Option<Limit>, ConfigError> {
        let flash = &*config.coded_flash()?;
        let (rated, source) = match (flash.endurance_cycles, &flash.life) {
            (Some(cycles), Some(life)) if cycles == life.cycles => (cycles, life.source.clone()),
            (Some(cycles), _) => (cycles, "flash.endurance_cycles".to_string()),
            (None, Some(life)) => (life.cycles, life.source.clone()),
            (None, None) => return Ok(None),
        };
        let between =
            flash.life.as_ref().filter(|life| life.cycles == rated).and_then(|life| life.cycles_between);
        let uncorrectable_cycles = match &flash.life {
            Some(life) => life.uncorrectable_cycles(flash)?,
            None => None,
        };
        // A block dies of the earlier of the two.
        let corrected = |cycles: u32| uncorrectable_cycles.map_or(cycles, |limit| cycles.min(limit as u32));
        Ok(Some(Limit {
            cycles: corrected(rated),
            between: between.map(|(least, most)| (corrected(least), corrected(most))),
            source,
            uncorrectable_cycles,
            ends: match uncorrectable_cycles {
                Some(cycles) if cycles < f64::from(rated) => LifeEnds::UncorrectablePages,
                _ => LifeEnds::WornBlocks,
            },
        }))
    }
}

/// What a run was.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ran {
    /// Bytes that the host wrote before the counters were reset.
    pub(super) earlier_bytes: u64,
    /// How long it lasted; 0 where no time was kept.
    pub(super) measured_ns: u64,
}

impl LifeReport {
    /// `None` where nothing says what blocks endure, or nothing was worn.
    pub(super) fn new(
        of: &Circumstances<'_>,
        ftl: &Ftl,
        (now, first, half): (&Mark, Option<&SecondHalf<'_>>, Option<&SecondHalf<'_>>),
        Ran { earlier_bytes, measured_ns }: Ran,
    ) -> Result<Option<LifeReport>, ConfigError> {
        let config = of.drive.configuration();
        let Some(limit) = Limit::new(config)? else { return Ok(None) };
        let since = |read: fn(&Mark) -> f64| read(now) - half.map_or(0.0, |half| read(half.from));
        let (written, erased) = (since(|mark| mark.host_bytes as f64), since(|mark| mark.flash_erased_bytes));
        let geometry = ftl.array().geometry();
        let wear = |read: fn(&LifeConfig) -> f64| {
            config.flash.life.as_ref().map_or(0.0, read) * f64::from(geometry.page_bytes)
        };
        let reprogrammed = since(|mark| mark.reprograms as f64) * wear(|life| life.reprogram_wear);
        let coarse = since(|mark| mark.coarse_programs as f64) * wear(|life| life.coarse_wear);
        let cache = OneBitWear::new(config, since(|mark| mark.cached_erases as f64) * block_bytes(geometry))?;
        let worn = erased + reprogrammed + coarse - cache.not_worn;
        let is_worn = worn > 0.0 || cache.worn_of_fixed > 0.0;
        if written <= 0.0 || !is_worn || limit.cycles == 0 {
            return Ok(None);
        }
        let exported = ftl.layout().exported_bytes() as f64;
        let died = of.stopped_because.is_some()
            && config.flash.endurance_cycles.is_some()
            && ftl.retired_units() > Shape::new(config)?.bad_units.iter().sum::<u32>();
        let endured = f64::from(limit.cycles);
        let mut ends = limit.ends;
        let foretold = |half: Option<&SecondHalf<'_>>| {
            half.map(|half| cache.evenness_foretold(config, half, endured)).transpose()
        };
        let (tbw_bytes, evenness) = if died {
            let erases = ftl.array().wear().total() as f64 / f64::from(geometry.blocks());
            ((now.host_bytes + earlier_bytes) as f64, erases / endured)
        } else {
            let even = foretold(half)?.unwrap_or(1.0);
            let flash = geometry.bytes() as f64 * (1.0 - cache.fixed_share);
            let others = if worn > 0.0 { even * endured * flash * written / worn } else { f64::INFINITY };
            let cached = cache.drive_writes_of_cache(endured * geometry.bytes() as f64) * written;
            if cached < others {
                ends = LifeEnds::WornCache;
            }
            (others.min(cached), even)
        };
        let per_day = (measured_ns > 0).then(|| now.host_bytes as f64 / (measured_ns as f64 / NS_PER_DAY));
        let drive_writes = tbw_bytes / exported;
        let between = limit.between.filter(|_| !died).map(|(least, most)| {
            let with = |cycles: u32| (tbw_bytes * f64::from(cycles) / endured) as u64;
            (with(least), with(most))
        });
        Ok(Some(LifeReport {
            simulated: died,
            tbw_bytes: tbw_bytes as u64,
            drive_writes,
            drive_writes_per_day: drive_writes / (RATED_YEARS * DAYS_PER_YEAR),
            years: per_day.map(|per_day| tbw_bytes / per_day / DAYS_PER_YEAR),
            host_bytes_per_day: per_day,
            rate: of.replay.arrival,
            ends,
            cycles: limit.cycles,
            tbw_bytes_between: between,
            source: limit.source,
            uncorrectable_cycles: limit.uncorrectable_cycles,
            evenness,
            settled: died || {
                let evenness = [foretold(first)?.unwrap_or(f64::NAN), evenness];
                half.is_some_and(|half| half.is_settled(first, geometry, Some(evenness)))
            },
            second_writes_part: None,
            second_writes_tbw_bytes: None,
            reprogram_share: if worn > 0.0 { reprogrammed / worn } else { 0.0 },
            coarse_share: (coarse > 0.0).then_some(coarse / worn),
        }))
    }
}

/// Evenness at the end of the life, as the two parts of a run foretell it; `None` where nothing says
/// what blocks endure.
///
/// # Errors
/// None for a drive that was checked.
pub(crate) fn evenness_foretold(
    config: &DriveConfig,
    half: &SecondHalf<'_>,
) -> Result<Option<f64>, ConfigError> {
    let Some(limit) = Limit::new(config)? else { return Ok(None) };
    OneBitWear::new(config, 0.0)?.evenness_foretold(config, half, f64::from(limit.cycles)).map(Some)
}

fn block_bytes(geometry: &Geometry) -> f64 {
    f64::from(geometry.page_bytes) * f64::from(geometry.pages_per_block)
}

impl LifeReport {
    /// The life of a drive that goes on as `other` behind a `part` of it: a block's cycles are spent
    /// on this run's cost of a byte at first, and on the other's later. It is settled where both are,
    /// and all of the measured blocks were in their first part (`is_young`).
    pub(crate) fn goes_on_as(&mut self, part: f64, other: &LifeReport, is_young: bool) {
        let mixed = |own: f64, other: f64| part * own + (1.0 - part) * other;
        let before = self.tbw_bytes;
        let bytes = |own: u64, other: u64| mixed(own as f64, other as f64) as u64;
        self.tbw_bytes = bytes(before, other.tbw_bytes);
        self.drive_writes = mixed(self.drive_writes, other.drive_writes);
        self.drive_writes_per_day = self.drive_writes / (RATED_YEARS * DAYS_PER_YEAR);
        self.years = self.years.zip(other.years).map(|(own, other)| mixed(own, other));
        self.tbw_bytes_between = self
            .tbw_bytes_between
            .zip(other.tbw_bytes_between)
            .map(|(own, other)| (bytes(own.0, other.0), bytes(own.1, other.1)));
        self.evenness = mixed(self.evenness, other.evenness);
        self.settled = self.settled && other.settled && is_young;
        self.reprogram_share = mixed(self.reprogram_share, other.reprogram_share);
        self.coarse_share = match (self.coarse_share, other.coarse_share) {
            (None, None) => None,
            (own, other) => Some(mixed(own.unwrap_or(0.0), other.unwrap_or(0.0))),
        };
        self.second_writes_part = Some(part);
        self.second_writes_tbw_bytes = Some(before);
    }
}

/// What erases with one bit a cell wear. Blocks of a static cache wear out independently;
/// those of a dynamic one wear in both modes.
struct OneBitWear {
    /// Bytes of erases, of those counted, that wore no block of the others.
    not_worn: f64,
    /// Part of the flash that a static cache has.
    fixed_share: f64,
    /// Bytes of whole cycles that wore the blocks of a static cache.
    worn_of_fixed: f64,
    /// Whether a block is one of a static cache.
    is_fixed: Vec<bool>,
}

impl OneBitWear {
    /// Of `erased` bytes of erases with one bit a cell.
    fn new(config: &DriveConfig, erased: f64) -> Result<OneBitWear, ConfigError> {
        let none = OneBitWear { not_worn: 0.0, fixed_share: 0.0, worn_of_fixed: 0.0, is_fixed: Vec::new() };
        let Some(cache) = config.ftl.slc_cache.cache() else { return Ok(none) };
        let layout = Shape::new(config)?.layout;
        let fixed = config.ftl.slc_cache.fixed_units(layout.units_per_pool);
        if fixed == 0 {
            return Ok(OneBitWear { not_worn: erased * (1.0 - cache.cycle_wear), ..none });
        }
        let unit_of = |block| layout.unit_of_block(block).0 % layout.units_per_pool;
        Ok(OneBitWear {
            not_worn: erased,
            fixed_share: f64::from(fixed) / f64::from(layout.units_per_pool),
            worn_of_fixed: erased * cache.cycle_wear,
            is_fixed: (0..layout.units() * layout.width).map(|block| unit_of(block) < fixed).collect(),
        })
    }

    /// How often what was written can be written until the blocks of a static cache are worn, on
    /// flash that endures this number of bytes of erases; infinite without such a cache. They are
    /// used in turn, so they die together.
    fn drive_writes_of_cache(&self, endured_bytes: f64) -> f64 {
        if self.worn_of_fixed > 0.0 {
            endured_bytes * self.fixed_share / self.worn_of_fixed
        } else {
            f64::INFINITY
        }
    }

    /// Evenness at the end of the life, as the two parts of a run foretell it.
    fn evenness_foretold(
        &self,
        config: &DriveConfig,
        half: &SecondHalf<'_>,
        endured: f64,
    ) -> Result<f64, ConfigError> {
        let (first, later) = self.erases_of_others(half);
        Ok(evenness(&first, &later, &mortality(config, half, endured)?))
    }

    /// Erases of each block that is none of a static cache: up to the second half of the run, and
    /// in it. The longest parts that there are: what blocks differ by may last for a pass over a
    /// recording.
    fn erases_of_others(&self, half: &SecondHalf<'_>) -> (Vec<u32>, Vec<u32>) {
        let pairs = half.from.erases.iter().zip(&half.to.erases);
        let is_fixed = self.is_fixed.iter().copied().chain(std::iter::repeat(false));
        let others = pairs.zip(is_fixed).filter(|&(_, is_fixed)| !is_fixed);
        others.map(|((&from, &to), _)| (from, to - from)).unzip()
    }
}

fn mortality(config: &DriveConfig, half: &SecondHalf<'_>, cycles: f64) -> Result<Mortality, ConfigError> {
    let shape = Shape::new(config)?;
    let layout = &shape.layout;
    let fixed = config.ftl.slc_cache.fixed_units(layout.units_per_pool) * layout.pools;
    let bad = shape.bad_units.iter().sum::<u32>() + fixed;
    let exported_units = f64::from(layout.exported_pages) / f64::from(layout.slots_per_unit);
    let kept = (shape.reserve.free_units + shape.reserve.streams) * layout.pools;
    let spare = f64::from(layout.units() - bad) - exported_units - f64::from(kept);
    let programmed = (half.to.data_bytes - half.from.data_bytes) as f64;
    let levelled_within = match config.ftl.wear_levelling {
        WearLevellingConfig::Static { spread } => Some(f64::from(spread)),
        WearLevellingConfig::Nothing {} => None,
    };
    Ok(Mortality {
        cycles,
        levelled_within,
        // All of them: a pool that lost more than others leaves its writes to them.
        may_lose: (spare.max(0.0) * f64::from(layout.width)) as usize,
        over_provisioning: f64::from(layout.units() - bad) / exported_units - 1.0,
        moved_share: (half.to.moved_bytes - half.from.moved_bytes) as f64 / programmed.max(1.0),
    })
}
