//! Devices that are mounted, and what is recorded of them.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)] // a test may stop where it stands

mod follows;
mod journaled;
mod mounted;
