//! Where each logical page lies, worked out from the checkpoint, the journal and the records, in
//! any order.

use super::checkpoint::Snapshot;
use crate::address::{Lpn, Ppn};

/// Where each logical page lies, as far as it is known, and since when.
#[derive(Debug, Clone)]
pub(super) struct Candidates {
    places: Vec<Ppn>,
    /// 0 of a page that lies where the checkpoint says. Memory of such pages is never touched, so a
    /// large drive with few pages written since takes little.
    since: Vec<u64>,
    base_sequence: u64,
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
    /// Everything lies where a checkpoint says, whose map moves here.
    pub(super) fn new(base: &mut Snapshot) -> Candidates {
        let places = std::mem::take(&mut base.map);
        Candidates {
            since: vec![0; places.len()],
            places,
            base_sequence: base.sequence,
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
        self.lies_since(sequence, lpn, ppn);
    }

    /// Takes over a place that is newer than what is known.
    fn lies_since(&mut self, sequence: u64, lpn: Lpn, ppn: Ppn) {
        if self.best(lpn).is_some_and(|(since, _)| sequence > since) {
            (self.since[lpn.index()], self.places[lpn.index()]) = (sequence, ppn);
        }
    }

    /// Since when a logical page lies where it lies, and where.
    fn best(&self, lpn: Lpn) -> Option<(u64, Ppn)> {
        let since = self.since.get(lpn.index())?;
        Some(((*since).max(self.base_sequence), self.places[lpn.index()]))
    }

    /// Something else happened at `sequence`.
    pub(super) fn happened(&mut self, sequence: u64) {
        if sequence > self.newest.sequence {
            self.newest = Newest { sequence, lpn: Lpn::NONE, ppn: Ppn::NONE, runner_up: (0, Ppn::NONE) };
        }
    }

    /// A logical page was programmed to `ppn`.
    pub(super) fn programmed(&mut self, sequence: u64, lpn: Lpn, ppn: Ppn) {
        let Some(runner_up) = self.best(lpn) else { return };
        if sequence > self.newest.sequence {
            self.newest = Newest { sequence, lpn, ppn, runner_up };
        } else if lpn == self.newest.lpn && sequence > self.newest.runner_up.0 {
            self.newest.runner_up = (sequence, ppn);
        }
        self.lies_since(sequence, lpn, ppn);
    }

    /// The newest program, if that is what happened last: physical page, logical page.
    pub(super) fn newest(&self) -> Option<(Ppn, Lpn)> {
        self.newest.ppn.is_some().then_some((self.newest.ppn, self.newest.lpn))
    }

    /// The newest program was torn: its logical page lies where it lay before.
    pub(super) fn drop_newest(&mut self) {
        let Newest { lpn, ppn, runner_up, .. } = self.newest;
        if self.best(lpn).is_some_and(|(_, place)| place == ppn) {
            (self.since[lpn.index()], self.places[lpn.index()]) = runner_up;
        }
    }

    /// The sequence of what happened last.
    pub(super) fn sequence(&self) -> u64 {
        self.newest.sequence
    }

    /// Since when a logical page lies where it lies.
    pub(super) fn since(&self, lpn: Lpn) -> u64 {
        self.best(lpn).map_or(0, |(since, _)| since)
    }

    /// Where each logical page lies.
    pub(super) fn places(&self) -> impl Iterator<Item = (Lpn, Ppn)> + '_ {
        (0..).map(Lpn).zip(self.places.iter().copied())
    }
}
