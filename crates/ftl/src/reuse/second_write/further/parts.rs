//! The flash pages of a third or fourth write: read together, programmed together, valid together.

use rewear_flash::{Address, Illegal, Nanos, ProgramMode};

use crate::address::{Lpn, NONE};
use crate::recycle::Event;
use crate::state::State;
use crate::state::groups::{Group, MOST_PAGES};

impl State {
    /// The kind and the units of the third or fourth write whose first part lies here; `None` if this is a first or second
    /// write.
    #[inline]
    pub(crate) fn group_at(&self, first: (u32, u32)) -> Option<(usize, Group)> {
        self.pairs.as_deref()?.groups()?.at(first)
    }

    /// The pages of a group, as many as it has at the beginning of the array.
    fn group_addresses(&self, group: &Group, slot: u32) -> [Address; MOST_PAGES] {
        let mut pages = [self.layout.address(group.first(), slot); MOST_PAGES];
        for (page, &unit) in pages.iter_mut().zip(group.units()) {
            *page = self.layout.address(unit, slot);
        }
        pages
    }

    /// Reads a slot of all units for the drive's own purposes.
    #[inline(never)]
    pub(crate) fn read_group(&mut self, at: Nanos, group: &Group, slot: u32) -> Result<Nanos, Illegal> {
        let mode = self.effort.mode_of(self.layout.ppn(group.first(), slot));
        let pages = self.group_addresses(group, slot);
        self.array.read_multi_plane(at, &pages[..group.units().len()], mode)
    }

    /// As [`read_group`](Self::read_group), for a waiting host.
    #[inline(never)]
    pub(crate) fn host_read_group(&mut self, at: Nanos, group: &Group, slot: u32) -> Result<Nanos, Illegal> {
        self.counters.further_writes_read += 1;
        self.counters.read.host += group.units().len() as u64;
        let mode = self.effort.mode_of(self.layout.ppn(group.first(), slot));
        let pages = self.group_addresses(group, slot);
        self.array.host_read_multi_plane(at, &pages[..group.units().len()], mode)
    }

    /// Programs all pages of a write.
    pub(super) fn program_group(
        &mut self,
        at: Nanos,
        group: &Group,
        slot: u32,
        mode: ProgramMode,
    ) -> Result<Nanos, Illegal> {
        group.units().iter().for_each(|&unit| self.destroyed(unit, slot));
        let pages = self.group_addresses(group, slot);
        self.array.program_multi_plane(at, &pages[..group.units().len()], mode)
    }

    /// A third or fourth write becomes the place of a logical page; its old place becomes invalid.
    pub(super) fn supersede_by_group(&mut self, lpn: Lpn, group: &Group, slot: u32) {
        let Some(pairs) = self.pairs.as_deref_mut() else { return };
        pairs.count_group(group, true);
        self.hear(Event::Written { ppn: self.layout.ppn(group.first(), slot) });
        let old = self.map.find(lpn);
        // The first part last: it is where the page map points.
        for &unit in group.units().iter().rev() {
            self.map.bind(lpn, self.layout.ppn(unit, slot), unit, slot);
            self.units.valid_added(unit);
        }
        if old != NONE {
            self.release(lpn, old);
        }
    }

    /// A third or fourth write, one part of which lay in `unit` and was made invalid already, loses its other parts, too.
    #[inline(never)]
    pub(crate) fn invalidate_other_parts(&mut self, unit: u32, group: &Group, slot: u32) {
        let Some(pairs) = self.pairs.as_deref_mut() else { return };
        pairs.count_group(group, false);
        for &other in group.units().iter().filter(|&&other| other != unit) {
            self.map.invalidate(other, slot);
            self.units.valid_removed(other);
        }
    }

    /// Whether the program of a group that was just made failed on one of its blocks, which is then condemned.
    #[cold]
    pub(super) fn group_failed(&mut self, group: &Group, slot: u32) -> bool {
        group.units().iter().any(|&unit| self.program_failed(unit, slot))
    }
}
