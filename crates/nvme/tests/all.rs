//! The controller, by hosts that keep to the protocol and by hosts that do not.
#![allow(clippy::unwrap_used, missing_docs)]

mod common;
mod fabrics;
mod hostile;
mod io;
mod pages;
mod tcp;
