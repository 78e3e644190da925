//! With which of its slots a unit is filled: all in order, or first the slots on low pages and
//! later those on high pages.

use crate::address::Slot;

/// Which slots of a unit are written, or were when it was closed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Fill {
    /// All, in order.
    #[default]
    All,
    /// Those on low pages; its high pages are still erased.
    Low,
    /// Those on high pages, after the low ones: the unit is sealed.
    High,
}

/// The slots of a unit by the kind of their page. Empty on drives that fill units in order only.
#[derive(Debug, Clone, Default)]
pub struct FillOrder {
    low: Vec<Slot>,
    high: Vec<Slot>,
    /// Row of pages that holds the summary of a unit with only low pages written.
    low_summary_row: Option<u32>,
}

impl FillOrder {
    /// The order of units of `slots` slots, `width` in a row. A row's pages are low where `is_low`
    /// says so. With `summary` the last low row holds the summary and no slot.
    pub fn new(is_low: &[bool], width: u32, slots: u32, summary: bool) -> FillOrder {
        let low_summary_row = is_low.iter().rposition(|&low| low).filter(|_| summary).map(|row| row as u32);
        let row = |slot: &Slot| slot.0 / width;
        let (low, high): (Vec<Slot>, Vec<Slot>) = Slot::all(slots)
            .filter(|slot| Some(row(slot)) != low_summary_row)
            .partition(|slot| is_low[row(slot) as usize]);
        FillOrder { low, high, low_summary_row }
    }

    /// Whether units are ever filled by kinds of pages.
    pub fn is_used(&self) -> bool {
        !self.low.is_empty()
    }

    /// Slots of a unit that a way of filling offers, of `all`.
    #[inline]
    pub fn count(&self, fill: Fill, all: u32) -> u32 {
        match fill {
            Fill::All => all,
            Fill::Low => self.low.len() as u32,
            Fill::High => self.high.len() as u32,
        }
    }

    /// The slot that is filled as the `index`-th.
    #[inline]
    pub fn slot(&self, fill: Fill, index: u32) -> Slot {
        if fill == Fill::All { Slot(index) } else { self.slot_by_kind(fill, index) }
    }

    /// Out of line, so that the way of all other pages stays short.
    #[inline(never)]
    fn slot_by_kind(&self, fill: Fill, index: u32) -> Slot {
        let slots = if fill == Fill::Low { &self.low } else { &self.high };
        slots[index as usize]
    }

    /// Row of pages that holds the summary of a unit with only low pages written.
    pub fn low_summary_row(&self) -> Option<u32> {
        self.low_summary_row
    }
}
