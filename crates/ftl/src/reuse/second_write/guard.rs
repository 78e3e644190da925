//! Whether second writes are worth it: they are made as long as the drive programs no more than it would without them.
//!
//! The paper shows workloads with little to gain and leaves a scheme that follows the workload to others (section 6.5). What second writes cost is
//! the spare area that their blocks hold: cleaning finds fuller victims. That shows late and elsewhere, so it is measured as a
//! whole: clean pages taken for a page that the host writes (its first write, and the pages that cleaning moves), beside those of
//! the plain drive in [miniature](Miniature), under the same writes.
//!
//! - The blocks that may be recycled or reused begin with an eighth of 2R. Each time that the drive took clean pages worth an
//!   eighth of its flash, they are doubled if second writes gain, also if the second writes that are still valid now must
//!   all be moved.
//! - If the drive takes more clean pages than the miniature, second writes stop: recycled blocks are cleaned as any other. They begin again with
//!   an eighth of 2R, after a pause that doubles each time. So what a trial may cost is bounded, and trials become rare.

use crate::address::Lpn;
use crate::reuse::miniature::Miniature;
use crate::state::State;

/// Parts of 2R in which the share is counted.
pub(super) const WHOLE: u32 = 8;
/// Part of the flash that is programmed between two looks.
const LOOKS_PER_DRIVE: u64 = 8;
/// How much more than the miniature the drive may program: the error of the sample.
const MARGIN: f64 = 0.01;
const FIRST_PAUSE: u32 = 8;
const LONGEST_PAUSE: u32 = 256;

/// What the counters were at a look.
#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    written: u64,
    /// Clean pages taken.
    taken: u64,
    /// Pages that second writes occupy beyond their data.
    excess: u64,
    miniature_written: u64,
    miniature_taken: u64,
}

/// What was taken since a look or two, relative to a page that the host wrote; older looks count less.
#[derive(Debug, Clone, Copy, Default)]
struct Taken {
    drive: f64,
    to_move: f64,
    plain: f64,
}

/// See the module's page.
#[derive(Debug, Clone)]
pub(super) struct Guard {
    miniature: Option<Box<Miniature>>,
    /// Part of 2R that may be recycled or reused, of [`WHOLE`].
    share: u32,
    written: u64,
    next_check: u64,
    last: Counts,
    taken: Taken,
    /// What the drive took relative to the miniature while it made no second writes.
    bias: Option<f64>,
    /// Looks until the next trial, and how many follow the one after it.
    pause: (u32, u32),
}

/// What a look leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Stay,
    Share(u32),
}

impl Guard {
    pub(super) fn new() -> Guard {
        Guard {
            miniature: None,
            share: 1,
            written: 0,
            next_check: 0,
            last: Counts::default(),
            taken: Taken::default(),
            bias: None,
            pause: (FIRST_PAUSE, FIRST_PAUSE),
        }
    }

    /// The host writes a page. `is_used` says whether the drive makes use of its share.
    #[inline]
    pub(super) fn written(&mut self, view: &State, lpn: Lpn, is_used: impl Fn() -> bool) -> Verdict {
        let miniature = self.miniature.get_or_insert_with(|| Box::new(Miniature::of(view)));
        miniature.write(lpn);
        self.written += 1;
        if self.written < self.next_check { Verdict::Stay } else { self.check(view, is_used) }
    }

    pub(super) fn trimmed(&mut self, lpn: Lpn) {
        if let Some(miniature) = &mut self.miniature {
            miniature.trim(lpn);
        }
    }

    /// The drive's counters are about to start at 0 again, or have done so.
    pub(super) fn restart(&mut self) {
        self.next_check = 0;
    }

    #[cold]
    fn check(&mut self, view: &State, is_used: impl Fn() -> bool) -> Verdict {
        let slots = u64::from(view.layout.slots());
        let first = self.next_check == 0;
        self.next_check = self.written + slots / (LOOKS_PER_DRIVE * 16) + 1;
        let now = self.counts(view);
        if first {
            self.last = now;
            return Verdict::Share(self.share);
        }
        if now.taken - self.last.taken < slots / LOOKS_PER_DRIVE {
            return Verdict::Stay;
        }
        let last = std::mem::replace(&mut self.last, now);
        let written = (now.written - last.written) as f64;
        let add = |old: f64, new: f64| old / 2.0 + new;
        self.taken = Taken {
            drive: add(self.taken.drive, (now.taken - last.taken) as f64 / written),
            to_move: add(self.taken.to_move, (now.excess as f64 - last.excess as f64) / written),
            plain: add(
                self.taken.plain,
                (now.miniature_taken - last.miniature_taken) as f64
                    / (now.miniature_written - last.miniature_written).max(1) as f64,
            ),
        };
        let Taken { drive, to_move, plain } = self.taken;
        let verdict = self.decide(drive / plain, (drive + to_move) / plain, is_used);
        if verdict != Verdict::Stay {
            self.taken = Taken::default();
        }
        verdict
    }

    /// `ratio`: clean pages taken relative to the plain drive; `with_moves`: if all second writes that became valid must be moved.
    fn decide(&mut self, ratio: f64, with_moves: f64, is_used: impl Fn() -> bool) -> Verdict {
        if self.share == 0 {
            if (with_moves / ratio - 1.0).abs() < MARGIN {
                self.bias = Some(self.bias.map_or(ratio, |bias| 0.75 * bias + 0.25 * ratio));
            }
            self.pause.0 -= 1;
            if self.pause.0 > 0 {
                return Verdict::Stay;
            }
            self.pause = (self.pause.1, self.pause.1);
            self.share = 1;
            return Verdict::Share(1);
        }
        let limit = (1.0 + MARGIN) * self.bias.unwrap_or(1.0);
        if ratio > limit {
            self.share = 0;
            self.pause = (self.pause.1, (2 * self.pause.1).min(LONGEST_PAUSE));
            return Verdict::Share(0);
        }
        if with_moves < limit && self.share < WHOLE && is_used() {
            self.share *= 2;
            return Verdict::Share(self.share);
        }
        if with_moves < self.bias.unwrap_or(1.0) && self.share == WHOLE {
            self.pause.1 = FIRST_PAUSE;
        }
        Verdict::Stay
    }

    fn counts(&self, view: &State) -> Counts {
        let counters = &view.counters;
        let again = counters.second_writes + counters.further_writes.iter().sum::<u64>();
        let (miniature_written, moved) =
            self.miniature.as_ref().map_or((0, 0), |miniature| (miniature.written, miniature.moved));
        Counts {
            written: self.written,
            taken: (self.written + counters.pages_moved).saturating_sub(again),
            excess: view.groups.as_ref().map_or(0, |groups| groups.excess_total()),
            miniature_written,
            miniature_taken: miniature_written + moved,
        }
    }
}
