//! The controller's side of NVMe over TCP, over a trait for the drive behind it.
//!
//! Reading order: [`wire`] (PDUs and commands as bytes, which stands alone), [`drive`] (what a drive
//! does and counts), [`subsystem`] (controllers and hosts), [`connection`] (bytes in, bytes out),
//! `queue` (one command of a queue), `admin`, `fabrics`, `io` (the commands), `identify`,
//! `features`, `logs`, `placement` (flexible data placement), [`server`] (sockets and threads) and
//! `door` (limits of who comes in). No module but these two knows sockets or clocks.
//!
//! Sections are those of *NVM Express Base Specification 2.0* ("Base"), *NVM Command Set
//! Specification 1.0* ("NVM"), *TCP Transport Specification 1.0* ("TCP"), *TP4146 Flexible Data
//! Placement* and the *OCP Datacenter NVMe SSD Specification 2.0* ("OCP").

#![forbid(unsafe_code)]

mod admin;
pub mod connection;
mod door;
pub mod drive;
mod fabrics;
mod features;
mod identify;
mod io;
pub mod logs;
mod page;
mod placement;
mod queue;
pub mod server;
pub mod subsystem;
pub mod wire;

pub use connection::Connection;
pub use drive::{Counters, Drive, DriveError, Identity, Placement};
pub use server::serve;
pub use subsystem::Subsystem;
