//! Why codes, steps and ages go together: a model of the multi-level cell, from published
//! parameters.
//!
//! # Idea
//! Incremental step pulse programming (ISPP) leaves a cell within one step above its level's verify
//! voltage. A coarser step programs faster and leaves less room between levels; random telegraph
//! noise, loss of charge and interference from neighbours, which grow with program/erase cycles and
//! time, use up the rest. So the raw bit error rate follows from step, cycles and retention. With
//! the codes' limits it gives the steps that a code can read, the sensings that this takes, and the
//! life of a block.
//!
//! # Reading order
//! [`config`] (every parameter), `telegraph_noise` (one component in closed form), `interference`
//! (the mixture that neighbours make), `retention`, `threshold_voltage`, `references`, [`rber`];
//! then what follows: [`ecc`], `latency`, [`modes`], [`lifetime`], [`second_write`], [`seal`].
//!
//! # Model
//! G. Dong, N. Xie, T. Zhang, "On the use of soft-decision error-correction codes in NAND flash
//! memory", IEEE TCAS-I 58(2), 2011; Y. Pan, G. Dong, T. Zhang, "Exploiting memory device wear-out
//! dynamics to improve NAND flash memory system performance", FAST '11. `docs/notebook/physics.md`
//! says for each parameter where its value is from and what could not be verified.
//!
//! # Deviations
//! The rates are computed, not sampled: every distribution is a mixture of (uniform + normal +
//! Laplace), whose tails have a closed form. Coupling ratios are constants, not narrow truncated
//! normals; retention depends on a level's mean voltage after programming, not on each cell's own.

pub mod config;
pub mod ecc;
mod interference;
mod latency;
pub mod lifetime;
pub mod modes;
pub mod rber;
mod references;
mod retention;
pub mod seal;
pub mod second_write;
mod telegraph_noise;
mod threshold_voltage;

pub use config::{CellConfig, CellsConfig, References, in_flash_cells};
pub use ecc::{CodeLimit, EccConfig, EccLimits};
pub use modes::{DerivedMode, MODES, ModeKind, derived_modes};
pub use rber::{Cells, Rber};
pub use seal::{LowPage, extended_cycles};
pub use second_write::{SecondWrites, second_write_ends_at_cycles};

/// How long a block was used and its data has lain there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Age {
    /// Program/erase cycles of the block, 0 up; need not be whole.
    pub cycles: f64,
    /// Hours since the page was programmed, 0 up.
    pub retention_hours: f64,
}
