//! Why codes, steps and ages go together: a model of the multi-level cell, from published
//! parameters.
//!
//! # Idea
//! Incremental step pulse programming (ISPP) leaves a cell within one step above its level's verify
//! voltage. A coarser step programs faster and leaves less room between levels; random telegraph
//! noise, loss of charge and interference from neighbours, which grow with program/erase cycles and
//! time, use up the rest. So the raw bit error rate follows from step, cycles and retention, and
//! with the codes' limits it says which step which code can read, after how many sensings, and how
//! long a block lives.
//!
//! # Reading order
//! [`config`] (every parameter), `noise` (one component in closed form), `interference` (the
//! mixture that neighbours make), `level`, `references`, [`rber`]; then what follows: [`ecc`],
//! [`latency`], [`modes`], [`lifetime`], [`second_write`], [`seal`].
//!
//! # Model
//! G. Dong, N. Xie, T. Zhang, "On the use of soft-decision error-correction codes in NAND flash
//! memory", IEEE TCAS-I 58(2), 2011; Y. Pan, G. Dong, T. Zhang, "Exploiting memory device wear-out
//! dynamics to improve NAND flash memory system performance", FAST '11. `docs/manual/physics.md`
//! says for each parameter where its value is from and what could not be verified.
//!
//! # Deviations
//! The rates are computed, not sampled: every distribution is a mixture of (uniform + normal +
//! Laplace), whose tails have a closed form. Coupling ratios are constants, not narrow truncated
//! normals; retention depends on a level's mean voltage after programming, not on each cell's own.

pub mod config;
pub mod ecc;
mod interference;
pub mod latency;
mod level;
pub mod lifetime;
pub mod modes;
mod noise;
pub mod rber;
mod references;
pub mod seal;
pub mod second_write;

pub use config::{BitLines, CellConfig, References};
pub use ecc::{CodeLimit, EccConfig, EccLimits};
pub use latency::LatencyConfig;
pub use level::Age;
pub use modes::{DerivedMode, MODES, ModeKind, derived_modes};
pub use rber::{Cells, Rber};
pub use seal::{LowPage, extended_cycles};
pub use second_write::{SecondWrites, second_write_ends_at_cycles};
