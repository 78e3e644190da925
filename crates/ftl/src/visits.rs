//! The order in which host writes go round the pools.

use crate::layout::Layout;

/// Pools in striping order: consecutive host writes go to different dies (which are numbered round the channels), and
/// come back to a die's other pools only after all dies had their turn.
#[derive(Debug, Clone)]
pub struct Visits {
    /// Dies, or groups of planes where an erase unit spans several dies.
    pub dies: u32,
    /// Pools of each die.
    pub pools_per_die: u32,
    order: Vec<u32>,
    next: usize,
    turn: u32,
}

impl Visits {
    /// The order for a layout.
    pub fn new(layout: &Layout, planes_per_die: u32) -> Visits {
        let pools_per_die = (planes_per_die / layout.width).max(1);
        let dies = layout.pools / pools_per_die;
        let order = (0..pools_per_die)
            .flat_map(|within| (0..dies).map(move |die| die * pools_per_die + within))
            .collect();
        Visits { dies, pools_per_die, order, next: 0, turn: 0 }
    }

    /// The next pool of the round.
    #[inline]
    pub fn next_pool(&mut self) -> u32 {
        let pool = self.order[self.next];
        self.next += 1;
        if self.next == self.order.len() {
            self.next = 0;
        }
        pool
    }

    /// The pool that [`next_pool`](Self::next_pool) will return.
    pub fn peek_pool(&self) -> u32 {
        self.order[self.next]
    }

    /// The pool of a die that the next turn prefers among equals.
    pub fn peek_pool_of_die(&self, die: u32) -> u32 {
        die * self.pools_per_die + (self.turn + 1) % self.pools_per_die
    }

    /// A number that rises by one with each call, to break ties in turn.
    pub fn turn(&mut self) -> u32 {
        self.turn = (self.turn + 1) % self.pools_per_die;
        self.turn
    }
}
