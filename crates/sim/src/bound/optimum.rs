//! The optimum of tiny drives, by trying everything, beside what placements find.

use std::collections::BTreeMap;

use super::future::Future;
use super::placement::{Placement, Size, Split, Victims};

/// A number that looks drawn (splitmix64).
fn mix(seed: u64) -> u64 {
    let mut word = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

/// The fewest moves that any drive needs, by trying all of them: a drive of `units` units of
/// two pages. What can follow an event is a set of states, each with its fewest moves.
fn fewest_moves(pages: &[u32], units: usize) -> u64 {
    let mut states = BTreeMap::from([(vec![Unit::default(); units], 0)]);
    for &page in pages {
        let mut written = BTreeMap::new();
        for (state, moved) in with_moves(states) {
            for unit in 0..units {
                if let Some(next) = put(&state, unit, page as u8) {
                    let least = written.entry(next).or_insert(moved);
                    *least = moved.min(*least);
                }
            }
        }
        states = written;
    }
    states.into_values().min().expect("a state")
}

/// Slots that are written, and the page in each that is valid.
type Unit = (u8, [Option<u8>; 2]);

/// The state with a page written to a unit; its old version is invalid. `None` without room.
fn put(state: &[Unit], unit: usize, page: u8) -> Option<Vec<Unit>> {
    let mut next = state.to_vec();
    for (_, slots) in &mut next {
        slots.iter_mut().filter(|slot| **slot == Some(page)).for_each(|slot| *slot = None);
    }
    let (filled, slots) = &mut next[unit];
    *slots.get_mut(usize::from(*filled))? = Some(page);
    *filled += 1;
    // Erased when nothing valid is left. Which unit is which does not matter.
    next.iter_mut().filter(|(_, slots)| *slots == [None, None]).for_each(|unit| unit.0 = 0);
    next.iter_mut().for_each(|(filled, slots)| {
        if *filled == 2 {
            slots.sort_unstable()
        }
    });
    next.sort_unstable();
    Some(next)
}

/// All states that moves lead to.
fn with_moves(states: BTreeMap<Vec<Unit>, u64>) -> BTreeMap<Vec<Unit>, u64> {
    let mut waiting: Vec<_> = states.clone().into_iter().collect();
    let mut all = states;
    while let Some((state, moved)) = waiting.pop() {
        if all[&state] < moved {
            continue;
        }
        let pages = state.iter().flat_map(|(_, slots)| slots.iter().flatten().copied());
        for page in pages {
            for unit in 0..state.len() {
                let Some(next) = put(&state, unit, page) else { continue };
                let known = all.entry(next.clone()).or_insert(u64::MAX);
                if moved + 1 < *known {
                    *known = moved + 1;
                    waiting.push((next, moved + 1));
                }
            }
        }
    }
    all
}

/// Six units of two pages, six pages, 36 writes. What is carried out is never less than the
/// least there is, and at least one of it is no worse than greedy cleaning.
#[test]
fn what_is_carried_out_lies_between_the_optimum_and_greedy_cleaning() {
    let (mut foreseen_is_worse, mut optima) = (0, 0);
    for seed in 0..12u64 {
        let draw = |at: u64| (mix(seed * 1000 + at) % 6) as u32;
        let pages: Vec<u32> = (0..6).chain((0..36).map(draw)).collect();
        let future = Future::of_writes(&pages, 6);
        let of = |split, victims| {
            let mut placement =
                Placement::of_size(&future, Size { units: 6, pages_per_unit: 2, exported: 6 }, 1, split);
            placement.victims = victims;
            placement.run(&mut || true).expect("moves")
        };
        let greedy = of(Split::Even, Victims::Fewest);
        let foreseen = of(Split::Even, Victims::Foreseen);
        let least = fewest_moves(&pages, 6);
        assert!(least <= greedy.min(foreseen), "{least} {greedy} {foreseen}");
        foreseen_is_worse += u32::from(foreseen > greedy);
        optima += least;
    }
    assert!(foreseen_is_worse > 0, "the known future alone is not the least of what is possible");
    assert!(optima < 12, "{optima} moves in all");
}
