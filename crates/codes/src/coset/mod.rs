//! Coset codes: cells of several levels that are written several times between two erases.
//!
//! All words of levels with the same syndromes hold the same data: a coset. A write takes the word
//! of the coset that leaves the most room for the writes behind it, among those that only raise
//! cells. A read works the syndromes out. Each bit plane of the levels has a syndrome-trellis code of
//! its own (`trellis`, `matrix`; Filler, Judas, Fridrich, IEEE TIFS 6(3), 2011). The least
//! significant plane is written first. What a bit costs follows from the planes below and from the
//! cell's level (`plan`). The idea of choosing from cosets is that of FlipMin (Jacobvitz,
//! Calderbank, Sorin, HPCA '13) and Methuselah Flash (Mappouras et al., DSN '16).
//!
//! A reader knows the number of the write, from which all sizes follow, and nothing of the search. A
//! few cells are left that would have had to be lowered ([`InvalidCell`]). They are errors at
//! unknown places. A wrong level reaches up to `matrix::HEIGHT` data bits, so an error-correcting
//! code corrects levels, not data. [`measured`] has the shares of such cells, beside the sum
//! capacity ([`capacity`]).

pub mod capacity;
mod code;
mod decode;
mod encode;
mod matrix;
pub mod measured;
mod metrics;
mod plan;
mod planes;
mod trellis;

pub use code::Code;
pub use encode::{InvalidCell, Writer, correct};
