//! Logical pages that share a physical page (deduplication): the owners beside the one that the
//! inverse map names.
//!
//! The owners of a page form a ring, so that moving the page finds them all and one can leave in
//! constant time. A page becomes invalid when its last owner leaves. Memory: 8 bytes a logical
//! page, where pages may be shared at all.

use crate::address::Lpn;
use crate::cache_hints::hint;

/// Rings of logical pages.
#[derive(Debug, Clone)]
pub struct Sharing {
    /// Next and previous owner of the same page; a page's only owner is its own neighbour.
    rings: Vec<(Lpn, Lpn)>,
}

impl Sharing {
    /// Bytes of the model for each logical page.
    pub const BYTES_PER_LPN: u64 = 8;

    /// Nobody shares.
    pub fn new(logical_pages: u32) -> Sharing {
        Sharing { rings: Lpn::all(logical_pages).map(|lpn| (lpn, lpn)).collect() }
    }

    /// Brings the neighbours of a logical page, if there is one, into the cache.
    #[inline]
    pub fn hint(&self, lpn: u64) {
        hint(&self.rings, lpn as usize);
    }

    /// A logical page that is alone joins the ring of another.
    pub fn join(&mut self, lpn: Lpn, other: Lpn) {
        let next = self.rings[other.index()].0;
        self.rings[other.index()].0 = lpn;
        self.rings[lpn.index()] = (next, other);
        self.rings[next.index()].1 = lpn;
    }

    /// A logical page leaves its ring and is alone; returns one of those that stay, if there are
    /// any.
    pub fn leave(&mut self, lpn: Lpn) -> Option<Lpn> {
        let (next, previous) = self.rings[lpn.index()];
        if next == lpn {
            return None;
        }
        self.rings[previous.index()].0 = next;
        self.rings[next.index()].1 = previous;
        self.rings[lpn.index()] = (lpn, lpn);
        Some(next)
    }

    /// The next owner of the same page, round the ring.
    pub fn next(&self, lpn: Lpn) -> Lpn {
        self.rings[lpn.index()].0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(sharing: &Sharing, lpn: u32) -> Vec<u32> {
        let mut all: Vec<_> = std::iter::successors(Some(sharing.next(Lpn(lpn))), |&other| {
            Some(sharing.next(other)).filter(|_| other != Lpn(lpn))
        })
        .map(|other| other.0)
        .collect();
        all.sort_unstable();
        all
    }

    #[test]
    fn owners_come_and_go_in_any_order() {
        let mut sharing = Sharing::new(6);
        assert_eq!(ring(&sharing, 3), [3]);
        (0..5).filter(|&lpn| lpn != 2).for_each(|lpn| sharing.join(Lpn(lpn), Lpn(2)));
        assert_eq!(ring(&sharing, 4), [0, 1, 2, 3, 4]);
        assert!(sharing.leave(Lpn(2)).is_some_and(|stays| stays != Lpn(2)));
        assert!(sharing.leave(Lpn(0)).is_some());
        assert_eq!(ring(&sharing, 1), [1, 3, 4]);
        assert_eq!(ring(&sharing, 2), [2]);
        assert!(sharing.leave(Lpn(1)).is_some() && sharing.leave(Lpn(3)).is_some());
        assert_eq!(sharing.leave(Lpn(4)), None);
    }
}
