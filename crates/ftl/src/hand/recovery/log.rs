//! The log: where it lies, what waits to be noted in it, and what its pages look like.
//!
//! Two halves of a few erase units each, behind the units that hold data in the first pool. An
//! epoch lives in one half: its checkpoint, then journal pages; the next epoch begins in the other
//! half, which is erased then. So a complete epoch is there at any time. Log pages are numbered
//! within their epoch; one whose program fails is written once more in the next slot.

use rewear_flash::ConfigError;
use rewear_flash::medium::checksum;
use rewear_flash::medium::record::MOST_PROGRAMS;

use super::checkpoint::Snapshot;
use super::config::LogConfig;
use super::entry::{Change, ENTRY_BYTES, Entry};
use super::spare_area;
use crate::address::{Ppn, Slot, SlotAddress, Unit};
use crate::hand::buffers::Buffers;
use crate::shape::layout::Layout;

/// Bytes at the beginning of a log page: epoch, pages of its checkpoint, length of the payload,
/// magic number, CRC-32C of the page with zeros in its place. The CRC-32 of the page is in its
/// record.
pub(super) const HEADER_BYTES: usize = 24;
/// Where the header's CRC-32C is.
const CHECKSUM_AT: std::ops::Range<usize> = 20..24;
const MAGIC: u32 = 0x676c_7772;

/// How large the log of a drive is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogShape {
    /// Pages of a checkpoint.
    pub checkpoint_pages: u32,
    /// Erase units of each half.
    pub half_units: u32,
}

impl LogShape {
    /// The log of a drive; `spare_units` more of a half may fail.
    ///
    /// # Errors
    /// A log that would not leave anything of the first pool.
    pub(crate) fn new(
        config: &LogConfig,
        layout: &Layout,
        spare_units: u32,
    ) -> Result<LogShape, ConfigError> {
        let payload = layout.logical_page_bytes as usize - HEADER_BYTES;
        let checkpoint_pages = Snapshot::bytes(layout).div_ceil(payload) as u32;
        let journal_pages = match config.journal_pages {
            0 => checkpoint_pages.max(4),
            given => given,
        };
        let half_units = (checkpoint_pages + journal_pages).div_ceil(layout.slots_per_unit) + spare_units;
        if 2 * half_units >= layout.units_per_pool {
            return Err(ConfigError::new(
                "flash.blocks_per_plane",
                format!(
                    "the log of ftl.recovery takes {} of the {} erase units in the first pool",
                    2 * half_units,
                    layout.units_per_pool
                ),
                "give more blocks, or larger pages",
            ));
        }
        Ok(LogShape { checkpoint_pages, half_units })
    }

    /// Erase units of the first pool that the log takes.
    pub fn units(&self) -> u32 {
        2 * self.half_units
    }
}

/// A change that is not durable yet, and the pages that it released: both halves of a second write.
#[derive(Debug, Clone, Copy)]
struct Pending {
    entry: Entry,
    released: [Ppn; 2],
}

/// The log of a drive.
#[derive(Debug, Clone)]
pub(crate) struct Log {
    pub(super) halves: [Vec<Unit>; 2],
    /// Whether something was programmed to a half since its erase.
    pub(super) in_use: [bool; 2],
    pub(super) active: usize,
    /// Slots of the active half that were written.
    pub(super) written_slots: u32,
    pub(super) epoch: u64,
    /// Pages of the epoch so far.
    pub(super) pages: u32,
    /// Pages of the epoch's checkpoint.
    pub(super) checkpoint_pages: u32,
    pub(super) slots_per_unit: u32,
    /// Slots that a half must have: for a checkpoint and a few pages more.
    pub(super) least_slots: u32,
    pub(super) buffers: Buffers,
    pending: Vec<Pending>,
}

impl Log {
    /// The log of a drive that nothing was written to.
    pub(crate) fn new(shape: LogShape, first_unit: Unit, layout: &Layout, buffers: Buffers) -> Log {
        let half = |index: u32| {
            let first = first_unit + index * shape.half_units;
            Unit::each(first..first + shape.half_units).collect()
        };
        Log {
            halves: [half(0), half(1)],
            in_use: [false; 2],
            active: 0,
            written_slots: 0,
            epoch: 1,
            pages: 0,
            checkpoint_pages: 0,
            slots_per_unit: layout.slots_per_unit,
            least_slots: shape.checkpoint_pages + 4,
            buffers,
            pending: Vec::new(),
        }
    }

    /// Notes a change that is to become durable.
    pub(crate) fn note(&mut self, sequence: u64, change: Change, released: [Ppn; 2]) {
        self.pending.push(Pending { entry: Entry { sequence, change }, released });
    }

    /// Whether changes wait to become durable.
    pub(crate) fn has_pending(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Whether a change waits that released such a page: it must be durable before the page is
    /// destroyed.
    pub(crate) fn must_precede(&self, is_destroyed: impl Fn(Ppn) -> bool) -> bool {
        let mut released = self.pending.iter().flat_map(|pending| pending.released);
        released.any(|page| page.is_some() && is_destroyed(page))
    }

    /// Whether more changes wait than a journal page holds.
    pub(crate) fn has_many_pending(&self) -> bool {
        self.pending.len() >= self.entries_per_page()
    }

    fn entries_per_page(&self) -> usize {
        (self.buffers.page.len() - HEADER_BYTES) / ENTRY_BYTES
    }

    /// Journal pages that the waiting changes take.
    pub(super) fn pending_pages(&self) -> u32 {
        self.pending.len().div_ceil(self.entries_per_page()) as u32
    }

    pub(super) fn forget_pending(&mut self) {
        self.pending.clear();
    }

    /// Slots that the active half still has.
    pub(super) fn room(&self) -> u32 {
        self.halves[self.active].len() as u32 * self.slots_per_unit - self.written_slots
    }

    /// Nothing more is written to the active half.
    pub(super) fn fill_up(&mut self) {
        self.written_slots = self.halves[self.active].len() as u32 * self.slots_per_unit;
    }

    /// Where the next page of the active half goes.
    pub(super) fn take_slot(&mut self) -> Option<SlotAddress> {
        if self.room() == 0 {
            return None;
        }
        let (index, slot) =
            (self.written_slots / self.slots_per_unit, self.written_slots % self.slots_per_unit);
        self.written_slots += 1;
        self.in_use[self.active] = true;
        Some(SlotAddress::new(self.halves[self.active][index as usize], Slot(slot)))
    }

    /// The payloads of the journal pages that the waiting changes take.
    pub(super) fn pending_payloads(&self) -> Vec<Vec<u8>> {
        let page =
            |pending: &[Pending]| pending.iter().flat_map(|pending| pending.entry.to_bytes()).collect();
        self.pending.chunks(self.entries_per_page()).map(page).collect()
    }
}

/// First unit of the first pool behind the log.
pub(crate) fn first_unit(layout: &Layout, shape: LogShape, bad_units: &[u32]) -> Unit {
    Unit(layout.units_per_pool - bad_units.first().copied().unwrap_or(0) - shape.units())
}

/// What a log page says beside its record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Page {
    pub(super) epoch: u64,
    pub(super) checkpoint_pages: u32,
    pub(super) payload: Vec<u8>,
}

impl Page {
    pub(super) fn fill(epoch: u64, checkpoint_pages: u32, payload: &[u8], page: &mut [u8]) {
        page.fill(0);
        page[..8].copy_from_slice(&epoch.to_le_bytes());
        page[8..12].copy_from_slice(&checkpoint_pages.to_le_bytes());
        page[12..16].copy_from_slice(&(payload.len() as u32).to_le_bytes());
        page[16..20].copy_from_slice(&MAGIC.to_le_bytes());
        page[HEADER_BYTES..HEADER_BYTES + payload.len()].copy_from_slice(payload);
        let checksum = crc32c::crc32c(page);
        page[CHECKSUM_AT].copy_from_slice(&checksum.to_le_bytes());
    }

    /// Restores a logical page with a few wrong neighbouring bits; `crc32` is what its
    /// record says. Returns whether it is what was written.
    pub(super) fn restore(page: &mut [u8], crc32: u32) -> bool {
        let proves_right = |page: &[u8]| {
            let zeros = crc32c::crc32c_append(crc32c::crc32c(&page[..CHECKSUM_AT.start]), &[0; 4]);
            crc32c::crc32c_append(zeros, &page[CHECKSUM_AT.end..]).to_le_bytes() == page[CHECKSUM_AT]
        };
        let syndrome = crc32 ^ spare_area::checksum_of(page);
        checksum::restore_if(page, syndrome, proves_right)
    }

    /// Reads a logical page; `None` if it is no log page.
    pub(super) fn read(page: &[u8]) -> Option<Page> {
        let word = |at: usize| Some(u32::from_le_bytes(page.get(at..at + 4)?.try_into().ok()?));
        if word(16)? != MAGIC {
            return None;
        }
        let epoch = u64::from(word(0)?) | u64::from(word(4)?) << 32;
        let payload = page.get(HEADER_BYTES..HEADER_BYTES + word(12)? as usize)?.to_vec();
        // Of a drive an epoch has a program at least.
        (epoch <= MOST_PROGRAMS).then_some(())?;
        Some(Page { epoch, checkpoint_pages: word(8)?, payload })
    }

    /// The changes of a journal page.
    pub(super) fn entries(&self) -> impl Iterator<Item = Entry> + '_ {
        let (entries, _) = self.payload.as_chunks::<ENTRY_BYTES>();
        entries.iter().filter_map(Entry::from_bytes)
    }
}
