//! Recycle `fingerprints`: invalid pages answer writes of the content that they still hold (LX-SSD).
//!
//! # Idea
//! A page that was overwritten is invalid but not erased: its content lies on the flash until cleaning comes. The drive
//! keeps the fingerprints of the invalid pages most likely to be needed again. A write whose fingerprint it finds
//! there is answered by making that page valid again: no program, and one page less for cleaning to make room for.
//!
//! # Paper
//! Zhou, Hu, Huang, Zhao: LX-SSD: Enhancing the Lifespan of NAND Flash-based Memory via Recycling Invalid Pages.
//! IV.A the way of a write ([`hash_engine`]; the cache in front is `ftl.write_buffer`); IV.B the tables LMT ([`version`]) and AT
//! ([`popularity`]); IV.C.1 equations 1 to 4 ([`probability`]); IV.C.2 the store FS ([`store`], in the [`order`] that counts
//! the comparisons of Figure 13); IV.C.3 [`fast_loading`]; IV.D equation 5 ([`content_loss`](super::content_loss), which the
//! victim policy `recycle-aware` asks). Deduplication of valid pages ([`live`]) is CAFTL's (Chen, Luo, Zhang, FAST '11).
//!
//! # Parameters
//! [`FingerprintsConfig`]; `docs/schemes/lx.md` says what each of them moves.
//!
//! # Cost
//! In a drive: 24 bytes an entry of the store; 4 bits a page for AT; for LMT the list pointer of each invalid page; 16 bytes
//! of spare area a page for its fingerprint; `hash_ns` for every page written. A recycled page's spare area names an
//! owner of the past, so the map must survive power loss by other means than a scan (battery-backed, says the paper).
//!
//! # Deviations
//! An entry moves in the order when a newer version of its page appears (as in the paper); when cleaning takes one away, only with the next
//! newer version. Of more than 16 invalid pages of the same content a look-up considers the latest 16. An index finds the
//! entries; what a scan would compare is counted, and takes time if `comparison_ns` is set. Pages are digested by
//! XXH3 with 128 bits instead of MD5. The store is not rebuilt after a restart, since drives are not restarted here.

mod audit;
pub mod config;
mod fast_loading;
mod hash_engine;
mod index;
mod live;
pub mod order;
pub mod pages;
pub mod popularity;
pub mod probability;
pub mod store;
pub mod version;

use rewear_flash::Nanos;

use super::content_loss::ContentLoss;
use super::counters::RecycleCounters;
use super::{Event, ModelSize};
use crate::fingerprint::Fingerprint;
use crate::{Lpn, NONE, Ppn};
use config::{EntryPer, FingerprintsConfig, Popularity};
use hash_engine::HashEngine;
use live::LivePages;
use pages::{Link, Pages};
use popularity::Accesses;
use probability::{Class, Classes, MOST};
use store::{Matches, Offered, Store};
use version::History;

/// Cleaning destroys the pages of a unit one after the other: how far ahead it looks.
const DESTROY_AHEAD: u32 = 4;

/// See the module's page.
#[derive(Debug, Clone)]
pub struct Fingerprints {
    config: FingerprintsConfig,
    pages: Pages,
    history: History,
    accesses: Accesses,
    classes: Classes,
    store: Store,
    live: Option<LivePages>,
    engine: HashEngine,
    /// Content of the write under way.
    pending: Option<Fingerprint>,
    /// A bit for each page that was loaded by [`fast_loading`] and so counts as accessed most often.
    loaded: Vec<u64>,
    pub(super) counters: RecycleCounters,
}

impl Fingerprints {
    /// The scheme of a drive with so many logical pages and slots.
    pub fn new(config: &FingerprintsConfig, logical_pages: u32, slots: u32) -> Fingerprints {
        let classes = Classes::new(config.growth, config.decay);
        Fingerprints {
            pages: Pages::new(slots),
            history: History::new(logical_pages),
            accesses: Accesses::new(config.popularity, slots),
            store: Store::new(config, classes.count()),
            live: config.shares_pages().then(LivePages::new),
            engine: HashEngine::new(config.hash_ns, config.hash_engines),
            pending: None,
            loaded: vec![0; (slots as usize).div_ceil(64)],
            counters: RecycleCounters::default(),
            config: config.clone(),
            classes,
        }
    }

    /// Memory that the scheme takes in a drive and in the model.
    pub fn size(config: &FingerprintsConfig, logical_pages: u32, slots: u32) -> ModelSize {
        let (slots, logical_pages) = (u64::from(slots), u64::from(logical_pages));
        let entries = if config.entries == 0 { slots } else { u64::from(config.entries).min(slots) };
        let by_value = config.popularity == Popularity::ValueAccesses;
        let live =
            if config.shares_pages() { slots.min(logical_pages) * live::MODEL_BYTES_PER_PAGE } else { 0 };
        let accesses_bytes = if by_value { slots * Accesses::MODEL_BYTES_PER_VALUE } else { slots };
        ModelSize {
            store_bytes: entries * store::ENTRY_BYTES,
            // A list pointer a page, and four bits.
            tables_bytes: slots * 4 + slots.div_ceil(2),
            model_bytes: entries * store::MODEL_BYTES_PER_ENTRY
                + slots * pages::MODEL_BYTES_PER_SLOT
                + slots / 8
                + logical_pages * History::BYTES_PER_LPN
                + accesses_bytes
                + live,
        }
    }

    /// Its parameters.
    pub fn config(&self) -> &FingerprintsConfig {
        &self.config
    }

    /// For what the translation layer counts on the scheme's behalf.
    pub fn counters_mut(&mut self) -> &mut RecycleCounters {
        &mut self.counters
    }

    /// A write of a content begins at `at`; returns when its fingerprint is known.
    pub fn begin_write(&mut self, at: Nanos, fingerprint: Option<Fingerprint>) -> Nanos {
        self.pending = fingerprint.map(|fingerprint| fingerprint.max(1));
        self.engine.hash(at)
    }

    /// Content of the write under way.
    #[inline]
    pub fn pending(&self) -> Option<Fingerprint> {
        self.pending
    }

    /// Whether a page holds the content of the write under way, as far as fingerprints tell.
    #[inline]
    pub fn holds_pending(&self, ppn: Ppn) -> bool {
        self.pending.is_some() && self.pages.fingerprint(ppn) == self.pending
    }

    /// Whether the page that the write under way replaces would be in the store if it became invalid before the look-up.
    /// Returns the comparisons of the scan that finds it.
    pub fn finds_own_page(&mut self, ppn: Ppn) -> Option<u64> {
        if !(self.config.recycles() && self.config.own_page && self.holds_pending(ppn)) {
            return None;
        }
        let class = self.class_when_invalid(ppn);
        self.store.would_take(class).then(|| self.store.rank_of_new(class))
    }

    /// A valid page that holds the content of the write under way.
    pub fn find_live(&self) -> Option<Ppn> {
        self.live.as_ref()?.find(&self.pages, self.pending?)
    }

    /// Entries of the store that match the write under way, if there are any.
    pub fn matches(&mut self) -> Option<Matches> {
        let pending = self.pending.filter(|_| self.config.recycles())?;
        self.counters.lookups += 1;
        self.store.matches(pending)
    }

    /// The page of an entry.
    pub fn page(&self, entry: u32) -> Ppn {
        self.store.page(entry)
    }

    /// Comparisons of a scan that ends at a page's entry.
    pub fn comparisons(&self, ppn: Ppn) -> u64 {
        match self.entry(ppn) {
            NONE => 0,
            entry => self.store.rank(entry),
        }
    }

    /// Time of a scan through the whole store.
    pub fn scan_ns(&self) -> Nanos {
        self.config.comparison_ns * self.store.count() as u64
    }

    /// The clock starts anew.
    pub fn restart_clock(&mut self) {
        self.engine.restart_clock();
    }

    /// Counters since the last reset.
    pub fn counters(&self) -> RecycleCounters {
        RecycleCounters { entries: self.store.count() as u64, ..self.counters }
    }

    /// Brings what is known of a logical page and its present place into the cache.
    #[inline]
    pub fn prefetch(&self, lpn: Lpn, ppn: Ppn) {
        self.pages.prefetch(ppn);
        self.history.prefetch(lpn);
        self.accesses.prefetch(ppn);
    }

    /// As [`prefetch`](Self::prefetch), nearer to the write or trim and for what takes two steps to find: the head of the list
    /// that the page will join, and what is known of its content and of the content to be written.
    #[inline]
    pub fn prefetch_content(&self, lpn: Lpn, ppn: Ppn, content: Option<Fingerprint>) {
        self.pages.prefetch(self.history.newest(lpn));
        // The page left behind will be offered to the store.
        if let Some(left) = self.pages.fingerprint_if_any(ppn) {
            self.store.prefetch(left);
        }
        self.accesses.prefetch_value_of(ppn);
        let Some(content) = content else { return };
        self.store.prefetch(content);
        self.accesses.prefetch_value(content);
        if let Some(live) = &self.live {
            live.prefetch(content);
        }
    }

    /// As [`prefetch_content`](Self::prefetch_content), still nearer: the entry that may match the content to be written.
    #[inline]
    pub fn prefetch_match(&self, content: Fingerprint) {
        self.store.prefetch_match(content);
    }

    /// Hears of an event. What is to be done for it is out of line, so that a caller that names the event goes there directly.
    #[inline(always)]
    pub fn hear(&mut self, event: Event, loss: &mut ContentLoss) {
        match event {
            Event::Written { ppn } => self.written(ppn),
            Event::Answered { ppn } => self.answered(ppn),
            Event::Invalidated { lpn, ppn } => self.invalidated(lpn, ppn, loss),
            Event::Revived { ppn } => self.revived(ppn, loss),
            Event::Moved { from, to } => self.moved(from, to),
            Event::Read { ppn } => self.read(ppn),
            Event::Destroyed { ppn } if self.pages.is_blank(ppn) => {}
            Event::Destroyed { ppn } => self.destroyed(ppn, loss),
        }
    }

    #[inline]
    fn read(&mut self, ppn: Ppn) {
        if self.pages.fingerprint(ppn).is_some() {
            self.accesses.read(ppn);
        }
    }

    #[inline]
    fn written(&mut self, ppn: Ppn) {
        self.pages.set_fingerprint(ppn, self.pending);
        let Some(fingerprint) = self.pending else { return };
        self.accesses.programmed(ppn, fingerprint);
        if let Some(live) = &mut self.live {
            live.add(&self.pages, fingerprint, ppn);
        }
    }

    fn answered(&mut self, ppn: Ppn) {
        if self.pages.fingerprint(ppn).is_some() {
            self.accesses.answered(ppn);
        }
    }

    #[inline(never)]
    fn invalidated(&mut self, lpn: Lpn, ppn: Ppn, loss: &mut ContentLoss) {
        let older = self.history.push(&mut self.pages, lpn, ppn);
        if older != NONE && self.history.is_promising(lpn) {
            self.age_list(lpn, older, loss);
        }
        let Some(fingerprint) = self.pages.fingerprint(ppn) else { return };
        if let Some(live) = &mut self.live {
            live.remove(fingerprint, ppn);
        }
        if !self.config.recycles() {
            return;
        }
        let class = self.class_when_invalid(ppn);
        if class > 0 {
            self.history.set_promising(lpn, true);
            self.change_class(ppn, class, loss);
        }
        self.enter_store(ppn, fingerprint, class);
    }

    /// The pages behind a new head of a list, of which `newest` is the first, are one version older.
    #[inline(never)]
    fn age_list(&mut self, lpn: Lpn, newest: Ppn, loss: &mut ContentLoss) {
        let mut promising = false;
        let mut ppn = newest;
        for position in 1..=u32::from(MOST) {
            if ppn == NONE {
                self.history.set_promising(lpn, promising);
                return;
            }
            // What follows takes about as long as it takes to fetch the next page.
            let older = self.pages.link(ppn).older;
            self.pages.prefetch(older);
            self.pages.prefetch_class(older);
            self.accesses.prefetch(older);
            // A page that was never accessed has probability 0 at every version.
            if self.pages.class(ppn) > 0 {
                promising = true;
                let class = self.classes.of(self.accesses_of(ppn), probability::version(position));
                if class != self.pages.class(ppn) {
                    self.change_class(ppn, class, loss);
                    let entry = self.entry(ppn);
                    if entry != NONE && self.store.ranks_by_probability() {
                        self.store.rerank(entry, class);
                    }
                }
            }
            ppn = older;
        }
    }

    fn enter_store(&mut self, ppn: Ppn, fingerprint: Fingerprint, class: Class) {
        if self.config.entry == EntryPer::Fingerprint
            && let Some(earlier) = self.store.first(fingerprint)
        {
            self.store.remove(earlier);
        }
        match self.store.offer(fingerprint, ppn, class) {
            Offered::Refused => self.counters.rejections += 1,
            Offered::Taken { entry, evicted } => {
                self.pages.set_entry(ppn, entry);
                self.counters.insertions += 1;
                self.counters.evictions += u64::from(evicted);
                self.store.prefetch_next_out();
            }
        }
        self.counters.most_entries = self.counters.most_entries.max(self.store.count() as u64);
    }

    #[inline(never)]
    fn revived(&mut self, ppn: Ppn, loss: &mut ContentLoss) {
        let lpn = self.leave_the_dead(ppn, loss);
        if let Some(fingerprint) = self.pages.fingerprint(ppn) {
            self.accesses.answered(ppn);
            if let Some(live) = &mut self.live {
                live.add(&self.pages, fingerprint, ppn);
            }
        }
        if let Some(lpn) = lpn {
            self.load_neighbours(lpn, loss);
        }
    }

    #[inline]
    fn moved(&mut self, from: Ppn, to: Ppn) {
        let fingerprint = self.pages.fingerprint(from);
        self.pages.set_fingerprint(to, fingerprint);
        let Some(fingerprint) = fingerprint else { return };
        self.accesses.moved(from, to);
        if let Some(live) = &mut self.live {
            live.remove(fingerprint, from);
            live.add(&self.pages, fingerprint, to);
        }
        self.pages.set_fingerprint(from, None);
    }

    #[inline(never)]
    fn destroyed(&mut self, ppn: Ppn, loss: &mut ContentLoss) {
        self.counters.lost_to_cleaning += u64::from(self.entry(ppn) != NONE);
        self.prefetch_neighbours(ppn.saturating_add(DESTROY_AHEAD));
        let was_invalid = self.leave_the_dead(ppn, loss).is_some();
        if let Some(fingerprint) = self.pages.fingerprint(ppn) {
            self.accesses.destroyed(ppn);
            if !was_invalid && let Some(live) = &mut self.live {
                live.remove(fingerprint, ppn);
            }
            self.pages.set_fingerprint(ppn, None);
            // A page that is programmed again in place is valid.
            if let Some(live) = &mut self.live {
                live.remove(fingerprint, ppn);
            }
        }
    }

    /// Brings what a page's destruction will change elsewhere into the cache.
    #[inline]
    fn prefetch_neighbours(&self, ppn: Ppn) {
        if !self.pages.contains(ppn) {
            return;
        }
        let Link { newer, older, lpn } = self.pages.link(ppn);
        if lpn == NONE {
            return;
        }
        self.pages.prefetch(older);
        match newer {
            NONE => self.history.prefetch(lpn),
            newer => self.pages.prefetch(newer),
        }
        let entry = self.pages.entry(ppn);
        if entry != NONE {
            self.store.prefetch_entry(entry);
            if let Some(fingerprint) = self.pages.fingerprint(ppn) {
                self.store.prefetch(fingerprint);
            }
        }
    }

    /// Forgets everything that holds of invalid pages only; returns the logical page that had left the page behind.
    #[inline]
    fn leave_the_dead(&mut self, ppn: Ppn, loss: &mut ContentLoss) -> Option<Lpn> {
        let lpn = self.history.remove(&mut self.pages, ppn)?;
        let entry = self.entry(ppn);
        if entry != NONE {
            self.store.remove(entry);
        }
        // A page that was loaded has a probability.
        if self.pages.class(ppn) > 0 {
            self.change_class(ppn, 0, loss);
            self.loaded[ppn as usize / 64] &= !(1 << (ppn % 64));
        }
        Some(lpn)
    }

    /// The entry of a page in the store; [`NONE`] if it has none. Entries that make way are not told to their pages, so that
    /// an eviction need not touch the page.
    #[inline]
    fn entry(&self, ppn: Ppn) -> u32 {
        let entry = self.pages.entry(ppn);
        if self.store.is_of(entry, ppn) { entry } else { NONE }
    }

    fn change_class(&mut self, ppn: Ppn, class: Class, loss: &mut ContentLoss) {
        let before = self.pages.class(ppn);
        loss.change(ppn, self.classes.scaled(before), self.classes.scaled(class));
        self.pages.set_class(ppn, class);
    }

    /// The class that a page has when it becomes invalid.
    fn class_when_invalid(&self, ppn: Ppn) -> Class {
        // Only invalid pages are loaded, so that its own count decides.
        self.classes.of(self.accesses.of(ppn), MOST)
    }

    fn accesses_of(&self, ppn: Ppn) -> u8 {
        if self.loaded[ppn as usize / 64] >> (ppn % 64) & 1 == 1 {
            return MOST;
        }
        self.accesses.of(ppn)
    }
}
