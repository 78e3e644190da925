//! The two flash pages of a second write: read together, programmed together, valid together. What asks for the parts of a
//! third or fourth write comes by here, too.

use rewear_flash::{Address, Illegal, Nanos, ProgramMode, Transfer};

use crate::address::{Lpn, NONE};
use crate::recycle::Event;
use crate::state::State;

/// A slot: unit and number within it.
type Place = (u32, u32);

impl State {
    /// The first part of the second or further write that has a part in this valid slot; `None` if the slot holds a first write.
    #[inline]
    pub(crate) fn first_part_of(&self, place: Place) -> Option<Place> {
        let pairs = self.pairs.as_deref()?;
        if !pairs.is_twice(place.0, place.1) {
            return None;
        }
        let lpn = self.map.owner(self.layout.ppn(place.0, place.1));
        Some(self.layout.unit_and_slot(self.map.find(lpn)))
    }

    /// The other parts of the write whose first part lies here: of a second one its second half.
    pub(crate) fn other_parts(&self, first: Place) -> impl Iterator<Item = Place> + use<> {
        let group = self.group_at(first).map(|(_, group)| group);
        let pair = self.pairs.as_deref().filter(|_| group.is_none()).map(|pairs| pairs.second_half(first));
        let parts = group
            .into_iter()
            .flat_map(move |group| (1..group.units().len()).map(move |part| (group.units()[part], first.1)));
        pair.into_iter().chain(parts)
    }

    /// Flash pages of the second or further write whose first part lies here.
    #[inline]
    pub(crate) fn parts_at(&self, first: Place) -> u64 {
        self.group_at(first).map_or(2, |(_, group)| group.units().len() as u64)
    }

    fn addresses(&self, first: Place) -> [Address; 2] {
        let second = self.pairs.as_deref().map_or(first, |pairs| pairs.second_half(first));
        [self.layout.address(first.0, first.1), self.layout.address(second.0, second.1)]
    }

    /// Reads the pages of a second write, or those that one will go over, for the drive's own purposes.
    pub(crate) fn read_halves(&mut self, at: Nanos, first: Place) -> Result<Nanos, Illegal> {
        if let Some((_, group)) = self.group_at(first) {
            return self.read_group(at, &group, first.1);
        }
        let (pages, mode) = (self.addresses(first), self.effort.mode_of(self.layout.ppn(first.0, first.1)));
        if pages[0].plane != pages[1].plane {
            return self.array.read_multi_plane(at, &pages, mode);
        }
        let end = self.array.read(at, pages[0], mode, Transfer::Channel)?;
        Ok(end.max(self.array.read(at, pages[1], mode, Transfer::Channel)?))
    }

    /// Reads the pages of a second write for a waiting host.
    #[inline(never)]
    pub(crate) fn host_read_halves(&mut self, at: Nanos, first: Place) -> Result<Nanos, Illegal> {
        if let Some((_, group)) = self.group_at(first) {
            return self.host_read_group(at, &group, first.1);
        }
        self.counters.second_writes_read += 1;
        self.counters.read.host += 2;
        let (pages, mode) = (self.addresses(first), self.effort.mode_of(self.layout.ppn(first.0, first.1)));
        if pages[0].plane != pages[1].plane {
            return self.array.host_read_multi_plane(at, &pages, mode);
        }
        let end = self.array.host_read(at, pages[0], mode, Transfer::Channel)?;
        Ok(end.max(self.array.host_read(at, pages[1], mode, Transfer::Channel)?))
    }

    /// Copies a second write to a slot, as a first write. Returns the end.
    #[inline(never)]
    pub(crate) fn copy_halves(
        &mut self,
        at: Nanos,
        first: Place,
        (unit, slot): Place,
        mode: ProgramMode,
    ) -> Result<Nanos, Illegal> {
        self.counters.read.moved += self.parts_at(first);
        let read_at = self.read_halves(at, first)?;
        self.program(read_at, unit, slot, mode)
    }

    /// Programs both pages of a second write.
    pub(crate) fn program_halves(
        &mut self,
        at: Nanos,
        first: Place,
        mode: ProgramMode,
    ) -> Result<Nanos, Illegal> {
        let second = self.pairs.as_deref().map_or(first, |pairs| pairs.second_half(first));
        self.destroyed(first.0, first.1);
        self.destroyed(second.0, second.1);
        let pages = self.addresses(first);
        if pages[0].plane != pages[1].plane {
            return self.array.program_multi_plane(at, &pages, mode);
        }
        let end = self.array.program(at, pages[0], mode, Transfer::Channel)?;
        Ok(end.max(self.array.program(at, pages[1], mode, Transfer::Channel)?))
    }

    /// A second write becomes the place of a logical page; its old place becomes invalid.
    #[inline]
    pub(crate) fn supersede_by_second(&mut self, lpn: Lpn, first: Place) {
        let Some(pairs) = self.pairs.as_deref_mut() else { return };
        let second = pairs.second_half(first);
        pairs.valid_added(first.0);
        self.hear(Event::Written { ppn: self.layout.ppn(first.0, first.1) });
        let old = self.map.find(lpn);
        // The first half last: it is where the page map points.
        for (unit, slot) in [second, first] {
            self.map.bind(lpn, self.layout.ppn(unit, slot), unit, slot);
            self.units.valid_added(unit);
        }
        if old != NONE {
            self.release(lpn, old);
        }
    }

    /// A second write whose first part lies here was moved, or a further one.
    #[inline]
    pub(crate) fn count_moved_parts(&mut self, first: Place) {
        match self.group_at(first) {
            None => self.counters.second_writes_moved += 1,
            Some(_) => self.counters.further_writes_moved += 1,
        }
    }

    /// A second write, one half of which lay at `place` and was made invalid already, loses its other half, too; a further one
    /// its other parts. `first` is where the page map pointed.
    #[inline(never)]
    pub(crate) fn invalidate_other_half(&mut self, place: Place, first: Place) {
        if let Some((_, group)) = self.group_at(first) {
            return self.invalidate_other_parts(place.0, &group, first.1);
        }
        let Some(pairs) = self.pairs.as_deref_mut() else { return };
        let second = pairs.second_half(first);
        pairs.valid_removed(first.0);
        let other = if place == first { second } else { first };
        self.map.invalidate(other.0, other.1);
        self.units.valid_removed(other.0);
    }
}
