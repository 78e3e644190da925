//! The journal of the page map (`ftl.metadata_share`): programs that every drive has beside those
//! of data.
//!
//! A page of the journal is superseded by the next checkpoint, long before its unit is cleaned. So
//! its slot is invalid from the start: a full unit of the journal is the cheapest victim. Unlike
//! the log of [`crate::hand::recovery`] it holds nothing that a mount could read.

use rewear_flash::{Nanos, ProgramMode};

use crate::address::{Lpn, SlotAddress};
use crate::error::FtlError;
use crate::front::Ftl;
use crate::state::units::stream::Stream;

/// How much of the journal is written.
#[derive(Debug, Clone)]
pub(crate) struct MapJournal {
    /// Flash pages of the journal for each flash page of data.
    share: f64,
    /// Flash pages of it that were programmed.
    programmed: u64,
}

impl MapJournal {
    /// The journal of a drive; `None` for a share of 0.
    pub(crate) fn new(share: f64) -> Option<MapJournal> {
        (share > 0.0).then_some(MapJournal { share, programmed: 0 })
    }
}

impl Ftl {
    /// Writes the pages of the journal that are due for what was programmed until now. The host
    /// does not wait for them.
    #[inline(never)]
    pub(super) fn write_map_journal(&mut self, at: Nanos) -> Result<(), FtlError> {
        while let Some(pages) = self.due_journal_pages() {
            let place = self.place_of_journal(at)?;
            if self.hand.reuse().facts.counts_programs && !self.hand.reuse_mut().0.admit(place) {
                continue;
            }
            self.hand.program_slot(at, place, ProgramMode::NORMAL)?;
            self.hand.counters().programmed.metadata += pages;
            if let Some(journal) = &mut self.map_journal {
                journal.programmed += pages;
            }
            if self.hand.state().may_fail() {
                self.hand.program_failed(place.unit);
            }
        }
        Ok(())
    }

    /// Flash pages of the next page of the journal, if it is due.
    fn due_journal_pages(&self) -> Option<u64> {
        let journal = self.map_journal.as_ref()?;
        let pages = u64::from(self.hand.state().layout.slot_pages);
        let data = self.hand.programmed_total() - journal.programmed;
        let due = (data as f64 * journal.share) as u64;
        (journal.programmed + pages <= due).then_some(pages)
    }

    /// The next slot of the journal, in some pool in turn.
    fn place_of_journal(&mut self, at: Nanos) -> Result<SlotAddress, FtlError> {
        if let Some(place) = self.hand.units().take_slot_anywhere(Stream::Metadata) {
            return Ok(place);
        }
        // Any logical page: where pools are bound to pages, the journal is not.
        let Some(pool) = self.hand.units().choose_pool(Lpn(0)) else { return Err(self.hand.out_of_space()) };
        self.cleaner.place_in(&mut self.hand, at, pool, Lpn(0), Stream::Metadata)
    }
}
