//! Recycle `lx`: invalid pages answer writes of the content that they still hold (LX-SSD).
//!
//! # Idea
//! A page that was overwritten is invalid but not erased: its content lies on the flash until
//! cleaning comes. The drive keeps the fingerprints of the invalid pages most likely to be needed
//! again. A write whose fingerprint it finds there is answered by making that page valid again: no
//! program, and one page less for cleaning to make room for.
//!
//! # Paper
//! Zhou, Hu, Huang, Zhao: LX-SSD: Enhancing the Lifespan of NAND Flash-based Memory via Recycling
//! Invalid Pages.
//! - IV.A, the way of a write: [`hash_engine`]; the cache in front is `ftl.write_buffer`.
//! - IV.B, the tables LMT and AT: [`version`], [`accessing_table`].
//! - IV.C.1, equations 1 to 4: [`probability`]; IV.C.3: [`fast_loading`].
//! - IV.C.2, the store FS: [`store`], in the [`order`] that counts the comparisons of Figure 13.
//! - IV.D, equation 5: [`content_score`](crate::state::content_score), for policy `recycle-aware`.
//! - Deduplication of valid pages ([`live`]) is CAFTL's (Chen, Luo, Zhang, FAST '11).
//!
//! # Parameters
//! [`LxConfig`]; `docs/notebook/lx.md` says what each of them moves.
//!
//! # Cost
//! An entry of the store takes 24 bytes, AT 4 bits a page, LMT a list pointer of 4 bytes. A page's
//! fingerprint takes 16 bytes of the paper's spare area, every page written `hash_ns`. A recycled
//! page's spare area names an owner of the past, so the map must survive power loss without a scan.
//!
//! Controller RAM: `24 * entries + 4 * slots + slots / 2`.
//!
//! # Deviations
//! The page that a write replaces counts as invalid before the look-up, so that it may answer the
//! write (`own_page`); the paper's text has invalid pages only. An entry moves in the order when a
//! newer version of its page appears (as in the paper); when one is collected or recycled, only with
//! the next newer version. Of more than 16 invalid pages of the same content in the store a look-up
//! considers the latest 16. An index finds the entries; what a scan would
//! compare is counted, and takes time if `comparison_ns` is set. Pages are digested by XXH3 with
//! 128 bits instead of MD5, and digests are kept in memory, not in spare areas. A mounted drive
//! begins with an empty store and empty tables; the paper rebuilds the store by a scan, and keeps
//! the tables in battery-backed RAM.

pub mod accessing_table;
mod audit;
mod bits;
mod cache_hints;
pub mod config;
mod destroyed;
mod fast_loading;
mod front;
mod hash_engine;
mod index;
mod live;
pub mod order;
pub mod pages;
pub mod probability;
pub mod store;
pub mod version;

use accessing_table::Accesses;
use config::{EntryPer, LxConfig, Popularity, Scope};
use destroyed::ErasedRow;
use front::Front;
use hash_engine::HashEngine;
use live::LivePages;
use pages::{Marks, Pages};
use probability::{Class, Classes, MOST};
use rewear_flash::{ConfigError, Nanos};
use store::{Offered, Store};
use version::History;

use super::counters::RecycleCounters;
use super::scheme::{Event, Facts, ModelSize, Scheme};
use crate::address::{Lpn, Ppn};
use crate::cache_hints::Soon;
use crate::host::fingerprint::Fingerprint;
use crate::shape::layout::Layout;
use crate::state::State;
use crate::state::content_score::ContentScore;

/// A unit is filled from its first page on, and others in between.
const FILL_AHEAD: u32 = 4;
/// A victim is emptied from its first page on, and not all of its pages are moved.
const MOVE_AHEAD: u32 = 8;

/// See the module's page.
#[derive(Debug, Clone)]
pub struct Lx {
    config: LxConfig,
    pages: Pages,
    history: History,
    accesses: Accesses,
    classes: Classes,
    store: Store,
    live: Option<LivePages>,
    engine: HashEngine,
    /// Content of the write under way.
    pending: Option<Fingerprint>,
    row: ErasedRow,
    counters: RecycleCounters,
}

impl Scheme for Lx {
    type Config = LxConfig;

    fn check(config: &LxConfig) -> Result<(), ConfigError> {
        config.check()
    }

    fn facts(config: &LxConfig) -> Facts {
        Facts {
            shares_pages: config.shares_pages(),
            stays_in_pool: config.scope == Scope::Pool,
            comparison_ns: config.comparison_ns,
        }
    }

    fn new(config: &LxConfig, layout: &Layout) -> Lx {
        Lx::of_pages(config, layout.exported_pages, layout.slots())
    }

    fn config(&self) -> &LxConfig {
        &self.config
    }

    fn size(config: &LxConfig, layout: &Layout) -> ModelSize {
        let (slots, logical_pages) = (u64::from(layout.slots()), u64::from(layout.exported_pages));
        let entries = if config.entries == 0 { slots } else { u64::from(config.entries).min(slots) };
        let by_value = config.popularity == Popularity::ValueAccesses;
        let live =
            if config.shares_pages() { slots.min(logical_pages) * live::MODEL_BYTES_PER_PAGE } else { 0 };
        let accesses_bytes = if by_value { slots * Accesses::MODEL_BYTES_PER_VALUE } else { 0 };
        ModelSize {
            store_bytes: entries * store::ENTRY_BYTES,
            // A list pointer a page, and four bits.
            tables_bytes: slots * 4 + slots.div_ceil(2),
            model_bytes: entries * store::MODEL_BYTES_PER_ENTRY
                + slots * (pages::MODEL_BYTES_PER_SLOT + store::MODEL_BYTES_PER_SLOT)
                + logical_pages * History::BYTES_PER_LPN
                + slots.saturating_sub(logical_pages) * History::BYTES_PER_FRONT
                + accesses_bytes
                + live,
        }
    }

    fn counters_mut(&mut self) -> &mut RecycleCounters {
        &mut self.counters
    }

    fn begin_write(&mut self, at: Nanos, fingerprint: Option<Fingerprint>) -> Nanos {
        self.pending = fingerprint.map(|fingerprint| fingerprint.max(1));
        self.engine.hash(at)
    }

    #[inline]
    fn holds_pending(&self, ppn: Ppn) -> bool {
        self.pending.is_some_and(|pending| self.pages[ppn].fingerprint == pending)
    }

    #[inline]
    fn finds_own_page(&mut self, ppn: Ppn) -> Option<u64> {
        if !(self.holds_pending(ppn) && self.config.recycles() && self.config.own_page) {
            return None;
        }
        let class = self.class_when_invalid(ppn);
        self.store.would_take(class).then(|| self.store.rank_of_new(class))
    }

    fn find_live(&self) -> Option<Ppn> {
        self.live.as_ref()?.find(&self.pages, self.pending?)
    }

    #[inline]
    fn find_match(&mut self, tried: Option<Ppn>) -> Option<Ppn> {
        let pending = self.pending.filter(|_| self.config.recycles())?;
        self.counters.lookups += u64::from(tried.is_none());
        self.store.first_match(&self.pages, pending, tried)
    }

    fn comparisons(&self, ppn: Ppn) -> u64 {
        self.store.rank(&self.pages, ppn)
    }

    fn scan_ns(&self) -> Nanos {
        self.config.comparison_ns * self.store.count() as u64
    }

    fn restart_clock(&mut self) {
        self.engine.restart_clock();
    }

    fn counters(&self) -> RecycleCounters {
        RecycleCounters { entries: self.store.count() as u64, ..self.counters }
    }

    #[inline(always)]
    fn hear(&mut self, event: Event, loss: &mut ContentScore) {
        match event {
            Event::Written { ppn } => self.written(ppn),
            Event::Answered { ppn } => self.answered(ppn),
            Event::Invalidated { lpn, ppn } => self.invalidated(lpn, ppn, loss),
            Event::Revived { lpn, ppn } => self.revived(lpn, ppn, loss),
            Event::Moved { from, to } => self.moved(from, to),
            Event::Read { ppn } => self.read(ppn),
            Event::Destroyed { ppn, .. } if self.pages[ppn].is_blank() => {}
            Event::Destroyed { lpn, ppn } => self.destroyed(lpn, ppn, loss),
        }
    }

    fn hear_destroyed(&mut self, first: Ppn, owners: &[Lpn], loss: &mut ContentScore) {
        self.row_destroyed(first, owners, loss);
    }

    #[inline(always)]
    fn hint(&self, soon: Soon) {
        self.hint_of(soon);
    }

    fn audit(&self, state: &State) -> Result<(), String> {
        self.audit_against(state)
    }
}

/// What the scheme learns from.
impl Lx {
    fn of_pages(config: &LxConfig, logical_pages: u32, slots: u32) -> Lx {
        let classes = Classes::new(config.growth, config.decay);
        Lx {
            pages: Pages::new(slots),
            history: History::new(logical_pages),
            accesses: Accesses::new(config.popularity, slots),
            store: Store::new(config, classes.count(), slots),
            live: config.shares_pages().then(LivePages::new),
            engine: HashEngine::new(config.hash_ns, config.hash_engines),
            pending: None,
            row: ErasedRow::default(),
            counters: RecycleCounters::default(),
            config: config.clone(),
            classes,
        }
    }

    #[inline]
    fn read(&mut self, ppn: Ppn) {
        if self.pages[ppn].content().is_some() {
            self.accesses.read(&mut self.pages, ppn);
        }
    }

    #[inline]
    fn written(&mut self, ppn: Ppn) {
        self.pages.hint(ppn + FILL_AHEAD);
        self.pages[ppn].fingerprint = self.pending.unwrap_or(0);
        let Some(fingerprint) = self.pending else { return };
        self.accesses.programmed(&mut self.pages, ppn, fingerprint);
        if let Some(live) = &mut self.live {
            live.add(&self.pages, fingerprint, ppn);
        }
    }

    fn answered(&mut self, ppn: Ppn) {
        if self.pages[ppn].content().is_some() {
            self.accesses.answered(ppn);
        }
    }

    #[inline(never)]
    fn invalidated(&mut self, lpn: Lpn, ppn: Ppn, loss: &mut ContentScore) {
        if let Some(&front) = self.history.front(lpn) {
            self.age(&front, loss);
        }
        self.history.push(&mut self.pages, lpn, ppn);
        let Some(fingerprint) = self.pages[ppn].content() else { return };
        if let Some(live) = &mut self.live {
            live.remove(fingerprint, ppn);
        }
        if self.config.recycles() {
            let class = self.class_when_invalid(ppn);
            if class > 0 {
                self.change_class(ppn, class, loss);
                self.begins_to_age(lpn, 0, loss);
            }
            self.enter_store(ppn, fingerprint);
        }
    }

    /// The pages at the front of a list become one version older.
    #[inline(never)]
    fn age(&mut self, front: &Front, loss: &mut ContentScore) {
        for (ppn, position) in front.ageing() {
            let class = self.classes.of(self.accesses_of(ppn), probability::version(position));
            if class != self.pages[ppn].class {
                self.change_class(ppn, class, loss);
            }
        }
    }

    /// The page at a place of the list of a logical page has a probability above 0. If nobody asks
    /// for it, it may stay as it is.
    #[inline]
    fn begins_to_age(&mut self, lpn: Lpn, place: u32, loss: &ContentScore) {
        if self.store.ranks_by_probability() || loss.is_kept() {
            self.history.begins_to_age(&mut self.pages, lpn, place);
        }
    }

    #[inline]
    fn enter_store(&mut self, ppn: Ppn, fingerprint: Fingerprint) {
        if self.config.entry == EntryPer::Fingerprint
            && let Some(earlier) = self.store.latest(&self.pages, fingerprint)
        {
            self.store.remove(&mut self.pages, earlier);
        }
        match self.store.offer(&mut self.pages, ppn) {
            Offered::Refused => self.counters.rejections += 1,
            Offered::Taken { evicted } => {
                self.counters.insertions += 1;
                self.counters.evictions += u64::from(evicted);
                self.store.hint_next_out();
            }
        }
        self.counters.most_entries = self.counters.most_entries.max(self.store.count() as u64);
    }

    #[inline(never)]
    fn revived(&mut self, lpn: Lpn, ppn: Ppn, loss: &mut ContentScore) {
        // The nearest neighbours will be loaded.
        self.history.hint_head(&self.pages, Lpn(lpn.0.wrapping_sub(1)));
        self.history.hint_head(&self.pages, lpn + 1);
        let was_invalid = self.forget_invalid(lpn, ppn, loss);
        if let Some(fingerprint) = self.pages[ppn].content() {
            self.accesses.answered(ppn);
            if let Some(live) = &mut self.live {
                live.add(&self.pages, fingerprint, ppn);
            }
        }
        if was_invalid {
            self.load_neighbours(lpn, loss);
        }
    }

    #[inline]
    fn moved(&mut self, from: Ppn, to: Ppn) {
        self.pages.hint(to + FILL_AHEAD);
        let fingerprint = std::mem::take(&mut self.pages[from].fingerprint);
        self.pages[to].fingerprint = fingerprint;
        if fingerprint == 0 {
            return;
        }
        self.accesses.moved(&mut self.pages, from, to);
        if let Some(live) = &mut self.live {
            // The pages of a victim are moved in their order.
            live.hint(self.pages.content_of(from + MOVE_AHEAD));
            live.moved(&self.pages, fingerprint, from, to);
        }
    }

    /// Forgets everything that holds of invalid pages only, of a page that a logical page had left
    /// behind; returns whether it was one.
    #[inline]
    fn forget_invalid(&mut self, lpn: Lpn, ppn: Ppn, loss: &mut ContentScore) -> bool {
        if !self.history.remove(&mut self.pages, lpn, ppn) {
            return false;
        }
        if self.store.has(ppn) {
            self.store.remove(&mut self.pages, ppn);
        }
        // A page that was loaded has a probability.
        if self.pages[ppn].class > 0 {
            self.change_class(ppn, 0, loss);
            self.pages[ppn].marks.clear(Marks::LOADED);
        }
        true
    }

    /// The probability of a page changed.
    #[inline]
    fn change_class(&mut self, ppn: Ppn, class: Class, loss: &mut ContentScore) {
        let page = &mut self.pages[ppn];
        loss.change(ppn, self.classes.scaled(page.class), self.classes.scaled(class));
        if self.store.has(ppn) && self.store.ranks_by_probability() {
            return self.store.rerank(&mut self.pages, ppn, class);
        }
        page.class = class;
    }

    /// The class that a page has when it becomes invalid.
    #[inline]
    fn class_when_invalid(&self, ppn: Ppn) -> Class {
        // Only invalid pages are loaded: its own count decides, unless it keeps what it got then.
        self.classes.of(self.accesses_of(ppn), MOST)
    }

    #[inline]
    fn accesses_of(&self, ppn: Ppn) -> u8 {
        if self.pages[ppn].marks.has(Marks::LOADED) { MOST } else { self.accesses.of(&self.pages, ppn) }
    }
}
