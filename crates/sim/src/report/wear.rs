//! Wear in figures that do not depend on the size of a block.

use rewear_flash::Geometry;
use schemars::JsonSchema;
use serde::Serialize;

use crate::long_run::{Mark, SecondHalf};
use crate::report::amplification::Amplification;
use crate::statistics::Spread;

/// Classes into which the blocks are divided by their cycles.
const CLASSES: u32 = 20;

/// Flash erased, and the cycles of the blocks.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct WearReport {
    /// Bytes of flash erased: the size of a block for each erase, and of the cycles that blocks
    /// have begun the part used meanwhile. Blocks of any size compare, and so do runs that end in
    /// the middle of a cycle.
    pub flash_erased_bytes: u64,
    /// Bytes of flash erased for each byte that the host wrote; absent where it wrote nothing.
    pub flash_erased_per_byte: Option<f64>,
    /// P/E cycles that the blocks used.
    pub pe_cycles: PeCycles,
}

/// P/E cycles used by blocks.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct PeCycles {
    /// Mean over the blocks: flash erased over flash, so begun cycles count by the part used.
    pub mean: f64,
    /// Erases of the most worn block.
    pub most: u32,
    /// Erases of the least worn block.
    pub least: u32,
    /// Standard deviation of the blocks' erases.
    pub stddev: f64,
    /// How many blocks were erased how often, in at most 20 classes of equal width, ascending.
    pub distribution: Vec<CycleClass>,
}

/// Blocks with a like number of erases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CycleClass {
    /// Least number of erases.
    pub from: u32,
    /// Most.
    pub to: u32,
    /// Blocks.
    pub blocks: u32,
}

impl WearReport {
    pub(super) fn new(now: &Mark, geometry: &Geometry) -> WearReport {
        let Spread { min, max, stddev, .. } = Spread::of(now.erases.iter().copied());
        WearReport {
            flash_erased_bytes: now.flash_erased_bytes.round() as u64,
            flash_erased_per_byte: (now.host_bytes > 0)
                .then(|| now.flash_erased_bytes / now.host_bytes as f64),
            pe_cycles: PeCycles {
                mean: now.flash_erased_bytes / geometry.bytes() as f64,
                most: max,
                least: min,
                stddev,
                distribution: distribution(&now.erases, min, max),
            },
        }
    }
}

fn distribution(erases: &[u32], least: u32, most: u32) -> Vec<CycleClass> {
    let width = ((most - least) / CLASSES) + 1;
    let classes = (most - least) / width + 1;
    let class =
        |index| CycleClass { from: least + index * width, to: least + (index + 1) * width - 1, blocks: 0 };
    let mut distribution: Vec<_> = (0..classes).map(class).collect();
    for &count in erases {
        distribution[((count - least) / width) as usize].blocks += 1;
    }
    distribution
}

/// The second half of the run, in which the drive was nearer to what it does in the long run.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct LongRunReport {
    /// Bytes that the host wrote before it.
    pub after_bytes_written: u64,
    /// Bytes that the host wrote in it.
    pub host_bytes_written: u64,
    /// Bytes of flash erased in it.
    pub flash_erased_bytes: u64,
    /// Bytes of flash erased for each byte that the host wrote.
    pub flash_erased_per_byte: f64,
    /// What the host's writes became.
    #[serde(flatten)]
    pub amplification: Amplification,
    /// Mean P/E cycles that a block used in it.
    pub pe_cycles: f64,
    /// Flash erased per byte written in the last quarter of the run over that of the quarter
    /// before, less 1.
    pub drift: Option<f64>,
    /// Flash erased per byte written in it over that of the quarter of the run before it, less 1:
    /// what changed when the run became twice as long.
    pub change: Option<f64>,
    /// Whether it drifts no more: the drift is within 5%, and blocks went through a cycle on
    /// average.
    pub steady: bool,
}

/// Drift beyond which a run is not steady.
const STEADY_DRIFT: f64 = 0.05;
/// Mean cycles of a block in the second half without which it says nothing.
const LEAST_CYCLES: f64 = 1.0;

impl LongRunReport {
    pub(super) fn new(
        half: &SecondHalf<'_>,
        first: Option<&SecondHalf<'_>>,
        geometry: &Geometry,
    ) -> LongRunReport {
        let (from, to) = (half.from, half.to);
        let erased = (to.flash_erased_bytes - from.flash_erased_bytes).max(0.0);
        let written = to.host_bytes - from.host_bytes;
        let (pe_cycles, drift) = (erased / geometry.bytes() as f64, half.drift());
        let change = first.and_then(|first| half.change(first));
        LongRunReport {
            after_bytes_written: from.host_bytes,
            host_bytes_written: written,
            flash_erased_bytes: erased.round() as u64,
            flash_erased_per_byte: erased / written as f64,
            amplification: Amplification::between(Some(from), to),
            pe_cycles,
            drift,
            change,
            steady: pe_cycles >= LEAST_CYCLES && drift.is_some_and(|drift| drift.abs() <= STEADY_DRIFT),
        }
    }
}

/// Why a run says little about the wear of a drive, and how long it would have to be.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct TooShort {
    /// What is missing.
    pub because: Vec<String>,
    /// Bytes that the host would have to write; absent where that cannot be said.
    pub host_bytes_needed: Option<u64>,
    /// Passes over the workload that this takes.
    pub loops_needed: Option<u64>,
}

impl TooShort {
    /// `None` for a run that is long enough. `loops` is how many passes the run took.
    pub(super) fn new(
        now: &Mark,
        long_run: Option<&LongRunReport>,
        (cleanings, loops): (u64, u64),
        geometry: &Geometry,
    ) -> Option<TooShort> {
        let cycles = now.flash_erased_bytes / geometry.bytes() as f64;
        let (mut because, mut longer) = (Vec::new(), 1.0f64);
        if now.host_bytes == 0 {
            because.push("the host wrote nothing".to_string());
            return Some(TooShort { because, host_bytes_needed: None, loops_needed: None });
        }
        if cleanings == 0 {
            because.push("garbage collection never ran".to_string());
        }
        if cycles < 2.0 * LEAST_CYCLES {
            because.push(format!(
                "a block used {cycles:.2} P/E cycles on average, and two are the least that tell"
            ));
            longer = longer.max(2.2 * LEAST_CYCLES / cycles);
        }
        match long_run {
            Some(LongRunReport { drift: Some(drift), steady: false, .. }) if drift.abs() > STEADY_DRIFT => {
                let change =
                    format!("{:.0}% {}", drift.abs() * 100.0, if *drift > 0.0 { "more" } else { "less" });
                because.push(format!(
                    "the drive is not steady: the last quarter of the run erased {change} flash for a byte than the one before"
                ));
                longer = longer.max(2.0);
            }
            Some(LongRunReport { steady: true, .. }) => {}
            _ if because.is_empty() => {
                because.push("the host wrote too little to divide the run".to_string());
                longer = longer.max(2.0);
            }
            _ => {}
        }
        if because.is_empty() {
            return None;
        }
        let longer = longer.is_finite().then_some(longer.max(1.5));
        Some(TooShort {
            because,
            host_bytes_needed: longer.map(|longer| (now.host_bytes as f64 * longer) as u64),
            loops_needed: longer.map(|longer| (loops.max(1) as f64 * longer).ceil() as u64),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_hold_every_block_once() {
        for erases in [vec![0u32], vec![3, 3, 3], (0..200).collect(), vec![7, 1000, 12, 500, 500]] {
            let (least, most) = (*erases.iter().min().unwrap_or(&0), *erases.iter().max().unwrap_or(&0));
            let classes = distribution(&erases, least, most);
            assert!(classes.len() <= 20);
            assert_eq!(classes.iter().map(|class| class.blocks as usize).sum::<usize>(), erases.len());
            assert_eq!(classes[0].from, least);
            assert!(classes.windows(2).all(|pair| pair[0].to + 1 == pair[1].from));
            assert!(classes.last().is_some_and(|class| class.to >= most));
        }
    }
}
