//! Sites: the places that runs went to, remembered by when they were last touched.
//!
//! A site is an extent that one run of requests touched. What a write does to a drive depends on
//! how long ago its pages were written and on what was written together with them, so the sites of
//! an operation are kept in orders of recency: one of all, and one for each class of sizes. A site
//! whose first page was since covered by another goes on with its remaining pages, if it has any.

use std::collections::BTreeMap;

use super::extents::Extents;
use super::recency::Recency;

/// An operation that touches a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Touch {
    Read = 0,
    Write = 1,
    Trim = 2,
}

impl Touch {
    /// All of them, by their numbers.
    pub(super) const ALL: [Touch; 3] = [Touch::Read, Touch::Write, Touch::Trim];
}

/// Classes of sizes: one page, to 32 KiB, 256 KiB, 2 MiB, 16 MiB, larger. Small and large sites
/// have lives of their own.
pub(super) const CLASSES: usize = 6;

/// The class of a size.
pub(super) fn class_of(pages: u32) -> usize {
    match pages {
        0..=1 => 0,
        2..=8 => 1,
        9..=64 => 2,
        65..=512 => 3,
        513..=4096 => 4,
        _ => 5,
    }
}

/// How a run was written or read: all its pages, the pages of its first request, and how many
/// requests it took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Shape {
    pub(super) pages: u32,
    pub(super) request_pages: u32,
    pub(super) requests: u32,
}

impl Shape {
    /// The same with fewer pages.
    pub(super) fn cut(self, pages: u32) -> Shape {
        let pages = pages.clamp(1, self.pages.max(1));
        let (request_pages, requests) = (self.request_pages.min(pages), self.requests.min(pages));
        Shape { pages, request_pages, requests: if request_pages == pages { 1 } else { requests } }
    }
}

/// An extent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    pub(super) first: u64,
    /// Pages that may belong to it.
    pub(super) pages: u32,
    /// The last run that began here.
    pub(super) shape: Shape,
    /// When it was last touched, in runs.
    pub(super) at: u64,
}

/// All sites touched by one operation so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Sites {
    sites: Vec<Site>,
    /// Numbers of forgotten sites, used again.
    unused: Vec<u32>,
    /// The site of every page.
    site_of: BTreeMap<u64, u32>,
    extents: Extents,
    by_recency: Recency,
    by_class: [Recency; CLASSES],
}

impl Sites {
    /// The number of the site that a page belongs to.
    pub(super) fn find(&self, page: u64) -> Option<u32> {
        self.site_of.get(&page).copied()
    }

    /// A site by its number.
    pub(super) fn site(&self, number: u32) -> Site {
        self.sites[number as usize]
    }

    /// The site that has `rank` others of any class touched since.
    pub(super) fn at_rank_of_all(&self, rank: u32) -> Option<Site> {
        self.by_recency.at_rank(rank).map(|number| self.site(number))
    }

    /// Sites of all classes.
    pub(super) fn count_of_all(&self) -> u32 {
        self.by_recency.len()
    }

    /// The site of a class that has `rank` others touched since.
    pub(super) fn at_rank(&self, class: usize, rank: u32) -> Option<u32> {
        self.by_class[class].at_rank(rank)
    }

    /// Sites of a class.
    pub(super) fn count(&self, class: usize) -> u32 {
        self.by_class[class].len()
    }

    /// The site that was touched next after another, leaving out `within` and what begins in it.
    pub(super) fn successor(&self, number: u32, within: std::ops::Range<u64>) -> Option<u32> {
        let rank = self.by_recency.rank(number)?;
        let later = (1..=STEPS.min(rank)).filter_map(|step| self.by_recency.at_rank(rank - step));
        later.into_iter().find(|&later| !within.contains(&self.site(later).first))
    }

    /// Pages that were touched without a gap from a page on, up to a number.
    pub(super) fn held_from(&self, first: u64, pages: u32) -> u32 {
        self.extents.held_from(first).min(u64::from(pages)) as u32
    }

    /// A site followed by `pages` touched pages, or by as many as there are anywhere;
    /// `draw` chooses.
    pub(super) fn with_room(&self, pages: u32, draw: u64) -> Option<u64> {
        let (first, held) = self.extents.room_for(u64::from(pages), draw)?;
        let page = first + draw % (held.saturating_sub(u64::from(pages)) + 1);
        let site = self.site(self.find(page)?).first;
        // A site whose beginning was covered by another lies where the page is.
        Some(if (first..=page).contains(&site) { site } else { page })
    }

    /// A run touches pages, which become one site.
    pub(super) fn touch(&mut self, first: u64, shape: Shape, at: u64) {
        let number = match self.site_of.get(&first) {
            Some(&number) if self.site(number).first == first => {
                self.leave_orders(number);
                let site = &mut self.sites[number as usize];
                (site.pages, site.shape, site.at) = (site.pages.max(shape.pages), shape, at);
                number
            }
            _ => self.add(Site { first, pages: shape.pages, shape, at }),
        };
        self.extents.add(first, u64::from(shape.pages));
        for page in first..first + u64::from(shape.pages) {
            if let Some(before) = self.site_of.insert(page, number)
                && before != number
                && self.site(before).first == page
            {
                self.cut(before);
            }
        }
        self.by_recency.used(number);
        self.by_class[class_of(shape.pages)].used(number);
    }

    fn add(&mut self, site: Site) -> u32 {
        match self.unused.pop() {
            Some(number) => {
                self.sites[number as usize] = site;
                number
            }
            None => {
                self.sites.push(site);
                (self.sites.len() - 1) as u32
            }
        }
    }

    fn leave_orders(&mut self, number: u32) {
        let class = class_of(self.site(number).shape.pages);
        self.by_recency.leave(number);
        self.by_class[class].leave(number);
    }

    /// The first page of a site went to another. The rest goes on: it was touched when the whole
    /// was.
    fn cut(&mut self, number: u32) {
        let Site { first, pages, .. } = self.site(number);
        let behind = first + u64::from(pages);
        let rest = self.site_of.range(first + 1..behind).find(|&(_, &owner)| owner == number);
        match rest.map(|(&page, _)| page) {
            Some(rest) => {
                let site = &mut self.sites[number as usize];
                (site.first, site.pages) = (rest, (behind - rest) as u32);
            }
            None => {
                self.leave_orders(number);
                self.sites[number as usize].at = u64::MAX;
                self.unused.push(number);
            }
        }
    }
}

/// Sites that a successor is looked for among: a large run covers many that were touched one after
/// another.
const STEPS: u32 = 16;
