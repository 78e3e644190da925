//! One write, one read, one trim, in the order of the three questions.

use rewear_flash::{ConfigError, Nanos, ProgramAgain};

use crate::background::Background;
use crate::config::DriveConfig;
use crate::core::Core;
use crate::counters::Counters;
use crate::error::FtlError;
use crate::host_write::{Command, Content, Coverage, HostWrite};
use crate::layout::Layout;
use crate::placement::Place;
use crate::reuse::Reuse;
use crate::shape::Shape;
use crate::stored::{self, Buffers};
use crate::streams::Streams;
use crate::units::Stream;
use crate::units::fill::Fill;
use crate::victim::VictimPolicy;
use crate::write_buffer::WriteBuffer;
use crate::{Lpn, NONE};

/// A drive: flash, map and one scheme for each question.
///
/// Operations take the time at which they are asked for, in nanoseconds, and return the time at which they end.
#[derive(Debug, Clone)]
pub struct Ftl {
    pub(crate) core: Core,
    pub(crate) reuse: Reuse,
    pub(crate) buffers: Buffers,
    pub(crate) victim: VictimPolicy,
    streams: Streams,
    /// See [`crate::wear_levelling`]: the spread of wear that is tolerated.
    pub(crate) spread_passes: Option<u32>,
    pub(crate) background: Option<Background>,
    pub(crate) write_buffer: Option<Box<WriteBuffer>>,
    /// Whether host writes have anything to do before they come to the three questions.
    has_front: bool,
    /// Erases of each block when the counters were last reset.
    erases_before: Vec<u32>,
    reprograms_before: u64,
    unfinished_before: f64,
}

impl Ftl {
    /// An empty drive.
    ///
    /// # Errors
    /// A configuration that cannot be, with key and remedy.
    pub fn new(config: &DriveConfig) -> Result<Ftl, ConfigError> {
        let (shape, mut reuse) = Shape::with_reuse(config)?;
        let passes = reuse.program_again().passes();
        let core = Core::new(config, shape, &reuse)?;
        reuse.prepare(&core.layout);
        let layout = &core.layout;
        let buffers =
            Buffers::new(layout.logical_page_bytes, layout.slot_pages, reuse.cell_format().image_bytes);
        let kept_bytes = if core.array.stores_cells() { layout.logical_page_bytes as usize } else { 0 };
        let write_buffer = WriteBuffer::new(&config.ftl.write_buffer, kept_bytes);
        let has_front = write_buffer.is_some() || core.array.reads_overtake();
        let blocks = core.array.geometry().blocks() as usize;
        let endurance = u64::from(config.flash.endurance_cycles.unwrap_or(u32::MAX));
        Ok(Ftl {
            victim: VictimPolicy::new(&config.ftl.victim, endurance * u64::from(passes)),
            streams: Streams::new(&config.ftl.streams),
            spread_passes: config.ftl.wear_levelling.spread_passes(passes),
            background: Background::new(&config.ftl.background, layout),
            reuse,
            core,
            buffers,
            write_buffer,
            has_front,
            erases_before: vec![0; blocks],
            reprograms_before: 0,
            unfinished_before: 0.0,
        })
    }

    /// Writes one logical page.
    ///
    /// # Errors
    /// Out of space; a page beyond the exported capacity; a fault of the translation layer.
    #[inline]
    pub fn write(&mut self, at: Nanos, lpn: Lpn, write: HostWrite<'_>) -> Result<Nanos, FtlError> {
        self.check(lpn)?;
        if self.has_front {
            return self.write_in_front(at, lpn, write);
        }
        self.core.counters.host_pages_written += 1;
        self.write_flash(at, lpn, write)
    }

    /// Writes one logical page to the flash: the three questions.
    #[inline(always)] // The benchmark's loop; its other callers go through `write_flash_out_of_line`.
    pub(crate) fn write_flash(
        &mut self,
        at: Nanos,
        lpn: Lpn,
        write: HostWrite<'_>,
    ) -> Result<Nanos, FtlError> {
        let ready_at = match write.coverage {
            Coverage::Whole => at,
            Coverage::Part => self.read_to_modify(at, lpn)?,
        };
        // Must it be written at all?
        if let Some(ppn) = self.core.recycle.find(lpn, write.content) {
            let (unit, slot) = self.core.layout.unit_and_slot(ppn);
            self.core.supersede(lpn, unit, slot);
            self.core.counters.writes_recycled += 1;
            return Ok(ready_at);
        }
        // Where can it be written without an erase?
        let stream = self.streams.stream_of(lpn);
        let (unit, slot) = match self.place(at, lpn, stream, write.command)? {
            Place::Slot { unit, slot } => (unit, slot),
            other => return self.write_in_place(ready_at, lpn, write, other),
        };
        if self.core.array.stores_cells() {
            self.encode(unit, slot, write.content)?;
        }
        // With how much effort must it be written?
        let mode = self.core.effort.mode_to_write(lpn, Stream::Host);
        let end = self.core.program(ready_at, unit, slot, mode)?;
        self.core.counters.programmed.host += u64::from(self.core.layout.slot_pages);
        if self.core.may_fail() && self.core.program_failed(unit, slot) {
            return self.write_elsewhere(end, lpn, stream, write.content);
        }
        self.core.supersede(lpn, unit, slot);
        Ok(end)
    }

    /// A write that does not take the next slot.
    #[inline(never)]
    fn write_in_place(
        &mut self,
        at: Nanos,
        lpn: Lpn,
        write: HostWrite<'_>,
        place: Place,
    ) -> Result<Nanos, FtlError> {
        match place {
            Place::Slot { unit, slot } | Place::Again { unit, slot } => {
                self.write_again(at, lpn, write, (unit, slot))
            }
        }
    }

    /// The program of a page failed: tries other units until one takes it.
    #[cold]
    pub(crate) fn write_elsewhere(
        &mut self,
        failed_at: Nanos,
        lpn: Lpn,
        stream: Stream,
        content: Content<'_>,
    ) -> Result<Nanos, FtlError> {
        let mut at = failed_at;
        loop {
            let (unit, slot) = self.place_slot(at, lpn, stream)?;
            if self.core.array.stores_cells() {
                self.encode(unit, slot, content)?;
            }
            let mode = self.core.effort.mode_to_write(lpn, Stream::Host);
            at = self.core.program(at, unit, slot, mode)?;
            self.core.counters.programmed.host += u64::from(self.core.layout.slot_pages);
            if !self.core.program_failed(unit, slot) {
                self.core.supersede(lpn, unit, slot);
                return Ok(at);
            }
        }
    }

    /// Tells the drive that the writes which follow belong to a request of `bytes`; a hint for
    /// [`streams`](crate::streams) by size.
    #[inline]
    pub fn announce_write(&mut self, bytes: u64) {
        self.streams.announce(bytes);
    }

    /// Reads one logical page. A page that was never written is answered from the map, at once.
    ///
    /// # Errors
    /// A page beyond the exported capacity; a fault of the translation layer.
    #[inline]
    pub fn read(&mut self, at: Nanos, lpn: Lpn) -> Result<Nanos, FtlError> {
        self.check(lpn)?;
        self.core.counters.host_pages_read += 1;
        if self.write_buffer.is_some() {
            return self.read_in_front(at, lpn);
        }
        self.read_flash(at, lpn)
    }

    /// Reads one logical page from the flash.
    #[inline]
    pub(crate) fn read_flash(&mut self, at: Nanos, lpn: Lpn) -> Result<Nanos, FtlError> {
        let core = &mut self.core;
        let ppn = core.map.find(lpn);
        if ppn == NONE {
            core.counters.unmapped_pages_read += 1;
            return Ok(at);
        }
        let (unit, slot) = core.layout.unit_and_slot(ppn);
        let end = core.host_read(at, unit, slot)?;
        core.counters.read.host += u64::from(core.layout.slot_pages);
        if core.effort.should_rewrite(lpn, ppn) {
            self.rewrite(end, lpn, (unit, slot))?;
        }
        Ok(end)
    }

    /// Forgets one logical page.
    ///
    /// # Errors
    /// A page beyond the exported capacity.
    pub fn trim(&mut self, lpn: Lpn) -> Result<(), FtlError> {
        self.check(lpn)?;
        self.core.counters.host_pages_trimmed += 1;
        if self.write_buffer.is_some() {
            self.trim_in_front(lpn);
        }
        let ppn = self.core.map.find(lpn);
        if ppn != NONE {
            self.core.map.unbind(lpn);
            self.core.invalidate(lpn, ppn);
        }
        Ok(())
    }

    /// Writes bytes into a logical page, on stored cells.
    ///
    /// # Errors
    /// As [`write`](Self::write); a range beyond the page; an overwrite that does not only clear bits of what is there, on a
    /// drive that programs pages again in place. Nothing is written then.
    pub fn write_bytes(
        &mut self,
        at: Nanos,
        lpn: Lpn,
        offset: usize,
        data: &[u8],
        command: Command,
    ) -> Result<Nanos, FtlError> {
        self.check(lpn)?;
        let page_bytes = self.buffers.page.len();
        if offset + data.len() > page_bytes {
            return Err(FtlError::Code(format!(
                "bytes {offset}+{} beyond a page of {page_bytes}",
                data.len()
            )));
        }
        if command == Command::Overwrite {
            self.check_overwrite(lpn, offset, data)?;
        }
        if data.len() == page_bytes {
            let content = Content::Page(data);
            return self.write(at, lpn, HostWrite { coverage: Coverage::Whole, command, content });
        }
        let mut page = vec![0; page_bytes];
        self.read_bytes(lpn, &mut page)?;
        page[offset..offset + data.len()].copy_from_slice(data);
        self.write(at, lpn, HostWrite { coverage: Coverage::Part, command, content: Content::Page(&page) })
    }

    /// The bytes of a logical page, from stored cells; zeros where nothing was written. Takes no simulated time.
    ///
    /// # Errors
    /// A page beyond the exported capacity; a buffer of the wrong size.
    pub fn read_bytes(&mut self, lpn: Lpn, page: &mut [u8]) -> Result<(), FtlError> {
        self.check(lpn)?;
        if page.len() != self.buffers.page.len() {
            return Err(FtlError::Code(format!(
                "{} bytes for a page of {}",
                page.len(),
                self.buffers.page.len()
            )));
        }
        if let Some(bytes) = self.buffered_bytes(lpn) {
            page.copy_from_slice(bytes);
            return Ok(());
        }
        let ppn = self.core.map.find(lpn);
        if ppn == NONE || !self.core.array.stores_cells() {
            page.fill(0);
            return Ok(());
        }
        let place = self.core.layout.unit_and_slot(ppn);
        stored::load(&self.core, &self.reuse, &mut self.buffers, place)?;
        page.copy_from_slice(&self.buffers.page);
        Ok(())
    }

    /// Starts counting anew. Data, wear, clock and queues stay.
    pub fn reset_counters(&mut self) {
        self.core.counters = Counters::default();
        self.erases_before.copy_from_slice(self.core.array.wear().erases());
        self.reprograms_before = self.core.array.reprograms();
        self.unfinished_before = self.core.array.unfinished_cycles();
        self.core.array.reset_busy_ns();
    }

    /// Empties all queues: the next operation finds an idle array at time 0.
    pub fn restart_clock(&mut self) {
        self.core.array.restart_clock();
        if let Some(buffer) = &mut self.write_buffer {
            buffer.restart_clock();
        }
    }

    /// Tells the processor that a logical page will soon be looked up; no effect on results.
    #[inline]
    pub fn prefetch(&self, lpn: u64) {
        self.core.map.prefetch(lpn);
    }

    /// Counters since the last reset.
    pub fn counters(&self) -> &Counters {
        &self.core.counters
    }

    /// Erases of each block since the last reset.
    pub fn erases_per_block(&self) -> impl Iterator<Item = u32> + '_ {
        self.core.array.wear().erases().iter().zip(&self.erases_before).map(|(now, before)| now - before)
    }

    /// Erases since the last reset plus the change in the parts of their present cycles that blocks have used up.
    pub fn erase_equivalents(&self) -> f64 {
        self.core.counters.erases as f64 + self.core.array.unfinished_cycles() - self.unfinished_before
    }

    /// Programs of pages that already held data, since the last reset.
    pub fn reprograms(&self) -> u64 {
        self.core.array.reprograms() - self.reprograms_before
    }

    /// The unit and slot where a logical page lies; `None` if it was never written or was trimmed, or lies in the write buffer only.
    pub fn find(&self, lpn: Lpn) -> Option<(u32, u32)> {
        let ppn = if lpn < self.core.map.logical_pages() { self.core.map.find(lpn) } else { NONE };
        (ppn != NONE).then(|| self.core.layout.unit_and_slot(ppn))
    }

    /// With which of its slots a unit is filled.
    pub fn fill(&self, unit: u32) -> Fill {
        self.core.units.fill(unit)
    }

    /// Which programs of a programmed page the reuse scheme's code makes legal.
    pub fn program_again(&self) -> ProgramAgain {
        self.reuse.program_again()
    }

    /// How page numbers lie over the array.
    pub fn layout(&self) -> &Layout {
        &self.core.layout
    }

    /// The flash array.
    pub fn array(&self) -> &rewear_flash::Array {
        &self.core.array
    }

    /// Blocks that were bad from the factory or on which an operation failed since.
    pub fn bad_blocks(&self) -> u32 {
        self.core.bad_blocks
    }

    /// Erase units that are out of service because a block is bad or worn out.
    pub fn retired_units(&self) -> u32 {
        self.core.units.retired()
    }

    #[inline]
    pub(crate) fn check(&self, lpn: Lpn) -> Result<(), FtlError> {
        let exported = self.core.map.logical_pages();
        if lpn < exported { Ok(()) } else { Err(FtlError::Beyond { lpn: u64::from(lpn), exported }) }
    }

    #[cold]
    pub(crate) fn encode(&mut self, unit: u32, slot: u32, content: Content<'_>) -> Result<(), FtlError> {
        let Content::Page(data) = content else {
            return Err(FtlError::Code("stored cells need the bytes of every write".into()));
        };
        self.buffers.page.copy_from_slice(data);
        stored::store(&mut self.core, &self.reuse, &mut self.buffers, (unit, slot))
    }

    fn read_to_modify(&mut self, at: Nanos, lpn: Lpn) -> Result<Nanos, FtlError> {
        let ppn = self.core.map.find(lpn);
        if ppn == NONE {
            return Ok(at);
        }
        let (unit, slot) = self.core.layout.unit_and_slot(ppn);
        self.core.counters.read.read_modify_write += u64::from(self.core.layout.slot_pages);
        Ok(self.core.read(at, unit, slot)?)
    }

    /// Writes a page that was just read once more, because its effort scheme asked for it.
    fn rewrite(&mut self, at: Nanos, lpn: Lpn, from: (u32, u32)) -> Result<(), FtlError> {
        let mut at = at;
        loop {
            let (unit, slot) = self.place_slot(at, lpn, Stream::Host)?;
            // Cleaning may just have moved the page.
            let from = match self.core.map.find(lpn) {
                NONE => from,
                ppn => self.core.layout.unit_and_slot(ppn),
            };
            if self.core.array.stores_cells() {
                stored::copy(&mut self.core, &self.reuse, &mut self.buffers, from, (unit, slot))?;
            }
            let mode = self.core.effort.mode_to_write(lpn, Stream::Host);
            at = self.core.program(at, unit, slot, mode)?;
            self.core.counters.programmed.rewritten += u64::from(self.core.layout.slot_pages);
            if !(self.core.may_fail() && self.core.program_failed(unit, slot)) {
                self.core.supersede(lpn, unit, slot);
                return Ok(());
            }
        }
    }
}
