//! The rules of DiskSim's SSD extension for one plane an element, as an event queue over counts.
//! Nothing is shared with the crates.
//!
//! - A page's element is its number modulo the elements; map, free blocks and cleaning are the
//!   element's own.
//! - At the start the exported blocks are full and valid, the others erased.
//! - All writes of an element go to one block. Its summary page is programmed with its last data
//!   page ([`Summary`]); the next block is the one that has been free for longest.
//! - An idle element that has requests cleans a block while at most a twentieth of its blocks are
//!   free: the fewest valid pages, among equals the highest number. It serves one request at a time
//!   otherwise, in order of arrival.
//! - The device holds a limited number of requests; its response time counts from when it took one.

use std::cmp::Reverse;
use std::collections::{BTreeSet, VecDeque};

const ELEMENTS: usize = 8;
const BLOCKS: usize = 512;
/// Free blocks at which an element cleans.
const LOW: usize = BLOCKS / 20;
/// Data pages of a block, its summary page left out.
const PAGES: usize = 127;
const READ_NS: u64 = 75_000;
const PROGRAM_NS: u64 = 750_000;
const ERASE_NS: u64 = 3_800_000;
const REQUESTS: u64 = 1_000_000;
const BETWEEN_NS: u64 = 1_500_000;
const WRITTEN_PAGES: u64 = 370_000;

/// When the summary page of a full block is programmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Summary {
    /// With the last data page, as DiskSim does.
    WithLastPage,
    /// Before the next page that the element writes, as Rewear does.
    BeforeNextPage,
}

/// What is compared.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Outcome {
    pub cleans: f64,
    pub pages_moved: f64,
    pub mean_response_ms: f64,
}

/// A request that an element has: when the device took it, and the page within the element.
struct Request {
    taken_ns: u64,
    page: usize,
}

struct Element {
    /// The slot, block x `PAGES` + page, of each logical page.
    slot_of: Vec<usize>,
    page_in: Vec<Option<usize>>,
    valid: [usize; BLOCKS],
    /// Full blocks by their valid pages.
    full: BTreeSet<(usize, Reverse<usize>)>,
    free: VecDeque<usize>,
    active: usize,
    next: usize,
    summary: Summary,
    waiting: VecDeque<Request>,
    /// The end of what it does, and the request that it serves; `None` within is a cleaning.
    busy: Option<(u64, Option<Request>)>,
    cleans: u64,
    pages_moved: u64,
}

impl Element {
    fn new(exported_blocks: usize, summary: Summary) -> Element {
        let exported = exported_blocks * PAGES;
        let mut free: VecDeque<usize> = (exported_blocks..BLOCKS).collect();
        Element {
            slot_of: (0..exported).collect(),
            page_in: (0..BLOCKS * PAGES).map(|slot| (slot < exported).then_some(slot)).collect(),
            valid: std::array::from_fn(|block| if block < exported_blocks { PAGES } else { 0 }),
            full: (0..exported_blocks).map(|block| (PAGES, Reverse(block))).collect(),
            active: free.pop_front().unwrap(),
            free,
            next: 0,
            summary,
            waiting: VecDeque::new(),
            busy: None,
            cleans: 0,
            pages_moved: 0,
        }
    }

    /// Takes the next block if the active one is full, and returns how long its summary takes.
    fn open_if_full(&mut self) -> u64 {
        if self.next < PAGES {
            return 0;
        }
        self.full.insert((self.valid[self.active], Reverse(self.active)));
        (self.active, self.next) = (self.free.pop_front().unwrap(), 0);
        PROGRAM_NS
    }

    /// Writes a page to the active block and returns how long that takes.
    fn write(&mut self, page: usize) -> u64 {
        let before_ns = self.open_if_full();
        let old = self.slot_of[page];
        let block = old / PAGES;
        let was_full = self.full.remove(&(self.valid[block], Reverse(block)));
        self.valid[block] -= 1;
        if was_full {
            self.full.insert((self.valid[block], Reverse(block)));
        }
        self.page_in[old] = None;
        let slot = self.active * PAGES + self.next;
        self.slot_of[page] = slot;
        self.page_in[slot] = Some(page);
        self.valid[self.active] += 1;
        self.next += 1;
        let after_ns = if self.summary == Summary::WithLastPage { self.open_if_full() } else { 0 };
        before_ns + PROGRAM_NS + after_ns
    }

    fn clean(&mut self) -> u64 {
        let &(_, Reverse(victim)) = self.full.first().unwrap();
        let mut duration_ns = ERASE_NS;
        for slot in victim * PAGES..(victim + 1) * PAGES {
            if let Some(page) = self.page_in[slot] {
                duration_ns += READ_NS + self.write(page);
                self.pages_moved += 1;
            }
        }
        self.full.remove(&(0, Reverse(victim)));
        self.free.push_back(victim);
        self.cleans += 1;
        duration_ns
    }

    /// An idle element goes on at `now`.
    fn activate(&mut self, now: u64) {
        if self.busy.is_some() || self.waiting.is_empty() {
            return;
        }
        let now = now + self.open_if_full();
        if self.free.len() <= LOW {
            self.busy = Some((now + self.clean(), None));
        } else if let Some(request) = self.waiting.pop_front() {
            self.busy = Some((now + self.write(request.page), Some(request)));
        }
    }
}

/// A million uniform random writes on a device of elements with so many exported blocks, which
/// takes so many requests at a time.
pub(crate) fn run(exported_blocks: usize, device_queue: usize, summary: Summary, seed: u64) -> Outcome {
    let mut elements: Vec<Element> = (0..ELEMENTS).map(|_| Element::new(exported_blocks, summary)).collect();
    let mut host: VecDeque<usize> = VecDeque::new();
    let (mut arrived, mut in_device, mut served, mut response_ns) = (0, 0, 0, 0);
    let mut state = seed;
    while served < REQUESTS {
        let arrival_ns = if arrived < REQUESTS { arrived * BETWEEN_NS } else { u64::MAX };
        let ends = elements
            .iter()
            .enumerate()
            .filter_map(|(index, element)| element.busy.as_ref().map(|&(end_ns, _)| (end_ns, index)));
        let now = match ends.min() {
            Some((end_ns, index)) if end_ns <= arrival_ns => {
                if let Some((_, Some(request))) = elements[index].busy.take() {
                    response_ns += end_ns - request.taken_ns;
                    (served, in_device) = (served + 1, in_device - 1);
                }
                elements[index].activate(end_ns);
                end_ns
            }
            _ => {
                host.push_back((random(&mut state) % WRITTEN_PAGES) as usize);
                arrived += 1;
                arrival_ns
            }
        };
        while in_device < device_queue
            && let Some(page) = host.pop_front()
        {
            in_device += 1;
            let element = &mut elements[page % ELEMENTS];
            element.waiting.push_back(Request { taken_ns: now, page: page / ELEMENTS });
            element.activate(now);
        }
    }
    Outcome {
        cleans: elements.iter().map(|element| element.cleans as f64).sum(),
        pages_moved: elements.iter().map(|element| element.pages_moved as f64).sum(),
        mean_response_ms: response_ns as f64 / REQUESTS as f64 / 1e6,
    }
}

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}
