//! What the pages of a drive say of themselves.

use rewear_flash::BlockHistory;
use rewear_flash::medium::{Kind, RECORD_BYTES, Record};

use super::candidates::Candidates;
use super::checkpoint::Snapshot;
use super::damage::Damage;
use super::found::{SlotFound, UnitFound};
use super::report::MountReport;
use super::spare_area::{self, is_half};
use crate::address::{Lpn, Ppn, Slot, SlotAddress, Unit};
use crate::error::FtlError;
use crate::hand::Hand;
use crate::hand::stored;
use crate::reuse::facts::Passes;
use crate::state::State;
use crate::state::groups::{Group, GroupSlot};
use crate::state::units::low_then_high::Fill;
use crate::state::units::stream::Stream;

impl State {
    /// Looks at all flash pages of a slot. `side` receives what the code left behind the record.
    pub(super) fn look_at(&self, SlotAddress { unit, slot }: SlotAddress, side: &mut Vec<u8>) -> SlotFound {
        side.clear();
        let Some(cells) = self.array.stored() else {
            return SlotFound::default();
        };
        let (format, pages) = (cells.format().spare, self.layout.slot_pages);
        let mut addresses = (0..pages).map(|part| self.layout.address(unit, slot.0 * pages + part));
        if addresses.clone().all(|at| cells.is_known_blank(at)) {
            return SlotFound { blank: true, is_stray: true, ..SlotFound::default() };
        }
        let (mut record, mut torn, mut programs, mut sequence) = (None::<Record>, false, 0, 0);
        // Where nothing can be torn the record of any page speaks for the others.
        let mut known = None::<Record>;
        for part in 0..pages {
            let address = self.layout.address(unit, slot.0 * pages + part);
            let spare = cells.spare(address);
            let (raw, spoiled) = spare_area::newest(format, spare);
            let newest = raw.map(|record| spare_area::with_other(record, format, spare));
            let fits = |record: &Record| u32::from(record.part) == part;
            let agrees = |first: &Record| newest.is_some_and(|own| own.sequence == first.sequence);
            torn |= spoiled || !newest.as_ref().is_some_and(fits) || !record.as_ref().is_none_or(agrees);
            sequence = sequence.max(newest.map_or(0, |record| record.sequence));
            programs = programs.max(newest.map_or(0, |record| record.programs) + u16::from(spoiled));
            if part == 0 {
                record = newest;
            }
            if !spoiled && newest.is_some_and(|own| known.is_none_or(|known| known.sequence < own.sequence)) {
                known = newest.map(|own| Record { part: 0, ..own });
            }
            if format.coded && spare.len() > RECORD_BYTES {
                let own = &spare[RECORD_BYTES..];
                torn |= raw.is_some_and(|record| record.other != spare_area::checksum_of_side(own, format));
                side.extend_from_slice(own);
            }
        }
        let is_stray = torn && record.is_none() && addresses.clone().all(|at| cells.is_nearly_blank(at));
        let blank = is_stray && addresses.all(|at| cells.is_blank(at));
        let programs = if blank { 0 } else { programs.max(1) };
        let damaged = torn && !is_stray && !self.may_be_torn(SlotAddress { unit, slot });
        let record = if damaged { known } else { record.filter(|_| !torn) };
        SlotFound { record, blank, programs, damaged, is_stray, sequence }
    }

    /// Whether a page of a unit's slots holds a stray bit and nothing else, or a page of its
    /// summary, which has no bytes in stored cells, anything at all.
    fn has_stray(&self, unit: Unit) -> bool {
        let pages = self.layout.width * self.array.geometry().pages_per_block;
        let Some(cells) = self.array.stored() else { return false };
        let pages_of_slots = self.layout.slots_per_unit * self.layout.slot_pages;
        (0..pages).any(|page| {
            let at = self.layout.address(unit, page);
            !cells.is_blank(at) && (page >= pages_of_slots || cells.is_nearly_blank(at))
        })
    }

    /// The other half of a second write, if both halves are there: damage to a record unmakes no
    /// program, a power failure does.
    fn other_half(&self, place: SlotAddress, record: &Record) -> Option<SlotAddress> {
        self.other_half_if(place, record, |other| other.damaged)
    }

    /// The other half of the second write whose first half lies in a slot; the map says
    /// that it is whole: what cannot be read of it is damaged, even where an earlier mount has
    /// noted it as torn.
    pub(super) fn other_half_of_whole(&self, place: SlotAddress) -> Option<SlotAddress> {
        let record = self.record_of(place).filter(|record| record.kind == Kind::SecondFirstHalf)?;
        self.other_half_if(place, &record, |other| !other.blank)
    }

    /// The other half of a second write, if its record says so, or if it has lost it and
    /// `holds_without` a record.
    fn other_half_if(
        &self,
        SlotAddress { unit, slot }: SlotAddress,
        record: &Record,
        holds_without: impl Fn(&SlotFound) -> bool,
    ) -> Option<SlotAddress> {
        if !spare_area::is_place(&self.layout, Ppn(record.other)) {
            return None;
        }
        let place = self.layout.slot_address(Ppn(record.other));
        let found = self.look_at(place, &mut Vec::new());
        let belongs = |other: &Record| {
            other.other == self.layout.ppn(unit, slot).0
                && other.kind != record.kind
                && other.sequence == record.sequence
        };
        found.record.as_ref().map_or_else(|| holds_without(&found), belongs).then_some(place)
    }
}

impl Hand {
    /// Reads the records of a unit and takes over what its slots went through.
    pub(super) fn scan_unit(
        &mut self,
        unit: Unit,
        base: &Snapshot,
        candidates: &mut Candidates,
        (damage, report): (&mut Damage, &mut MountReport),
    ) -> UnitFound {
        let slots = self.state.layout.slots_per_unit;
        let mut found = UnitFound::full(unit, slots, base.passes[unit.index()]);
        if let Some(first) = self.unchanged(unit, base, report) {
            found.newest = first.sequence;
            found.stream = first.stream;
            found.passes = found.passes.max(first.passes);
            let programs = vec![1; self.state.array.geometry().pages_per_block as usize];
            self.restore_blocks(&found, base, &programs, &[]);
            return found;
        }
        report.units_scanned += 1;
        let in_order = self.reuse.facts.passes == Passes::Never;
        if self.is_known_blank(unit) {
            let passes = found.passes + u32::from(base.flags[unit.index()].in_use);
            let found = UnitFound::blank(unit, slots, passes);
            damage.scanned((&found, base, in_order), &[], &[]);
            self.restore_blocks(&found, base, &vec![0; slots as usize], &[]);
            return found;
        }
        found.has_stray = self.state.has_stray(unit);
        let mut side = Vec::new();
        let mut programs = vec![0; slots as usize];
        let (mut records, mut damaged) = (Vec::new(), Vec::new());
        let mut is_written = vec![false; slots as usize];
        for slot in Slot::all(slots) {
            let at = self.state.look_at(SlotAddress { unit, slot }, &mut side);
            report.records_read += u64::from(self.state.layout.slot_pages);
            if at.blank {
                continue;
            }
            programs[slot.index()] = at.programs;
            is_written[slot.index()] = !at.is_stray;
            self.state.sequence = self.state.sequence.max(at.sequence);
            let ppn = self.state.layout.ppn(unit, slot);
            self.reuse.restore_slot(
                SlotAddress { unit, slot },
                ppn,
                at.record.as_ref().filter(|_| !at.damaged),
                &side,
            );
            report.torn_pages += u64::from(at.record.is_none() && !at.damaged && !at.is_stray);
            report.damaged_pages += u64::from(at.damaged);
            found.has_torn |= at.record.is_none() || at.damaged;
            if at.damaged && at.record.is_none() {
                damaged.push(slot);
            }
            let Some(record) = at.record else { continue };
            if is_half(&record)
                && let Some(groups) = &mut self.state.groups
            {
                groups.mark_written(SlotAddress { unit, slot });
            }
            if record.sequence > found.newest {
                (found.newest, found.stream) = (record.sequence, record.stream);
            }
            found.passes = found.passes.max(record.passes);
            records.push((slot, record));
            self.take_record(SlotAddress { unit, slot }, &record, (base.sequence, candidates), damage);
        }
        self.find_fill(&mut found, &programs, &records);
        damaged.extend(self.holes(&found, &programs, &is_written));
        damage.scanned((&found, base, in_order), &records, &damaged);
        if found.is_blank && base.flags[unit.index()].in_use {
            found.passes += 1;
        }
        self.restore_blocks(&found, base, &programs, &records);
        found
    }

    /// Whether nobody need look at a unit to know that all of it is erased.
    fn is_known_blank(&self, unit: Unit) -> bool {
        let layout = &self.state.layout;
        let mut blocks = (0..layout.width).map(|index| layout.block_of(unit, index).block);
        self.state.array.stored().is_some_and(|cells| blocks.all(|block| cells.is_known_blank_block(block)))
    }

    /// Works out with which slots a unit was filled, and how far.
    fn find_fill(&self, found: &mut UnitFound, programs: &[u16], records: &[(Slot, Record)]) {
        let order = self.state.units.fill_order();
        let slots = match self.state.units.was_cached(found.unit, found.stream) {
            true => self.state.units.cached_slots(),
            false => self.state.layout.slots_per_unit,
        };
        let overwrites = self.state.units.stream_index(Stream::Overwrite);
        let filled = |fill| {
            let written = |index: &u32| programs[order.slot(fill, *index).index()] > 0;
            let next = (0..order.count(fill, slots)).rev().find(written).map_or(0, |last| last + 1);
            (next, !(0..next).all(|index| written(&index)))
        };
        found.is_blank = programs.iter().all(|&programs| programs == 0);
        (found.next_slot, found.has_holes) = filled(Fill::All);
        if order.is_used() && records.iter().any(|(_, record)| record.stream == overwrites) {
            let (low, high) = (filled(Fill::Low), filled(Fill::High));
            found.fill = if high.0 > 0 { Fill::High } else { Fill::Low };
            found.next_slot = if high.0 > 0 { high.0 } else { low.0 };
            let seals_too_early = high.0 > 0 && low.0 < order.count(Fill::Low, slots);
            found.has_holes = low.1 || high.1 || seals_too_early;
        }
        found.is_full = found.next_slot == order.count(found.fill, slots);
    }

    /// Blank slots between others, which no erase that was cut has left: something else has erased
    /// them.
    fn holes(&self, found: &UnitFound, programs: &[u16], is_written: &[bool]) -> Vec<Slot> {
        if !found.has_holes {
            return Vec::new();
        }
        let order = self.state.units.fill_order();
        let slots: Vec<Slot> = (0..found.next_slot).map(|index| order.slot(found.fill, index)).collect();
        let last = slots.iter().rposition(|&slot| is_written[slot.index()]).unwrap_or(0);
        let is_hole = |slot: &Slot| {
            programs[slot.index()] == 0 && !self.state.may_be_torn(SlotAddress::new(found.unit, *slot))
        };
        slots[..last].iter().copied().filter(is_hole).collect()
    }

    /// The first record of a unit that was closed when the checkpoint was written and has not been
    /// erased since; nothing more need be read of it.
    fn unchanged(&self, unit: Unit, base: &Snapshot, report: &mut MountReport) -> Option<Record> {
        if !base.flags[unit.index()].closed || !self.reads_first_records_alone() {
            return None;
        }
        report.records_read += 1;
        let first = self.state.look_at(SlotAddress { unit, slot: Slot(0) }, &mut Vec::new()).record?;
        (first.sequence <= base.sequence).then_some(first)
    }

    /// Whether pages are neither written again in place nor have modes.
    pub(super) fn reads_first_records_alone(&self) -> bool {
        self.reuse.facts.passes == Passes::Never && !self.effort.listens()
    }

    fn take_record(
        &mut self,
        place: SlotAddress,
        record: &Record,
        (base_sequence, candidates): (u64, &mut Candidates),
        damage: &mut Damage,
    ) {
        let ppn = self.state.layout.ppn(place.unit, place.slot);
        // That of the cache is known by the unit.
        if record.stream != self.state.units.cache_index() {
            self.effort.restore_mode(ppn, rewear_flash::ProgramMode(record.mode));
        }
        let mut named = matches!(record.kind, Kind::Slot | Kind::Again).then_some(ppn);
        if is_half(record) {
            let Some(other) = self.state.other_half(place, record) else { return };
            let is_lost = self.state.record_of(other).is_none();
            if is_lost {
                damage.lost_half(other, record);
            }
            named = match record.kind {
                Kind::SecondFirstHalf => Some(ppn),
                _ => is_lost.then_some(Ppn(record.other)),
            };
        }
        if let Some(named) = named.filter(|_| record.sequence > base_sequence) {
            candidates.programmed(record.sequence, Lpn(record.lpn), named);
        }
    }

    /// Whether the logical page at a place is what its record says.
    pub(super) fn is_intact(&mut self, place: SlotAddress) -> Result<bool, FtlError> {
        let Some(record) = self.state.record_of(place) else { return Ok(false) };
        let loaded = match record.kind {
            Kind::SecondFirstHalf => {
                let Some(other) = self.state.other_half(place, &record) else { return Ok(false) };
                if let Some(groups) = &mut self.state.groups {
                    groups.tie(&Group::of_halves(place.unit, other.unit));
                }
                let slots = GroupSlot { first: place };
                stored::load_group(&self.state, &mut self.reuse, &mut self.buffers.page, slots)
            }
            _ => stored::load_slot(&self.state, &self.reuse, &mut self.buffers, place),
        };
        // Torn cells may decode to nothing at all.
        if loaded.is_err() {
            return Ok(false);
        }
        self.buffers.note_checksum(record.data_checksum);
        Ok(self.buffers.is_intact())
    }

    /// Says to the array what the blocks of a unit went through.
    fn restore_blocks(
        &mut self,
        found: &UnitFound,
        base: &Snapshot,
        slot_programs: &[u16],
        records: &[(Slot, Record)],
    ) {
        let (layout, pages) = (&self.state.layout, self.state.layout.slot_pages);
        let pages_per_block = self.state.array.geometry().pages_per_block;
        let rows_of_full = match self.state.units.was_cached(found.unit, found.stream) {
            true => self.state.units.cached_slots() * pages / layout.width,
            false => pages_per_block,
        };
        let written = found.next_slot * pages;
        let goes_on = !found.is_full && !found.has_holes;
        let again =
            slot_programs.iter().any(|&programs| programs > 1) || self.reuse.facts.passes.go_on_anywhere();
        let mut erases = vec![0; layout.width as usize];
        for (slot, record) in records {
            for page in slot.0 * pages..(slot.0 + 1) * pages {
                let of_block: &mut u32 = &mut erases[(page % layout.width) as usize];
                *of_block = record.erases.max(*of_block);
            }
        }
        let mut programs = Vec::new();
        for index in 0..layout.width {
            let block = layout.block_of(found.unit, index).block;
            // Pages go round the blocks.
            let rows = (written + layout.width - 1 - index) / layout.width;
            let of_page = |row: u32| {
                let slot = (row * layout.width + index) / pages;
                slot_programs.get(slot as usize).copied().unwrap_or(0)
            };
            let known = base.block_erases[block as usize];
            let erases = if found.is_blank {
                known + u32::from(base.flags[found.unit.index()].in_use)
            } else {
                erases[index as usize].max(known)
            };
            let history = BlockHistory {
                erases,
                programmed: if goes_on { rows } else { rows_of_full },
                goes_on,
                passes_done: u32::from(again && !found.is_blank),
            };
            programs.clear();
            if self.state.array.counts_programs_of_pages() {
                programs.extend((0..pages_per_block).map(of_page));
                if let (Fill::Low | Fill::High, Some(row)) =
                    (found.fill, self.state.units.fill_order().low_summary_row())
                {
                    // The summary of the low pages, which holds no record, is written when the last of
                    // them is.
                    programs[row as usize] = u16::from(found.is_full || found.fill == Fill::High);
                }
            }
            self.state.array.restore_block(block, history, &programs);
        }
    }
}
