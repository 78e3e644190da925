//! A live drive as the drive of an NVMe subsystem.
//!
//! Reading order: [`drive`] (requests, and who the drive is), [`counters`] (a report as the counts
//! that log pages show). The protocol is `rewear_nvme`'s, the drive `rewear_live`'s.

pub mod counters;
pub mod drive;

pub use counters::counters;
pub use drive::{Namespace, identity};
