//! The first question of a write: is there a page that holds the content already?

use rewear_flash::Nanos;

use crate::address::{Lpn, Ppn, SlotAddress};
use crate::error::FtlError;
use crate::host::{Content, fingerprint};
use crate::layer::{Ftl, stored};
use crate::recycle::fingerprints::Fingerprints;
use crate::recycle::fingerprints::config::Scope;
use crate::recycle::{Event, Recycle};

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
    pub(crate) fn find_content(
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
        let own = self.state.map.find(lpn);
        let Some(scheme) = self.scheme() else { return Ok(ContentSearch::Write(at)) };
        let known_at = scheme.begin_write(at, digest);
        if digest.is_none() {
            return Ok(ContentSearch::Write(known_at));
        }
        let (shares, mut at) = (scheme.config().shares_pages(), known_at);
        if shares && let Some(end) = self.share_content(&mut at, lpn, content)? {
            return Ok(ContentSearch::Found(end));
        }
        if own.is_some()
            && let Some(comparisons) = self.scheme().and_then(|scheme| scheme.finds_own_page(own))
            && self.is_content_of(own, content, &mut at)?
        {
            self.hear(Event::Answered { ppn: own });
            return Ok(ContentSearch::Found(self.recycled(at, comparisons, true)));
        }
        let Some(scheme) = self.scheme() else { return Ok(ContentSearch::Write(at)) };
        match scheme.find_match(None) {
            None => Ok(ContentSearch::Write(at + scheme.scan_ns())),
            Some(ppn) => self.revive_match(at, lpn, content, ppn),
        }
    }

    /// Lets a logical page share the valid page that holds the content, if there is one.
    fn share_content(
        &mut self,
        at: &mut Nanos,
        lpn: Lpn,
        content: Content<'_>,
    ) -> Result<Option<Nanos>, FtlError> {
        let Some(ppn) = self.scheme().and_then(|scheme| scheme.find_live()) else { return Ok(None) };
        if !self.is_in_scope(lpn, ppn) || !self.is_content_of(ppn, content, at)? {
            return Ok(None);
        }
        self.share(lpn, ppn);
        self.hear(Event::Answered { ppn });
        self.state.counters.writes_deduplicated += 1;
        Ok(Some(*at))
    }

    /// Makes the first match valid that can be, of which `first` is the first.
    fn revive_match(
        &mut self,
        at: Nanos,
        lpn: Lpn,
        content: Content<'_>,
        first: Ppn,
    ) -> Result<ContentSearch, FtlError> {
        let (mut at, mut ppn) = (at, first);
        loop {
            let SlotAddress { unit, slot } = self.state.layout.slot_address(ppn);
            if !self.state.units.may_revive(unit, slot) || !self.is_in_scope(lpn, ppn) {
                self.count(|counters| counters.unavailable_matches += 1);
            } else if !self.is_content_of(ppn, content, &mut at)? {
                self.count(|counters| counters.false_matches += 1);
            } else {
                let comparisons = self.scheme().map_or(0, |scheme| scheme.comparisons(ppn));
                self.hear(Event::Revived { lpn: self.state.map.owner(ppn), ppn });
                self.revive(lpn, SlotAddress { unit, slot });
                return Ok(ContentSearch::Found(self.recycled(at, comparisons, false)));
            }
            let Some(scheme) = self.scheme() else { return Ok(ContentSearch::Write(at)) };
            match scheme.find_match(Some(ppn)) {
                None => return Ok(ContentSearch::Write(at + scheme.scan_ns())),
                Some(next) => ppn = next,
            }
        }
    }

    /// Whether a page may answer a write of `lpn` where it lies.
    fn is_in_scope(&mut self, lpn: Lpn, ppn: Ppn) -> bool {
        match self.scheme().map(|scheme| scheme.config().scope) {
            Some(Scope::Pool) => {
                self.state.units.next_pool(lpn)
                    == self.state.layout.pool_of(self.state.layout.slot_address(ppn).unit)
            }
            _ => true,
        }
    }

    /// Whether a page holds a content: by fingerprint, on stored cells also by its bytes. A drive that verifies reads the
    /// page first, which moves `at` to the end of the read.
    fn is_content_of(&mut self, ppn: Ppn, content: Content<'_>, at: &mut Nanos) -> Result<bool, FtlError> {
        let Some(scheme) = self.scheme() else { return Ok(false) };
        let (verifies, mut equal) = (scheme.config().verify, scheme.holds_pending(ppn));
        let SlotAddress { unit, slot } = self.state.layout.slot_address(ppn);
        if verifies {
            let (end, pages) = self.read_page(*at, SlotAddress { unit, slot })?;
            *at = end;
            self.state.counters.read.verification += pages;
        }
        if let Content::Page(bytes) = content
            && equal
            && self.state.array.stores_cells()
        {
            stored::load(&self.state, &mut self.reuse, &mut self.buffers, SlotAddress { unit, slot })?;
            equal = self.buffers.page == bytes;
        }
        Ok(equal)
    }

    fn count(&mut self, change: impl FnOnce(&mut crate::recycle::counters::RecycleCounters)) {
        if let Some(scheme) = self.scheme() {
            change(scheme.counters_mut());
        }
    }
}

impl Ftl {
    fn scheme(&mut self) -> Option<&mut Fingerprints> {
        match &mut self.recycle {
            Recycle::Nothing => None,
            Recycle::Fingerprints(scheme) => Some(scheme),
        }
    }

    /// A write was answered after so many comparisons; returns its end.
    fn recycled(&mut self, at: Nanos, comparisons: u64, in_place: bool) -> Nanos {
        self.state.counters.writes_recycled += 1;
        let Some(scheme) = self.scheme() else { return at };
        let counters = scheme.counters_mut();
        counters.lookups += u64::from(in_place);
        counters.hits += 1;
        counters.hits_in_place += u64::from(in_place);
        counters.comparisons += comparisons;
        at + comparisons * scheme.config().comparison_ns
    }
}
