//! A write buffer: logical pages in DRAM in front of the map.
//!
//! # Idea
//! A write ends as soon as its page lies in the buffer. A page that is written again while it lies
//! there costs no program (it is absorbed). Above a high-water mark pages are destaged: programmed,
//! the oldest (`fifo`) or the least recently written (`lru`; [`slru`](waiting) protects what was
//! written twice) first. A page stays in its slot until its program has ended; a write that finds
//! no free slot waits for the earliest such end.
//!
//! # Source
//! The write cache of every SSD; FIFO and LRU are the two replacements that simulators offer (e.g.
//! the data cache of SSDsim and MQSim). Reads only look it up: it is no read cache.
//!
//! # Parameters
//! `pages`, `destage_at`, `survives_power_loss`.
//!
//! # Cost
//! Memory of the model: about 70 bytes a buffered page ([`MODEL_BYTES_PER_PAGE`]), and its bytes
//! where cells are stored. Time of the model: a hash look-up for every host page. Nothing where
//! there is no buffer.
//!
//! # Deviations
//! DRAM and the controller take no time. A partial write of a page that is not in the buffer is
//! kept as such. The rest is read when it is destaged, even if several partial writes came to cover
//! the page. Destaging happens with writes and flushes only, not in idle time.

pub mod waiting;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use foldhash::fast::FixedState;
use hashbrown::HashMap;
use rewear_flash::{ConfigError, Nanos};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::address::Lpn;
use crate::host::fingerprint::Fingerprint;
use crate::host::{Command, Content};
use waiting::{Replacement, Waiting};

/// Memory of the model for each page of the buffer: its slot, its entry in the index, its place
/// among the programs.
pub const MODEL_BYTES_PER_PAGE: u64 = 72;

/// The `[ftl.write_buffer]` table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "scheme", rename_all = "kebab-case", deny_unknown_fields)]
pub enum WriteBufferConfig {
    /// No buffer: a write ends with its program.
    #[serde(rename = "none")]
    Nothing {},
    /// The page that has been in the buffer longest is destaged first.
    Fifo(BufferConfig),
    /// The page whose last write was longest ago is destaged first.
    Lru(BufferConfig),
    /// Pages that were written once are destaged first, the least recently written of them; half of
    /// the buffer is for others.
    Slru(BufferConfig),
}

/// Size and habits of a write buffer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BufferConfig {
    /// Logical pages that it holds.
    pub pages: u32,
    /// High-water mark, as a fraction of `pages`: while more hold data that no program was begun
    /// for, pages are destaged.
    #[serde(default = "high_water")]
    pub destage_at: f64,
    /// Its content survives a power failure (capacitors), so a flush waits for nothing.
    #[serde(default)]
    pub survives_power_loss: bool,
}

fn high_water() -> f64 {
    0.75
}

impl Default for WriteBufferConfig {
    fn default() -> Self {
        WriteBufferConfig::Nothing {}
    }
}

impl WriteBufferConfig {
    /// Size and habits, if there is a buffer, and which page leaves it first.
    pub fn buffer(&self) -> Option<(&BufferConfig, Replacement)> {
        match self {
            WriteBufferConfig::Nothing {} => None,
            WriteBufferConfig::Fifo(config) => Some((config, Replacement::Fifo)),
            WriteBufferConfig::Lru(config) => Some((config, Replacement::Lru)),
            WriteBufferConfig::Slru(config) => Some((config, Replacement::Slru)),
        }
    }

    /// Checks ranges.
    ///
    /// # Errors
    /// A buffer of no page or more than 2^28, a mark that is no fraction.
    pub fn check(&self) -> Result<(), ConfigError> {
        const MOST: u32 = 1 << 28;
        let Some((config, _)) = self.buffer() else { return Ok(()) };
        if !(1..=MOST).contains(&config.pages) {
            let problem = format!("{} pages are no buffer", config.pages);
            return Err(ConfigError::new(
                "ftl.write_buffer.pages",
                problem,
                format!("give 1 to {MOST}, or ftl.write_buffer.scheme = \"none\""),
            ));
        }
        if !(0.0..=1.0).contains(&config.destage_at) {
            let problem = format!("{} is no fraction", config.destage_at);
            return Err(ConfigError::new("ftl.write_buffer.destage_at", problem, "give 0 to 1"));
        }
        Ok(())
    }
}

/// A page in the buffer.
#[derive(Debug, Clone, Copy)]
struct Slot {
    lpn: Lpn,
    /// A part of the page only: the rest lies on the flash.
    partial: bool,
    /// An overwrite if all writes since the page lies here were overwrites: only then does their
    /// promise hold together.
    command: Command,
    /// Whether its program has begun; then its data is only read.
    in_flight: bool,
    /// When its last write was accepted.
    accepted_at: Nanos,
    /// The placement identifier of its last write.
    identifier: u8,
}

impl Slot {
    fn new(lpn: Lpn, partial: bool, command: Command, accepted_at: Nanos) -> Slot {
        Slot { lpn, partial, command, in_flight: false, accepted_at, identifier: 0 }
    }

    fn found_at(&self, slot: u32) -> Found {
        let &Slot { partial, command, in_flight, accepted_at, .. } = self;
        Found { slot, partial, command, in_flight, accepted_at }
    }
}

/// What a look-up finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// The slot.
    pub slot: u32,
    /// Whether the rest of the page lies on the flash.
    pub partial: bool,
    /// The command by which it is to be written.
    pub command: Command,
    /// Whether its program has begun.
    pub in_flight: bool,
    /// When its last write was accepted.
    pub accepted_at: Nanos,
}

/// The slots of a buffer, which page lies in which, and in what order they are destaged.
///
/// It knows no flash: the translation layer takes pages out and says when their programs end.
#[derive(Debug, Clone)]
pub struct WriteBuffer {
    slots: Vec<Slot>,
    free: Vec<u32>,
    index: HashMap<Lpn, u32, FixedState>,
    /// Ends of the programs under way.
    in_flight: BinaryHeap<Reverse<(Nanos, u32)>>,
    /// Room to list pages that are forgotten together.
    dropped: Vec<Lpn>,
    waiting: Waiting,
    high_water_pages: u32,
    survives_power_loss: bool,
    page_bytes: usize,
    bytes: Vec<u8>,
    /// The content of each slot's last write, where the drive asks for contents and the cells are
    /// modelled.
    contents: Vec<Option<Fingerprint>>,
}

impl WriteBuffer {
    /// An empty buffer. `page_bytes` is the size of the contents it keeps, 0 where cells are
    /// modelled. With `keeps_contents` it keeps their fingerprints.
    pub fn new(
        config: &WriteBufferConfig,
        page_bytes: usize,
        keeps_contents: bool,
    ) -> Option<Box<WriteBuffer>> {
        let (config, replacement) = config.buffer()?;
        let blank = Slot::new(Lpn::NONE, false, Command::Write, 0);
        Some(Box::new(WriteBuffer {
            slots: vec![blank; config.pages as usize],
            free: (0..config.pages).rev().collect(),
            index: HashMap::with_capacity_and_hasher(config.pages as usize, FixedState::default()),
            in_flight: BinaryHeap::with_capacity(config.pages as usize),
            dropped: Vec::new(),
            waiting: Waiting::new(config.pages, replacement),
            high_water_pages: (f64::from(config.pages) * config.destage_at) as u32,
            survives_power_loss: config.survives_power_loss,
            page_bytes,
            bytes: vec![0; config.pages as usize * page_bytes],
            contents: vec![None; if keeps_contents { config.pages as usize } else { 0 }],
        }))
    }

    /// The newest version of a page in the buffer.
    pub fn find(&self, lpn: Lpn) -> Option<Found> {
        let &slot = self.index.get(&lpn)?;
        Some(self.slots[slot as usize].found_at(slot))
    }

    /// Gives back the slots whose programs have ended by `now`.
    pub fn release(&mut self, now: Nanos) {
        while self.in_flight.peek().is_some_and(|&Reverse((end, _))| end <= now) {
            self.release_earliest();
        }
    }

    /// Gives back the slot whose program ends first; returns that end, or `None` if no program is
    /// under way.
    pub fn release_earliest(&mut self) -> Option<Nanos> {
        let Reverse((end, slot)) = self.in_flight.pop()?;
        let lpn = self.slots[slot as usize].lpn;
        // A newer version of the page may lie in another slot.
        if self.index.get(&lpn) == Some(&slot) {
            self.index.remove(&lpn);
        }
        self.free.push(slot);
        Some(end)
    }

    /// Whether a page can be added.
    pub fn has_room(&self) -> bool {
        !self.free.is_empty()
    }

    /// Puts a page into a free slot, last in the order; returns the slot, or `None` if there is
    /// none.
    pub fn add(&mut self, lpn: Lpn, partial: bool, command: Command, accepted_at: Nanos) -> Option<u32> {
        let slot = self.free.pop()?;
        self.slots[slot as usize] = Slot::new(lpn, partial, command, accepted_at);
        self.index.insert(lpn, slot);
        self.waiting.add(slot);
        Some(slot)
    }

    /// A waiting page is written again; returns when: not before its last write was accepted.
    pub fn overwrite(&mut self, slot: u32, whole: bool, command: Command, at: Nanos) -> Nanos {
        let state = &mut self.slots[slot as usize];
        state.partial &= !whole;
        if command == Command::Write {
            state.command = Command::Write;
        }
        state.accepted_at = state.accepted_at.max(at);
        let accepted_at = state.accepted_at;
        self.waiting.renew(slot);
        accepted_at
    }

    /// The last write of a slot came with a placement identifier.
    pub fn label(&mut self, slot: u32, identifier: u8) {
        self.slots[slot as usize].identifier = identifier;
    }

    /// The placement identifier of a slot's last write.
    pub fn label_of(&self, slot: u32) -> u8 {
        self.slots[slot as usize].identifier
    }

    /// The rest of a page was read: the slot holds all of it now.
    pub fn complete(&mut self, slot: u32) {
        self.slots[slot as usize].partial = false;
    }

    /// Forgets pages in a row. Returns how many were waiting, so that their last writes will never be
    /// programmed.
    pub fn drop_pages(&mut self, pages: Range<u32>) -> u64 {
        if pages.len() < self.slots.len() {
            return pages.map(|lpn| u64::from(self.drop_page(Lpn(lpn)))).sum();
        }
        // Fewer pages lie here than are to go.
        let mut here = std::mem::take(&mut self.dropped);
        here.extend(self.slots.iter().map(|slot| slot.lpn).filter(|lpn| pages.contains(&lpn.0)));
        here.sort_unstable();
        let waiting = here.drain(..).map(|lpn| u64::from(self.drop_page(lpn))).sum();
        self.dropped = here;
        waiting
    }

    fn drop_page(&mut self, lpn: Lpn) -> bool {
        let Some(slot) = self.index.remove(&lpn) else { return false };
        if self.slots[slot as usize].in_flight {
            return false;
        }
        self.waiting.remove(slot);
        self.free.push(slot);
        true
    }

    /// Whether more pages wait than the high-water mark allows.
    pub fn is_above_mark(&self) -> bool {
        self.waiting.len() > self.high_water_pages
    }

    /// The waiting page whose turn it is, and what the buffer holds of it.
    pub fn next_to_destage(&self) -> Option<(Lpn, Found)> {
        let slot = self.waiting.first();
        let state = self.slots.get(slot as usize)?;
        Some((state.lpn, state.found_at(slot)))
    }

    /// The program of a waiting page has begun and ends at `end`. If it was partial, the rest was
    /// read for it.
    pub fn begin_program(&mut self, slot: u32, end: Nanos) {
        self.waiting.remove(slot);
        let state = &mut self.slots[slot as usize];
        (state.in_flight, state.partial) = (true, false);
        self.in_flight.push(Reverse((end, slot)));
    }

    /// When the last program under way ends; 0 if there is none.
    pub fn last_end(&self) -> Nanos {
        self.in_flight.iter().map(|&Reverse((end, _))| end).max().unwrap_or(0)
    }

    /// Whether a flush has nothing to wait for.
    pub fn survives_power_loss(&self) -> bool {
        self.survives_power_loss
    }

    /// The clock starts anew: all programs have ended, and all pages were accepted.
    pub fn restart_clock(&mut self) {
        self.release(Nanos::MAX);
        self.slots.iter_mut().for_each(|slot| slot.accepted_at = 0);
    }

    /// Keeps what is known of the content of a slot's last write. On stored cells every write comes
    /// with the bytes of the whole page; a partial one was merged before.
    pub fn keep(&mut self, slot: u32, content: Content<'_>) {
        let slot_bytes = slot as usize * self.page_bytes..(slot as usize + 1) * self.page_bytes;
        match content {
            Content::Page(bytes) if self.page_bytes > 0 => self.bytes[slot_bytes].copy_from_slice(bytes),
            Content::Fingerprint(fingerprint) if !self.contents.is_empty() => {
                self.contents[slot as usize] = Some(fingerprint);
            }
            Content::Unknown if !self.contents.is_empty() => self.contents[slot as usize] = None,
            Content::Unknown | Content::Fingerprint(_) | Content::Page(_) => {}
        }
    }

    /// What is known of the content of a slot.
    pub fn content(&self, slot: u32) -> Content<'_> {
        match (self.bytes(slot), self.contents.get(slot as usize)) {
            ([], Some(&Some(fingerprint))) => Content::Fingerprint(fingerprint),
            ([], _) => Content::Unknown,
            (bytes, _) => Content::Page(bytes),
        }
    }

    /// The kept bytes of a slot; empty where cells are modelled.
    pub fn bytes(&self, slot: u32) -> &[u8] {
        &self.bytes[slot as usize * self.page_bytes..][..self.page_bytes]
    }
}
