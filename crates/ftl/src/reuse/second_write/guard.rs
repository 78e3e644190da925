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
//!   last one can be paid.
//! - **A debt is paid back.** A trial leaves cold pages among hot ones, and a drive sorts them out
//!   again over tens of capacities at best. So a stopped trial goes on being charged, and pages that
//!   cleaning moves lie apart from host writes, until as much was saved as it had cost. A second
//!   miniature says whether such a drive takes no more than the plain one. If not, the debt is
//!   written off when the second writes have left.
//! - **A debt that does not fall is written off.** Then the drive takes what a plain one would: the
//!   trial has left nothing behind, and there is nothing to be saved by moved pages that lie apart.
//!   The next trial waits until twice the debt can be paid.
//! - **Wear counts where life is rated.** A life ends with the most worn blocks, and the miniature
//!   counts no wear. Cold pages that lie apart let their blocks rest and wear the others. So they
//!   lie apart only while that pays, and no second trial begins, while blocks wear unevenly.
//! - **A trial is no measure of the plain drive.** So the correction may fall after the first trial,
//!   not rise: losses that outlast a trial would look like errors of the miniature.
//! - **No trial where blocks are too worn for it.** Where most victims bear no second writes any
//!   more, no trial begins, and one ends that writes nothing twice.

use super::debt::Falling;
use super::delay::Delay;
use super::looks::{Counts, LEAST_GAIN, LOOKS_PER_DRIVE, Look, Recent};
use super::miniature::Miniature;
use crate::address::Lpn;
use crate::state::State;

/// Parts of 2R in which the share is counted.
pub(super) const WHOLE: u32 = 8;
/// Looks that correct the miniature before a trial, an eighth of the flash together.
const LOOKS_BEFORE_TRIAL: u32 = 4;
/// As [`RECENT`](super::looks), for the correction of the miniature.
const CORRECTION: f64 = 15.0 / 16.0;
/// Part of the clean pages of a plain drive that all trials together may cost.
const BUDGET: f64 = 0.01;
/// What the miniature with moved pages apart may take more than the other one. Both see the same
/// sample, so far less than its error.
const NO_MORE: f64 = 0.002;
/// Part of the rated life by which the most worn block may exceed the mean when a trial begins, if
/// the last one failed.
const UNEVEN: f64 = 0.02;
/// As [`UNEVEN`], while moved pages lie apart. Trials themselves make wear uneven; a debt is paid
/// back within a part of the life that adds little.
const UNEVEN_APART: f64 = 0.1;

/// What a look changes.
#[derive(Debug, Default)]
pub(super) struct Change {
    /// Part of 2R that may be recycled or reused, of [`WHOLE`].
    pub(super) share: Option<u32>,
    /// Whether pages that cleaning moves lie apart from host writes.
    pub(super) moves_apart: Option<bool>,
}

/// See the module's page.
#[derive(Debug, Clone)]
pub(super) struct Guard {
    miniature: Option<Box<Miniature>>,
    /// The same with moved pages apart, where the drive has them among host writes.
    apart: Option<Box<Miniature>>,
    on_their_way: Delay,
    written: u64,
    next_check: u64,
    /// Part of 2R that may be recycled or reused, of [`WHOLE`].
    share: u32,
    last: Counts,
    recent: Recent,
    /// What the drive took, and the miniature, while there were no second writes.
    correction: (f64, f64),
    /// The correction before the first trial, infinite until then.
    first_correction: f64,
    /// The last trial is over, and its debt is not paid back.
    repays: bool,
    /// Moved pages lie apart for it.
    moves_apart: bool,
    /// Looks since second writes stopped, or since the last trial was paid back.
    looks_off: u32,
    /// Clean pages that a plain drive would have taken since the start.
    total: f64,
    /// Of these, what trials cost.
    spent: f64,
    debt: f64,
    /// Second writes made before the last trial.
    again_before: u64,
    falling: Falling,
    /// What the last trial cost, 0 if there was none.
    price: f64,
    /// Clean pages taken or owed since the share last changed, and those of a plain drive.
    since: (f64, f64),
    /// Victims emptied since the last look that still bear second writes, and that are too worn.
    emptied: (u32, u32),
    /// Erases that a block bears, if there is a rated life.
    rated: Option<u32>,
}

impl Guard {
    pub(super) fn new(rated: Option<u32>) -> Guard {
        Guard {
            rated,
            miniature: None,
            apart: None,
            on_their_way: Delay::new(),
            written: 0,
            next_check: 0,
            share: 0,
            last: Counts::default(),
            recent: Recent::default(),
            correction: (0.0, 0.0),
            first_correction: f64::INFINITY,
            repays: false,
            moves_apart: false,
            looks_off: 0,
            total: 0.0,
            spent: 0.0,
            debt: 0.0,
            again_before: 0,
            falling: Falling::default(),
            price: 0.0,
            since: (0.0, 0.0),
            emptied: (0, 0),
        }
    }

    /// The host writes a page. Whether the counters are to be looked at.
    #[inline]
    pub(super) fn written(&mut self, lpn: Lpn) -> bool {
        let arrives = self.on_their_way.pass(lpn);
        self.miniatures().for_each(|miniature| {
            miniature.hint(lpn);
            if arrives != Lpn::NONE {
                miniature.write(arrives);
            }
        });
        self.written += 1;
        self.written >= self.next_check
    }

    /// All writes so far come to the miniatures.
    fn catch_up(&mut self) {
        let all = self.on_their_way.all();
        all.for_each(|lpn| self.miniatures().for_each(|miniature| miniature.write(lpn)));
    }

    pub(super) fn trimmed(&mut self, lpn: Lpn) {
        self.catch_up();
        self.miniatures().for_each(|miniature| miniature.trim(lpn));
    }

    #[inline]
    fn miniatures(&mut self) -> impl Iterator<Item = &mut Miniature> {
        [&mut self.miniature, &mut self.apart].into_iter().flatten().map(Box::as_mut)
    }

    /// A victim is about to be emptied, and `bears` second writes or is too worn.
    pub(super) fn emptied(&mut self, bears: bool) {
        *(if bears { &mut self.emptied.0 } else { &mut self.emptied.1 }) += 1;
    }

    /// The drive's counters are about to start at 0 again, or have done so.
    pub(super) fn restart(&mut self) {
        self.next_check = 0;
    }

    /// Looks at the counters; returns what changes. `is_used` says whether the drive makes use of
    /// its share.
    #[cold]
    pub(super) fn check(&mut self, view: &State, is_used: impl Fn() -> bool) -> Change {
        self.catch_up();
        let look = u64::from(view.layout.slots()) / LOOKS_PER_DRIVE + 1;
        let is_first = self.next_check == 0;
        self.next_check = self.written + look / 16 + 1;
        if self.miniature.is_none() {
            let apart = view.units.keeps_moved_apart();
            self.miniature = Some(Box::new(Miniature::of(view, apart)));
            self.apart = (!apart).then(|| Box::new(Miniature::of(view, true)));
        }
        let now = self.counts(view);
        if is_first {
            self.last = now;
            return Change::default();
        }
        if now.taken - self.last.taken < look || now.miniature_written == self.last.miniature_written {
            return Change::default();
        }
        let last = std::mem::replace(&mut self.last, now);
        self.recent.add(&now, &last);
        let look = self.recent.look(&now, &last, self.corrected());
        self.total += look.plain;
        let (bearing, worn) = std::mem::take(&mut self.emptied);
        let are_worn = worn > bearing;
        let share = match self.share {
            0 if now.erases == last.erases => None,
            0 if self.repays => {
                self.repay(view, &look);
                None
            }
            0 => (self.may_begin(view, &look) && !are_worn).then_some(1),
            _ => self.judge(view, &look, are_worn, is_used),
        };
        if let Some(share) = share {
            if self.share == 0 {
                (self.debt, self.again_before) = (0.0, now.again);
                if self.first_correction.is_infinite() {
                    self.first_correction = self.corrected();
                }
            }
            self.share = share;
            self.recent = Recent::default();
            self.since = (0.0, 0.0);
        }
        let apart = self.repays && self.may_lie_apart(view);
        let changes = std::mem::replace(&mut self.moves_apart, apart) != apart;
        Change { share, moves_apart: changes.then_some(apart) }
    }

    /// Clean pages that a plain drive takes for one of the miniature.
    fn corrected(&self) -> f64 {
        let (drive, model) = self.correction;
        (if model > 0.0 { drive / model } else { 1.0 }).min(self.first_correction)
    }

    /// Clean pages that the miniature took, and the one with moved pages apart.
    fn miniatures_taken(&self) -> Option<(u64, u64)> {
        let (Some(plain), Some(apart)) = (&self.miniature, &self.apart) else { return None };
        Some((plain.written + plain.moved, apart.written + apart.moved))
    }

    /// By what part of the rated life the most worn block exceeds the mean, 0 without one.
    fn unevenness(&self, view: &State) -> f64 {
        let Some(rated) = self.rated else { return 0.0 };
        let erases = view.array.wear().erases();
        let sum: u64 = erases.iter().map(|&erases| u64::from(erases)).sum();
        let most = f64::from(erases.iter().copied().max().unwrap_or(0));
        (most - sum as f64 / erases.len() as f64) / f64::from(rated)
    }

    /// Whether a drive that keeps moved pages apart took no more than one that does not, so far,
    /// and the blocks of this one wear evenly.
    fn may_lie_apart(&self, view: &State) -> bool {
        self.miniatures_taken().is_some_and(|(plain, apart)| apart as f64 <= (1.0 + NO_MORE) * plain as f64)
            && self.unevenness(view) <= UNEVEN_APART
    }

    /// The trial is over: what it left behind is charged from now on.
    fn stop(&mut self) {
        (self.repays, self.looks_off) = (true, 0);
        self.falling = Falling::default();
    }

    /// The last trial is over, and is charged with what it left behind.
    fn repay(&mut self, view: &State, look: &Look) {
        self.debt = (self.debt + look.taken_and_owed() - look.plain).max(0.0);
        let taken = self.miniatures_taken().unwrap_or_default();
        let falls = self.falling.look(self.debt, taken, self.rated.is_some());
        let is_drained = look.now.owed * 1000 <= u64::from(view.layout.slots());
        if is_drained && (self.debt == 0.0 || !falls || !self.may_lie_apart(view)) {
            self.spent += self.debt;
            self.price = self.price.max(self.debt);
            (self.repays, self.looks_off) = (false, 0);
        }
    }

    /// There are no second writes, and nothing is to be paid back: whether a trial may begin.
    fn may_begin(&mut self, view: &State, look: &Look) -> bool {
        self.looks_off += 1;
        let (drive, model) = self.correction;
        self.correction = (CORRECTION * drive + look.taken, CORRECTION * model + look.miniature);
        let is_paid = || BUDGET * self.total - self.spent >= 2.0 * self.price;
        self.looks_off >= LOOKS_BEFORE_TRIAL
            && (self.price == 0.0 || is_paid() && self.unevenness(view) <= UNEVEN)
    }

    /// A trial goes on: the share that it changes to, if any.
    fn judge(
        &mut self,
        view: &State,
        look: &Look,
        are_worn: bool,
        is_used: impl Fn() -> bool,
    ) -> Option<u32> {
        let with_owed = look.taken_and_owed();
        self.debt = (self.debt + with_owed - look.plain).max(0.0);
        // The miniature cleans a block at a time, which stands for a row of blocks: a smaller loss
        // cannot be seen.
        let row = f64::from(view.layout.slots_per_unit * view.layout.pools);
        let most = f64::from(view.layout.slots()) / 8.0;
        let allowed = (BUDGET * self.total - self.spent).min(most).max(row);
        // Nothing was written twice: what is lost is due to the larger reserve of clean blocks. A
        // trial that did write twice goes on until the loss can be seen, unless life is rated:
        // debts do not show the wear that it costs.
        let has_written = look.now.again > self.again_before;
        let bearable = if has_written && self.rated.is_none() { row } else { 0.0 };
        let is_idle = look.now.again == look.last.again && (self.debt > bearable || are_worn);
        if self.debt > allowed || is_idle {
            self.price = self.debt.max(row);
            self.stop();
            return Some(0);
        }
        self.since = (self.since.0 + with_owed, self.since.1 + look.plain);
        let looks = f64::from(view.layout.slots()) * 2.0 / LOOKS_PER_DRIVE as f64;
        let gains = self.since.1 >= looks && self.since.0 < (1.0 - LEAST_GAIN) * self.since.1;
        (gains && self.share < WHOLE && is_used()).then_some(2 * self.share)
    }

    fn counts(&self, view: &State) -> Counts {
        let counters = &view.counters;
        let again = counters.second_writes;
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
