//! Mounting: a drive from its stored cells.
//!
//! Fault model: power fails at any program or erase, which then is torn (see
//! [`rewear_flash::medium::power`]). Operations reach the flash one after the other, so only what
//! happened last can be torn: the newest record's page is read and compared with its checksum, and
//! left out if it differs. A page that differs otherwise is damaged, stays where it is, and reading
//! it is an error. Which pages can be torn the cells know ([`super::damage`]).

use rewear_flash::medium::Stored;

use super::candidates::Candidates;
use super::damage::Damage;
use super::entry::Change;
use super::read_log::LogFound;
use super::report::{MountError, MountReport};
use crate::address::{SlotAddress, Unit};
use crate::hand::Hand;

impl Hand {
    /// Takes over cells, on a drive that was just made and to which nothing was written.
    ///
    /// # Errors
    /// Cells of another shape; power that fails.
    pub(crate) fn attach(&mut self, cells: Stored) -> Result<MountReport, MountError> {
        self.state.array.adopt(cells)?;
        let mut report = MountReport::default();
        let mut log = self.log.take();
        let mut found = match &mut log {
            Some(log) => self.read_log(log, &mut report)?,
            None => LogFound::nothing(&self.state.layout),
        };
        let mut damage = Damage::new(&found);
        let mut candidates = Candidates::new(&mut found.base);
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
        let units: Vec<Unit> = Unit::all(self.state.layout.units())
            .filter(|unit| !in_log(unit) && (!self.state.units.is_retired(*unit)))
            .collect();
        let mut units_found = Vec::with_capacity(units.len());
        for &unit in &units {
            if !flags[unit.index()].retired {
                units_found.push(self.scan_unit(
                    unit,
                    &found.base,
                    &mut candidates,
                    (&mut damage, &mut report),
                ));
            }
        }
        damage.judge(&self.state)?;
        if let Some((ppn, _)) = candidates.newest()
            && self.state.may_be_torn(self.state.layout.slot_address(ppn))
            && !self.is_intact(self.state.layout.slot_address(ppn))?
        {
            report.newest_was_torn = true;
            candidates.drop_newest();
            let SlotAddress { unit, slot } = self.state.layout.slot_address(ppn);
            self.reuse.restore_slot(SlotAddress { unit, slot }, ppn, None, &[]);
        }
        let is_clean = candidates.sequence() == found.base.sequence
            && found.unfinished.is_none()
            && damage.is_none()
            && report.torn_pages + report.damaged_pages == 0
            && self.state.array.stored().is_some_and(|cells| cells.progress().under_way().is_none());
        self.state.note_torn(report.newest_was_torn);
        self.state.sequence = self.state.sequence.max(candidates.sequence());
        (report.sequence, report.checkpoint_sequence) = (candidates.sequence(), found.base.sequence);
        damage.check_places(&self.state, &candidates)?;
        self.rebuild(&candidates, &units_found, &flags, &found.base)?;
        self.log = log;
        if is_clean {
            // The checkpoint is as good as a new one. What comes to be noted begins the next epoch.
            self.log.iter_mut().for_each(|log| log.fill_up());
        } else {
            self.write_checkpoint(0)?;
        }
        damage.accept(&mut self.state);
        Ok(report)
    }
}
