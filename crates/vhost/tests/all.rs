//! The integration tests of this crate in one program, so that what they share is compiled once.
#![cfg(target_os = "linux")]

mod common;
mod device;
mod guest_memory;
mod polling;
mod server;
