//! The integration tests of this crate in one program, so that what they share is compiled once.

mod cleaning_after_failures;
mod cleaning_steps;
mod common;
mod damage;
mod documents;
mod effort;
mod forged;
mod idle_deadline;
mod mounting;
mod nested_collections;
mod placement;
mod power_cuts;
mod recycling;
mod scrambler;
mod seal;
mod second_write;
mod separator;
mod shadow_map;
mod slc_cache;
mod streams;
mod three_hundred_lines;
mod victim_choice;
mod wom_v_reserve;
mod wom_v_threshold;
mod write_buffer;
