//! The bodies of the fuzz targets. A test includes the same files and run them on a few
//! inputs.

pub mod compact;
pub mod configuration;
pub mod ecc;
pub mod edits;
pub mod input;
pub mod live;
pub mod nvme;
#[path = "../../nvme/tests/common/mod.rs"]
mod nvme_host;
pub mod traces;
pub mod wom;
pub mod workloads;
