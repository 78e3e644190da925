//! Host writes on their way to the miniatures: each comes there some writes later, once what it
//! looks up is in the cache. Whoever looks at a miniature, or changes it otherwise, lets all of
//! them come first, so nothing depends on the delay.

use crate::address::Lpn;

/// Writes on their way.
const WRITES: usize = 8;

#[derive(Debug, Clone)]
pub(super) struct Delay {
    pages: [Lpn; WRITES],
    /// The place of the earliest write, which the next one takes.
    next: usize,
}

impl Delay {
    pub(super) fn new() -> Delay {
        Delay { pages: [Lpn::NONE; WRITES], next: 0 }
    }

    /// A write sets out; returns the one that arrives, `NONE` if there is none.
    #[inline]
    pub(super) fn pass(&mut self, lpn: Lpn) -> Lpn {
        let arrives = std::mem::replace(&mut self.pages[self.next], lpn);
        self.next = (self.next + 1) % WRITES;
        arrives
    }

    /// All writes on their way, the earliest first.
    pub(super) fn all(&mut self) -> impl Iterator<Item = Lpn> + use<> {
        let mut pages = std::mem::replace(&mut self.pages, [Lpn::NONE; WRITES]);
        pages.rotate_left(self.next);
        pages.into_iter().filter(|&lpn| lpn != Lpn::NONE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_arrive_in_their_order() {
        let (mut delay, mut arrived) = (Delay::new(), Vec::new());
        for lpn in 0..100 {
            arrived.push(delay.pass(Lpn(lpn)));
            if lpn % 7 == 6 || lpn == 50 {
                arrived.extend(delay.all());
            }
        }
        arrived.extend(delay.all());
        arrived.retain(|&lpn| lpn != Lpn::NONE);
        assert_eq!(arrived, (0..100).map(Lpn).collect::<Vec<_>>());
    }
}
