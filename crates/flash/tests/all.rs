//! The integration tests of this crate in one program, so that what they share is compiled once.

mod cell_physics;
mod chips;
mod copies;
mod legality;
mod read_priority;
mod shared_pages;
mod word_lines;
