//! The bodies of the fuzz targets. Tests of the crates include the same files and run them on a few inputs.

pub mod ecc;
pub mod input;
pub mod traces;
pub mod wom;
