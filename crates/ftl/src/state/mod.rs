//! The state that all schemes share, and the few operations through which anything touches it.

pub mod content_score;
pub mod counters;
pub(crate) mod groups;
pub mod map;
pub mod sharing;
pub mod space_report;
pub(crate) mod table;
pub mod units;

use rewear_flash::medium::Operation;
use rewear_flash::{Array, ConfigError, Failures, Illegal, Nanos, ProgramMode, Transfer};

use crate::address::{Lpn, Pool, Ppn, Slot, SlotAddress, Unit};
use crate::config::choices::{CleaningStep, MovedTo};
use crate::config::drive::DriveConfig;
use crate::effort::Effort;
use crate::layer::buffers::Buffers;
use crate::layer::scrambler::Scrambler;
use crate::recovery::log;
use crate::recovery::log::Log;
use crate::recycle::{Event, Recycle};
use crate::reuse::Reuse;
use crate::shape::layout::{Layout, MAX_SLOT_PAGES};
use crate::shape::{Shape, cell_format};
use crate::state::content_score::ContentScore;
use crate::state::counters::Counters;
use crate::state::groups::Groups;
use crate::state::map::Map;
use crate::state::sharing::Sharing;
use crate::state::units::Units;
use crate::state::units::fill::Fill;
use crate::state::units::stream::Stream;

/// Map, units, flash and the two axes that listen.
#[derive(Debug, Clone)]
pub struct State {
    pub(crate) array: Array,
    pub(crate) layout: Layout,
    pub(crate) map: Map,
    pub(crate) units: Units,
    pub(crate) recycle: Recycle,
    /// Who shares a page with whom; `None` where pages are never shared.
    pub(crate) sharing: Option<Sharing>,
    pub(crate) effort: Effort,
    pub(crate) counters: Counters,
    pub(crate) cleaning_step: CleaningStep,
    /// Decides which operations fail; `None` where none can.
    pub(crate) failures: Option<Failures>,
    /// Units on which a program failed and whose valid pages are still to be moved.
    pub(crate) condemned: Vec<Unit>,
    /// Blocks that were bad from the factory or failed since.
    pub(crate) bad_blocks: u32,
    /// Which pools moved pages may go to.
    pub(crate) moved_to: MovedTo,
    /// Whether cleaning reads the summary of its victim.
    pub(crate) summary_reads: bool,
    /// Whether slots are prepared before they are programmed (see [`crate::layer::prepare`]).
    pub(crate) prepares: bool,
    /// Which slots hold one logical page together, on a drive where any do.
    pub(crate) groups: Option<Box<Groups>>,
    /// Where changes that program no page are noted (see [`crate::recovery`]).
    pub(crate) log: Option<Box<Log>>,
    /// Programs and noted changes so far, on a drive that can be mounted.
    pub(crate) sequence: u64,
    /// Whether moved pages stay in their plane.
    pub(crate) copies_back: bool,
}

impl State {
    pub(crate) fn new(config: &DriveConfig, shape: Shape, reuse: &Reuse) -> Result<State, ConfigError> {
        let mut effort = Effort::new(&config.effort, &config.flash)?;
        let cells = cell_format(config, reuse)?;
        let array = Array::new(&config.flash, reuse.program_again(), cells, effort.extra_modes())?;
        effort.prepare(&shape.layout);
        let Shape { layout, reserve, geometry, bad_units, factory_bad_blocks, log: log_shape, .. } = shape;
        let copies_back = config.ftl.copyback
            && config.ftl.moved_to == MovedTo::Pool
            && layout.width == 1
            && layout.slot_pages == 1
            && reuse.copies_verbatim();
        let fill_order = reuse.fill_order(&layout);
        let planes_per_die = geometry.planes_per_die;
        let mut units = Units::new(&layout, fill_order, &reserve, &config.ftl, &bad_units, planes_per_die);
        let log = config.ftl.recovery.log().zip(log_shape).map(|(log, shape)| {
            let first_unit = log::first_unit(&layout, shape, &bad_units);
            units.set_aside(Unit(first_unit.0)..Unit((first_unit + shape.units()).0));
            let scrambler = Scrambler::new(config, reuse, layout.logical_page_bytes);
            let buffers = Buffers::new(&layout, cells.image_bytes, scrambler);
            Box::new(Log::new(log, shape, first_unit, &layout, buffers))
        });
        if config.recycle.wants_content() && config.ftl.victim.weighs_contents() {
            units.loss = ContentScore::new(layout.units(), layout.slots_per_unit);
        }
        Ok(State {
            map: Map::new(layout.exported_pages, layout.units(), layout.slots_per_unit),
            units,
            recycle: Recycle::new(&config.recycle, &layout),
            sharing: config.recycle.shares_pages().then(|| Sharing::new(layout.exported_pages)),
            effort,
            counters: Counters::default(),
            cleaning_step: config.ftl.cleaning_step,
            moved_to: config.ftl.moved_to,
            summary_reads: config.ftl.summary_reads,
            failures: Failures::new(&config.flash.failures),
            condemned: Vec::new(),
            bad_blocks: factory_bad_blocks,
            groups: reuse.groups(&layout).map(Box::new),
            log,
            sequence: 0,
            copies_back,
            prepares: array.stores_cells() || reuse.counts_programs(),
            array,
            layout,
        })
    }

    /// Programs all pages of a slot; returns the end of the last.
    #[inline]
    pub(crate) fn program(
        &mut self,
        at: Nanos,
        unit: Unit,
        slot: Slot,
        mode: ProgramMode,
    ) -> Result<Nanos, Illegal> {
        self.destroyed(unit, slot);
        if self.layout.most_slot_pages == 1 {
            return self.array.program(at, self.layout.address(unit, slot.0), mode, Transfer::Channel);
        }
        self.program_wide(at, unit, slot, mode)
    }

    /// Pages of a slot that lie on several planes of one die go in one multi-plane command.
    fn program_wide(
        &mut self,
        at: Nanos,
        unit: Unit,
        slot: Slot,
        mode: ProgramMode,
    ) -> Result<Nanos, Illegal> {
        let planes_per_die = self.array.geometry().planes_per_die;
        let slot_pages = self.layout.slot_pages_of(unit);
        let mut command = [self.layout.address(unit, slot.0 * slot_pages); MAX_SLOT_PAGES];
        let (mut end, mut filled) = (at, 0);
        for page in 0..slot_pages {
            let address = self.layout.address(unit, slot.0 * slot_pages + page);
            let joins = filled > 0
                && address.plane / planes_per_die == command[0].plane / planes_per_die
                && command[..filled].iter().all(|earlier| earlier.plane != address.plane);
            if filled > 0 && !joins {
                end = end.max(self.program_command(at, &command[..filled], mode)?);
                filled = 0;
            }
            command[filled] = address;
            filled += 1;
        }
        Ok(end.max(self.program_command(at, &command[..filled], mode)?))
    }

    fn program_command(
        &mut self,
        at: Nanos,
        pages: &[rewear_flash::Address],
        mode: ProgramMode,
    ) -> Result<Nanos, Illegal> {
        match pages {
            [single] => self.array.program(at, *single, mode, Transfer::Channel),
            several => self.array.program_multi_plane(at, several, mode),
        }
    }

    /// Copies a page to another slot: within its plane, or by way of the controller. Returns the end.
    #[inline]
    pub(crate) fn copy(
        &mut self,
        at: Nanos,
        SlotAddress { unit: from_unit, slot: from }: SlotAddress,
        SlotAddress { unit, slot }: SlotAddress,
        mode: ProgramMode,
    ) -> Result<Nanos, Illegal> {
        self.counters.read.moved += u64::from(self.layout.slot_pages_of(from_unit));
        if self.copies_back {
            let read_mode = self.effort.mode_of(self.layout.ppn(from_unit, from));
            self.destroyed(unit, slot);
            let (from, to) = (self.layout.address(from_unit, from.0), self.layout.address(unit, slot.0));
            return self.array.copy_back(at, (from, read_mode), (to, mode));
        }
        let read_at = self.read(at, from_unit, from)?;
        self.program(read_at, unit, slot, mode)
    }

    /// Reads the logical page in a slot, all its flash pages, for a waiting host; returns the end of the last.
    #[inline]
    pub(crate) fn host_read(&mut self, at: Nanos, unit: Unit, slot: Slot) -> Result<Nanos, Illegal> {
        if let Some(group) = self.groups.as_deref().and_then(|groups| groups.at(SlotAddress { unit, slot })) {
            return self.host_read_group(at, &group);
        }
        let slot_pages = self.layout.slot_pages_of(unit);
        self.counters.read.host += u64::from(slot_pages);
        let mode = self.effort.mode_of(self.layout.ppn(unit, slot));
        let first = slot.0 * slot_pages;
        let mut end = at;
        for page in first..first + slot_pages {
            let address = self.layout.address(unit, page);
            end = end.max(self.array.host_read(at, address, mode, Transfer::Channel)?);
        }
        Ok(end)
    }

    /// Reads the logical page in a slot for the drive's own purposes; returns the end of the last, and the flash pages read.
    #[inline]
    pub(crate) fn read_page(&mut self, at: Nanos, unit: Unit, slot: Slot) -> Result<(Nanos, u64), Illegal> {
        match self.group_of(SlotAddress { unit, slot }) {
            Some(group) => Ok((self.read_group(at, &group)?, group.len() as u64)),
            None => Ok((self.read(at, unit, slot)?, u64::from(self.layout.slot_pages_of(unit)))),
        }
    }

    /// Reads all pages of a slot for the drive's own purposes; returns the end of the last.
    #[inline]
    pub(crate) fn read(&mut self, at: Nanos, unit: Unit, slot: Slot) -> Result<Nanos, Illegal> {
        let mode = self.effort.mode_of(self.layout.ppn(unit, slot));
        let slot_pages = self.layout.slot_pages_of(unit);
        let first = slot.0 * slot_pages;
        let mut end = at;
        for page in first..first + slot_pages {
            end = end.max(self.array.read(at, self.layout.address(unit, page), mode, Transfer::Channel)?);
        }
        Ok(end)
    }

    /// A slot is about to be programmed: whatever it held is gone.
    #[inline]
    pub(crate) fn destroyed(&mut self, unit: Unit, slot: Slot) {
        if self.recycle.listens() {
            let ppn = self.layout.ppn(unit, slot);
            self.hear(Event::Destroyed { lpn: self.map.owner(ppn), ppn });
        }
    }

    /// A unit is erased or given back to be written over: the content of its invalid pages is lost.
    pub(crate) fn unit_destroyed(&mut self, unit: Unit) {
        if self.recycle.listens() {
            let first = self.layout.ppn(unit, Slot(0));
            let owners = self.map.owners(first, self.layout.slots_per_unit);
            self.recycle.hear_destroyed(first, owners, &mut self.units.loss);
        }
    }

    /// Erases the blocks of a unit; returns the end, and whether one of them should hold no more data.
    pub(crate) fn erase_blocks(&mut self, at: Nanos, unit: Unit) -> Result<(Nanos, bool), Illegal> {
        let (mut end, mut unfit) = (at, false);
        let keeps_records = self.keeps_records();
        if keeps_records {
            self.begin(Operation::Erase { unit: unit.0 });
        }
        for index in 0..self.layout.width {
            let address = self.layout.block_of(unit, index);
            end = end.max(self.array.erase(at, address.plane, address.block));
            self.counters.erases += 1;
            unfit |= self.array.wear().is_worn_out(address.block);
            unfit |= self.may_fail() && self.erase_failed(address.block);
        }
        if keeps_records {
            self.end_erase(unit);
        }
        if self.array.has_power() { Ok((end, unfit)) } else { Err(Illegal::NoPower) }
    }

    /// Closes a full open unit and writes its summary, if units have one.
    pub(crate) fn close(&mut self, at: Nanos, pool: Pool, stream: Stream) -> Result<(), Illegal> {
        let Some(unit) = self.units.close(pool, stream) else { return Ok(()) };
        let (first, pages) = self.summary_of(unit);
        for page in first..first + pages {
            let address = self.layout.address(unit, page);
            self.array.program(at, address, ProgramMode::NORMAL, Transfer::Channel)?;
            self.counters.programmed.metadata += 1;
        }
        Ok(())
    }

    /// Reads the summary of a closed unit, if units have one; returns the end.
    pub(crate) fn read_summary(&mut self, at: Nanos, unit: Unit) -> Result<Nanos, Illegal> {
        let mut end = at;
        let (first, pages) = self.summary_of(unit);
        for page in first..first + pages {
            let address = self.layout.address(unit, page);
            // A unit that a mount closed before it was full has no summary.
            if !self.array.is_programmed(address) {
                continue;
            }
            end = end.max(self.array.read(at, address, ProgramMode::NORMAL, Transfer::Channel)?);
            self.counters.read.metadata += 1;
        }
        Ok(end)
    }

    /// First page and number of the pages of a unit's summary: behind its last slot, or the last low row.
    fn summary_of(&self, unit: Unit) -> (u32, u32) {
        let first = match (self.units.fill(unit), self.units.fill_order().low_summary_row()) {
            (Fill::Low, Some(row)) => row * self.layout.width,
            _ => self.layout.slots_per_unit * self.layout.slot_pages,
        };
        (first, self.layout.summary_pages)
    }

    /// The write under way was programmed to a slot, which becomes the place of its logical page; the old place becomes
    /// invalid.
    #[inline]
    pub(crate) fn written(&mut self, lpn: Lpn, unit: Unit, slot: Slot) {
        if self.recycle.listens() {
            return self.written_and_told(lpn, unit, slot);
        }
        let old = self.map.find(lpn);
        self.map.bind(lpn, self.layout.ppn(unit, slot), unit, slot);
        self.units.valid_added(unit);
        if old.is_some() {
            self.invalidate(lpn, old);
        }
    }

    /// As [`written`](Self::written), where a recycling scheme listens; out of the way of drives without one.
    #[inline(never)]
    fn written_and_told(&mut self, lpn: Lpn, unit: Unit, slot: Slot) {
        let ppn = self.layout.ppn(unit, slot);
        self.hear(Event::Written { ppn });
        let old = self.map.find(lpn);
        self.map.bind(lpn, ppn, unit, slot);
        self.units.valid_added(unit);
        if old.is_some() {
            self.release(lpn, old);
        }
    }

    /// The valid page of a logical page was copied to a slot, which takes its place.
    pub(crate) fn relocate(
        &mut self,
        lpn: Lpn,
        SlotAddress { unit: from_unit, slot: from }: SlotAddress,
        unit: Unit,
        slot: Slot,
    ) {
        let (old, new) = (self.layout.ppn(from_unit, from), self.layout.ppn(unit, slot));
        self.map.bind(lpn, new, unit, slot);
        self.units.valid_added(unit);
        if self.recycle.listens() {
            self.content_moved(lpn, old, new);
            // Where several share the page, it was moved for this one.
            self.map.set_owner(old, lpn);
        }
        self.invalidate(lpn, old);
    }

    /// A physical page loses its logical page; its content stays until it is destroyed.
    #[inline]
    pub(crate) fn invalidate(&mut self, lpn: Lpn, ppn: Ppn) {
        let SlotAddress { unit, slot } = self.layout.slot_address(ppn);
        if self.groups.as_deref().is_some_and(|groups| groups.is_written(unit, slot)) {
            self.invalidate_group(SlotAddress { unit, slot });
            // An invalid write of several slots does not come back: they lie in several units, each of which may go alone.
            return self.hear(Event::Destroyed { lpn, ppn });
        }
        self.map.invalidate(unit, slot);
        self.units.valid_removed(unit);
        debug_assert_eq!(self.map.owner(ppn), lpn);
        self.hear(Event::Invalidated { lpn, ppn });
    }
}
