//! The order in which host writes go round the pools.

use crate::address::Pool;
use crate::shape::layout::Layout;

/// Pools in striping order: consecutive host writes go to different dies (which are numbered round
/// the channels), and come back to a die's other pools only after all dies had their turn.
#[derive(Debug, Clone)]
pub(super) struct StripeOrder {
    /// Dies, or groups of planes where an erase unit spans several dies.
    pub dies: u32,
    /// Pools of each die.
    pub pools_per_die: u32,
    order: Vec<Pool>,
    next: usize,
    /// The pool of each die that came last, where the die is chosen otherwise.
    last: Vec<u32>,
    /// Pools with less room are left out of this round, where a round is to even them out.
    pub least_room: u32,
}

impl StripeOrder {
    pub(super) fn new(layout: &Layout, planes_per_die: u32) -> StripeOrder {
        let pools_per_die = (planes_per_die / layout.width).max(1);
        let dies = layout.pools / pools_per_die;
        let order = (0..pools_per_die)
            .flat_map(|within| (0..dies).map(move |die| Pool(die * pools_per_die + within)))
            .collect();
        StripeOrder { dies, pools_per_die, order, next: 0, last: vec![0; dies as usize], least_room: 0 }
    }

    /// The next pool of the round.
    #[inline]
    pub(super) fn next_pool(&mut self) -> Pool {
        let pool = self.order[self.next];
        self.next += 1;
        if self.next == self.order.len() {
            self.next = 0;
        }
        pool
    }

    /// Whether [`next_pool`](Self::next_pool) will return the first pool of a round.
    pub(super) fn begins_round(&self) -> bool {
        self.next == 0
    }

    /// The pool that [`next_pool`](Self::next_pool) will return.
    pub(super) fn peek_pool(&self) -> Pool {
        self.order[self.next]
    }

    /// The pools of a die, in turn: the one after the last first.
    pub(super) fn pools_of_die(&self, die: u32) -> impl Iterator<Item = Pool> + use<> {
        let (first, members) = (die * self.pools_per_die, self.pools_per_die);
        let last = self.last[die as usize];
        (1..=members).map(move |step| Pool(first + (last + step) % members))
    }

    /// This pool of a die was chosen.
    pub(super) fn chosen(&mut self, die: u32, pool: Pool) {
        self.last[die as usize] = pool.0 - die * self.pools_per_die;
    }
}
