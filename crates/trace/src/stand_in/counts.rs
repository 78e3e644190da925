//! The counts behind the profile of one operation.

use std::collections::BTreeMap;
use std::ops::Range;

use super::bins::{octave, rank_bin};
use super::deck::Deck;
use super::lengths::{Lengths, ShapeCounts};
use super::profile::{Access, KINDS, OfPlace, Place, SLICES};
use super::sites::Shape;
use super::touched::Touched;

/// Counts of one operation.
#[derive(Debug)]
pub(super) struct Counts {
    kinds: BTreeMap<(u8, u8), Deck>,
    last_group: usize,
    /// Counts that stay as they are; the rest is filled in at the end.
    access: Access,
    places: Vec<(OfPlace, ShapeCounts)>,
}

impl Counts {
    pub(super) fn new() -> Counts {
        Counts {
            kinds: BTreeMap::new(),
            last_group: Place::New.group(1),
            access: Access::default(),
            places: vec![Default::default(); KINDS],
        }
    }

    /// A request of one page.
    pub(super) fn sectors(&mut self, sectors: u32) {
        self.access.sectors.count(sectors.clamp(1, 8) as usize);
    }

    /// A request continues a run, with that many requests of the operation between.
    pub(super) fn continues(&mut self, between: u64) {
        self.access.between.count(octave(between));
    }

    /// Which of the recent sites was followed.
    pub(super) fn followed(&mut self, which: usize) {
        self.access.followed.count(which);
    }

    /// Which of the recent requests ended on the first page of a run.
    pub(super) fn edge(&mut self, which: usize) {
        self.access.edges.count(which);
    }

    /// The rank of a known site, and whether the run of some pages began inside.
    pub(super) fn known(&mut self, place: Place, pages: u32, rank: u32, inside: bool) {
        let (of_place, _) = &mut self.places[place.kind(pages)];
        of_place.ranks.count(rank_bin(rank));
        of_place.inside.count(usize::from(inside));
    }

    /// Whether all pages of a run to a known site were touched before.
    pub(super) fn covered(&mut self, place: Place, pages: u32, covered: bool) {
        self.places[place.kind(pages)].0.covered.count(usize::from(covered));
    }

    /// Where a new site lies.
    pub(super) fn new_site(&mut self, touched: &Touched, pages: Range<u64>) {
        let access = &mut self.access;
        match touched.before(pages.start) {
            Some((page, owner, number)) => {
                access.behind.count(owner as usize);
                access.behind_ranks[owner as usize].count(rank_bin(touched.of(owner).rank_of_all(number)));
                access.new_gaps.count(octave(pages.start - page - 1));
            }
            None => access.behind.count(3),
        }
        let free = touched.extents.free_from(pages.start, pages.end);
        access.wholly_new.count(usize::from(free == pages.end - pages.start));
    }

    /// A run began at a place, at a fraction of the operation's runs; `before` are the pages that
    /// it may have repeated.
    pub(super) fn began(&mut self, fraction: f64, place: Place, shape: Shape, before: Option<u32>) {
        let slice = ((fraction * SLICES as f64) as usize).min(SLICES - 1);
        let kind = place.kind(shape.pages);
        self.kinds.entry((slice as u8, self.last_group as u8)).or_default().count(kind);
        self.last_group = place.group(shape.pages);
        let (of_place, lengths) = &mut self.places[kind];
        if let Some(before) = before {
            of_place.same_size.count(usize::from(before == shape.pages));
        }
        // The size is drawn first and a site of it is looked for; only in new space sizes are
        // repeated.
        if place != Place::New || before != Some(shape.pages) {
            *lengths.entry(shape).or_default() += 1;
        }
    }

    /// The profile of the operation.
    pub(super) fn access(self) -> Access {
        if self.kinds.is_empty() {
            return Access::default();
        }
        let places = self.places.into_iter();
        let places = places.map(|(place, lengths)| OfPlace { lengths: Lengths::of(&lengths), ..place });
        Access {
            kinds: self.kinds.into_iter().map(|((slice, group), deck)| (slice, group, deck)).collect(),
            places: places.collect(),
            ..self.access
        }
    }
}
