//! A flash translation layer in 300 lines: the idea of this crate, without the crate.
//!
//! Flash is written page by page and erased block by block, so a new version of a page goes to
//! another place. The layer keeps the map from logical to physical pages, and garbage collection
//! wins blocks back: it moves the valid pages of a victim and erases it. Whatever lets more be
//! written between two erases lets the flash live longer. Three questions about a write do so, and
//! each is a few lines here:
//!
//! 1. **Must it be written at all?** [`Ftl::revive`]: its content may lie on an invalid page.
//! 2. **Where can it be written without an erase?** [`Technique::Rewrite`]: a code lets a block be
//!    filled several times, for a larger place of each page.
//! 3. **With how much effort must it be written?** [`Technique::Quick`]: a page that will soon be
//!    invalid takes a coarse, quick program under a stronger code.
//!
//! What the crate adds is what real drives have: dies and planes, times, failures, recovery, codes
//! on cells, streams, buffers. A test holds the plain layer here against that of the crate.
//!
//! `cargo run --release -p rewear-ftl --example ftl_in_300_lines`

use std::collections::{HashMap, VecDeque};

/// A page that is not on flash, or a slot that nobody owns.
const NONE: u32 = u32::MAX;

/// What a drive does beside the plain mapping.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Technique {
    /// Nothing: the drive of the shops.
    Plain,
    /// Invalid pages with the content of a write become valid again.
    Revive,
    /// A block is filled several times before it is erased, for larger slots.
    Rewrite {
        /// Fills of a block between two erases.
        fills: u8,
        /// Flash pages of a slot.
        pages: u32,
    },
    /// A page that was written lately takes a program of half the time.
    Quick {
        /// Host writes since then at most.
        recent: u64,
    },
}

/// The size of a drive.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Erase blocks.
    pub blocks: u32,
    /// Flash pages of a block.
    pub pages_per_block: u32,
    /// Logical pages that the host sees.
    pub exported: u32,
}

/// Milliseconds of one program and of one erase.
const PROGRAM_MS: f64 = 0.8;
const ERASE_MS: f64 = 3.0;

/// What the drive did.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Counts {
    /// Pages that the host wrote.
    pub host_writes: u64,
    /// Those answered by an invalid page.
    pub revived: u64,
    /// Slots programmed, and those of them with half the time.
    pub programs: u64,
    /// See `programs`.
    pub quick_programs: u64,
    /// Blocks erased.
    pub erases: u64,
}

impl Counts {
    /// Seconds for which the chip was busy, where a slot takes `pages` flash pages.
    pub fn busy_s(&self, pages: u32) -> f64 {
        let full = self.programs as f64 - 0.5 * self.quick_programs as f64;
        (full * f64::from(pages) * PROGRAM_MS + self.erases as f64 * ERASE_MS) / 1e3
    }
}

/// The layer: a map, the owners of all slots, and the blocks.
pub struct Ftl {
    technique: Technique,
    slots_per_block: u32,
    /// The slot of each logical page.
    map: Vec<u32>,
    /// The logical page of each slot that holds a valid page.
    owner: Vec<u32>,
    /// The content of each programmed slot, and the invalid slots by content.
    content: Vec<u64>,
    invalid: HashMap<u64, u32>,
    /// Valid pages, and fills since the erase, of each block.
    valid: Vec<u32>,
    fills: Vec<u8>,
    /// The number of the change by which each block was closed or last lost a page.
    since: Vec<u64>,
    changes: u64,
    closed: Vec<bool>,
    free: VecDeque<u32>,
    /// The block that is being written, and its next slot.
    open: u32,
    next: u32,
    /// The number of the host write by which each logical page was written last.
    written: Vec<u64>,
    /// What was done so far.
    pub counts: Counts,
}

impl Technique {
    /// Flash pages of a slot, and fills of a block between two erases.
    fn code(self) -> (u32, u8) {
        if let Technique::Rewrite { fills, pages } = self { (pages, fills) } else { (1, 1) }
    }
}

impl Ftl {
    /// An empty drive.
    ///
    /// # Errors
    ///
    /// The logical pages leave fewer than two spare blocks to collect into.
    pub fn new(shape: Shape, technique: Technique) -> Result<Ftl, String> {
        let slots_per_block = shape.pages_per_block / technique.code().0;
        let slots = shape.blocks * slots_per_block;
        if shape.exported + 2 * slots_per_block > slots {
            return Err(format!("{} pages leave no two spare blocks of {slots} slots", shape.exported));
        }
        Ok(Ftl {
            technique,
            slots_per_block,
            map: vec![NONE; shape.exported as usize],
            owner: vec![NONE; slots as usize],
            content: vec![0; slots as usize],
            invalid: HashMap::new(),
            valid: vec![0; shape.blocks as usize],
            fills: vec![0; shape.blocks as usize],
            since: vec![0; shape.blocks as usize],
            changes: 0,
            closed: vec![false; shape.blocks as usize],
            free: (1..shape.blocks).collect(),
            open: 0,
            next: 0,
            written: vec![0; shape.exported as usize],
            counts: Counts::default(),
        })
    }

    /// Writes a logical page with some content.
    pub fn write(&mut self, page: u32, content: u64) {
        self.counts.host_writes += 1;
        if self.revive(page, content) {
            return;
        }
        let slot = self.host_slot();
        self.program(slot, page, content);
        self.written[page as usize] = self.counts.host_writes;
    }

    /// Question 1. Answers a write by an invalid page of the same content, if there is one.
    fn revive(&mut self, page: u32, content: u64) -> bool {
        if self.technique != Technique::Revive {
            return false;
        }
        let Some(slot) = self.invalid.remove(&content) else { return false };
        self.bind(slot, page);
        self.counts.revived += 1;
        true
    }

    /// The next slot for the host. Garbage is collected while the last free block is all there is.
    fn host_slot(&mut self) -> u32 {
        while self.next == self.slots_per_block {
            self.close();
            if self.free.len() > 1 {
                self.open_next();
            } else {
                self.collect();
            }
        }
        self.next += 1;
        self.open * self.slots_per_block + self.next - 1
    }

    /// Moves the valid pages of the victim into the last free block and frees the victim.
    fn collect(&mut self) {
        let victim = self.victim();
        self.closed[victim as usize] = false;
        self.open_next();
        let first = victim * self.slots_per_block;
        for slot in first..first + self.slots_per_block {
            let page = self.owner[slot as usize];
            if page != NONE {
                self.next += 1;
                let to = self.open * self.slots_per_block + self.next - 1;
                self.program(to, page, self.content[slot as usize]);
            }
        }
        self.reclaim(victim);
    }

    /// Question 2. A block whose pages have all left is filled once more, or erased.
    fn reclaim(&mut self, block: u32) {
        self.fills[block as usize] += 1;
        if self.fills[block as usize] == self.technique.code().1 {
            self.fills[block as usize] = 0;
            self.counts.erases += 1;
        }
        let first = block * self.slots_per_block;
        for slot in first..first + self.slots_per_block {
            if self.invalid.get(&self.content[slot as usize]) == Some(&slot) {
                self.invalid.remove(&self.content[slot as usize]);
            }
        }
        self.free.push_back(block);
    }

    /// Greedy: the closed block with the fewest valid pages, among equals the one that has them longest.
    fn victim(&self) -> u32 {
        let closed = (0..self.valid.len()).filter(|&block| self.closed[block]);
        let best = closed.min_by_key(|&block| (self.valid[block], self.since[block]));
        best.expect("spare blocks are always closed when the open one is full") as u32
    }

    /// Programs a page into a slot and maps it there.
    fn program(&mut self, slot: u32, page: u32, content: u64) {
        self.counts.programs += 1;
        // Question 3. A page written lately will soon be written again, so it need not last.
        if let Technique::Quick { recent } = self.technique {
            let last = self.written[page as usize];
            self.counts.quick_programs += u64::from(last > 0 && self.counts.host_writes - last <= recent);
        }
        self.content[slot as usize] = content;
        self.bind(slot, page);
    }

    /// Points the map at a slot. The slot of before holds an invalid page now.
    fn bind(&mut self, slot: u32, page: u32) {
        let old = std::mem::replace(&mut self.map[page as usize], slot);
        if old != NONE {
            let block = old / self.slots_per_block;
            self.owner[old as usize] = NONE;
            self.valid[block as usize] -= 1;
            self.changed(block);
            if self.technique == Technique::Revive {
                self.invalid.insert(self.content[old as usize], old);
            }
        }
        self.owner[slot as usize] = page;
        self.valid[(slot / self.slots_per_block) as usize] += 1;
    }

    /// From now on the open block may be a victim.
    fn close(&mut self) {
        self.closed[self.open as usize] = true;
        self.changed(self.open);
    }

    fn changed(&mut self, block: u32) {
        self.changes += 1;
        self.since[block as usize] = self.changes;
    }

    fn open_next(&mut self) {
        self.open = self.free.pop_front().expect("a block is kept free");
        self.next = 0;
    }

    /// The content of a page, as the host reads it.
    pub fn read(&self, page: u32) -> Option<u64> {
        let slot = self.map[page as usize];
        (slot != NONE).then(|| self.content[slot as usize])
    }
}

/// Pages of a workload and their contents: uniform, or nine writes of ten to a tenth of the pages.
/// One content in three comes back.
pub fn request(state: &mut u64, exported: u32, skewed: bool) -> (u32, u64) {
    let mut draw = || {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        *state >> 33
    };
    let (page, hot, content, again) = (draw(), draw(), draw(), draw());
    let range = if skewed && hot % 10 != 0 { exported / 10 } else { exported };
    let content = if again % 3 == 0 { content % u64::from(exported) } else { (1 << 40) + content };
    ((page % u64::from(range)) as u32, content)
}

#[allow(dead_code)] // The test that includes this file has a loop of its own.
fn main() -> Result<(), String> {
    let shape = Shape { blocks: 256, pages_per_block: 64, exported: 6_000 };
    println!(
        "{:30} {:>8} {:>8} {:>6} {:>7}",
        "nine of ten writes to a tenth", "programs", "revived", "erases", "busy, s"
    );
    for (name, technique) in [
        ("plain", Technique::Plain),
        ("1. revive by content", Technique::Revive),
        ("2. fill twice, half the slots", Technique::Rewrite { fills: 2, pages: 2 }),
        ("2. fill four times, as many", Technique::Rewrite { fills: 4, pages: 2 }),
        ("3. quick programs", Technique::Quick { recent: 6_000 }),
    ] {
        let mut ftl = Ftl::new(shape, technique)?;
        let mut state = 1;
        for _ in 0..200_000 {
            let (page, content) = request(&mut state, shape.exported, true);
            ftl.write(page, content);
        }
        let counts = ftl.counts;
        let Counts { programs, revived, erases, .. } = counts;
        let busy_s = counts.busy_s(technique.code().0);
        println!("{name:30} {programs:>8} {revived:>8} {erases:>6} {busy_s:>7.0}");
    }
    Ok(())
}
