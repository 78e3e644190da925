//! Streams `sep-bit`: SepBIT, which infers when pages will be written again and puts those together
//! that die at about the same time.
//!
//! # Idea
//! The life of a page's last version tells the life of the one that replaces it: a short life is
//! followed by a short one. And a page that has grown old without being written again is likely to
//! stay. So host writes fall into two classes by the life of what they replace, and moved pages
//! into four: survivors of the class of short lives, and three of rising age.
//!
//! # Paper
//! Wang, Li, Lee, Ouyang, Shi, Huang: Separating Data via Block Invalidation Time Inference for
//! Write Amplification Reduction in Log-Structured Storage, FAST 2022.
//!
//! # Parameters
//! None. The mean life l is over the paper's n_c = 16 units. The ages that divide classes 4, 5 and 6
//! are the paper's 4 l and 16 l.
//!
//! # Cost
//! Six open erase units a pool, four bytes a logical page, eight a unit.
//!
//! Controller RAM: `4 * pages + 8 * units`.
//!
//! # Deviations
//! The paper keeps the times of recent writes in a first-in, first-out queue, and those of all
//! pages on the medium, to be read when a page is moved. Here they lie in a table, in steps of 1/64
//! of a unit at most, so that a page's time wraps after 2^32 steps. A segment is an erase unit;
//! units of all pools count. The life of what a trim invalidated counts up to the next write. After
//! a mount all times are unknown. Where a victim fills two classes at once and no unit is free, its
//! pages go to the next older class.
//!
//! # Sections
//! 3.3 and Algorithm 1. `UserWrite`: [`SepBit::stream_of`]; `GCWrite`: [`SepBit::stream_of_move`];
//! `GarbageCollect`, which measures the mean life l of units of class 1: [`SepBit::reclaimed`].

use super::figures::StreamFigures;
use super::last_writes::LastWrites;
use super::policy::{MovedWith, Policy, StreamShape};
use crate::address::{Lpn, Unit};
use crate::config::choices::MovedPages;
use crate::shape::layout::Layout;
use crate::state::units::stream::Stream;

const CLASSES: usize = 6;

/// The open units of the paper's classes 1 to 6.
const STREAMS: [Stream; CLASSES] =
    [Stream::Host, Stream::HostCold, Stream::Class(0), Stream::Class(1), Stream::Class(2), Stream::Class(3)];

/// Reclaimed units of class 1 over whose lives the mean is taken anew: the paper's n_c.
const LIFESPAN_UNITS: u32 = 16;

/// See the module's page.
#[derive(Debug, Clone)]
pub struct SepBit {
    writes: LastWrites,
    /// When each unit was opened, in host pages.
    opened: Vec<u64>,
    /// The mean life of units of class 1, in host pages; the largest number as long as it is not
    /// known.
    lifespan: u64,
    /// Units of class 1 since it was measured, and their lives together.
    reclaimed: u32,
    lives: u64,
    figures: StreamFigures,
}

impl Policy for SepBit {
    type Config = ();

    const SORTS_MOVES: bool = true;

    fn shape((): &(), _: MovedPages) -> StreamShape {
        StreamShape { open_units: CLASSES as u32, classes: CLASSES as u32 - 2, moved_with: MovedWith::Nobody }
    }

    fn table_bytes((): &(), layout: &Layout) -> u64 {
        LastWrites::table_bytes(layout) + 8 * u64::from(layout.units())
    }

    fn new((): &()) -> SepBit {
        SepBit {
            writes: LastWrites::default(),
            opened: Vec::new(),
            lifespan: u64::MAX,
            reclaimed: 0,
            lives: 0,
            figures: StreamFigures::new(1, CLASSES, false),
        }
    }

    fn prepare(&mut self, _: MovedPages, layout: &Layout) {
        self.writes = LastWrites::new(layout.exported_pages, layout.slots_per_unit);
        self.opened = vec![0; layout.units() as usize];
    }

    fn stream_of(&mut self, lpn: Lpn) -> Stream {
        // A page that is new replaces nothing: its life is taken for infinite.
        let is_short = self.writes.replace(lpn).is_some_and(|life| life < self.lifespan);
        let class = usize::from(!is_short);
        self.figures.rows[class].written += 1;
        STREAMS[class]
    }

    fn stream_of_move(&mut self, lpn: Lpn, from: Stream) -> Stream {
        let age = self.writes.age(lpn).unwrap_or(u64::MAX);
        let class = match from {
            Stream::Host => 2,
            _ if age < self.lifespan.saturating_mul(4) => 3,
            _ if age < self.lifespan.saturating_mul(16) => 4,
            _ => 5,
        };
        self.figures.rows[class].moved += 1;
        STREAMS[class]
    }

    fn opened(&mut self, unit: Unit, _: Stream) {
        self.opened[unit.index()] = self.writes.now();
    }

    fn reclaimed(&mut self, unit: Unit, stream: Stream, _: u32) {
        if stream != STREAMS[0] {
            return;
        }
        self.reclaimed += 1;
        self.lives += self.writes.now() - self.opened[unit.index()];
        if self.reclaimed == LIFESPAN_UNITS {
            self.lifespan = self.lives / u64::from(self.reclaimed);
            (self.reclaimed, self.lives) = (0, 0);
        }
    }

    fn figures(&self) -> Option<&StreamFigures> {
        Some(&self.figures)
    }

    fn reset_counts(&mut self) {
        self.figures.reset();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy() -> SepBit {
        let mut policy = SepBit::new(&());
        (policy.writes, policy.opened) = (LastWrites::new(1000, 64), vec![0; 4]);
        policy
    }

    fn write(policy: &mut SepBit, lpns: std::ops::Range<u32>) -> Vec<Stream> {
        lpns.map(|lpn| policy.stream_of(Lpn(lpn))).collect()
    }

    #[test]
    fn lives_and_ages_are_divided_where_algorithm_1_divides_them() {
        let mut policy = policy();
        // As long as no life is known, whatever replaces a version is of class 1, and what is new
        // of class 2.
        assert_eq!(write(&mut policy, 0..1), [STREAMS[1]]);
        assert_eq!(write(&mut policy, 0..1), [STREAMS[0]]);
        // Sixteen units of class 1, as if eight were opened at 2 and reclaimed at 12, and eight at 6 and
        // 16: a mean life of 10.
        policy.opened(Unit(0), STREAMS[0]);
        write(&mut policy, 1..5);
        policy.opened(Unit(1), STREAMS[0]);
        write(&mut policy, 5..11);
        (0..8).for_each(|_| policy.reclaimed(Unit(0), STREAMS[0], 0));
        assert_eq!(policy.lifespan, u64::MAX);
        policy.reclaimed(Unit(2), STREAMS[1], 0);
        write(&mut policy, 11..15);
        (0..8).for_each(|_| policy.reclaimed(Unit(1), STREAMS[0], 0));
        assert_eq!(policy.lifespan, 10);
        // Pages 6 and 7 were the 8th and 9th of 16 writes: the 17th and 18th come 9 writes later;
        // page 0, the 2nd, 17 later.
        assert_eq!(write(&mut policy, 6..8), [STREAMS[0]; 2]);
        assert_eq!(write(&mut policy, 0..1), [STREAMS[1]]);
        // A life of exactly the mean is long: page 9 was the 11th write, and the next but one is
        // the 21st.
        assert_eq!(write(&mut policy, 20..21), [STREAMS[1]]);
        assert_eq!(write(&mut policy, 9..10), [STREAMS[1]]);
        // Survivors of class 1, whatever their age; the others by age: 40 and 160 are the first of
        // classes 5 and 6.
        assert_eq!(policy.stream_of_move(Lpn(9), STREAMS[0]), STREAMS[2]);
        for (writes, class) in [(39, 3), (1, 4), (119, 4), (1, 5)] {
            write(&mut policy, 500..500 + writes);
            assert_eq!(policy.stream_of_move(Lpn(9), STREAMS[3]), STREAMS[class], "{}", policy.writes.now());
        }
        assert_eq!(policy.figures.rows.iter().map(|row| row.moved).collect::<Vec<_>>(), [0, 0, 1, 1, 2, 1]);
    }
}
