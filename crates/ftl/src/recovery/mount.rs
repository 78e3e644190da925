//! Mounting: a drive from its stored cells.
//!
//! Fault model: power fails at any program or erase, which then is torn (see
//! [`rewear_flash::medium::power`]). Operations reach the flash one after the other, so only what
//! happened last can be torn: the newest record's page is read and compared with its checksum, and
//! left out if it differs. A page that differs otherwise is damaged, stays where it is, and reading
//! it is an error. Which pages can be torn the cells know ([`super::damage`]).

use rewear_flash::ConfigError;
use rewear_flash::medium::Stored;

use super::candidates::Candidates;
use super::damage::Damage;
use super::entry::Change;
use super::read_log::LogFound;
use super::report::{MountError, MountReport};
use crate::address::{Pool, SlotAddress, Unit};
use crate::config::drive::DriveConfig;
use crate::error::FtlError;
use crate::layer::Ftl;

impl Ftl {
    /// The drive whose stored cells these are, as it was when they were last programmed: everything
    /// that was flushed, and of what was not flushed as much as was programmed. Ends by writing a
    /// checkpoint.
    ///
    /// # Errors
    /// A configuration without `ftl.recovery`, or other than that under which the cells were
    /// written.
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

    /// As [`mount`](Self::mount), on a drive that was just made and to which nothing was written.
    /// If it fails, the drive is good for nothing but to give the cells [back](Self::into_cells).
    ///
    /// # Errors
    /// Cells of another shape; power that fails.
    pub fn attach(&mut self, cells: Stored) -> Result<MountReport, MountError> {
        let ftl = self;
        ftl.state.array.adopt(cells)?;
        let mut report = MountReport::default();
        let mut log = ftl.log.take();
        let found = match &mut log {
            Some(log) => ftl.read_log(log, &mut report)?,
            None => LogFound::nothing(&ftl.state.layout),
        };
        let mut damage = Damage::new(&found);
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
                units_found.push(ftl.scan_unit(
                    unit,
                    &found.base,
                    &mut candidates,
                    (&mut damage, &mut report),
                ));
            }
        }
        damage.judge(&ftl.state)?;
        if let Some((ppn, _)) = candidates.newest()
            && ftl.state.may_be_torn(ftl.state.layout.slot_address(ppn))
            && !ftl.is_intact(ftl.state.layout.slot_address(ppn))?
        {
            report.newest_was_torn = true;
            candidates.drop_newest();
            let SlotAddress { unit, slot } = ftl.state.layout.slot_address(ppn);
            ftl.reuse.restore_slot(SlotAddress { unit, slot }, ppn, None, &[]);
        }
        ftl.state.note_torn(report.newest_was_torn);
        ftl.state.sequence = ftl.state.sequence.max(candidates.sequence());
        (report.sequence, report.checkpoint_sequence) = (candidates.sequence(), found.base.sequence);
        damage.check_places(&ftl.state, &candidates)?;
        ftl.rebuild(&candidates, &units_found, &flags, &found.base)?;
        ftl.log = log;
        ftl.with_log(0, |ftl, log| ftl.begin_epoch(log, 0))?;
        damage.accept(&mut ftl.state);
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

    /// Power may have failed in the middle of a cleaning, which works with the last free units.
    /// Ends it before the host can take the room that is left in them.
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
}
