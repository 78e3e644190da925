//! Sorts page writes: repeat, return, or something else.

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use super::search::Draws;
use crate::analysis::page_table::PageTable;
use crate::error::TraceError;
use crate::request::{FINGERPRINT_PAGE_BYTES, Fingerprint, Request};
use crate::workloads::content::{VERSIONS, remember};

/// How often something happened that could have, and how often a draw from the pool would have
/// looked like it.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    possible: f64,
    seen: f64,
    by_chance: f64,
}

impl Tally {
    fn add(&mut self, seen: bool, by_chance: f64) {
        self.possible += 1.0;
        self.seen += f64::from(u8::from(seen));
        self.by_chance += by_chance;
    }

    /// The probability without the chance hits, among writes of which part x hits for itself and
    /// part (1 - x) by chance.
    fn probability(&self) -> f64 {
        if self.possible == 0.0 {
            return 0.0;
        }
        let (share, chance) = (self.seen / self.possible, self.by_chance / self.possible);
        if chance < 1.0 { ((share - chance) / (1.0 - chance)).clamp(0.0, 1.0) } else { 0.0 }
    }
}

/// Follows page writes.
#[derive(Clone, Debug, Default)]
pub(super) struct Observer {
    pub(super) page_writes: u64,
    pages: PageTable,
    /// Of each page what it held, as numbers from 1 on; the latest first, each once.
    held: Vec<[u32; VERSIONS]>,
    numbers: HashMap<Fingerprint, u32, FixedState>,
    /// The writes that neither repeat nor return.
    pub(super) others: Draws,
    same: Tally,
    returns: Tally,
    /// Returns of pages with at least two earlier contents, and those of them to the latest.
    deep: Tally,
    shallow: Tally,
}

impl Observer {
    /// A write; pages that it covers in part, and unknown content, leave nothing that is known of
    /// the page.
    pub(super) fn write(
        &mut self,
        request: &Request,
        content: Option<&[Fingerprint]>,
    ) -> Result<(), TraceError> {
        let whole = request.whole_pages(FINGERPRINT_PAGE_BYTES);
        for (index, page) in request.pages(FINGERPRINT_PAGE_BYTES).enumerate() {
            let number = self.pages.number(page | u64::from(request.volume) << 52)? as usize;
            if number == self.held.len() {
                self.held.push([0; VERSIONS]);
            }
            match content.and_then(|content| content.get(index)) {
                Some(&print) if whole.contains(&page) => self.page_write(number, print),
                _ => self.held[number] = [0; VERSIONS],
            }
        }
        Ok(())
    }

    fn page_write(&mut self, page: usize, print: Fingerprint) {
        let next = self.numbers.len() as u32 + 1;
        let number = *self.numbers.entry(print).or_insert(next);
        self.page_writes += 1;
        let held = self.held[page];
        let at = held.iter().position(|&other| other == number);
        let chance = |content: u32| match content {
            0 => 0.0,
            content => f64::from(self.others.count(content)) / self.others.draws().max(1) as f64,
        };
        if held[0] != 0 {
            self.same.add(at == Some(0), chance(held[0]));
        }
        if held[1] != 0 && at != Some(0) {
            let hits: f64 = held[1..].iter().map(|&content| chance(content)).sum();
            self.returns.add(at.is_some(), hits);
            if held[2] != 0 {
                self.deep.add(at.is_some(), hits);
                self.shallow.add(at == Some(1), chance(held[1]));
            }
        }
        if at.is_none() {
            self.others.add(number);
        }
        remember(&mut self.held[page], number);
    }

    pub(super) fn same(&self) -> f64 {
        self.same.probability()
    }

    pub(super) fn returns(&self) -> f64 {
        self.returns.probability()
    }

    /// The mean of a geometric distribution is one over the probability of its first value.
    pub(super) fn depth(&self) -> f64 {
        let (all, first) = (self.deep.seen - self.deep.by_chance, self.shallow.seen - self.shallow.by_chance);
        if first > 0.0 && all > first { (all / first).min(1e6) } else { 1.0 }
    }
}
