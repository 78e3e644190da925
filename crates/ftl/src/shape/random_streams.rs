//! Random streams of schemes: one for the drive, or one for each die where dies are drives of their
//! own.
//!
//! Under static striping nothing that happens on a die depends on another, and so neither does what
//! is drawn for it. Then parts of a drive draw what the whole one draws. Die `d` has the stream of
//! the seed after `d` jumps (Blackman, Vigna: Scrambled Linear Pseudorandom Number Generators, ACM
//! TOMS 2021: 2^128 draws each).

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use rewear_flash::PartOf;

use crate::address::Unit;

/// Who draws together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DrawnTogether {
    /// Erase units of a stream, and how many streams there are.
    pub(crate) units: u32,
    pub(crate) streams: u32,
    /// Of which part of a drive they are.
    pub(crate) part: PartOf,
}

/// The streams of a drive; see the module's page.
#[derive(Debug, Clone, Default)]
pub(crate) struct RandomStreams {
    streams: Vec<Xoshiro256PlusPlus>,
    units: u32,
}

impl RandomStreams {
    pub(crate) fn new(seed: u64, together: DrawnTogether) -> RandomStreams {
        let (mut next, mut jumps) = (Xoshiro256PlusPlus::seed_from_u64(seed), 0);
        let streams = (0..together.streams).map(|own| {
            while jumps < together.part.number(own) {
                next.jump();
                jumps += 1;
            }
            next.clone()
        });
        RandomStreams { streams: streams.collect(), units: together.units }
    }

    /// The stream of a unit; `None` on a drive that takes no pages.
    #[inline]
    pub(crate) fn of(&mut self, unit: Unit) -> Option<&mut Xoshiro256PlusPlus> {
        match &mut self.streams[..] {
            [one] => Some(one),
            streams => streams.get_mut(unit.0.checked_div(self.units)? as usize),
        }
    }
}

#[cfg(test)]
mod tests {
    use rand_xoshiro::rand_core::Rng;

    use super::*;

    fn draws(streams: u32, part: PartOf) -> Vec<u64> {
        let mut streams = RandomStreams::new(7, DrawnTogether { units: 10, streams, part });
        (0..60).step_by(10).filter_map(|unit| streams.of(Unit(unit)).map(Rng::next_u64)).collect()
    }

    #[test]
    fn parts_draw_what_the_whole_draws() {
        let whole = draws(6, PartOf::WHOLE);
        let seeded = Xoshiro256PlusPlus::seed_from_u64(7).next_u64();
        assert_eq!(whole[0], seeded, "the first stream is that of the seed");
        for count in [1, 2, 3, 6] {
            for of in PartOf::each(count) {
                let part = draws(6 / count, of);
                let expected: Vec<u64> =
                    whole.iter().copied().skip(of.index as usize).step_by(count as usize).collect();
                assert_eq!(part[..expected.len()], expected, "{of:?}");
            }
        }
        assert!(draws(0, PartOf::WHOLE).is_empty());
    }
}
