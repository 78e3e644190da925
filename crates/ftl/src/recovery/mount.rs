//! Mounting: a drive from its stored cells.
//!
//! Fault model: power fails at any program or erase, which then is torn (see [`rewear_flash::medium::power`]). Operations reach the flash one
//! after the other, so only what happened last can be torn: the newest record's page is read and compared with its checksum, and
//! left out if it differs. A page that differs otherwise is damaged, stays where it is, and reading it is an error.

use rewear_flash::medium::{Kind, Stored};
use rewear_flash::{BlockHistory, ConfigError};

use super::checkpoint::Snapshot;
use super::entry::{Change, Entry};
use super::log::{Log, Page};
use super::scan::Candidates;
use crate::address::{Pool, Ppn, Slot, SlotAddress, Unit};
use crate::config::drive::DriveConfig;
use crate::error::FtlError;
use crate::layer::{Ftl, stored};

/// What a mount found and read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MountReport {
    /// Programs and noted changes up to the checkpoint that the mount began with; 0 where there was none.
    pub checkpoint_sequence: u64,
    /// Programs and noted changes of the drive.
    pub sequence: u64,
    /// Changes that the journal noted behind the checkpoint.
    pub journal_changes: u64,
    /// Log pages read.
    pub log_pages_read: u64,
    /// Records read: spare areas of flash pages.
    pub records_read: u64,
    /// Erase units whose records were all read.
    pub units_scanned: u32,
    /// Logical pages that hold neither a whole program nor nothing.
    pub torn_pages: u64,
    /// Whether the newest program turned out to be torn by its data alone.
    pub newest_was_torn: bool,
}

/// Why a drive cannot be mounted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MountError {
    /// The configuration cannot be, or is not that of the cells.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The mount itself could not write its checkpoint, or found damage.
    #[error("mounting: {0}")]
    Drive(#[from] FtlError),
    /// Two logical pages claim a physical page, or half of one is missing: the cells were not written by this translation layer.
    #[error("the records on the flash contradict each other about physical page {ppn}")]
    Contradiction {
        /// The page.
        ppn: Ppn,
    },
}

/// What the log says.
pub(super) struct LogFound {
    pub(super) base: Snapshot,
    pub(super) entries: Vec<Entry>,
}

impl Ftl {
    /// The drive whose stored cells these are, as it was when they were last programmed: everything that was flushed, and
    /// of what was not flushed as much as was programmed. Ends by writing a checkpoint.
    ///
    /// # Errors
    /// A configuration without `ftl.recovery`, or other than that under which the cells were written.
    pub fn mount(config: &DriveConfig, cells: Stored) -> Result<(Ftl, MountReport), MountError> {
        if config.ftl.recovery.log().is_none() || !config.flash.stores_cells() {
            return Err(MountError::Config(ConfigError::new(
                "ftl.recovery.scheme",
                "a drive without records cannot be mounted",
                "set it to \"log\", and flash.medium = \"stored\"",
            )));
        }
        let mut ftl = Ftl::new(config)?;
        let report = ftl.attach(cells)?;
        Ok((ftl, report))
    }

    /// As [`mount`](Self::mount), on a drive that was just made and to which nothing was written. If it fails, the drive is good for
    /// nothing but to give the cells [back](Self::into_cells).
    ///
    /// # Errors
    /// Cells of another shape; power that fails.
    pub fn attach(&mut self, cells: Stored) -> Result<MountReport, MountError> {
        let ftl = self;
        ftl.state.array.adopt(cells)?;
        let mut report = MountReport::default();
        let mut log = ftl.state.log.take();
        let found = match &mut log {
            Some(log) => ftl.read_log(log, &mut report)?,
            None => LogFound { base: Snapshot::of_nothing(&ftl.state.layout), entries: Vec::new() },
        };
        let mut candidates = Candidates::new(&found.base);
        let mut flags = found.base.flags.clone();
        for entry in &found.entries {
            match entry.change {
                Change::Mapped { lpn, ppn } => candidates.noted(entry.sequence, lpn, ppn),
                Change::Condemned { unit } => {
                    flags.get_mut(unit.index()).into_iter().for_each(|flags| flags.condemned = true);
                }
                Change::Retired { unit } => {
                    flags.get_mut(unit.index()).into_iter().for_each(|flags| flags.retired = true);
                }
            }
            candidates.happened(entry.sequence);
        }
        let in_log =
            |unit: &Unit| log.as_ref().is_some_and(|log| log.halves.iter().flatten().any(|own| own == unit));
        let units: Vec<Unit> = Unit::all(ftl.state.layout.units())
            .filter(|unit| !in_log(unit) && (!ftl.state.units.is_retired(*unit)))
            .collect();
        let mut units_found = Vec::with_capacity(units.len());
        for &unit in &units {
            if !flags[unit.index()].retired {
                units_found.push(ftl.scan_unit(unit, &found.base, &mut candidates, &mut report));
            }
        }
        if let Some((ppn, _)) = candidates.newest()
            && !ftl.is_intact(ftl.state.layout.slot_address(ppn))?
        {
            report.newest_was_torn = true;
            candidates.drop_newest();
            let SlotAddress { unit, slot } = ftl.state.layout.slot_address(ppn);
            ftl.reuse.restore_slot(unit, slot, ppn, None, &[]);
        }
        ftl.state.sequence = ftl.state.sequence.max(candidates.sequence());
        (report.sequence, report.checkpoint_sequence) = (candidates.sequence(), found.base.sequence);
        ftl.rebuild(&candidates, &units_found, &flags, &found.base)?;
        ftl.state.log = log;
        ftl.with_log(0, |ftl, log| ftl.begin_epoch(log, 0))?;
        ftl.restore_reserves()?;
        ftl.restart_clock();
        ftl.reset_counters();
        Ok(report)
    }

    /// The stored cells of the drive, which ends with it; `None` where cells are modelled.
    pub fn into_cells(self) -> Option<Stored> {
        self.state.array.into_stored()
    }

    /// The stored cells of the drive, for whoever plays with their power or their bits.
    pub fn cells_mut(&mut self) -> Option<&mut Stored> {
        self.state.array.stored_mut()
    }

    /// Programs and noted changes so far, on a drive that can be mounted.
    pub fn sequence(&self) -> u64 {
        self.state.sequence
    }

    /// Power may have failed in the middle of a cleaning, which works with the last free units. Ends it before the host can take
    /// the room that is left in them.
    fn restore_reserves(&mut self) -> Result<(), FtlError> {
        for pool in Pool::all(self.state.layout.pools) {
            for _ in 0..self.state.layout.units_per_pool {
                if !self.state.units.is_short(pool) {
                    break;
                }
                match self.rescue(0, pool).and_then(|()| self.clean(0, pool, None)) {
                    Err(FtlError::OutOfSpace { .. }) => break,
                    cleaned => cleaned?,
                }
            }
        }
        Ok(())
    }

    /// Finds the newest complete epoch of the log; the next one will begin in the other half.
    fn read_log(&mut self, log: &mut Log, report: &mut MountReport) -> Result<LogFound, MountError> {
        let nothing = LogFound { base: Snapshot::of_nothing(&self.state.layout), entries: Vec::new() };
        let mut best: Option<(u64, usize, LogFound)> = None;
        for half in 0..2 {
            let pages = self.read_half(log, half, report)?;
            let Some(epoch) = pages.iter().map(|(_, page)| page.epoch).max() else { continue };
            if best.as_ref().is_some_and(|&(other, ..)| other > epoch) {
                continue;
            }
            if let Some(found) = self.read_epoch(epoch, &pages) {
                best = Some((epoch, half, found));
            }
        }
        let Some((epoch, half, found)) = best else { return Ok(nothing) };
        for &unit in log.halves.iter().flatten() {
            let block = self.state.layout.block_of(unit, 0).block;
            self.restore_log_erases(unit, found.base.block_erases[block as usize]);
        }
        (log.epoch, log.active) = (epoch, half);
        Ok(found)
    }

    /// A unit of the log was erased so often, at least.
    fn restore_log_erases(&mut self, unit: Unit, erases: u32) {
        for index in 0..self.state.layout.width {
            let block = self.state.layout.block_of(unit, index).block;
            let known = self.state.array.wear().erases()[block as usize];
            let history =
                BlockHistory { erases: known.max(erases), goes_on: true, ..BlockHistory::default() };
            self.state.array.restore_block(block, history, &[]);
        }
    }

    /// The pages of a half of the log that are whole, with their numbers.
    fn read_half(
        &mut self,
        log: &mut Log,
        half: usize,
        report: &mut MountReport,
    ) -> Result<Vec<(u32, Page)>, MountError> {
        let (mut pages, mut side) = (Vec::new(), Vec::new());
        for &unit in &log.halves[half] {
            for slot in Slot::all(self.state.layout.slots_per_unit) {
                let at = self.state.look_at(SlotAddress { unit, slot }, &mut side);
                log.in_use[half] |= !at.blank;
                let Some(record) = at.record.filter(|record| record.kind == Kind::Log) else { continue };
                report.log_pages_read += 1;
                self.state.sequence = self.state.sequence.max(record.sequence);
                self.restore_log_erases(unit, record.erases);
                let ppn = self.state.layout.ppn(unit, slot);
                self.reuse.restore_slot(unit, slot, ppn, Some(&record), &side);
                let loaded =
                    stored::load_slot(&self.state, &self.reuse, &mut log.buffers, SlotAddress { unit, slot });
                log.buffers.note_checksum(record.data_checksum);
                if loaded.is_ok() && log.buffers.is_intact() {
                    pages.extend(Page::read(&log.buffers.page).map(|page| (record.lpn, page)));
                }
            }
        }
        Ok(pages)
    }

    /// Checkpoint and journal of an epoch; `None` if its checkpoint is not complete.
    fn read_epoch(&self, epoch: u64, pages: &[(u32, Page)]) -> Option<LogFound> {
        let in_order: Vec<&Page> = (0..)
            .map_while(|number| {
                // A page whose program failed was written twice.
                pages
                    .iter()
                    .rev()
                    .find(|(own, page)| *own == number && page.epoch == epoch)
                    .map(|(_, page)| page)
            })
            .collect();
        let checkpoint_pages = in_order.first()?.checkpoint_pages as usize;
        if in_order.len() < checkpoint_pages {
            return None;
        }
        let (checkpoint, journal) = in_order.split_at(checkpoint_pages);
        let base = if checkpoint_pages == 0 {
            Snapshot::of_nothing(&self.state.layout)
        } else {
            let bytes: Vec<u8> = checkpoint.iter().flat_map(|page| page.payload.iter().copied()).collect();
            Snapshot::from_bytes(&bytes, &self.state.layout)?
        };
        Some(LogFound { base, entries: journal.iter().flat_map(|page| page.entries()).collect() })
    }
}
