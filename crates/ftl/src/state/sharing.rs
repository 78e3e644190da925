//! Logical pages that share a physical page (deduplication): the owners beside the one that the inverse map names.
//!
//! The owners of a page form a ring, so that moving the page finds them all and one can leave in constant time. A page
//! becomes invalid when its last owner leaves. Memory: 8 bytes a logical page, where pages may be shared at all.

use crate::address::Lpn;

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
        Sharing { rings: (0..logical_pages).map(|lpn| (lpn, lpn)).collect() }
    }

    /// A logical page that is alone joins the ring of another.
    pub fn join(&mut self, lpn: Lpn, other: Lpn) {
        let next = self.rings[other as usize].0;
        self.rings[other as usize].0 = lpn;
        self.rings[lpn as usize] = (next, other);
        self.rings[next as usize].1 = lpn;
    }

    /// A logical page leaves its ring and is alone; returns one of those that stay, if there are any.
    pub fn leave(&mut self, lpn: Lpn) -> Option<Lpn> {
        let (next, previous) = self.rings[lpn as usize];
        if next == lpn {
            return None;
        }
        self.rings[previous as usize].0 = next;
        self.rings[next as usize].1 = previous;
        self.rings[lpn as usize] = (lpn, lpn);
        Some(next)
    }

    /// The next owner of the same page, round the ring.
    pub fn next(&self, lpn: Lpn) -> Lpn {
        self.rings[lpn as usize].0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(sharing: &Sharing, lpn: Lpn) -> Vec<Lpn> {
        let mut all: Vec<_> = std::iter::successors(Some(sharing.next(lpn)), |&other| {
            Some(sharing.next(other)).filter(|_| other != lpn)
        })
        .collect();
        all.sort_unstable();
        all
    }

    #[test]
    fn owners_come_and_go_in_any_order() {
        let mut sharing = Sharing::new(6);
        assert_eq!(ring(&sharing, 3), [3]);
        (0..5).filter(|&lpn| lpn != 2).for_each(|lpn| sharing.join(lpn, 2));
        assert_eq!(ring(&sharing, 4), [0, 1, 2, 3, 4]);
        assert!(sharing.leave(2).is_some_and(|stays| stays != 2));
        assert!(sharing.leave(0).is_some());
        assert_eq!(ring(&sharing, 1), [1, 3, 4]);
        assert_eq!(ring(&sharing, 2), [2]);
        assert!(sharing.leave(1).is_some() && sharing.leave(3).is_some());
        assert_eq!(sharing.leave(4), None);
    }
}
