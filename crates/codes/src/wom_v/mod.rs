//! WOM-v(k, N): voltage-based WOM codes that store `k` bits in a cell of `2^N` levels (`wom-v`,
//! sections 2 and 3).
//!
//! The paper's tables are arithmetic: a cell at level `v` holds the number `v mod 2^k`, and writing
//! a number means raising the cell to the next level that holds it. Neighbouring generations share
//! a level ("code word sharing"), so generation `g` covers the levels `g * s ..= (g + 1) * s` with
//! `s = 2^k - 1`, and there are `floor((2^N - 1) / s)` of them. The order of the numbers is cyclic,
//! as in the paper's example where 001 goes to V9 of WOM-v(3,4).
//!
//! A cell that cannot be raised far enough is *invalid*. It goes to the highest level and is
//! remembered in an [`Invalid`] set until the page is erased. For the page's error-correcting code
//! it reads as an erasure.

mod chain;
mod code;
mod ecc_threshold;
mod encode;
mod invalid;
mod lanes;
mod no_read;
mod print_table;

pub use chain::{DataModel, InvalidChain, WriteCounts};
pub use code::Code;
pub use ecc_threshold::{EccCheck, EccThreshold};
pub use encode::Written;
pub use invalid::Invalid;
