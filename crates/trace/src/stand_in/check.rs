//! Checks of a profile, on which the generator relies.

use super::moment::Moment;
use super::profile::{Access, GROUPS, KINDS, Profile, SLICES};
use super::sites::Touch;
use crate::error::TraceError;

/// Pages of the largest run, 4 TiB.
const MOST_RUN_PAGES: u32 = 1 << 30;
/// The longest octave or half octave.
const MOST_BIN: usize = 64;

impl Profile {
    /// Checks what the generator relies on.
    ///
    /// # Errors
    /// No requests, no space, counts outside their scales, sizes of nothing or beyond all measure.
    pub fn check(&self) -> Result<(), TraceError> {
        match self.problem() {
            None => Ok(()),
            Some(what) => Err(TraceError::parameter(
                format!("the stand-in profile \"{}\": {what}", self.name),
                "make it with `rewear stand-in fit`, or copy one of the folder experiments/workloads",
            )),
        }
    }

    fn access(&self, touch: Touch) -> &Access {
        match touch {
            Touch::Read => &self.read,
            Touch::Write => &self.write,
            Touch::Trim => &self.trim,
        }
    }

    fn problem(&self) -> Option<String> {
        if self.requests == 0 || self.space_pages == 0 {
            return Some("it has no requests or no space".into());
        }
        if self.space_pages > 1 << 40 {
            return Some("its space is beyond 4 PiB".into());
        }
        if self.read.is_none() && self.write.is_none() {
            return Some("it neither reads nor writes".into());
        }
        for (name, access) in [("read", &self.read), ("write", &self.write), ("trim", &self.trim)] {
            if !access.is_none()
                && let Some(what) = access.problem()
            {
                return Some(format!("{name} {what}"));
            }
        }
        if !(0.0..=1.0).contains(&self.arrival.day_swing) {
            return Some("the swing of a day lies outside 0 to 1".into());
        }
        if !(0.0..=10.0).contains(&self.arrival.stretch) {
            return Some("the factor of pauses lies outside 0 to 10".into());
        }
        let mut rows = self.arrival.chain.iter();
        let outside = |number: &u16| usize::from(*number) >= Moment::COUNT;
        let wrong = rows.any(|(from, next, deck)| {
            outside(from) || next.iter().any(outside) || next.len() != deck.counts().len()
        });
        if wrong || self.arrival.chain.iter().all(|(.., deck)| deck.total() == 0) {
            return Some("its arrivals are none, or lie outside their scale".into());
        }
        let mut moments = self.arrival.chain.iter().flat_map(|(_, next, _)| next);
        if moments.any(|&moment| self.access(Moment::of_number(moment).touch).is_none()) {
            return Some("an operation arrives that has no places".into());
        }
        None
    }
}

impl Access {
    fn problem(&self) -> Option<String> {
        if self.places.len() != KINDS || self.kinds.iter().any(|(.., deck)| deck.counts().len() > KINDS) {
            return Some(format!("does not have {KINDS} kinds of places"));
        }
        if self
            .kinds
            .iter()
            .any(|&(slice, group, _)| usize::from(slice) >= SLICES || usize::from(group) >= GROUPS)
        {
            return Some(format!("has a slice beyond {SLICES} or a group beyond {GROUPS}"));
        }
        if self.sectors.counts().len() > 9 || self.sectors.counts().first().is_some_and(|&count| count > 0) {
            return Some("has a request of one page outside 1 to 8 sectors".into());
        }
        let scales = [&self.between, &self.new_gaps];
        let scales =
            scales.into_iter().chain(&self.behind_ranks).chain(self.places.iter().map(|place| &place.ranks));
        if scales.into_iter().any(|deck| deck.counts().len() > MOST_BIN) {
            return Some("has a count outside its scale".into());
        }
        let mut lengths = self.places.iter().map(|place| &place.lengths);
        lengths.find_map(|lengths| {
            let wrong = |&(least, most, first, requests): &(u32, u32, u32, u32)| {
                least == 0 || most < least || most > MOST_RUN_PAGES || first == 0 || requests == 0
            };
            if lengths.shapes.iter().any(wrong) {
                return Some(format!("has a size outside 1 to {MOST_RUN_PAGES} pages"));
            }
            let is_even = lengths.shapes.len() == lengths.counts.counts().len();
            (!is_even).then(|| "has shapes and counts of different length".into())
        })
    }
}
