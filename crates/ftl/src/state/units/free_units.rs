//! The free erase units of a pool.

use std::collections::VecDeque;

use crate::address::Unit;

/// The free units of a pool, with their wear. The one that became free first is written next, so all
/// of them wear alike.
#[derive(Debug, Clone, Default)]
pub(super) struct FreeUnits(VecDeque<(Unit, u32)>);

impl FreeUnits {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Adds a unit.
    pub(super) fn push(&mut self, unit: Unit, wear: u32) {
        self.0.push_back((unit, wear));
    }

    /// Takes a unit out, whenever its turn would be.
    pub(super) fn remove(&mut self, unit: Unit) {
        self.0.retain(|&(other, _)| other != unit);
    }

    /// Takes the unit that is to be written next.
    pub(super) fn pop(&mut self) -> Option<Unit> {
        self.0.pop_front().map(|(unit, _)| unit)
    }

    /// Takes the unit with the most erases.
    pub(super) fn pop_most_worn(&mut self) -> Option<Unit> {
        let (index, _) = self.0.iter().enumerate().max_by_key(|&(_, &(_, wear))| wear)?;
        self.0.remove(index).map(|(unit, _)| unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn units_leave_in_the_order_in_which_they_came(wears in prop::collection::vec(0u32..6, 1..40)) {
            let mut free = FreeUnits::default();
            (0u32..).zip(&wears).for_each(|(unit, &wear)| free.push(Unit(unit), wear));
            let mut again = free.clone();
            let drained: Vec<_> = std::iter::from_fn(move || again.pop()).collect();
            prop_assert_eq!(drained, Unit::all(wears.len() as u32).collect::<Vec<_>>());
            let most = free.pop_most_worn().map(|unit| wears[unit.index()]);
            prop_assert_eq!(most, wears.iter().copied().max());
            prop_assert_eq!(free.len(), wears.len() - 1);
        }
    }
}
