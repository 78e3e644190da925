//! A live drive behind NVMe over TCP.
#![allow(clippy::unwrap_used, missing_docs)]

mod replayed;
