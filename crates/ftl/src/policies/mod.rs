//! Policies beside the three questions: each decides one thing, off by default.

pub mod background;
pub mod slc_cache;
pub mod streams;
pub mod victim;
pub mod wear_levelling;
