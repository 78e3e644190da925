//! What a scheme whose pages are written several times remembers of every slot: its writes since the
//! erase, and whether it takes another.

use std::ops::Range;

use crate::address::{Slot, SlotAddress, Unit};

#[derive(Debug, Clone, Copy, Default)]
struct UnitState {
    /// Slots that take no further write before an erase.
    exhausted: u32,
    /// Writes of its most written slot.
    most_written: u16,
}

/// The slots of a drive; they survive reopening and begin anew with an erase.
#[derive(Debug, Clone, Default)]
pub(super) struct Slots {
    slots_per_unit: u32,
    words_per_unit: u32,
    written: Vec<u16>,
    exhausted: Vec<u64>,
    units: Vec<UnitState>,
}

impl Slots {
    /// Erased units, each with all of its slots.
    pub(super) fn new(units: u32, slots_per_unit: u32) -> Slots {
        let words_per_unit = slots_per_unit.div_ceil(64);
        Slots {
            slots_per_unit,
            words_per_unit,
            written: vec![0; units as usize * slots_per_unit as usize],
            exhausted: vec![0; units as usize * words_per_unit as usize],
            units: vec![UnitState::default(); units as usize],
        }
    }

    /// The cells of a unit are erased: its slots begin anew.
    pub(super) fn begin(&mut self, unit: Unit) {
        let all = self.of(unit);
        self.written[all].fill(0);
        let words = (unit.0 * self.words_per_unit) as usize;
        self.exhausted[words..words + self.words_per_unit as usize].fill(0);
        self.units[unit.index()] = UnitState::default();
    }

    #[inline]
    pub(super) fn index(&self, SlotAddress { unit, slot }: SlotAddress) -> usize {
        unit.index() * self.slots_per_unit as usize + slot.index()
    }

    /// The indices of a unit's slots.
    pub(super) fn of(&self, unit: Unit) -> Range<usize> {
        let first = self.index(SlotAddress { unit, slot: Slot(0) });
        first..first + self.slots_per_unit as usize
    }

    /// A slot takes a write, and no other if it is `exhausted` by it.
    #[inline]
    pub(super) fn wrote(&mut self, at: SlotAddress, exhausted: bool) {
        let written = self.written(at).saturating_add(1);
        self.restore(at, written, exhausted);
    }

    /// A mount found a slot with this number of writes.
    #[inline]
    pub(super) fn restore(&mut self, at: SlotAddress, written: u16, exhausted: bool) {
        let index = self.index(at);
        self.written[index] = written;
        let state = &mut self.units[at.unit.index()];
        state.most_written = state.most_written.max(written);
        if exhausted {
            self.exhaust(at);
        }
    }

    /// A slot takes no write before the next erase.
    pub(super) fn exhaust(&mut self, SlotAddress { unit, slot }: SlotAddress) {
        let word = &mut self.exhausted[(unit.0 * self.words_per_unit + slot.0 / 64) as usize];
        let bit = 1 << (slot.0 % 64);
        self.units[unit.index()].exhausted += u32::from(*word & bit == 0);
        *word |= bit;
    }

    /// Writes of a slot since the erase.
    #[inline]
    pub(super) fn written(&self, at: SlotAddress) -> u16 {
        self.written[self.index(at)]
    }

    /// Slots of a unit.
    pub(super) fn per_unit(&self) -> u32 {
        self.slots_per_unit
    }

    /// Exhausted slots of a unit as bits: bit `i` of word `w` is slot `64 w + i`.
    #[inline]
    pub(super) fn exhausted_word(&self, unit: Unit, word: u32) -> u64 {
        self.exhausted[(unit.0 * self.words_per_unit + word) as usize]
    }

    /// Whether some slot of a unit takes no further write before an erase.
    pub(super) fn is_worn(&self, unit: Unit) -> bool {
        self.units[unit.index()].exhausted > 0
    }

    /// Writes of the most written slot of a unit.
    pub(super) fn most_written(&self, unit: Unit) -> u16 {
        self.units[unit.index()].most_written
    }

    /// Slots of a unit that are neither valid nor exhausted, where `valid` are the validity words.
    #[inline]
    pub(super) fn programmable(&self, unit: Unit, valid: &[u64]) -> u32 {
        let first = (unit.0 * self.words_per_unit) as usize;
        let exhausted = &self.exhausted[first..first + self.words_per_unit as usize];
        let blocked = valid.iter().zip(exhausted).map(|(valid, exhausted)| (valid | exhausted).count_ones());
        self.slots_per_unit - blocked.sum::<u32>()
    }
}
