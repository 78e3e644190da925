//! Histograms of the shapes of runs.

use rand_xoshiro::Xoshiro256PlusPlus;

use super::deck::Deck;
use super::sites::Shape;
use crate::workloads::random::below;

/// Ranges of sizes of runs, with the size of a run's first request and the number of its requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lengths {
    /// The least and the most pages of a run, the pages of its first request, and its requests; a
    /// size is drawn evenly from its range.
    pub shapes: Vec<(u32, u32, u32, u32)>,
    /// How often each occurs.
    pub counts: Deck,
}

impl Lengths {
    /// A shape; `None` if the histogram is empty.
    pub(super) fn draw(&mut self, random: &mut Xoshiro256PlusPlus) -> Option<Shape> {
        let (least, most, request_pages, requests) = *self.shapes.get(self.counts.draw(random)?)?;
        let pages = least + below(random, u64::from(most.saturating_sub(least)) + 1) as u32;
        Some(Shape { pages, request_pages, requests }.cut(pages))
    }
}
