//! Where each logical page lies, worked out from the checkpoint, the journal and the records, in
//! any order.

use super::checkpoint::Snapshot;
use crate::address::{Lpn, Ppn};

/// Where each logical page lies, as far as it is known, and since when.
#[derive(Debug, Clone)]
pub(super) struct Candidates {
    best: Vec<(u64, Ppn)>,
    newest: Newest,
}

/// The newest program of the drive, which may have been torn, and what its logical page falls back
/// to then.
#[derive(Debug, Clone, Copy)]
struct Newest {
    sequence: u64,
    lpn: Lpn,
    /// [`Ppn::NONE`] where the newest event is no program of a page.
    ppn: Ppn,
    runner_up: (u64, Ppn),
}

impl Candidates {
    /// Everything lies where a checkpoint says.
    pub(super) fn new(base: &Snapshot) -> Candidates {
        Candidates {
            best: base.map.iter().map(|&ppn| (base.sequence, ppn)).collect(),
            newest: Newest {
                sequence: base.sequence,
                lpn: Lpn::NONE,
                ppn: Ppn::NONE,
                runner_up: (0, Ppn::NONE),
            },
        }
    }

    /// A logical page was noted to lie at `ppn`.
    pub(super) fn noted(&mut self, sequence: u64, lpn: Lpn, ppn: Ppn) {
        self.happened(sequence);
        if let Some(best) = self.best.get_mut(lpn.index())
            && sequence > best.0
        {
            *best = (sequence, ppn);
        }
    }

    /// Something else happened at `sequence`.
    pub(super) fn happened(&mut self, sequence: u64) {
        if sequence > self.newest.sequence {
            self.newest = Newest { sequence, lpn: Lpn::NONE, ppn: Ppn::NONE, runner_up: (0, Ppn::NONE) };
        }
    }

    /// A logical page was programmed to `ppn`.
    pub(super) fn programmed(&mut self, sequence: u64, lpn: Lpn, ppn: Ppn) {
        let Some(best) = self.best.get_mut(lpn.index()) else { return };
        if sequence > self.newest.sequence {
            self.newest = Newest { sequence, lpn, ppn, runner_up: *best };
        } else if lpn == self.newest.lpn && sequence > self.newest.runner_up.0 {
            self.newest.runner_up = (sequence, ppn);
        }
        if sequence > best.0 {
            *best = (sequence, ppn);
        }
    }

    /// The newest program, if that is what happened last: physical page, logical page.
    pub(super) fn newest(&self) -> Option<(Ppn, Lpn)> {
        self.newest.ppn.is_some().then_some((self.newest.ppn, self.newest.lpn))
    }

    /// The newest program was torn: its logical page lies where it lay before.
    pub(super) fn drop_newest(&mut self) {
        if let Some(best) = self.best.get_mut(self.newest.lpn.index())
            && best.1 == self.newest.ppn
        {
            *best = self.newest.runner_up;
        }
    }

    /// The sequence of what happened last.
    pub(super) fn sequence(&self) -> u64 {
        self.newest.sequence
    }

    /// Since when logical pages lie where they lie, in the order of their numbers; and where.
    pub(super) fn places_since(&self) -> impl Iterator<Item = (u64, Ppn)> + '_ {
        self.best.iter().copied()
    }

    /// Where each logical page lies.
    pub(super) fn places(&self) -> impl Iterator<Item = (Lpn, Ppn)> + '_ {
        (0..).map(Lpn).zip(&self.best).map(|(lpn, &(_, ppn))| (lpn, ppn))
    }
}
