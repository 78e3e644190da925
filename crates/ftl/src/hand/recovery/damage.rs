//! Damage: what a mount finds that neither was programmed so nor is torn.
//!
//! # Idea
//! Only the operation that was under way can be torn, and the cells know which one that was
//! ([`rewear_flash::medium::progress`]). Every other page that cannot be read is damaged. Short
//! bursts are restored where a record or a log page is read. Beyond that, what was programmed
//! before the checkpoint needs no record: the checkpoint's map tells its logical page, and reading
//! that is an error. A record that was lost since the checkpoint could be the newest of any logical
//! page, so the mount is refused, with the place.
//!
//! # Deviations
//! Cells that know nothing ([`Progress::is_unknown`](rewear_flash::medium::Progress::is_unknown))
//! may be torn anywhere, as a chip alone would have it; then the newest page that cannot be read is
//! taken for torn.

use rewear_flash::medium::{Kind, Operation, Record, Spoiled, Stored};

use super::candidates::Candidates;
use super::checkpoint::Snapshot;
use super::found::UnitFound;
use super::read_log::LogFound;
use super::report::{Damaged, MountError};
use crate::address::{Ppn, Slot, SlotAddress};
use crate::state::State;
use crate::state::units::low_then_high::Fill;

/// What a mount found damaged, and what it counts to judge it.
#[derive(Debug)]
pub(super) struct Damage {
    base_sequence: u64,
    unfinished: Option<(SlotAddress, u64)>,
    /// Places without a record that may have been programmed since the checkpoint.
    suspects: Vec<SlotAddress>,
    /// All places that cannot be read.
    unreadable: Vec<SlotAddress>,
    /// Programs and changes since the checkpoint that were found.
    found_since: u64,
    /// The newest record of data.
    newest_record: u64,
    /// Halves of second writes without a record, and when they were programmed as the other halves
    /// say.
    lost_halves: Vec<(SlotAddress, u64)>,
    /// By unit: the oldest of its records, if they were all read.
    scanned: Vec<Option<u64>>,
}

impl Damage {
    pub(super) fn new(log: &LogFound) -> Damage {
        let sequence = log.base.sequence;
        let entries = log.entries.iter().filter(|entry| entry.sequence > sequence).count() as u64;
        Damage {
            base_sequence: sequence,
            unfinished: log.unfinished,
            suspects: Vec::new(),
            unreadable: Vec::new(),
            found_since: log.pages_since + entries,
            newest_record: 0,
            lost_halves: Vec::new(),
            scanned: vec![None; log.base.flags.len()],
        }
    }

    /// Whether everything can be read.
    pub(super) fn is_none(&self) -> bool {
        self.unreadable.is_empty() && self.lost_halves.is_empty()
    }

    /// A half of a second write has lost its record; the other half tells when it was programmed.
    pub(super) fn lost_half(&mut self, lost: SlotAddress, record: &Record) {
        self.lost_halves.push((lost, record.sequence));
        let counts = record.kind == Kind::SecondSecondHalf && record.sequence > self.base_sequence;
        self.found_since += u64::from(counts);
    }

    /// All records of a unit were read: these, by slot, and none at the damaged slots.
    pub(super) fn scanned(
        &mut self,
        (found, base, in_order): (&UnitFound, &Snapshot, bool),
        records: &[(Slot, Record)],
        damaged: &[Slot],
    ) {
        let unit = found.unit;
        let oldest = records.iter().map(|(_, record)| record.sequence).min();
        self.scanned[unit.index()] = Some(oldest.unwrap_or(u64::MAX));
        for (_, record) in records {
            self.newest_record = self.newest_record.max(record.sequence);
            let counts = record.kind != Kind::SecondSecondHalf && record.sequence > self.base_sequence;
            self.found_since += u64::from(counts);
        }
        // Pages are programmed in order: the last one that is as old as the checkpoint shows that
        // those before it are, too. A unit that was closed then has not been written since, unless
        // it was erased. Codes that write again know no order.
        let in_order = in_order && found.fill == Fill::All;
        let old = records.iter().filter(|(_, record)| record.sequence <= self.base_sequence);
        let last_old = old.map(|&(slot, _)| slot).max().filter(|_| in_order);
        let was_closed = base.flags[unit.index()].closed && last_old.is_some();
        let is_old = |slot: Slot| was_closed || last_old.is_some_and(|last| slot < last);
        for &slot in damaged {
            self.unreadable.push(SlotAddress { unit, slot });
            if !is_old(slot) {
                self.suspects.push(SlotAddress { unit, slot });
            }
        }
    }

    /// Refuses damage behind which something newer than what is known could be hidden.
    pub(super) fn judge(&self, state: &State) -> Result<(), MountError> {
        if state.knows_nothing() {
            return Ok(());
        }
        if let Some((place, sequence)) = self.unfinished
            && self.newest_record > sequence
        {
            return Err(state.damaged(Damaged::LogPage, place));
        }
        let last = state.array.stored().and_then(|cells| cells.progress().last_program());
        if let Some((sequence, ppn)) = last.filter(|&(_, ppn)| ppn < state.layout.slots()) {
            let place = state.layout.slot_address(Ppn(ppn));
            if state.look_at(place, &mut Vec::new()).record.is_none_or(|record| record.sequence != sequence) {
                return Err(state.damaged(Damaged::Record, place));
            }
            if self.base_sequence + self.found_since == sequence {
                // Every program since the checkpoint was found, so what cannot be read is older.
                return Ok(());
            }
        }
        let suspect = self.suspects.iter().find(|place| !self.is_known(place));
        suspect.map_or(Ok(()), |&place| Err(state.damaged(Damaged::Record, place)))
    }

    /// Whether a place without a record holds the half of a second write for which the other half
    /// speaks: so it does where its unit has not been erased since, because no slot takes more than
    /// two writes.
    fn is_known(&self, place: &SlotAddress) -> bool {
        let not_erased_since =
            |sequence| self.scanned[place.unit.index()].is_some_and(|oldest| oldest < sequence);
        self.lost_halves.iter().any(|&(lost, sequence)| lost == *place && not_erased_since(sequence))
    }

    /// Refuses a logical page whose place was programmed for something else since: its own record
    /// is lost.
    pub(super) fn check_places(&self, state: &State, candidates: &Candidates) -> Result<(), MountError> {
        if state.knows_nothing() {
            return Ok(());
        }
        for (lpn, ppn) in candidates.places().filter(|&(_, ppn)| ppn < Ppn(state.layout.slots())) {
            let place = state.layout.slot_address(ppn);
            if self.scanned[place.unit.index()].is_none() || state.may_be_torn(place) {
                continue;
            }
            let at = state.look_at(place, &mut Vec::new());
            if at.blank || at.record.is_some_and(|record| record.sequence > candidates.since(lpn)) {
                return Err(state.damaged(Damaged::Record, place));
            }
        }
        Ok(())
    }

    /// The checkpoint now says what belongs to the pages that cannot be read: they are judged for
    /// good.
    pub(super) fn accept(&self, state: &mut State) {
        for &SlotAddress { unit, slot } in &self.unreadable {
            let page = Spoiled::Page(state.layout.ppn(unit, slot).0);
            state.array.stored_mut().into_iter().for_each(|cells| cells.note_spoiled(page));
        }
    }
}

impl State {
    /// Whether the cells know nothing of what was under way.
    pub(super) fn knows_nothing(&self) -> bool {
        self.array.stored().is_none_or(|cells| cells.progress().is_unknown())
    }

    /// Whether the operation under way, or an earlier one that was cut, can have left a place torn.
    pub(super) fn may_be_torn(&self, SlotAddress { unit, slot }: SlotAddress) -> bool {
        let Some(progress) = self.array.stored().map(|cells| cells.progress()) else { return true };
        let ppn = self.layout.ppn(unit, slot).0;
        let is_under_way = match progress.under_way() {
            Some(Operation::Program { places, .. }) => places.contains(&Some(ppn)),
            Some(Operation::Erase { unit: erased }) => erased == unit.0,
            None => false,
        };
        progress.is_unknown() || is_under_way || progress.is_spoiled(ppn, unit.0)
    }

    /// Notes for the mounts to come what the operation under way has left torn, before another one
    /// begins.
    pub(super) fn note_torn(&mut self, by_data_alone: bool) {
        if self.knows_nothing() {
            // What is under way from now on does not say what was before.
            self.array.stored_mut().into_iter().for_each(Stored::forget_progress);
        }
        let Some(operation) = self.array.stored().and_then(|cells| cells.progress().under_way()) else {
            return;
        };
        let torn = match operation {
            Operation::Program { places, .. } => {
                let is_torn = |ppn: &u32| {
                    let at = self.look_at(self.layout.slot_address(Ppn(*ppn)), &mut Vec::new());
                    // The log begins anew now, so one page of it more or less is not missed.
                    let is_whole = at.record.is_some_and(|record| record.kind != Kind::Log);
                    !at.blank && (!is_whole || by_data_alone)
                };
                places.into_iter().flatten().filter(is_torn).map(Spoiled::Page).collect()
            }
            Operation::Erase { unit } => vec![Spoiled::Unit(unit)],
        };
        if let Some(cells) = self.array.stored_mut() {
            torn.into_iter().for_each(|spoiled| cells.note_spoiled(spoiled));
        }
    }

    /// The error that names a damaged place.
    pub(super) fn damaged(&self, what: Damaged, SlotAddress { unit, slot }: SlotAddress) -> MountError {
        MountError::Damaged { what, at: self.layout.address(unit, slot.0 * self.layout.slot_pages) }
    }
}
