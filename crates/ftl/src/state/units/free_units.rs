//! The free erase units of a pool, and which of them is written next.

use std::collections::{BTreeSet, VecDeque};

use crate::address::Unit;
use crate::config::choices::FreeOrder;

/// The free units of a pool.
#[derive(Debug, Clone)]
pub(super) enum FreeUnits {
    /// UnitEntry and its wear.
    Fifo(VecDeque<(Unit, u32)>),
    /// Wear, number of its arrival, unit.
    LeastWorn { units: BTreeSet<(u32, u64, Unit)>, arrivals: u64 },
}

impl FreeUnits {
    pub(super) fn new(order: FreeOrder) -> FreeUnits {
        match order {
            FreeOrder::Fifo => FreeUnits::Fifo(VecDeque::new()),
            FreeOrder::LeastWorn => FreeUnits::LeastWorn { units: BTreeSet::new(), arrivals: 0 },
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            FreeUnits::Fifo(units) => units.len(),
            FreeUnits::LeastWorn { units, .. } => units.len(),
        }
    }

    /// Adds a unit.
    pub(super) fn push(&mut self, unit: Unit, wear: u32) {
        match self {
            FreeUnits::Fifo(units) => units.push_back((unit, wear)),
            FreeUnits::LeastWorn { units, arrivals } => {
                *arrivals += 1;
                units.insert((wear, *arrivals, unit));
            }
        }
    }

    /// Takes a unit out, whenever its turn would be.
    pub(super) fn remove(&mut self, unit: Unit) {
        match self {
            FreeUnits::Fifo(units) => units.retain(|&(other, _)| other != unit),
            FreeUnits::LeastWorn { units, .. } => units.retain(|&(_, _, other)| other != unit),
        }
    }

    /// Takes the unit that is to be written next.
    pub(super) fn pop(&mut self) -> Option<Unit> {
        match self {
            FreeUnits::Fifo(units) => units.pop_front().map(|(unit, _)| unit),
            FreeUnits::LeastWorn { units, .. } => units.pop_first().map(|(_, _, unit)| unit),
        }
    }

    /// Takes the unit with the most erases.
    pub(super) fn pop_most_worn(&mut self) -> Option<Unit> {
        match self {
            FreeUnits::Fifo(units) => {
                let (index, _) = units.iter().enumerate().max_by_key(|&(_, &(_, wear))| wear)?;
                units.remove(index).map(|(unit, _)| unit)
            }
            FreeUnits::LeastWorn { units, .. } => units.pop_last().map(|(_, _, unit)| unit),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn units_leave_in_the_order_that_the_name_says(wears in prop::collection::vec(0u32..6, 1..40)) {
            let filled = |order| {
                let mut free = FreeUnits::new(order);
                (0u32..).zip(&wears).for_each(|(unit, &wear)| free.push(Unit(unit), wear));
                free
            };
            let drained = |mut free: FreeUnits| std::iter::from_fn(move || free.pop()).collect::<Vec<_>>();
            let mut expected: Vec<Unit> = Unit::all(wears.len() as u32).collect();
            prop_assert_eq!(&drained(filled(FreeOrder::Fifo)), &expected);
            expected.sort_by_key(|&unit| wears[unit.index()]);
            prop_assert_eq!(drained(filled(FreeOrder::LeastWorn)), expected);
            for order in [FreeOrder::Fifo, FreeOrder::LeastWorn] {
                let mut free = filled(order);
                let most = free.pop_most_worn().map(|unit| wears[unit.index()]);
                prop_assert_eq!(most, wears.iter().copied().max());
                prop_assert_eq!(free.len(), wears.len() - 1);
            }
        }
    }
}
