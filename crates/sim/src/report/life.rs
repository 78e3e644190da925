//! How long the drive lives: bytes until its blocks are worn out, drive writes, years.

use rewear_flash::ConfigError;
use rewear_flash::LifeConfig;
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
    /// Where that figure comes from.
    pub source: String,
    /// Cycles from which on a page is not corrected any more; absent where cells are not asked.
    pub uncorrectable_cycles: Option<f64>,
    /// Mean cycles of the blocks at the end as a part of what they endure: 1 if all die at once.
    pub evenness: f64,
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
    /// So many blocks used up their rated cycles that the exported capacity cannot be kept.
    WornBlocks,
    /// Pages of so many blocks cannot be corrected any more.
    UncorrectablePages,
}

/// The cycles of a block, and why no more.
struct Limit {
    cycles: u32,
    source: String,
    uncorrectable_cycles: Option<f64>,
    ends: LifeEnds,
}

impl Limit {
    fn new(config: &DriveConfig) -> Result<Option<Limit>, ConfigError> {
        let flash = &config.flash;
        let (rated, source) = match (flash.endurance_cycles, &flash.life) {
            (Some(cycles), Some(life)) if cycles == life.cycles => (cycles, life.source.clone()),
            (Some(cycles), _) => (cycles, "flash.endurance_cycles".to_string()),
            (None, Some(life)) => (life.cycles, life.source.clone()),
            (None, None) => return Ok(None),
        };
        let uncorrectable_cycles = match &flash.life {
            Some(life) => life.uncorrectable_cycles(flash)?,
            None => None,
        };
        Ok(Some(match uncorrectable_cycles {
            Some(cycles) if cycles < f64::from(rated) => Limit {
                cycles: cycles as u32,
                source,
                uncorrectable_cycles,
                ends: LifeEnds::UncorrectablePages,
            },
            _ => Limit { cycles: rated, source, uncorrectable_cycles, ends: LifeEnds::WornBlocks },
        }))
    }
}

impl LifeReport {
    /// `None` where nothing says what blocks endure, or nothing was worn. `earlier_bytes` were
    /// written before the counters were reset.
    pub(super) fn new(
        of: &Circumstances<'_>,
        ftl: &Ftl,
        (now, half): (&Mark, Option<&SecondHalf<'_>>),
        (earlier_bytes, measured_ns): (u64, u64),
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
        let worn = erased + reprogrammed + coarse;
        if written <= 0.0 || worn <= 0.0 || limit.cycles == 0 {
            return Ok(None);
        }
        let exported = ftl.layout().exported_bytes() as f64;
        let died = of.stopped_because.is_some()
            && config.flash.endurance_cycles.is_some()
            && ftl.retired_units() > Shape::new(config)?.bad_units.iter().sum::<u32>();
        let endured = f64::from(limit.cycles);
        let (tbw_bytes, evenness) = if died {
            let erases = ftl.array().wear().total() as f64 / f64::from(geometry.blocks());
            ((now.host_bytes + earlier_bytes) as f64, erases / endured)
        } else {
            let even = match half {
                Some(half) => {
                    // The longest parts that there are: what blocks differ by may last for a pass
                    // over a recording.
                    let later: Vec<u32> =
                        half.to.erases.iter().zip(&half.from.erases).map(|(to, from)| to - from).collect();
                    evenness(&half.from.erases, &later, &mortality(config, half, endured)?)
                }
                None => 1.0,
            };
            (even * endured * geometry.bytes() as f64 * written / worn, even)
        };
        let per_day = (measured_ns > 0).then(|| now.host_bytes as f64 / (measured_ns as f64 / NS_PER_DAY));
        let drive_writes = tbw_bytes / exported;
        Ok(Some(LifeReport {
            simulated: died,
            tbw_bytes: tbw_bytes as u64,
            drive_writes,
            drive_writes_per_day: drive_writes / (RATED_YEARS * DAYS_PER_YEAR),
            years: per_day.map(|per_day| tbw_bytes / per_day / DAYS_PER_YEAR),
            host_bytes_per_day: per_day,
            rate: of.replay.arrival,
            ends: limit.ends,
            cycles: limit.cycles,
            source: limit.source,
            uncorrectable_cycles: limit.uncorrectable_cycles,
            evenness,
            reprogram_share: reprogrammed / worn,
            coarse_share: (coarse > 0.0).then_some(coarse / worn),
        }))
    }
}

fn mortality(config: &DriveConfig, half: &SecondHalf<'_>, cycles: f64) -> Result<Mortality, ConfigError> {
    let shape = Shape::new(config)?;
    let layout = &shape.layout;
    let bad: u32 = shape.bad_units.iter().sum();
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
