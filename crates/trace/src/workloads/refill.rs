//! Refills: chosen pages of the region are rewritten, pass after pass or at random, after the whole
//! region has been written once in address order.
//!
//! These are the micro-benchmarks of Jaffer, Mahdaviani and Schroeder, "Improving the reliability
//! of next generation SSDs using WOM-v codes", FAST 2022, section 4.1, which names them and says
//! what garbage collection they cause but defines none. The definitions here are ours. *Hot-R*
//! repeats one order: its pages become invalid in the order in which they were written, so that
//! nothing is left to move, which is what the paper reports of it; a fresh order each pass would
//! leave valid pages in every erase unit.
//!
//! Two orders are those of the generator that the authors released for Low-GC and High-GC
//! (github.com/uoftsystems/womv, `linux_wom/guest/get_low_high_gc_trace.cpp`), whose sizes are
//! [`RUN`] and [`BACK`]. Its windows may begin before the first page; here none does.

use rand::Rng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::permutation::Permutation;
use super::random::below;
use super::settings::{Settings, real};
use crate::error::TraceError;

/// Pages that the released generators write before they go elsewhere.
const RUN: u64 = 100;
/// Pages by which the released Low-GC goes back after each run.
const BACK: u64 = 10;

/// In which order the chosen pages are rewritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// Passes in address order.
    Sequential,
    /// Passes, each in a permutation of its own.
    Permutation,
    /// Passes, all in the same permutation.
    FixedPermutation,
    /// No passes: every chosen page is equally likely each time.
    Uniform,
    /// Passes in address order that go back by [`BACK`] pages after each [`RUN`].
    Overlapping,
    /// No passes: a run of [`RUN`] pages in order, which begins at a multiple of that, then as many
    /// pages drawn from a window of as many anywhere, in turn.
    Windows,
}

/// The chosen pages, and how far the present pass over them is.
#[derive(Clone, Debug)]
pub(crate) struct Refill {
    order: Order,
    chosen_pages: u64,
    /// Whether the chosen pages are spread evenly over the region, instead of being its first ones.
    strided: bool,
    permutation: Option<Permutation>,
    /// Chosen pages that the present pass has visited.
    visited: u64,
    /// Pages written since the last step back, or of the present run or window.
    of_run: u64,
    /// Where the present run or window begins, and which of the two it is.
    run: (u64, bool),
    /// Pages of the region that the fill has still to write, in address order.
    fill: std::ops::Range<u64>,
}

impl Refill {
    /// The settings' choice of a region of `pages`; the defaults are those of the generator's
    /// table.
    pub(crate) fn new(settings: &Settings<'_>, pages: u64) -> Result<Self, TraceError> {
        settings.refuse_reads_and_sizes()?;
        let word = |key| settings.text(key).unwrap_or_else(|| settings.table_default(key));
        let order = match word("order") {
            "sequential" => Order::Sequential,
            "permutation" => Order::Permutation,
            "fixed-permutation" => Order::FixedPermutation,
            "uniform" => Order::Uniform,
            "overlapping" => Order::Overlapping,
            "windows" => Order::Windows,
            _ => return Err(settings.wrong("order", "does not exist")),
        };
        let part = settings.real("part", real(settings.table_default("part")).unwrap_or(1.0), 0.0, 1.0)?;
        let chosen_pages = (part * pages as f64).round() as u64;
        if chosen_pages == 0 {
            return Err(settings.wrong("part", &format!("rewrites none of {pages} pages")));
        }
        let strided = match word("choose") {
            "contiguous" => false,
            "strided" => true,
            _ => return Err(settings.wrong("choose", "does not exist")),
        };
        let fill = if settings.flag("fill", settings.table_default("fill") == "true")? { pages } else { 0 };
        Ok(Self {
            order,
            chosen_pages,
            strided,
            permutation: None,
            visited: 0,
            of_run: 0,
            run: (0, false),
            fill: 0..fill,
        })
    }

    /// Requests that the fill adds.
    pub(crate) fn fill_requests(&self) -> u64 {
        self.fill.end - self.fill.start
    }

    /// The page that the next request writes in a region of `pages`.
    pub(crate) fn next_page(&mut self, random: &mut Xoshiro256PlusPlus, pages: u64) -> u64 {
        match self.fill.next() {
            Some(page) => page,
            None => {
                let index = self.next_index(random);
                self.place(index, pages)
            }
        }
    }

    /// Which of the chosen pages comes next, counted in address order.
    fn next_index(&mut self, random: &mut Xoshiro256PlusPlus) -> u64 {
        match self.order {
            Order::Uniform => return below(random, self.chosen_pages),
            Order::Overlapping => return self.next_overlapping(),
            Order::Windows => return self.next_of_window(random),
            Order::Sequential | Order::Permutation | Order::FixedPermutation => {}
        }
        if self.visited == self.chosen_pages {
            self.visited = 0;
        }
        let draws = match self.order {
            Order::Permutation => self.visited == 0,
            Order::FixedPermutation => self.permutation.is_none(),
            Order::Sequential | Order::Uniform | Order::Overlapping | Order::Windows => false,
        };
        if draws {
            self.permutation = Some(Permutation::new(self.chosen_pages, random.next_u64()));
        }
        let index = self.visited;
        self.visited += 1;
        self.permutation.as_ref().map_or(index, |permutation| permutation.apply(index))
    }

    fn next_overlapping(&mut self) -> u64 {
        if self.visited == self.chosen_pages {
            (self.visited, self.of_run) = (0, 0);
        } else if self.of_run == RUN {
            (self.visited, self.of_run) = (self.visited - BACK, 0);
        }
        self.visited += 1;
        self.of_run += 1;
        self.visited - 1
    }

    fn next_of_window(&mut self, random: &mut Xoshiro256PlusPlus) -> u64 {
        let pages = RUN.min(self.chosen_pages);
        if self.of_run == 0 {
            let in_order = !self.run.1;
            let begin = if in_order {
                pages * below(random, self.chosen_pages / pages)
            } else {
                below(random, self.chosen_pages - pages + 1)
            };
            self.run = (begin, in_order);
        }
        let (begin, in_order) = self.run;
        let place = if in_order { self.of_run } else { below(random, pages) };
        self.of_run = (self.of_run + 1) % pages;
        begin + place
    }

    /// The page of the chosen one with this index. Strided, it is index x pages / chosen pages
    /// rounded down, so gaps differ by one page at most; the product of two numbers below 2^53
    /// needs more than 64 bits.
    #[inline]
    fn place(&self, index: u64, pages: u64) -> u64 {
        if self.strided {
            (u128::from(index) * u128::from(pages) / u128::from(self.chosen_pages)) as u64
        } else {
            index
        }
    }
}
