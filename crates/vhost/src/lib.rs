//! A server that gives a live drive to a virtual machine as a disk: the back-end of vhost-user-blk.
//!
//! The virtual machine's memory is mapped here, so a request crosses no socket: the server finds it
//! in a queue in that memory, and the drive takes its data from there. It translates and decides
//! nothing: the protocol is that of rust-vmm's crates, the drive is `rewear_live`'s.
//!
//! Reading order: [`config`] (what the disk says of itself), [`request`] (one request in the
//! guest's memory), [`guest_memory`] (memory that is not there), [`polling`] (when to sleep),
//! [`device`] (queues), [`server`] (clients, one after the other). The standards are *Virtual I/O Device (VIRTIO) Version 1.2*, sections 2.7 (split
//! virtqueues) and 5.2 (block device), and QEMU's *Vhost-user Protocol*.

#![cfg(target_os = "linux")]

pub mod config;
pub mod device;
mod guest_memory;
mod polling;
mod request;
pub mod server;

pub use server::{ServerError, bind, serve};
