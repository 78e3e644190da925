//! The order in which the waiting pages of a write buffer are destaged: `fifo`, `lru`, or `slru`.
//!
//! Segmented LRU (Karedla, Love, Wherry: Caching Strategies to Improve Disk System Performance,
//! IEEE Computer 27(3), 1994): a page enters the probationary segment and moves to the protected
//! one when it is written again; the protected segment holds half of the buffer at most and gives
//! its least recently written page back. Destaging takes the least recently written page on
//! probation.

/// No slot.
const NONE: u32 = u32::MAX;

/// Which page is destaged first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replacement {
    /// The one that has been there longest.
    Fifo,
    /// The least recently written.
    Lru,
    /// The least recently written of those written once.
    Slru,
}

const PROBATION: u8 = 0;
const PROTECTED: u8 = 1;

#[derive(Debug, Clone, Copy)]
struct Link {
    next: u32,
    previous: u32,
    segment: u8,
}

#[derive(Debug, Clone, Copy)]
struct Segment {
    oldest: u32,
    newest: u32,
    len: u32,
}

/// Slots in the order of their destaging.
#[derive(Debug, Clone)]
pub struct Waiting {
    links: Vec<Link>,
    segments: [Segment; 2],
    replacement: Replacement,
}

impl Waiting {
    /// An empty buffer of `slots` slots.
    pub fn new(slots: u32, replacement: Replacement) -> Waiting {
        let empty = Segment { oldest: NONE, newest: NONE, len: 0 };
        let unlinked = Link { next: NONE, previous: NONE, segment: PROBATION };
        Waiting { links: vec![unlinked; slots as usize], segments: [empty; 2], replacement }
    }

    /// Slots that wait.
    pub fn len(&self) -> u32 {
        self.segments[0].len + self.segments[1].len
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The slot whose turn it is; [`NONE`] if none waits.
    pub fn first(&self) -> u32 {
        match self.segments[0].oldest {
            NONE => self.segments[1].oldest,
            slot => slot,
        }
    }

    /// A page comes into a slot.
    pub fn add(&mut self, slot: u32) {
        self.link_last(slot, PROBATION);
    }

    /// The page of a slot is written again.
    pub fn renew(&mut self, slot: u32) {
        match self.replacement {
            Replacement::Fifo => {}
            Replacement::Lru => {
                self.remove(slot);
                self.link_last(slot, PROBATION);
            }
            Replacement::Slru => {
                self.remove(slot);
                self.link_last(slot, PROTECTED);
                if self.segments[1].len as usize > self.links.len() / 2 {
                    let oldest = self.segments[1].oldest;
                    self.remove(oldest);
                    self.link_last(oldest, PROBATION);
                }
            }
        }
    }

    /// The page of a slot waits no longer.
    pub fn remove(&mut self, slot: u32) {
        let Link { next, previous, segment } = self.links[slot as usize];
        let own = &mut self.segments[usize::from(segment)];
        own.len -= 1;
        match self.links.get_mut(previous as usize) {
            Some(previous) => previous.next = next,
            None => own.oldest = next,
        }
        match self.links.get_mut(next as usize) {
            Some(next) => next.previous = previous,
            None => own.newest = previous,
        }
    }

    fn link_last(&mut self, slot: u32, segment: u8) {
        let own = &mut self.segments[usize::from(segment)];
        let previous = std::mem::replace(&mut own.newest, slot);
        own.len += 1;
        match self.links.get_mut(previous as usize) {
            Some(previous) => previous.next = slot,
            None => own.oldest = slot,
        }
        self.links[slot as usize] = Link { next: NONE, previous, segment };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Slots 0 to 5 come, 0, 2, 3 and 5 are written again in that order, and all leave.
    fn order(replacement: Replacement) -> Vec<u32> {
        let mut waiting = Waiting::new(6, replacement);
        (0..6).for_each(|slot| waiting.add(slot));
        [0, 2, 3, 5].into_iter().for_each(|slot| waiting.renew(slot));
        let mut left = Vec::new();
        while !waiting.is_empty() {
            left.push(waiting.first());
            waiting.remove(waiting.first());
        }
        left
    }

    #[test]
    fn pages_leave_in_the_order_that_the_name_says() {
        assert_eq!(order(Replacement::Fifo), [0, 1, 2, 3, 4, 5]);
        assert_eq!(order(Replacement::Lru), [1, 4, 0, 2, 3, 5]);
        // Three of six may be protected: the fourth that is written again sends 0 back behind 4.
        assert_eq!(order(Replacement::Slru), [1, 4, 0, 2, 3, 5]);
        let mut waiting = Waiting::new(4, Replacement::Slru);
        (0..2).for_each(|slot| waiting.add(slot));
        waiting.renew(0);
        (2..4).for_each(|slot| waiting.add(slot));
        waiting.remove(1);
        waiting.remove(2);
        // Page 3 came last, but page 0 was written twice.
        assert_eq!(waiting.first(), 3);
    }
}
