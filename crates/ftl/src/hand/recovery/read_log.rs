//! The log as a mount finds it: the newest complete epoch, its checkpoint and the changes of its
//! journal.

use std::collections::BTreeMap;

use rewear_flash::BlockHistory;
use rewear_flash::medium::Kind;

use super::checkpoint::Snapshot;
use super::entry::Entry;
use super::log::{Log, Page};
use super::report::{Damaged, MountError, MountReport};
use crate::address::{Slot, SlotAddress, Unit};
use crate::hand::{Hand, stored};
use crate::shape::layout::Layout;

pub(super) struct LogFound {
    pub(super) base: Snapshot,
    pub(super) entries: Vec<Entry>,
    /// Log pages that were programmed since the checkpoint was taken.
    pub(super) pages_since: u64,
    /// Place and number of the last page of an epoch that is newer and has no complete checkpoint:
    /// power failed while it was written, so nothing else was programmed since.
    pub(super) unfinished: Option<(SlotAddress, u64)>,
}

impl LogFound {
    /// A drive whose log was never written.
    pub(super) fn nothing(layout: &Layout) -> LogFound {
        let base = Snapshot::of_nothing(layout);
        LogFound { base, entries: Vec::new(), pages_since: 0, unfinished: None }
    }
}

/// A complete epoch, and the half that it is in.
type Epoch = (u64, usize, LogFound);

struct PageFound {
    /// Its number within its epoch.
    number: u32,
    sequence: u64,
    place: SlotAddress,
    page: Page,
}

#[derive(Default)]
struct HalfFound {
    pages: Vec<PageFound>,
    /// A page that cannot be read and was not torn.
    damaged: Option<SlotAddress>,
}

impl HalfFound {
    fn newest_epoch(&self) -> Option<u64> {
        self.pages.iter().map(|found| found.page.epoch).max()
    }

    /// A page of the newest epoch that is there although one with a lower number is not. Where the
    /// first page is missing an erase of the half was cut.
    fn behind_a_gap(&self) -> Option<SlotAddress> {
        let epoch = self.newest_epoch()?;
        let numbers: BTreeMap<u32, SlotAddress> = self
            .pages
            .iter()
            .filter(|found| found.page.epoch == epoch)
            .map(|found| (found.number, found.place))
            .collect();
        let in_order = (0..).zip(&numbers).take_while(|&(number, (found, _))| number == *found).count();
        if in_order == 0 { None } else { numbers.into_values().nth(in_order) }
    }
}

impl Hand {
    /// Finds the newest complete epoch of the log; the next one will begin in the other half.
    pub(super) fn read_log(
        &mut self,
        log: &mut Log,
        report: &mut MountReport,
    ) -> Result<LogFound, MountError> {
        let (halves, mut best) = self.read_halves(log, report)?;
        let mut unfinished: Option<(u64, &PageFound)> = None;
        for (index, half) in halves.iter().enumerate() {
            let Some(epoch) = half.newest_epoch() else { continue };
            if best.as_ref().is_some_and(|&(known, ..)| known == epoch) {
                continue;
            }
            if let Some(found) = self.read_epoch(epoch, &half.pages) {
                if best.as_ref().is_none_or(|&(other, ..)| other < epoch) {
                    best = Some((epoch, index, found));
                }
            } else if let Some(last) = half.pages.iter().max_by_key(|found| found.sequence) {
                unfinished = Some((epoch, last));
            }
        }
        let newest = best.as_ref().map_or(0, |&(epoch, ..)| epoch);
        for half in &halves {
            // Whatever is damaged in a half that an older epoch fills is of no use any more.
            if let Some(place) = half.damaged
                && half.newest_epoch().is_none_or(|epoch| epoch >= newest)
            {
                return Err(self.state.damaged(Damaged::LogPage, place));
            }
        }
        let unfinished = unfinished
            .filter(|&(epoch, _)| epoch > newest && !self.state.knows_nothing())
            .map(|(_, last)| (last.place, last.sequence));
        let Some((epoch, half, found)) = best else {
            return Ok(LogFound { unfinished, ..LogFound::nothing(&self.state.layout) });
        };
        for &unit in log.halves.iter().flatten() {
            let block = self.state.layout.block_of(unit, 0).block;
            self.restore_log_erases(unit, found.base.block_erases[block as usize]);
        }
        (log.epoch, log.active) = (epoch, half);
        let since = halves.iter().flat_map(|half| &half.pages);
        let pages_since = since.filter(|page| page.sequence > found.base.sequence).count() as u64;
        Ok(LogFound { unfinished, pages_since, ..found })
    }

    /// Both halves. Where the newer one is whole the older one is of no use: its pages are not read,
    /// and the newest epoch is that of the other, with its half.
    fn read_halves(
        &mut self,
        log: &mut Log,
        report: &mut MountReport,
    ) -> Result<([HalfFound; 2], Option<Epoch>), MountError> {
        let first_epochs = [self.first_epoch(log, 0), self.first_epoch(log, 1)];
        let newer = usize::from(first_epochs[0] < first_epochs[1]);
        let mut halves = [HalfFound::default(), HalfFound::default()];
        halves[newer] = self.read_half(log, newer, report)?;
        let is_whole = first_epochs[newer ^ 1].is_some()
            && halves[newer].damaged.is_none()
            && halves[newer].newest_epoch() == first_epochs[newer];
        let newest = first_epochs[newer].filter(|_| is_whole).and_then(|epoch| {
            self.read_epoch(epoch, &halves[newer].pages).map(|found| (epoch, newer, found))
        });
        if newest.is_some() {
            log.in_use[newer ^ 1] = true;
        } else {
            halves[newer ^ 1] = self.read_half(log, newer ^ 1, report)?;
        }
        Ok((halves, newest))
    }

    /// The epoch of the first page of a half, on a drive whose pages need no more than their own
    /// record to be read.
    fn first_epoch(&mut self, log: &mut Log, half: usize) -> Option<u64> {
        let place = SlotAddress { unit: *log.halves[half].first()?, slot: Slot(0) };
        if !self.reads_first_records_alone() {
            return None;
        }
        let record =
            self.state.look_at(place, &mut Vec::new()).record.filter(|found| found.kind == Kind::Log)?;
        let loaded = stored::load_slot(&self.state, &self.reuse, &mut log.buffers, place);
        let is_whole = loaded.is_ok() && Page::restore(&mut log.buffers.page, record.data_checksum);
        Page::read(&log.buffers.page).filter(|_| is_whole).map(|page| page.epoch)
    }

    /// A unit of the log had at least `erases` erases.
    fn restore_log_erases(&mut self, unit: Unit, erases: u32) {
        for index in 0..self.state.layout.width {
            let block = self.state.layout.block_of(unit, index).block;
            let known = self.state.array.wear().erases()[block as usize];
            let history =
                BlockHistory { erases: known.max(erases), goes_on: true, ..BlockHistory::default() };
            self.state.array.restore_block(block, history, &[]);
        }
    }

    /// The pages of a half of the log that are whole.
    fn read_half(
        &mut self,
        log: &mut Log,
        half: usize,
        report: &mut MountReport,
    ) -> Result<HalfFound, MountError> {
        let (mut found, mut side) = (HalfFound::default(), Vec::new());
        let mut blank = None;
        for &unit in &log.halves[half] {
            let (blank_before, mut all_blank) = (blank, true);
            for slot in Slot::all(self.state.layout.slots_per_unit) {
                let place = SlotAddress { unit, slot };
                let at = self.state.look_at(place, &mut side);
                if at.blank {
                    blank = blank.or(Some(place).filter(|_| !self.state.may_be_torn(place)));
                    continue;
                }
                all_blank = false;
                log.in_use[half] = true;
                let page = match at.record.filter(|record| record.kind == Kind::Log) {
                    Some(record) => {
                        report.log_pages_read += 1;
                        self.state.sequence = self.state.sequence.max(record.sequence);
                        self.restore_log_erases(unit, record.erases);
                        let ppn = self.state.layout.ppn(unit, slot);
                        self.reuse.restore_slot(
                            SlotAddress { unit, slot },
                            ppn,
                            Some(&record).filter(|_| !at.damaged),
                            &side,
                        );
                        let loaded = stored::load_slot(&self.state, &self.reuse, &mut log.buffers, place);
                        let is_whole =
                            loaded.is_ok() && Page::restore(&mut log.buffers.page, record.data_checksum);
                        let page = is_whole.then(|| Page::read(&log.buffers.page)).flatten();
                        page.map(|page| PageFound {
                            number: record.lpn,
                            sequence: record.sequence,
                            place,
                            page,
                        })
                    }
                    None => None,
                };
                // Pages are programmed one after the other, so a blank one between them is damaged,
                // too.
                let hole = blank.take().filter(|_| page.is_some());
                let unreadable = page.is_none() && !at.is_stray && !self.state.may_be_torn(place);
                found.damaged = found.damaged.or(hole).or(unreadable.then_some(place));
                found.pages.extend(page);
            }
            if all_blank {
                // A unit that went out of service after its erase is no hole. The numbers of the
                // pages tell a wiped one.
                blank = blank_before;
            }
        }
        found.damaged = found.damaged.or_else(|| found.behind_a_gap());
        Ok(found)
    }

    /// Checkpoint and journal of an epoch; `None` if its checkpoint is not complete.
    fn read_epoch(&self, epoch: u64, pages: &[PageFound]) -> Option<LogFound> {
        // A page whose program failed was written twice: the later one counts.
        let mut by_number = vec![None; pages.len()];
        for found in pages.iter().filter(|found| found.page.epoch == epoch) {
            if let Some(place) = by_number.get_mut(found.number as usize) {
                *place = Some(&found.page);
            }
        }
        let in_order: Vec<&Page> = by_number.into_iter().map_while(|page| page).collect();
        let checkpoint_pages = in_order.first()?.checkpoint_pages as usize;
        if in_order.len() < checkpoint_pages {
            return None;
        }
        let (checkpoint, journal) = in_order.split_at(checkpoint_pages);
        let base = if checkpoint_pages == 0 {
            Snapshot::of_nothing(&self.state.layout)
        } else {
            let bytes: Vec<&[u8]> = checkpoint.iter().map(|page| &page.payload[..]).collect();
            Snapshot::from_bytes(&bytes.concat(), &self.state.layout)?
        };
        let entries = journal.iter().flat_map(|page| page.entries()).collect();
        Some(LogFound { base, entries, pages_since: 0, unfinished: None })
    }
}
