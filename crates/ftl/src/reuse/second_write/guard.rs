//! Whether second writes are worth it: they are made as long as the drive programs no more than it
//! would without them.
//!
//! The paper shows workloads with little to gain and leaves a scheme that follows the workload to
//! others (section 6.5). What second writes cost is the spare area that their blocks hold: cleaning
//! finds fuller victims. That shows late and elsewhere, so it is measured as a whole: clean pages
//! taken for a page that the host writes (its first write, and the pages that cleaning moves),
//! beside those of the plain drive in [miniature](Miniature), under the same writes.
//!
//! - **Off at first.** Without second writes the drive is a plain one, so what it takes corrects
//!   the miniature. Only looks in which blocks were erased count.
//! - **A trial** begins with an eighth of 2R. The share is doubled when second writes gained more
//!   than the error of the sample, with every second write that is still valid counted as a page to
//!   be moved.
//! - **The price of trials is bounded.** What a trial costs more than the plain drive, since it
//!   last cost nothing, is its debt. It ends when the debts of all trials come to a hundredth of
//!   what a plain drive would have taken so far. The next one waits until twice the price of the
//!   last one can be paid, since a drive goes on paying for a while: cold pages were moved in among
//!   hot ones.
//! - **No trial where blocks are too worn for it.** A trial keeps a clean block of each plane more
//!   in reserve, which costs spare space. So none begins, and one ends that writes nothing twice,
//!   where most victims bear no second writes any more.

use crate::address::Lpn;
use crate::reuse::miniature::Miniature;
use crate::state::State;

/// Parts of 2R in which the share is counted.
pub(super) const WHOLE: u32 = 8;
/// The drive takes clean pages worth this part of its flash between two looks. Recycled and reused
/// blocks are up to 2R, an eighth of the flash at an over-provisioning of 7%: a loss is to be seen
/// before they are as many.
const LOOKS_PER_DRIVE: u64 = 32;
/// Looks that correct the miniature before a trial, an eighth of the flash together.
const LOOKS_BEFORE_TRIAL: u32 = 4;
/// Looks in which a stopped trial is still charged with the second writes that it left.
const LOOKS_TO_DRAIN: u32 = 8;
/// Weight of a look beside the one after it: about four looks count. The miniature cleans a block
/// at a time, which is a large part of a look.
const RECENT: f64 = 0.75;
/// As [`RECENT`], for the correction of the miniature.
const CORRECTION: f64 = 15.0 / 16.0;
/// Part of the clean pages of a plain drive that all trials together may cost.
const BUDGET: f64 = 0.01;
/// What must be gained for more second writes: the error of the sample.
const LEAST_GAIN: f64 = 0.02;

/// What the counters were at a look.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    written: u64,
    /// Clean pages taken.
    taken: u64,
    erases: u64,
    /// Second and further writes made.
    again: u64,
    /// Pages that they occupy beyond their data: each must be moved unless it is written again
    /// before.
    owed: u64,
    miniature_written: u64,
    miniature_taken: u64,
}

/// Sums over the last looks, of which older ones count less.
#[derive(Debug, Clone, Copy, Default)]
struct Recent {
    looks: f64,
    taken: f64,
    written: f64,
    miniature_taken: f64,
    miniature_written: f64,
}

impl Recent {
    /// Adds what came between two looks; returns clean pages taken in a look, by the drive and by
    /// the miniature for as many writes.
    fn add(&mut self, now: &Counts, last: &Counts) -> (f64, f64) {
        let add = |sum: &mut f64, new: f64| *sum = RECENT * *sum + new;
        add(&mut self.looks, 1.0);
        add(&mut self.taken, (now.taken - last.taken) as f64);
        add(&mut self.written, (now.written - last.written) as f64);
        add(&mut self.miniature_taken, (now.miniature_taken - last.miniature_taken) as f64);
        add(&mut self.miniature_written, (now.miniature_written - last.miniature_written) as f64);
        let miniature = self.miniature_taken / self.miniature_written * self.written;
        (self.taken / self.looks, miniature / self.looks)
    }
}

/// See the module's page.
#[derive(Debug, Clone)]
pub(super) struct Guard {
    miniature: Option<Box<Miniature>>,
    written: u64,
    next_check: u64,
    /// Part of 2R that may be recycled or reused, of [`WHOLE`].
    share: u32,
    last: Counts,
    recent: Recent,
    /// What the drive took, and the miniature, while there were no second writes.
    correction: (f64, f64),
    /// Looks since second writes stopped.
    looks_off: u32,
    /// Clean pages that a plain drive would have taken since the start.
    total: f64,
    /// Of these, what trials cost.
    spent: f64,
    debt: f64,
    /// What the last trial cost, 0 if there was none.
    price: f64,
    /// Clean pages taken or owed since the share last changed, and those of a plain drive.
    since: (f64, f64),
    /// Victims emptied since the last look that still bear second writes, and that are too worn.
    emptied: (u32, u32),
}

impl Guard {
    pub(super) fn new() -> Guard {
        Guard {
            miniature: None,
            written: 0,
            next_check: 0,
            share: 0,
            last: Counts::default(),
            recent: Recent::default(),
            correction: (0.0, 0.0),
            looks_off: 0,
            total: 0.0,
            spent: 0.0,
            debt: 0.0,
            price: 0.0,
            since: (0.0, 0.0),
            emptied: (0, 0),
        }
    }

    /// The host writes a page. Whether the counters are to be looked at.
    #[inline]
    pub(super) fn written(&mut self, lpn: Lpn) -> bool {
        if let Some(miniature) = &mut self.miniature {
            miniature.write(lpn);
        }
        self.written += 1;
        self.written >= self.next_check
    }

    pub(super) fn trimmed(&mut self, lpn: Lpn) {
        if let Some(miniature) = &mut self.miniature {
            miniature.trim(lpn);
        }
    }

    /// A victim is about to be emptied, and `bears` second writes or is too worn.
    pub(super) fn emptied(&mut self, bears: bool) {
        *(if bears { &mut self.emptied.0 } else { &mut self.emptied.1 }) += 1;
    }

    /// The drive's counters are about to start at 0 again, or have done so.
    pub(super) fn restart(&mut self) {
        self.next_check = 0;
    }

    /// Looks at the counters; returns the share of 2R where it changes. `is_used` says whether the
    /// drive makes use of its share.
    #[cold]
    pub(super) fn check(&mut self, view: &State, is_used: impl Fn() -> bool) -> Option<u32> {
        let look = u64::from(view.layout.slots()) / LOOKS_PER_DRIVE + 1;
        let is_first = self.next_check == 0;
        self.next_check = self.written + look / 16 + 1;
        self.miniature.get_or_insert_with(|| Box::new(Miniature::of(view)));
        let now = self.counts(view);
        if is_first {
            self.last = now;
            return None;
        }
        if now.taken - self.last.taken < look || now.miniature_written == self.last.miniature_written {
            return None;
        }
        let last = std::mem::replace(&mut self.last, now);
        let (taken, miniature) = self.recent.add(&now, &last);
        let plain =
            miniature * if self.correction.1 > 0.0 { self.correction.0 / self.correction.1 } else { 1.0 };
        self.total += plain;
        let (bearing, worn) = std::mem::take(&mut self.emptied);
        let are_worn = worn > bearing;
        let changed = if self.share == 0 {
            (self.may_begin(view, (&now, &last), (taken, miniature, plain)) && !are_worn).then_some(1)
        } else {
            self.judge(view, (&now, &last), (taken, plain), are_worn, is_used)
        };
        if let Some(share) = changed {
            self.share = share;
            self.recent = Recent::default();
            self.since = (0.0, 0.0);
        }
        changed
    }

    /// There are no second writes: whether a trial may begin.
    fn may_begin(
        &mut self,
        view: &State,
        (now, last): (&Counts, &Counts),
        (taken, miniature, plain): (f64, f64, f64),
    ) -> bool {
        if now.erases == last.erases {
            return false;
        }
        self.looks_off += 1;
        let is_drained = now.owed * 1000 <= u64::from(view.layout.slots());
        if self.price > 0.0 && !is_drained && self.looks_off <= LOOKS_TO_DRAIN {
            self.spent += (taken - plain).max(0.0);
            return false;
        }
        let (drive, model) = self.correction;
        self.correction = (CORRECTION * drive + taken, CORRECTION * model + miniature);
        let begins = self.looks_off >= LOOKS_BEFORE_TRIAL
            && (self.price == 0.0 || BUDGET * self.total - self.spent >= 2.0 * self.price);
        if begins {
            self.debt = 0.0;
        }
        begins
    }

    /// A trial goes on: the share that it changes to, if any.
    fn judge(
        &mut self,
        view: &State,
        (now, last): (&Counts, &Counts),
        (taken, plain): (f64, f64),
        are_worn: bool,
        is_used: impl Fn() -> bool,
    ) -> Option<u32> {
        let with_owed = taken + now.owed as f64 - last.owed as f64;
        self.debt = (self.debt + with_owed - plain).max(0.0);
        // The miniature cleans a block at a time, which stands for a row of blocks: a smaller loss
        // cannot be seen.
        let row = f64::from(view.layout.slots_per_unit * view.layout.pools);
        let most = f64::from(view.layout.slots()) / 8.0;
        let allowed = (BUDGET * self.total - self.spent).min(most).max(row);
        // Nothing was written twice: what is lost is due to the larger reserve of clean blocks.
        let is_idle = now.again == last.again && (self.debt > 0.0 || are_worn);
        if self.debt > allowed || is_idle {
            self.spent += self.debt;
            self.price = self.debt.max(row);
            self.looks_off = 0;
            return Some(0);
        }
        self.since = (self.since.0 + with_owed, self.since.1 + plain);
        let looks = f64::from(view.layout.slots()) * 2.0 / LOOKS_PER_DRIVE as f64;
        let gains = self.since.1 >= looks && self.since.0 < (1.0 - LEAST_GAIN) * self.since.1;
        (gains && self.share < WHOLE && is_used()).then_some(2 * self.share)
    }

    fn counts(&self, view: &State) -> Counts {
        let counters = &view.counters;
        let again = counters.second_writes + counters.further_writes.iter().sum::<u64>();
        let (miniature_written, moved) =
            self.miniature.as_ref().map_or((0, 0), |miniature| (miniature.written, miniature.moved));
        Counts {
            written: self.written,
            taken: (self.written + counters.pages_moved).saturating_sub(again),
            erases: counters.erases,
            again,
            owed: view.groups.as_ref().map_or(0, |groups| groups.excess_total()),
            miniature_written,
            miniature_taken: miniature_written + moved,
        }
    }
}
