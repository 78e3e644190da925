//! Making room: what the decisions of schemes and policies come to.

pub(crate) mod clean;
pub(crate) mod failed_programs;
pub(crate) mod fold;
mod idle;
mod level_wear;
mod make_room;
pub(crate) mod nested;
pub(crate) mod read_ahead;
mod reclaim;
mod reserve_of_slots;
mod rows;
pub(crate) mod under_way;
mod victim;
