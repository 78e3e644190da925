//! Pairs of exact sets: what Bloom filters without collisions would say.

use super::separator::{PAIRS, PairSet};
use crate::address::Lpn;
use crate::effort::scheme::Access;

/// For every logical page the pairs that know it, and for every set its members, so that a reset
/// costs no more than they did.
#[derive(Debug, Clone)]
pub(super) struct Exact {
    pairs_of: [Vec<PairSet>; 2],
    members: [[Vec<Lpn>; PAIRS]; 2],
}

impl Exact {
    pub(super) fn new(pages: u32) -> Exact {
        let none = vec![0; pages as usize];
        Exact { pairs_of: [none.clone(), none], members: Default::default() }
    }

    /// Memory that it takes, without the lists of members.
    pub(super) fn bytes(&self) -> u64 {
        self.pairs_of[0].len() as u64 * 2
    }

    #[inline]
    pub(super) fn add(&mut self, access: Access, pair: usize, lpn: Lpn) {
        let pairs = &mut self.pairs_of[access as usize][lpn.index()];
        if *pairs >> pair & 1 == 0 {
            *pairs |= 1 << pair;
            self.members[access as usize][pair].push(lpn);
        }
    }

    #[inline]
    pub(super) fn find(&self, lpn: Lpn) -> [PairSet; 2] {
        [self.pairs_of[0][lpn.index()], self.pairs_of[1][lpn.index()]]
    }

    pub(super) fn reset(&mut self, pair: usize) {
        for (pairs_of, members) in self.pairs_of.iter_mut().zip(&mut self.members) {
            for lpn in members[pair].drain(..) {
                pairs_of[lpn.index()] &= !(1 << pair);
            }
        }
    }
}
