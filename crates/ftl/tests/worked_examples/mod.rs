//! The worked examples of CONTRIBUTING.md, compiled with the tests of this crate: what the document
//! tells to write is here word for word.
#![allow(unreachable_pub)] // in the folders of schemes they are public

mod two_pass;
mod windowed_greedy;
