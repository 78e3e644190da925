//! The first question of a write: is there a page that holds the content already?

use rewear_flash::Nanos;

use crate::address::{Lpn, Ppn, Slot, SlotAddress, Unit};
use crate::error::FtlError;
use crate::host::{Content, fingerprint};
use crate::layer::{Ftl, stored};
use crate::recycle::fingerprints::Fingerprints;
use crate::recycle::fingerprints::config::Scope;
use crate::recycle::{Event, Recycle};
use crate::state::State;

/// What became of the first question.
pub(crate) enum Answer {
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
    ) -> Result<Answer, FtlError> {
        let digest = match content {
            Content::Unknown => None,
            Content::Fingerprint(digest) => Some(digest),
            Content::Page(bytes) => Some(fingerprint::of_bytes(bytes)),
        };
        let own = self.state.map.find(lpn);
        let Some(scheme) = self.state.scheme() else { return Ok(Answer::Write(at)) };
        let known_at = scheme.begin_write(at, digest);
        if digest.is_none() {
            return Ok(Answer::Write(known_at));
        }
        let (shares, mut at) = (scheme.config().shares_pages(), known_at);
        if shares && let Some(end) = self.share(&mut at, lpn, content)? {
            return Ok(Answer::Found(end));
        }
        if own.is_some()
            && let Some(comparisons) = self.state.scheme().and_then(|scheme| scheme.finds_own_page(own))
            && self.is_content_of(own, content, &mut at)?
        {
            self.state.hear(Event::Answered { ppn: own });
            return Ok(Answer::Found(self.state.recycled(at, comparisons, true)));
        }
        let Some(scheme) = self.state.scheme() else { return Ok(Answer::Write(at)) };
        match scheme.find_match(None) {
            None => Ok(Answer::Write(at + scheme.scan_ns())),
            Some(ppn) => self.revive_match(at, lpn, content, ppn),
        }
    }

    /// Lets a logical page share the valid page that holds the content, if there is one.
    fn share(&mut self, at: &mut Nanos, lpn: Lpn, content: Content<'_>) -> Result<Option<Nanos>, FtlError> {
        let Some(ppn) = self.state.scheme().and_then(|scheme| scheme.find_live()) else { return Ok(None) };
        if !self.is_in_scope(lpn, ppn) || !self.is_content_of(ppn, content, at)? {
            return Ok(None);
        }
        self.state.share(lpn, ppn);
        self.state.hear(Event::Answered { ppn });
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
    ) -> Result<Answer, FtlError> {
        let (mut at, mut ppn) = (at, first);
        loop {
            let SlotAddress { unit, slot } = self.state.layout.slot_address(ppn);
            if !self.state.units.may_revive(unit, slot) || !self.is_in_scope(lpn, ppn) {
                self.count(|counters| counters.unavailable_matches += 1);
            } else if !self.is_content_of(ppn, content, &mut at)? {
                self.count(|counters| counters.false_matches += 1);
            } else {
                let comparisons = self.state.scheme().map_or(0, |scheme| scheme.comparisons(ppn));
                self.state.hear(Event::Revived { lpn: self.state.map.owner(ppn), ppn });
                self.state.revive(lpn, unit, slot);
                return Ok(Answer::Found(self.state.recycled(at, comparisons, false)));
            }
            let Some(scheme) = self.state.scheme() else { return Ok(Answer::Write(at)) };
            match scheme.find_match(Some(ppn)) {
                None => return Ok(Answer::Write(at + scheme.scan_ns())),
                Some(next) => ppn = next,
            }
        }
    }

    /// Whether a page may answer a write of `lpn` where it lies.
    fn is_in_scope(&mut self, lpn: Lpn, ppn: Ppn) -> bool {
        match self.state.scheme().map(|scheme| scheme.config().scope) {
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
        let Some(scheme) = self.state.scheme() else { return Ok(false) };
        let (verifies, mut equal) = (scheme.config().verify, scheme.holds_pending(ppn));
        let SlotAddress { unit, slot } = self.state.layout.slot_address(ppn);
        if verifies {
            let (end, pages) = self.state.read_page(*at, unit, slot)?;
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
        if let Some(scheme) = self.state.scheme() {
            change(scheme.counters_mut());
        }
    }
}

impl State {
    fn scheme(&mut self) -> Option<&mut Fingerprints> {
        match &mut self.recycle {
            Recycle::Nothing => None,
            Recycle::Fingerprints(scheme) => Some(scheme),
        }
    }

    /// Tells the recycling scheme of an event.
    #[inline(always)]
    pub(crate) fn hear(&mut self, event: Event) {
        if self.recycle.listens() {
            self.recycle.hear(event, &mut self.units.loss);
        }
    }

    /// A write was answered after so many comparisons; returns its end.
    fn recycled(&mut self, at: Nanos, comparisons: u64, in_place: bool) -> Nanos {
        self.counters.writes_recycled += 1;
        let Some(scheme) = self.scheme() else { return at };
        let counters = scheme.counters_mut();
        counters.lookups += u64::from(in_place);
        counters.hits += 1;
        counters.hits_in_place += u64::from(in_place);
        counters.comparisons += comparisons;
        at + comparisons * scheme.config().comparison_ns
    }

    /// An invalid page becomes the place of a logical page; its old place loses it.
    fn revive(&mut self, lpn: Lpn, unit: Unit, slot: Slot) {
        let old = self.map.find(lpn);
        self.note_mapped(lpn, self.layout.ppn(unit, slot), old);
        self.map.bind(lpn, self.layout.ppn(unit, slot), unit, slot);
        self.units.valid_revived(unit);
        if old.is_some() {
            self.release(lpn, old);
        }
    }

    /// A valid page becomes the place of one more logical page.
    fn share(&mut self, lpn: Lpn, ppn: Ppn) {
        let old = self.map.find(lpn);
        if old == ppn {
            return;
        }
        self.note_mapped(lpn, ppn, old);
        self.map.redirect(lpn, ppn);
        if old.is_some() {
            self.release(lpn, old);
        }
        let owner = self.map.owner(ppn);
        if let Some(sharing) = &mut self.sharing {
            sharing.join(lpn, owner);
        }
    }

    /// A logical page gives up its place, which becomes invalid unless others share it.
    #[inline]
    pub(crate) fn release(&mut self, lpn: Lpn, ppn: Ppn) {
        if self.sharing.is_some() && self.stays_shared(lpn, ppn) {
            return;
        }
        self.invalidate(lpn, ppn);
    }

    #[cold]
    fn stays_shared(&mut self, lpn: Lpn, ppn: Ppn) -> bool {
        let Some(other) = self.sharing.as_mut().and_then(|sharing| sharing.leave(lpn)) else { return false };
        self.map.set_owner(ppn, other);
        if let Some(group) = self.group_of(self.layout.slot_address(ppn)) {
            for index in 1..group.len() {
                let SlotAddress { unit, slot } = self.part_of(&group, index);
                self.map.set_owner(self.layout.ppn(unit, slot), other);
            }
        }
        true
    }

    /// The page of `lpn` moved to `to`: so it did for all who share it, and the recycling scheme hears of it.
    #[inline]
    pub(crate) fn content_moved(&mut self, lpn: Lpn, from: Ppn, to: Ppn) {
        if self.sharing.is_some() {
            self.redirect_sharers(lpn, from, to);
        }
        self.hear(Event::Moved { from, to });
    }

    #[cold]
    fn redirect_sharers(&mut self, lpn: Lpn, from: Ppn, to: Ppn) {
        let next = |state: &State, other| state.sharing.as_ref().map_or(lpn, |sharing| sharing.next(other));
        let mut other = next(self, lpn);
        while other != lpn {
            self.map.redirect(other, to);
            self.note_mapped(other, to, from);
            other = next(self, other);
        }
    }
}
