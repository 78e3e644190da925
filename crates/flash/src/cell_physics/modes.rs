//! Programming modes with latencies derived from the cells, beside the tables of the papers.

use serde::Serialize;

use super::Age;
use super::config::CellConfig;
use super::ecc::EccLimits;
use super::latency;
use super::rber::Cells;
use crate::Nanos;
use crate::error::ConfigError;

/// A mode: how coarse the step is and which code reads the page.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ModeKind {
    /// Its name.
    pub name: &'static str,
    /// Program step over the normal step.
    pub step_ratio: f64,
    /// `true` for LDPC, `false` for BCH.
    pub ldpc: bool,
}

/// The modes of the differentiated-ECC paper and of AGCR, section V.A: `normal` and `low` are the
/// former's, the three with LDPC the latter's.
pub const MODES: [ModeKind; 4] = [
    ModeKind { name: "normal", step_ratio: 1.0, ldpc: false },
    ModeKind { name: "high", step_ratio: 0.5, ldpc: true },
    ModeKind { name: "medium", step_ratio: 1.0, ldpc: true },
    ModeKind { name: "low", step_ratio: 2.0, ldpc: true },
];

/// A mode at one age of a block.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DerivedMode {
    /// Which.
    #[serde(flatten)]
    pub kind: ModeKind,
    /// Program step in volts.
    pub step_v: f64,
    /// Raw bit error rate of the worst kind of page.
    pub rber: f64,
    /// Programming a page.
    pub program_ns: Nanos,
    /// References a read needs at each boundary; `None` if the code cannot read the page.
    pub references: Option<usize>,
    /// Reading a page; `None` if the code cannot.
    pub read_ns: Option<Nanos>,
}

/// Latencies of all [`MODES`] for blocks after `cycles` and data kept for `retention_hours`.
///
/// # Errors
/// A parameter, cycles or hours that cannot be.
pub fn derived_modes(
    config: &CellConfig,
    cycles: f64,
    retention_hours: f64,
) -> Result<Vec<DerivedMode>, ConfigError> {
    let limits = EccLimits::new(&config.ecc)?;
    let age = Age { cycles, retention_hours };
    MODES.iter().map(|&kind| derived_mode(config, &limits, kind, age)).collect()
}

fn derived_mode(
    config: &CellConfig,
    limits: &EccLimits,
    kind: ModeKind,
    age: Age,
) -> Result<DerivedMode, ConfigError> {
    let step_v = config.voltage.step_v * kind.step_ratio;
    let rber = Cells::new(config, step_v)?.rber(age)?.worst;
    let references = if kind.ldpc {
        limits.references_needed(rber)
    } else {
        (rber <= limits.bch.rber).then_some(limits.bch.references)
    };
    let read_ns =
        references.map(|n| if kind.ldpc { latency::ldpc_read_ns(n) } else { latency::bch_read_ns() });
    Ok(DerivedMode {
        kind,
        step_v,
        rber,
        program_ns: latency::program_ns(kind.step_ratio),
        references,
        read_ns,
    })
}
