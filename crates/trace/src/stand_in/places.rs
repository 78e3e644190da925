//! Where runs begin and how long they are.

use rand_xoshiro::Xoshiro256PlusPlus;

use super::bins::{draw_octave, draw_rank};
use super::deck::Deck;
use super::place::{is_large, is_large_kind};
use super::profile::{Access, GROUPS, Place, SLICES};
use super::recent::{Recent, Successor};
use super::sites::{CLASSES, Shape, Touch};
use super::touched::Touched;
use crate::workloads::random::below;

/// Draws in search of untouched pages before the next best is taken.
const TRIES: usize = 32;

/// Touched space so far, and the latest accesses of each operation.
#[derive(Clone, Debug)]
pub(super) struct Places {
    space_pages: u64,
    touched: Touched,
    of: [State; 3],
}

#[derive(Clone, Debug)]
struct State {
    /// Kinds of places by slice and group, and of the whole workload for groups that a slice does
    /// not know.
    rows: Vec<Deck>,
    all: Deck,
    slice: usize,
    /// Runs so far, and those there will be.
    begun: u64,
    runs: f64,
    last_group: usize,
    edges: Recent<u64>,
    successors: Recent<Successor>,
    /// The last small and the last large run to a new site.
    new: [Option<Shape>; 2],
}

impl State {
    /// Of a workload that has a `share` of the requests that were counted.
    fn new(access: &Access, share: f64) -> State {
        let mut rows = vec![Deck::default(); SLICES * GROUPS];
        let mut all = Vec::new();
        for (slice, group, deck) in &access.kinds {
            rows[usize::from(*slice) * GROUPS + usize::from(*group)] = deck.clone();
            all.resize(all.len().max(deck.counts().len()), 0u32);
            all.iter_mut().zip(deck.counts()).for_each(|(sum, count)| *sum = sum.saturating_add(*count));
        }
        let all = Deck::from(all);
        State {
            rows,
            slice: usize::MAX,
            begun: 0,
            runs: (all.total() as f64 * share).max(1.0),
            all,
            last_group: Place::New.group(1),
            edges: Recent::default(),
            successors: Recent::default(),
            new: [None; 2],
        }
    }

    /// The kind of the next run's place: what is left of the slice and the group, or else of the
    /// slice.
    fn kind(&mut self, random: &mut Xoshiro256PlusPlus) -> usize {
        let slice = ((self.begun as f64 / self.runs * SLICES as f64) as usize).min(SLICES - 1);
        self.begun += 1;
        let rows = &mut self.rows[slice * GROUPS..(slice + 1) * GROUPS];
        if slice != self.slice {
            self.slice = slice;
            rows.iter_mut().for_each(Deck::put_back);
        }
        let mut kind = rows[self.last_group].draw_left(random);
        if kind.is_none() {
            let mut rest = below(random, rows.iter().map(Deck::left).sum::<u64>().max(1));
            let row = rows.iter_mut().find(|row| {
                let is_it = rest < row.left();
                rest = rest.saturating_sub(row.left());
                is_it
            });
            kind = row.and_then(|row| row.draw_left(random));
        }
        kind.or_else(|| self.all.draw(random)).unwrap_or(Place::New.kind(1))
    }
}

/// A place that was found: its first page and the run that begins there.
type Found = (u64, Shape);

impl Places {
    /// Nothing is touched of a space of some pages; there will be a `share` of the requests that
    /// were counted.
    pub(super) fn new(space_pages: u64, accesses: [&Access; 3], share: f64) -> Places {
        Places {
            space_pages,
            touched: Touched::default(),
            of: accesses.map(|access| State::new(access, share)),
        }
    }

    /// Begins a run of an operation; returns its first page and its shape.
    pub(super) fn begin(
        &mut self,
        access: &mut Access,
        touch: Touch,
        random: &mut Xoshiro256PlusPlus,
    ) -> (u64, Shape) {
        let kind = self.of[touch as usize].kind(random);
        let mut place = Place::of_kind(kind);
        let found = self.find(access, touch, (place, kind), random);
        let (first, shape) = match found.filter(|&(page, _)| page < self.space_pages) {
            Some(found) => found,
            None => {
                place = Place::New;
                let before = self.of[touch as usize].new[usize::from(is_large_kind(kind))];
                let shape = shape_of(access, kind, before, random);
                (self.new_page(access, shape.pages, random), shape)
            }
        };
        // A run ends with the space.
        let room = u32::try_from(self.space_pages - first).unwrap_or(u32::MAX);
        let shape = shape.cut(room);
        self.note(touch, place, first, shape);
        (first, shape)
    }

    /// A request of an operation had this last page.
    pub(super) fn ended(&mut self, touch: Touch, last_page: u64) {
        self.of[touch as usize].edges.push(last_page);
    }

    fn note(&mut self, touch: Touch, place: Place, first: u64, shape: Shape) {
        let range = first..first + u64::from(shape.pages);
        let own = self.touched.of(touch);
        let successor = own.find(first).and_then(|number| Successor::of(own, number, range));
        let state = &mut self.of[touch as usize];
        state.last_group = place.group(shape.pages);
        if place == Place::New {
            state.new[usize::from(is_large(shape.pages))] = Some(shape);
        }
        if let Some(successor) = successor {
            state.successors.push(successor);
        }
        self.touched.touch(touch, first, shape);
    }

    /// A place of a kind; `None` for a new one, and where there is nothing of the kind.
    fn find(
        &mut self,
        access: &mut Access,
        touch: Touch,
        (place, kind): (Place, usize),
        random: &mut Xoshiro256PlusPlus,
    ) -> Option<Found> {
        match place {
            Place::Follow => {
                let which = access.followed.draw(random)?;
                let own = self.touched.of(touch);
                let shape = shape_of(access, kind, None, random);
                let (same_size, covered) = {
                    let of_place = &mut access.places[kind];
                    (of_place.same_size.draw_yes(random), of_place.covered.draw_yes(random))
                };
                let recent = &mut self.of[touch as usize].successors;
                let suits = |next: Successor| {
                    next.is_current(own) && same_size == (own.site(next.number).shape.pages == shape.pages)
                };
                let next = recent.take_nearest(which, suits);
                let next = next.or_else(|| recent.take_nearest(which, |next| next.is_current(own)));
                let Some(next) = next else { return self.known(access, kind, (touch, touch, 0), random) };
                let site = own.site(next.number);
                Some((site.first, if covered { self.cut((touch, touch), site.first, shape) } else { shape }))
            }
            Place::Edge => {
                let which = access.edges.draw(random)?;
                let edge = self.of[touch as usize].edges.take_nearest(which, |_| true)?;
                Some((edge, shape_of(access, kind, None, random)))
            }
            Place::At(owner, class) => self.known(access, kind, (touch, owner, class), random),
            Place::New => None,
        }
    }

    /// A known site of a class, or of the nearest class that has any. The size is drawn first, so
    /// that as much is written as in the trace, then a site that it suits.
    fn known(
        &self,
        access: &mut Access,
        kind: usize,
        (touch, owner, class): (Touch, Touch, usize),
        random: &mut Xoshiro256PlusPlus,
    ) -> Option<Found> {
        let sites = self.touched.of(owner);
        let class =
            (0..CLASSES).filter(|&other| sites.count(other) > 0).min_by_key(|other| other.abs_diff(class))?;
        let count = sites.count(class);
        let of_place = &mut access.places[kind];
        let bin = of_place.ranks.draw(random);
        let (inside, covered) = (of_place.inside.draw_yes(random), of_place.covered.draw_yes(random));
        let same_size = !inside && of_place.same_size.draw_yes(random);
        let shape = shape_of(access, kind, None, random);
        let mut best: Option<(u32, Found)> = None;
        for _ in 0..if covered || same_size { TRIES } else { 1 } {
            let rank = self.ranked(bin, count, random)?;
            let site = sites.site(sites.at_rank(class, rank)?);
            let first = if inside {
                // Within the site if it can be.
                let room = site.pages.saturating_sub(shape.pages).clamp(1, site.pages.max(2) - 1);
                site.first + 1 + below(random, u64::from(room))
            } else {
                site.first
            };
            // A run that does not fit is cut: leaving the touched space would make the footprint
            // grow.
            let fitting = if covered { self.cut((touch, owner), first, shape) } else { shape };
            let other_size = if same_size { site.shape.pages.abs_diff(shape.pages) } else { 0 };
            let misfit = (shape.pages - fitting.pages).saturating_add(other_size);
            if best.is_none_or(|(least, _)| misfit < least) {
                best = Some((misfit, (first, fitting)));
            }
            if misfit == 0 {
                break;
            }
        }
        let (misfit, found) = best?;
        if covered && is_large(shape.pages) && misfit > shape.pages / 4 {
            // Sites with that much behind them are few: a stretch that holds the run is looked for.
            let first = sites.with_room(shape.pages, below(random, u64::MAX))?;
            return Some((first, self.cut((touch, owner), first, shape)));
        }
        Some(found)
    }

    /// The part of a run of an operation, at a site of an owner, whose pages were all touched.
    fn cut(&self, (touch, owner): (Touch, Touch), first: u64, shape: Shape) -> Shape {
        shape.cut(self.touched.held_from(touch, owner, first, shape.pages))
    }

    /// The first page of a new site for a run of some pages: behind a site that was touched as long
    /// ago as in the trace. What lies beside each other is so written at about the same time, which
    /// decides how full the blocks are that are cleaned.
    fn new_page(&self, access: &mut Access, pages: u32, random: &mut Xoshiro256PlusPlus) -> u64 {
        let pages = if access.wholly_new.draw_yes(random) { u64::from(pages) } else { 1 };
        let owner = access.behind.draw(random).and_then(|owner| Touch::ALL.get(owner).copied());
        if let Some(owner) = owner {
            let gap = access.new_gaps.draw(random).map_or(0, |gap| draw_octave(gap, random));
            let bin = access.behind_ranks[owner as usize].draw(random);
            let sites = self.touched.of(owner);
            for _ in 0..TRIES {
                let site = self
                    .ranked(bin, sites.count_of_all(), random)
                    .and_then(|rank| sites.at_rank_of_all(rank));
                let page =
                    site.and_then(|site| self.free_behind(site.first + u64::from(site.pages), pages, gap));
                if let Some(page) = page {
                    return page;
                }
            }
        }
        let is_free = |&page: &u64| self.room_at(page) >= pages;
        let drawn = (0..TRIES).map(|_| below(random, self.space_pages)).find(is_free);
        drawn.unwrap_or_else(|| self.next_room(below(random, self.space_pages), pages))
    }

    /// The first place behind a page, or else behind the beginning, with `pages` untouched pages;
    /// the page itself where the space has no such place.
    fn next_room(&self, page: u64, pages: u64) -> u64 {
        let extents = &self.touched.extents;
        let search = |from: u64, behind: u64| {
            let mut at = from;
            while at < behind {
                let free = at + extents.held_from(at);
                let room = extents.free_from(free, self.space_pages);
                if room >= pages {
                    return Some(free);
                }
                at = free + room.max(1);
            }
            None
        };
        search(page, self.space_pages).or_else(|| search(0, page)).unwrap_or(page)
    }

    /// A rank of a bin among some; any of them where the bin lies beyond.
    fn ranked(&self, bin: Option<usize>, count: u32, random: &mut Xoshiro256PlusPlus) -> Option<u32> {
        let rank = bin.map(|bin| draw_rank(bin, random)).filter(|&rank| rank < count);
        rank.or_else(|| (count > 0).then(|| below(random, u64::from(count)) as u32))
    }

    /// Where untouched pages begin at a distance behind the stretch that a page belongs to, or
    /// nearer if there is no room.
    fn free_behind(&self, page: u64, pages: u64, gap: u64) -> Option<u64> {
        let behind = page + self.touched.extents.held_from(page);
        let room = self.room_at(behind);
        (room >= pages).then(|| behind + gap.min(room - pages))
    }

    /// Untouched pages from a page on.
    fn room_at(&self, page: u64) -> u64 {
        if self.touched.extents.held_from(page) > 0 {
            return 0;
        }
        self.touched.extents.free_from(page, self.space_pages)
    }
}

/// The shape of a run at a place of a kind, where the run `before` may be repeated.
fn shape_of(
    access: &mut Access,
    kind: usize,
    before: Option<Shape>,
    random: &mut Xoshiro256PlusPlus,
) -> Shape {
    let of_place = &mut access.places[kind];
    if let Some(before) = before
        && before.pages > 0
        && Place::of_kind(kind).kind(before.pages) == kind
        && of_place.same_size.draw_yes(random)
    {
        return before;
    }
    if let Some(shape) = of_place.lengths.draw(random) {
        return shape;
    }
    // Only repeated sizes were counted: what stands here already, or what any other place has.
    let others = || access.places.iter_mut().find_map(|place| place.lengths.draw(random));
    before.or_else(others).unwrap_or(Shape { pages: 1, request_pages: 1, requests: 1 })
}
