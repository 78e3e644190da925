//! Sites: the places that requests go to, remembered by the operation that touched them last and when.
//!
//! A site is a run of pages that one request touched. What a request does to the drive's state depends on how long ago
//! its pages were last written or read, so sites are kept in orders of recency: one for each last operation and class of
//! sizes. A site whose first page was since covered by another goes on with its remaining pages, if it has any.

use std::collections::BTreeMap;

use super::recency::Recency;

/// The operation that touched a site last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Touch {
    Read = 0,
    Write = 1,
}

/// Classes of sizes: one page, to 32 KiB, to 256 KiB, larger. Small and large sites have lives of their own.
pub(super) const CLASSES: usize = 4;

/// The class of a size.
pub(super) fn class_of(pages: u32) -> usize {
    match pages {
        0..=1 => 0,
        2..=8 => 1,
        9..=64 => 2,
        _ => 3,
    }
}

/// A run of pages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site {
    pub(super) first: u64,
    /// Pages that may belong to it.
    pub(super) pages: u32,
    /// Pages of the last request to its beginning.
    pub(super) last_pages: u32,
    touch: Touch,
}

/// Where a request goes, seen from what was touched before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// Its first page belongs to a site, which has `rank` others of its kind touched since.
    Site { touch: Touch, class: usize, rank: u32, pages_in: u32, last_pages: u32 },
    /// Its first page was never touched.
    New,
}

/// All sites touched so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Sites {
    sites: Vec<Site>,
    /// Numbers of forgotten sites, used again.
    unused: Vec<u32>,
    /// The site of every page.
    site_of: BTreeMap<u64, u32>,
    /// By the last operation and the class of the size.
    by_recency: [[Recency; CLASSES]; 2],
}

impl Sites {
    /// Looks a page up.
    pub(super) fn find(&self, page: u64) -> Found {
        let Some(&number) = self.site_of.get(&page) else { return Found::New };
        let Site { first, last_pages, touch, .. } = self.sites[number as usize];
        let class = class_of(last_pages);
        let rank = self.by_recency[touch as usize][class].rank(number).unwrap_or(0);
        Found::Site { touch, class, rank, pages_in: (page - first) as u32, last_pages }
    }

    /// Whether a page was touched.
    pub(super) fn holds(&self, page: u64) -> bool {
        self.site_of.contains_key(&page)
    }

    /// The last touched page before a page, from `least` on.
    pub(super) fn touched_before(&self, page: u64, least: u64) -> Option<u64> {
        self.site_of.range(least..page).next_back().map(|(&page, _)| page)
    }

    /// The site that has `rank` others of the same last operation and class of sizes touched since.
    pub(super) fn at_rank(&self, touch: Touch, class: usize, rank: u32) -> Option<Site> {
        self.by_recency[touch as usize][class].at_rank(rank).map(|number| self.sites[number as usize])
    }

    /// Sites of a class that were last touched by an operation.
    pub(super) fn count(&self, touch: Touch, class: usize) -> u32 {
        self.by_recency[touch as usize][class].len()
    }

    /// A request touches pages, which become one site.
    pub(super) fn touch(&mut self, touch: Touch, first: u64, pages: u32) {
        let number = match self.site_of.get(&first) {
            Some(&number) if self.sites[number as usize].first == first => {
                self.leave_order(number);
                let site = &mut self.sites[number as usize];
                (site.pages, site.last_pages, site.touch) = (site.pages.max(pages), pages, touch);
                number
            }
            _ => self.add(Site { first, pages, last_pages: pages, touch }),
        };
        for page in first..first + u64::from(pages) {
            if let Some(before) = self.site_of.insert(page, number)
                && before != number
                && self.sites[before as usize].first == page
            {
                self.cut(before);
            }
        }
        self.by_recency[touch as usize][class_of(pages)].used(number);
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

    fn leave_order(&mut self, number: u32) {
        let Site { last_pages, touch, .. } = self.sites[number as usize];
        self.by_recency[touch as usize][class_of(last_pages)].leave(number);
    }

    /// The first page of a site went to another. The rest goes on: it was touched when the whole was.
    fn cut(&mut self, number: u32) {
        let Site { first, pages, .. } = self.sites[number as usize];
        let behind = first + u64::from(pages);
        let rest = (first + 1..behind).find(|page| self.site_of.get(page) == Some(&number));
        match rest {
            Some(rest) => {
                let site = &mut self.sites[number as usize];
                (site.first, site.pages) = (rest, (behind - rest) as u32);
            }
            None => {
                self.leave_order(number);
                self.unused.push(number);
            }
        }
    }
}
