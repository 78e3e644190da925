//! The first question of a write: is there a page that holds the content already?

use rewear_flash::Nanos;

use crate::address::{Lpn, Ppn, SlotAddress};
use crate::error::FtlError;
use crate::front::Ftl;
use crate::host::{Content, fingerprint};
use crate::recycle::scheme::Event;

/// What became of the first question.
pub(crate) enum ContentSearch {
    /// A page that holds the content serves; the write ends then.
    Found(Nanos),
    /// It must be written, not before this time.
    Write(Nanos),
}

impl Ftl {
    /// Looks for a page that holds the content of a write whose data is complete at `at`.
    #[inline(never)]
    pub(super) fn find_content(
        &mut self,
        at: Nanos,
        lpn: Lpn,
        content: Content<'_>,
    ) -> Result<ContentSearch, FtlError> {
        let digest = match content {
            Content::Unknown => None,
            Content::Fingerprint(digest) => Some(digest),
            Content::Page(bytes) => Some(fingerprint::of_bytes(bytes)),
        };
        let own = self.hand.state().map.find(lpn);
        let Some(facts) = self.hand.recycle().facts() else { return Ok(ContentSearch::Write(at)) };
        let at = self.hand.recycle_mut().begin_write(at, digest);
        if digest.is_none() {
            return Ok(ContentSearch::Write(at));
        }
        if facts.shares_pages
            && let Some(end) = self.share_content(at, lpn, content)?
        {
            return Ok(ContentSearch::Found(end));
        }
        if own.is_some()
            && let Some(comparisons) = self.hand.recycle_mut().finds_own_page(own)
            && self.is_content_of(own, content)?
        {
            self.hand.hear(Event::Answered { ppn: own });
            return Ok(ContentSearch::Found(self.recycled(at, comparisons, true)));
        }
        match self.hand.recycle_mut().find_match(None) {
            None => Ok(ContentSearch::Write(at + self.hand.recycle().scan_ns())),
            Some(ppn) => self.revive_match(at, lpn, content, ppn),
        }
    }

    /// Lets a logical page share the valid page that holds the content, if there is one.
    fn share_content(
        &mut self,
        at: Nanos,
        lpn: Lpn,
        content: Content<'_>,
    ) -> Result<Option<Nanos>, FtlError> {
        let Some(ppn) = self.hand.recycle_mut().find_live() else { return Ok(None) };
        if !self.is_in_scope(lpn, ppn) || !self.is_content_of(ppn, content)? {
            return Ok(None);
        }
        self.hand.share(lpn, ppn);
        self.hand.hear(Event::Answered { ppn });
        self.hand.counters().events.writes_deduplicated += 1;
        Ok(Some(at))
    }

    /// Makes the first match valid that can be, from `first` on.
    fn revive_match(
        &mut self,
        at: Nanos,
        lpn: Lpn,
        content: Content<'_>,
        first: Ppn,
    ) -> Result<ContentSearch, FtlError> {
        let mut ppn = first;
        loop {
            let SlotAddress { unit, slot } = self.hand.state().layout.slot_address(ppn);
            if !self.hand.state().units.may_revive(unit, slot) || !self.is_in_scope(lpn, ppn) {
                self.hand.recycle_mut().count(|counters| counters.unavailable_matches += 1);
            } else if !self.is_content_of(ppn, content)? {
                self.hand.recycle_mut().count(|counters| counters.false_matches += 1);
            } else {
                let comparisons = self.hand.recycle().comparisons(ppn);
                self.hand.hear(Event::Revived { lpn: self.hand.state().map.owner(ppn), ppn });
                self.hand.revive(lpn, SlotAddress { unit, slot });
                return Ok(ContentSearch::Found(self.recycled(at, comparisons, false)));
            }
            match self.hand.recycle_mut().find_match(Some(ppn)) {
                None => return Ok(ContentSearch::Write(at + self.hand.recycle().scan_ns())),
                Some(next) => ppn = next,
            }
        }
    }

    /// Whether a page may answer a write of `lpn` where it lies.
    fn is_in_scope(&mut self, lpn: Lpn, ppn: Ppn) -> bool {
        let stays = self.hand.recycle().facts().is_some_and(|facts| facts.stays_in_pool);
        let pool = self.hand.state().layout.pool_of(self.hand.state().layout.slot_address(ppn).unit);
        !stays || self.hand.state().units.next_pool(lpn) == pool
    }

    /// Whether a page holds a content: by fingerprint, on stored cells also by its bytes.
    fn is_content_of(&mut self, ppn: Ppn, content: Content<'_>) -> Result<bool, FtlError> {
        let mut equal = self.hand.recycle().holds_pending(ppn);
        let SlotAddress { unit, slot } = self.hand.state().layout.slot_address(ppn);
        if let Content::Page(bytes) = content
            && equal
            && self.hand.state().array.stores_cells()
        {
            equal = self.hand.holds(SlotAddress { unit, slot }, bytes)?;
        }
        Ok(equal)
    }

    /// A write was answered after `comparisons` comparisons; returns its end.
    fn recycled(&mut self, at: Nanos, comparisons: u64, in_place: bool) -> Nanos {
        self.hand.counters().events.writes_recycled += 1;
        self.hand.recycle_mut().count(|counters| {
            counters.lookups += u64::from(in_place);
            counters.hits += 1;
            counters.hits_in_place += u64::from(in_place);
            counters.comparisons += comparisons;
        });
        at + comparisons * self.hand.recycle().facts().map_or(0, |facts| facts.comparison_ns)
    }
}
