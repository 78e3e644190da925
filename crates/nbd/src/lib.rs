//! An nbdkit plugin that serves a live drive. It translates and decides nothing: protocol, TLS and
//! access control are nbdkit's, the drive is `rewear_live`'s.
//!
//! `nbdkit librewear_nbd.so FILE.json`, where the file holds the options of
//! `rewear_live::LiveOptions`; `rewear serve` writes it. Read `abi` (nbdkit's C interface, version
//! 2), `callbacks`, and `ending` (how the server ends whatever its clients do).

#![cfg(unix)]

mod abi;
mod callbacks;
mod ending;
