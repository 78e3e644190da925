//! Written and trimmed bytes in their order, with their owners as soon as they are known.

use std::collections::{BTreeMap, VecDeque};

use rewear_trace::{Owner, OwnerKind};

use super::layout::BLOCK;

/// Bytes in a row.
#[derive(Clone, Copy, Debug)]
enum Piece {
    Owned {
        owner: u32,
        bytes: u64,
    },
    /// Written to blocks without a holder: a file gets them with one of the next commits.
    Waiting {
        at: u64,
        bytes: u64,
        since: u64,
    },
}

/// What is known of who wrote.
#[derive(Debug, Default)]
pub(super) struct Told {
    owners: Vec<Owner>,
    indices: BTreeMap<Owner, u32>,
    /// Owners that were handed out.
    handed: usize,
    pieces: VecDeque<Piece>,
}

impl Told {
    /// The index of an owner; a new one if it is new.
    pub(super) fn index(&mut self, kind: OwnerKind, name: String) -> u32 {
        let owner = Owner { kind, name };
        *self.indices.entry(owner.clone()).or_insert_with(|| {
            self.owners.push(owner);
            self.owners.len() as u32 - 1
        })
    }

    /// The next bytes are an owner's.
    pub(super) fn owned(&mut self, owner: u32, bytes: u64) {
        match self.pieces.back_mut() {
            Some(Piece::Owned { owner: last, bytes: length }) if *last == owner => *length += bytes,
            _ => self.pieces.push_back(Piece::Owned { owner, bytes }),
        }
    }

    /// The next bytes, at this place of the device, are somebody's who is not known; written after
    /// `since` commits.
    pub(super) fn waiting(&mut self, at: u64, bytes: u64, since: u64) {
        match self.pieces.back_mut() {
            Some(Piece::Waiting { at: last, bytes: length, since: then })
                if *last + *length == at && *then == since =>
            {
                *length += bytes;
            }
            _ => self.pieces.push_back(Piece::Waiting { at, bytes, since }),
        }
    }

    /// Asks about all that wait. `owner` is given a first block, a number of blocks and the commits
    /// when they were written; it answers for how many of them it speaks, and the owner if known.
    pub(super) fn ask(&mut self, mut owner: impl FnMut(&mut Self, u64, u64, u64) -> (u64, Option<u32>)) {
        for piece in std::mem::take(&mut self.pieces) {
            match piece {
                Piece::Owned { owner, bytes } => self.owned(owner, bytes),
                Piece::Waiting { mut at, bytes, since } => {
                    let end = at + bytes;
                    while at < end {
                        let first = at / BLOCK;
                        let (blocks, found) = owner(self, first, end.div_ceil(BLOCK) - first, since);
                        let bytes = ((first + blocks) * BLOCK).min(end) - at;
                        match found {
                            Some(owner) => self.owned(owner, bytes),
                            None => self.waiting(at, bytes, since),
                        }
                        at += bytes;
                    }
                }
            }
        }
    }

    /// Whether anything waits.
    pub(super) fn waits(&self) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Waiting { .. }))
    }

    /// Owners that are new since it was last asked.
    pub(super) fn take_owners(&mut self) -> Vec<Owner> {
        let new = self.owners[self.handed..].to_vec();
        self.handed = self.owners.len();
        new
    }

    /// The next bytes whose owner is known, before any that wait.
    pub(super) fn take_run(&mut self) -> Option<(u32, u64)> {
        match self.pieces.front() {
            Some(&Piece::Owned { owner, bytes }) => {
                self.pieces.pop_front();
                Some((owner, bytes))
            }
            _ => None,
        }
    }
}
