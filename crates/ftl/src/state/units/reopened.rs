//! Units that are written again although some of their slots must be left out: valid pages stay in
//! them, or slots may refuse a write.
//!
//! They wait in a queue of their own, from which only host writes open them: cleaning relies on
//! free units; every slot of these takes a page. An open one offers its slots in runs that end
//! where the next slot is blocked. What is blocked is asked when the write pointer gets there, so
//! pages that became invalid meanwhile are written; the path of a write is that of any other unit.

use crate::address::{Pool, Unit};
use crate::state::units::low_then_high::Fill;
use crate::state::units::pool::Open;
use crate::state::units::stream::Stream;
use crate::state::units::{UnitState, Units};

impl Units {
    /// Puts a unit that cleaning took into the queue, with the valid pages that it has.
    pub fn reopen(&mut self, unit: Unit) {
        let state = &mut self.units[unit.index()];
        debug_assert_eq!(state.state, UnitState::Open, "unit {unit} was taken by cleaning");
        debug_assert!(!self.pools[state.pool.index()].reopened.contains(&unit), "unit {unit} waits already");
        state.state = UnitState::Reopened;
        self.pools[state.pool.index()].reopened.push_back(unit);
    }

    /// Opens the first unit of the queue, if there is one, and returns it; [`resume`](Self::resume)
    /// finds its first run.
    pub fn open_reopened(&mut self, pool: Pool, stream: Stream) -> Option<Unit> {
        let index = self.stream(stream);
        let unit = self.pools[pool.index()].reopened.pop_front()?;
        debug_assert_eq!(self.units[unit.index()].state, UnitState::Reopened, "unit {unit} waits");
        let end = self.slots(unit);
        *self.pools[pool.index()].open_mut(index) =
            Open { unit, next_slot: 0, stop_slot: 0, run_end: 0, end, fill: Fill::All };
        let state = &mut self.units[unit.index()];
        (state.state, state.stream) = (UnitState::Open, index as u8);
        Some(unit)
    }

    /// Moves the write pointer of a stream's open unit to the next run of slots, if the present run
    /// is over. `blocked` gives the slots of a word of a unit that must be left out. Returns
    /// whether it found a run.
    pub fn resume(&mut self, pool: Pool, stream: Stream, blocked: impl Fn(Unit, u32) -> u64) -> bool {
        let index = self.stream(stream);
        let open = self.pools[pool.index()].open_mut(index);
        let slots = open.end;
        if open.next_slot < open.run_end || open.run_end == slots || open.fill != Fill::All {
            return false;
        }
        let search = |from, wanted| find(from, slots, |word| blocked(open.unit, word) ^ wanted);
        let start = search(open.next_slot, u64::MAX);
        let end = search(start, 0);
        *open = Open { next_slot: start, stop_slot: end, run_end: end, ..*open };
        start < slots
    }

    /// Nothing more is written to an open unit.
    pub fn give_up(&mut self, unit: Unit) {
        let pool = self.units[unit.index()].pool;
        for open in self.pools[pool.index()].all_open_mut().filter(|open| open.unit == unit) {
            *open = Open { next_slot: open.end, stop_slot: open.end, run_end: open.end, ..*open };
        }
    }
}

/// The first set bit at or behind `from` of a row of `bits` bits; `word` gives 64 at a
/// time; `bits` if there is none.
fn find(from: u32, bits: u32, word: impl Fn(u32) -> u64) -> u32 {
    let mut at = from;
    while at < bits {
        let rest = word(at / 64) >> (at % 64);
        if rest != 0 {
            return (at + rest.trailing_zeros()).min(bits);
        }
        at = (at / 64 + 1) * 64;
    }
    bits
}

#[cfg(test)]
mod tests {
    use crate::state::units::reopened::find;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_search_agrees_with_a_loop(words in prop::collection::vec(any::<u64>().prop_map(|w| w & w >> 3), 3), bits in 1u32..192, from in 0u32..192) {
            let is_set = |bit: &u32| words[(bit / 64) as usize] >> (bit % 64) & 1 == 1;
            let expected = (from..bits).find(is_set).unwrap_or(bits);
            prop_assert_eq!(find(from, bits, |word| words[word as usize]), expected);
        }
    }
}
