//! Recovery: everything that the translation layer must know lies on the flash itself, and a drive
//! can be mounted from it.
//!
//! # Idea
//! Every page is programmed together with a record in its spare area
//! ([`rewear_flash::medium::Record`]): what it holds and the number of the program
//! ([`spare_area`]). The newest record of a logical page names its place, so writes and cleaning
//! need nothing else. What programs no page (a trim, a recycled page's new owner) is noted in the
//! journal of a small log ([`log`], [`entry`]), which becomes durable with the next flush, or
//! before the page that it released is destroyed ([`commit`]). When a half of the log is full the
//! other one begins with a checkpoint ([`checkpoint`]): the map as it is. Mounting ([`mount`])
//! takes the newest checkpoint, the journal behind it and every newer record ([`scan`]), and begins
//! a new half.
//!
//! # Source
//! Records in spare areas are what every page-mapped translation layer keeps (e.g. Gupta et al.,
//! DFTL, ASPLOS '09, section 3); a checkpoint followed by a log is that of log-structured file
//! systems (Rosenblum and Ousterhout, 1992).
//!
//! # Parameters
//! [`RecoveryConfig`].
//!
//! # Cost
//! Records ride along with the pages. The log takes a few erase units of the first pool, a page for
//! every flush after a trim or a recycled write, and a checkpoint (4 bytes a logical page) whenever
//! half of it is full. Every pool keeps one more unit in reserve: what was open when power failed
//! may be lost for a while. All of it happens on modelled cells, too, except the records.
//!
//! # Deviations
//! Histories (of accesses, of contents, of hotness) are not kept: schemes learn anew after a mount.
//! Blocks that read as erased count as erased.

mod candidates;
pub(crate) mod checkpoint;
mod commit;
mod commit_time;
pub mod config;
mod damage;
pub(crate) mod entry;
mod found;
pub(crate) mod log;
pub mod mount;
mod read_log;
mod rebuild;
mod report;
mod scan;
pub(crate) mod spare_area;

pub use config::{LogConfig, RecoveryConfig};
pub use report::{Damaged, MountError, MountReport};

pub(crate) use spare_area::SpareMetadata;
