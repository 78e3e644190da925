//! The key-value cache of a language model on a drive, as Mooncake's store keeps it (Qin et al.,
//! FAST 2025): what attention computed of a prompt is kept in blocks of 512 tokens, so that the
//! next turn of the conversation computes only what is new.
//!
//! - A turn reads the blocks that it finds and **appends** those of its new tokens. A prompt of the
//!   published conversation trace has 12,035 tokens on average, or 23.5 blocks, and 40% of them are
//!   found (Table 2). With 1.67 turns a conversation 0.4 of the turns go on with one. If that has
//!   23.5 blocks, turns find 9.4 of them on average and add 0.6 x 20 + 0.4 x 5 = 14: the defaults.
//! - Where the cache is full the conversation that rested longest **expires**: its blocks are
//!   trimmed, and written over in that order.
//! - A block is known by the hash of all tokens up to its end, so a conversation that comes back
//!   after it has expired writes the **same contents** again.
//!
//! Which conversation goes on is not published. Here it is the d-th youngest, with d as likely in
//! 1..2 as in 10..20: half of the turns go to the square root of the conversations remembered.

use std::collections::VecDeque;

use rand_xoshiro::Xoshiro256PlusPlus;

use super::random::{chance, unit};
use super::settings::Settings;
use crate::error::TraceError;
use crate::mix::{mix, numbered};
use crate::operation::Operation;
use crate::request::{FINGERPRINT_PAGE_BYTES, Fingerprint, Request};

/// Placement identifiers that tell conversations apart.
const IDENTIFIERS: u64 = 8;

/// A conversation: its length, and where its blocks lie, if it has not expired.
#[derive(Clone, Debug, Default)]
struct Conversation {
    number: u64,
    blocks: u64,
    places: Vec<u64>,
    /// The turn that went to it last.
    turn: u64,
}

/// One request of the cache.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub(crate) operation: Operation,
    pub(crate) page: u64,
    pub(crate) component: u8,
    /// Number of the content of a block that is written.
    content: u64,
}

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct KvCache {
    block_pages: u64,
    block_bytes: u64,
    /// Mean blocks of a first prompt, and of what a further turn adds.
    means: [f64; 2],
    /// Probability that a turn goes to a conversation that there was.
    goes_on: f64,
    reads: bool,
    trims: bool,
    /// For contents by hash.
    space: Option<u64>,
    remembered: usize,
    /// By their last turn, the youngest last.
    conversations: VecDeque<Conversation>,
    started: u64,
    turns: u64,
    /// Turns that a conversation may rest since, the oldest first; many are out of date.
    by_turn: VecDeque<u64>,
    free: VecDeque<u64>,
    due: VecDeque<Access>,
    contents: Vec<Fingerprint>,
}

impl KvCache {
    pub(crate) fn new(
        settings: &Settings<'_>,
        (pages, page_bytes): (u64, u64),
        seed: u64,
    ) -> Result<Self, TraceError> {
        if let Some(key) = ["read", "size"].into_iter().find(|key| settings.text(key).is_some()) {
            return Err(settings.wrong(key, "does not go with this workload; give reads or block"));
        }
        let block_bytes = settings.size("block", 1 << 20, page_bytes)?;
        if !block_bytes.is_multiple_of(page_bytes) || block_bytes > Operation::Write.longest_bytes() {
            return Err(settings.wrong("block", "is no multiple of page_bytes of at most 4 GiB"));
        }
        let block_pages = block_bytes / page_bytes;
        let blocks = (settings.real("used", 0.9, 0.0, 1.0)? * pages as f64 / block_pages as f64) as u64;
        let means = [settings.real("first", 20.0, 1.0, 1e4)?, settings.real("turn", 5.0, 1.0, 1e4)?];
        // A prompt of twenty times the mean length must find room.
        if (blocks as f64) < 20.0 * (means[0] + means[1]) {
            let problem = format!("leaves room for {blocks} blocks in {pages} pages, too few for a prompt");
            return Err(settings.wrong("block", &problem));
        }
        let space = match settings.text("content").unwrap_or("none") {
            "none" => None,
            "hash" if block_bytes.is_multiple_of(FINGERPRINT_PAGE_BYTES) => {
                Some(mix(seed ^ 0x6b76_2d63_6163_6865))
            }
            "hash" => return Err(settings.wrong("content", "needs blocks of whole pages of 4 KiB")),
            _ => return Err(settings.wrong("content", "does not exist")),
        };
        Ok(Self {
            block_pages,
            block_bytes,
            means,
            goes_on: 1.0 - 1.0 / settings.real("turns", 1.67, 1.0, 1e6)?,
            reads: settings.flag("reads", true)?,
            trims: settings.flag("trim", true)?,
            space,
            remembered: settings.count("remembered", 10_000, 1)?.min(1 << 24) as usize,
            conversations: VecDeque::new(),
            started: 0,
            turns: 0,
            by_turn: VecDeque::new(),
            free: (0..blocks).collect(),
            due: VecDeque::new(),
            contents: Vec::new(),
        })
    }

    /// Bytes of every request.
    pub(crate) fn block_bytes(&self) -> u64 {
        self.block_bytes
    }

    /// The next request.
    pub(crate) fn next(&mut self, random: &mut Xoshiro256PlusPlus) -> Access {
        loop {
            if let Some(access) = self.due.pop_front() {
                return access;
            }
            self.take_turn(random);
        }
    }

    /// The fingerprints of the pages of a block that is written, if contents are known.
    pub(crate) fn contents(&mut self, access: &Access, request: &Request) -> Option<&[Fingerprint]> {
        let space = self.space?;
        let pages = request.fingerprint_count() as u64;
        let first = access.content * pages;
        self.contents.clear();
        self.contents.extend((first..first + pages).map(|number| numbered(space, number)));
        Some(&self.contents)
    }

    fn take_turn(&mut self, random: &mut Xoshiro256PlusPlus) {
        self.turns += 1;
        let known = self.conversations.len();
        let goes_on = known > 0 && chance(random, self.goes_on);
        let mut conversation = match goes_on {
            true => {
                let back = libm::exp(unit(random) * libm::log(known as f64)) as usize;
                self.conversations.remove(known - back.clamp(1, known)).unwrap_or_default()
            }
            false => {
                self.started += 1;
                Conversation { number: self.started, ..Conversation::default() }
            }
        };
        conversation.turn = self.turns;
        if self.reads {
            for &place in &conversation.places {
                self.due.push_back(self.access(Operation::Read, place, conversation.number, 0));
            }
        }
        conversation.blocks += self.new_blocks(random, goes_on);
        for index in conversation.places.len() as u64..conversation.blocks {
            let Some(place) = self.place() else { break };
            conversation.places.push(place);
            // No prompt is longer than what there is room for, so numbers of two do not meet.
            let content = conversation.number << 24 | index;
            self.due.push_back(self.access(Operation::Write, place, conversation.number, content));
        }
        conversation.blocks = conversation.places.len() as u64;
        self.by_turn.push_back(conversation.turn);
        self.conversations.push_back(conversation);
        if self.conversations.len() > self.remembered
            && let Some(forgotten) = self.conversations.pop_front()
        {
            self.give_back(forgotten.number, forgotten.places);
        }
    }

    /// Blocks that a turn adds: geometric, at least one.
    fn new_blocks(&self, random: &mut Xoshiro256PlusPlus, goes_on: bool) -> u64 {
        let mean = self.means[usize::from(goes_on)];
        let stays = 1.0 - 1.0 / mean;
        let more = if stays > 0.0 { libm::log(1.0 - unit(random)) / libm::log(stays) } else { 0.0 };
        1 + more.min(19.0 * mean) as u64
    }

    /// A free place, for which conversations expire; `None` if all belongs to the one of the turn.
    fn place(&mut self) -> Option<u64> {
        while self.free.is_empty() {
            let turn = self.by_turn.pop_front()?;
            let index = self.conversations.partition_point(|known| known.turn < turn);
            // Of a turn that is out of date nothing is found.
            let Some(resting) = self.conversations.get_mut(index).filter(|known| known.turn == turn) else {
                continue;
            };
            let (number, places) = (resting.number, std::mem::take(&mut resting.places));
            self.give_back(number, places);
        }
        self.free.pop_front()
    }

    fn give_back(&mut self, number: u64, places: Vec<u64>) {
        for place in places {
            if self.trims {
                self.due.push_back(self.access(Operation::Trim, place, number, 0));
            }
            self.free.push_back(place);
        }
    }

    fn access(&self, operation: Operation, place: u64, number: u64, content: u64) -> Access {
        Access { operation, page: place * self.block_pages, component: (number % IDENTIFIERS) as u8, content }
    }
}
