//! How many generations any binary WOM code of a size can have, by exhaustive search.
//!
//! The model is the most permissive one, so that its limit binds every other. There are `cells`
//! binary cells that only go from 0 to 1. Every generation may assign messages to cell patterns in
//! its own way, and encoder and decoder know the generation. Any message must be writable in any
//! generation after any messages before.
//!
//! Call a pattern *alive* with `g` generations to go if all further writes can be guaranteed from
//! it. With none to go every pattern is alive. One generation earlier, messages are given to the
//! patterns that are alive afterwards. A set `S` of patterns can be kept alive if every pattern of
//! `S` then has all messages among those above it. Only sets that contain everything below their
//! members matter, and there are few: 168 for four cells. The search goes through all of them.

use crate::CodeError;

/// Largest number of cells the search is done for.
const MAX_CELLS: u32 = 4;

/// A set of patterns, a bit a pattern.
type Set = u16;

/// The largest number of generations of any binary WOM code with `messages` messages a write in
/// `cells` cells.
///
/// # Errors
/// [`CodeError::Parameters`] for more than 4 cells, or fewer than 2 messages (which could be
/// written for ever).
pub fn max_generations(messages: u32, cells: u32) -> Result<u32, CodeError> {
    if !(1..=MAX_CELLS).contains(&cells) || messages < 2 {
        let problem = format!(
            "a search with {messages} messages in {cells} cells; choose 2 messages or more in 1 to {MAX_CELLS} cells"
        );
        return Err(CodeError::Parameters { code: "binary WOM", problem });
    }
    let downward_closed: Vec<Set> = all_sets(cells).filter(|set| is_downward_closed(*set, cells)).collect();
    let mut alive = vec![everything(cells)];
    let mut generations = 0;
    loop {
        let earlier = downward_closed.iter().copied().filter(|candidate| {
            candidate & 1 == 1 && alive.iter().any(|later| can_precede(*candidate, *later, messages, cells))
        });
        alive = earlier.collect();
        if alive.is_empty() {
            return Ok(generations);
        }
        generations += 1;
    }
}

fn everything(cells: u32) -> Set {
    Set::MAX >> (16 - (1u32 << cells))
}

fn all_sets(cells: u32) -> impl Iterator<Item = Set> {
    1..=everything(cells)
}

fn is_downward_closed(set: Set, cells: u32) -> bool {
    members(set).all(|pattern| (0..cells).all(|cell| set >> (pattern & !(1 << cell)) & 1 == 1))
}

fn members(set: Set) -> impl Iterator<Item = u32> {
    (0..16).filter(move |pattern| set >> pattern & 1 == 1)
}

/// The patterns that can be reached from `pattern`, itself included.
fn above(pattern: u32, cells: u32) -> Set {
    (0..1 << cells).filter(|other| other & pattern == pattern).fold(0, |set, other| set | 1 << other)
}

/// Whether one write can lead from every pattern of `now` into `later` with any message.
fn can_precede(now: Set, later: Set, messages: u32, cells: u32) -> bool {
    let choices: Vec<Set> = members(now).map(|pattern| above(pattern, cells) & later).collect();
    let patterns: Vec<u32> = members(later).collect();
    let mut held = vec![0; messages as usize];
    choices.iter().all(|set| set.count_ones() >= messages) && can_assign(&patterns, &choices, &mut held)
}

/// Whether the messages of the first patterns, `held`, can be extended to all `patterns` so that
/// every set of `choices` holds every message.
fn can_assign(patterns: &[u32], choices: &[Set], held: &mut [Set]) -> bool {
    let open = patterns.iter().fold(0, |set: Set, pattern| set | 1 << pattern);
    let feasible = choices.iter().all(|set| {
        let missing = held.iter().filter(|held| *held & set == 0).count();
        missing <= (open & set).count_ones() as usize
    });
    let Some((&pattern, rest)) = patterns.split_first() else { return feasible };
    if !feasible {
        return false;
    }
    for message in 0..held.len() {
        held[message] |= 1 << pattern;
        if can_assign(rest, choices, held) {
            return true;
        }
        held[message] &= !(1 << pattern);
        if held[message] == 0 {
            // All unused messages are alike.
            break;
        }
    }
    false
}
