//! Power that fails at a given operation, for tests of everything that must survive it.
//!
//! Fault model: programs of a page and erases of a block are the operations. The one at which power
//! fails has not begun, or is torn: a program leaves every cell of its page and spare area anywhere
//! between its old and its new level. An erase leaves every cell of its block where it was or
//! lowered. No other page changes. Everything after it does not happen.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// Fate of the operation at which power fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tear {
    /// It has not begun.
    Clean,
    /// Its cells are changed up to a point: data before the spare area, low pages of a block before
    /// high ones.
    Front,
    /// Its cells are changed from a point on: the spare area before the data, high pages of a block
    /// before low ones.
    Back,
    /// Each of its cells is changed, or not, or (a program on cells of several levels) in part.
    Scattered,
}

impl Tear {
    /// All of them.
    pub const ALL: [Tear; 4] = [Tear::Clean, Tear::Front, Tear::Back, Tear::Scattered];
}

/// Power that fails.
#[derive(Debug, Clone)]
pub struct PowerCut {
    operations_left: u64,
    tear: Tear,
    rng: Xoshiro256PlusPlus,
    is_off: bool,
}

/// What an operation meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Supply {
    On,
    FailsNow,
    Off,
}

impl PowerCut {
    /// Power lasts for `operations` more operations and fails at the next one.
    pub fn new(operations: u64, tear: Tear, seed: u64) -> PowerCut {
        PowerCut {
            operations_left: operations,
            tear,
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            is_off: false,
        }
    }

    /// Whether power has failed.
    pub fn is_off(&self) -> bool {
        self.is_off
    }

    /// Operations that power still lasts for.
    pub fn operations_left(&self) -> u64 {
        self.operations_left
    }

    pub(super) fn next_operation(&mut self) -> Supply {
        if self.is_off {
            return Supply::Off;
        }
        if self.operations_left == 0 {
            self.is_off = true;
            return Supply::FailsNow;
        }
        self.operations_left -= 1;
        Supply::On
    }

    /// Leaves `cells` as the torn operation does that would have made them `new`. `mixed` gives a
    /// byte between an old and a new one, from random bits.
    pub(super) fn tear(
        &mut self,
        cells: &mut [u8],
        new: impl Fn(usize) -> u8,
        mixed: impl Fn(u8, u8, u64) -> u8,
    ) {
        let length = cells.len();
        let point = ((u128::from(self.rng.next_u64()) * (length as u128 + 1)) >> 64) as usize;
        for (index, cell) in cells.iter_mut().enumerate() {
            match self.tear {
                Tear::Clean => {}
                Tear::Front if index < point => *cell = new(index),
                Tear::Back if index >= point => *cell = new(index),
                Tear::Front | Tear::Back => {}
                Tear::Scattered => *cell = mixed(*cell, new(index), self.rng.next_u64()),
            }
        }
    }
}
