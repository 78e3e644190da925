//! The way of a page where nobody has a say in how it is programmed, which the loops over pages are compiled for by themselves.
//!
//! Every option of a drive is a question for every page, and each costs a load and a branch: together a sixth of a plain write. [`Path`] asks them
//! once a drive, or once a victim.

use rewear_flash::{Address, Illegal, Nanos, ProgramMode, Transfer};

use crate::address::{Lpn, Pool, SlotAddress, Unit};
use crate::layer::path::Path;
use crate::state::State;

impl State {
    /// Who has a say in how a page is programmed, but for a scheme of reuse that chose its place.
    pub(crate) fn way(&self) -> Path {
        self.way_where(self.groups.is_some())
    }

    /// Who has a say in how the pages of a victim are moved: second writes only where it holds any.
    pub(crate) fn way_to_move(&self, victim: Unit) -> Path {
        self.way_where(self.groups.as_deref().is_some_and(|groups| groups.any_in(victim)))
    }

    fn way_where(&self, has_groups: bool) -> Path {
        let programs_normally = !self.prepares && !self.may_fail() && self.layout.most_slot_pages == 1;
        let asks_nobody = !self.effort.listens() && !has_groups && self.log.is_none();
        match (programs_normally && asks_nobody, self.recycle.listens()) {
            (true, false) => Path::Fast,
            (true, true) => Path::Observed,
            (false, _) => Path::General,
        }
    }

    /// Programs a page of the host and maps it, where nobody is asked; returns the end.
    #[inline(always)]
    pub(crate) fn write_normally<const OBSERVED: bool>(
        &mut self,
        at: Nanos,
        lpn: Lpn,
        SlotAddress { unit, slot }: SlotAddress,
    ) -> Result<Nanos, Illegal> {
        if OBSERVED {
            self.destroyed(unit, slot);
        }
        let address = self.layout.address(unit, slot.0);
        let end = self.array.program(at, address, ProgramMode::NORMAL, Transfer::Channel)?;
        self.counters.programmed.host += 1;
        if OBSERVED {
            self.written(lpn, unit, slot);
            return Ok(end);
        }
        let old = self.map.find(lpn);
        self.map.bind(lpn, self.layout.ppn(unit, slot), unit, slot);
        self.units.valid_added(unit);
        if old.is_some() {
            let SlotAddress { unit, slot } = self.layout.slot_address(old);
            self.map.invalidate(unit, slot);
            self.units.valid_removed(unit);
        }
        Ok(end)
    }

    /// Copies a valid page to another unit of its pool and maps it there, where nobody is asked and the drive copies back; returns
    /// the end.
    #[inline(always)]
    pub(crate) fn move_normally<const OBSERVED: bool>(
        &mut self,
        at: Nanos,
        pool: Pool,
        from: SlotAddress,
        SlotAddress { unit, slot }: SlotAddress,
    ) -> Result<Nanos, Illegal> {
        // A pool is a plane there, and a unit a block.
        let [source, place] = [from, SlotAddress { unit, slot }].map(|at| Address {
            plane: pool.0,
            block: at.unit.0,
            page: at.slot.0,
        });
        self.counters.read.moved += 1;
        if OBSERVED {
            self.destroyed(unit, slot);
        }
        let normal = ProgramMode::NORMAL;
        let end = self.array.copy_back(at, (source, normal), (place, normal))?;
        self.counters.programmed.moved += 1;
        let (old, new) = (self.layout.ppn(from.unit, from.slot), self.layout.ppn(unit, slot));
        let lpn = self.map.owner(old);
        self.map.bind(lpn, new, unit, slot);
        self.map.invalidate(from.unit, from.slot);
        if OBSERVED {
            self.content_moved(lpn, old, new);
        }
        self.units.valid_moved(from.unit, unit);
        self.counters.pages_moved += 1;
        Ok(end)
    }
}
