//! What parts of a drive did, each with some of its dies, in the figures of the whole.

use rewear_flash::PartOf;

use crate::hand::Hand;
use crate::shape::parts::UnitsOfPart;
use crate::state::counters::Counters;

impl Hand {
    /// Takes over counters, how blocks stand, how long dies worked, and what schemes report.
    pub(crate) fn gather<'p>(&mut self, parts: impl ExactSizeIterator<Item = &'p Hand> + Clone) {
        self.state.array.gather(parts.clone().map(|part| &part.state.array));
        self.state.counters = Counters::default();
        self.effort.reset_counts();
        for (of, part) in PartOf::each(parts.len() as u32).zip(parts) {
            self.state.counters += part.state.counters;
            self.effort.add_counts(part.effort.counts());
            for units in UnitsOfPart::of_dies(&part.state.layout, of) {
                self.state.units.take_cached(&units, &part.state.units);
            }
        }
    }
}
