//! One write, one read, one trim, in the order of the three questions.

mod answer;
mod audit;
pub(crate) mod buffers;
mod cache_hints;
mod fast_path;
mod figures;
mod front;
mod group_flash;
mod group_write;
pub(crate) mod path;
mod place;

mod prepare;
mod refusals;
mod rewrite;
mod rewrite_queue;
pub(crate) mod scrambler;
pub(crate) mod stored;

use rewear_flash::{ConfigError, Nanos, ProgramAgain};

use crate::address::{Lpn, Pool, Ppn, SlotAddress, Unit};
use crate::config::drive::DriveConfig;
use crate::effort::counts::Figures;
use crate::effort::scheme::RewritesWhen;
use crate::error::FtlError;
use crate::host::write_buffer::WriteBuffer;
use crate::host::{Command, Content, Coverage, HostWrite};
use crate::layer::answer::Answer;
use crate::layer::buffers::Buffers;
use crate::layer::path::Path;
use crate::layer::refusals::Refusals;
use crate::layer::rewrite_queue::RewriteQueue;
use crate::layer::scrambler::Scrambler;
use crate::policies::background::Background;
use crate::policies::streams::Streams;
use crate::policies::victim::VictimPolicy;
use crate::recycle::Event;
use crate::recycle::counters::RecycleCounters;
use crate::reuse::place::Place;
use crate::reuse::{Reuse, second_write};
use crate::shape::Shape;
use crate::shape::layout::Layout;
use crate::state::State;
use crate::state::counters::Counters;
use crate::state::units::fill::Fill;
use crate::state::units::stream::Stream;

/// A drive: flash, map and one scheme for each question.
///
/// Operations take the time at which they are asked for, in nanoseconds, and return the time at which they end.
#[derive(Debug, Clone)]
pub struct Ftl {
    pub(crate) state: State,
    pub(crate) reuse: Reuse,
    pub(crate) buffers: Buffers,
    pub(crate) refusals: Refusals,
    pub(crate) victim: VictimPolicy,
    streams: Streams,
    /// See [`crate::policies::wear_levelling`]: the spread of wear that is tolerated.
    pub(crate) spread_passes: Option<u32>,
    pub(crate) background: Option<Background>,
    pub(crate) write_buffer: Option<Box<WriteBuffer>>,
    pub(crate) rewriting: RewriteQueue,
    /// Whether host reads and writes have anything to do before they come to the three questions.
    has_front: bool,
    /// Who has a say in host writes.
    way: Path,
    /// Erases of each block when the counters were last reset.
    erases_before: Vec<u32>,
    reprograms_before: u64,
    programmed_before: u64,
    unfinished_before: f64,
}

impl Ftl {
    /// An empty drive.
    ///
    /// # Errors
    /// A configuration that cannot be, with key and remedy.
    pub fn new(config: &DriveConfig) -> Result<Ftl, ConfigError> {
        let (shape, mut reuse) = Shape::with_reuse(config)?;
        let passes_per_erase = reuse.passes_per_erase();
        let state = State::new(config, shape, &reuse)?;
        reuse.prepare(&config.flash, &state.layout)?;
        let layout = &state.layout;
        let scrambler = Scrambler::new(config, &reuse, layout.logical_page_bytes);
        let buffers = Buffers::new(layout, reuse.cell_format().image_bytes, scrambler);
        let kept_bytes = if state.array.stores_cells() { layout.logical_page_bytes as usize } else { 0 };
        let write_buffer =
            WriteBuffer::new(&config.ftl.write_buffer, kept_bytes, config.recycle.wants_content());
        let has_front = write_buffer.is_some() || state.array.reads_overtake() || state.effort.listens();
        let streams = Streams::new(&config.ftl.streams);
        let goes_on_in_order = matches!((&reuse, &streams), (Reuse::Nothing(_), Streams::One));
        let way = if goes_on_in_order && !has_front { state.way() } else { Path::General };
        let blocks = state.array.geometry().blocks() as usize;
        let endurance = u64::from(config.flash.endurance_cycles.unwrap_or(u32::MAX));
        Ok(Ftl {
            victim: VictimPolicy::new(&config.ftl.victim, (endurance as f64 * passes_per_erase) as u64),
            streams,
            spread_passes: config.ftl.wear_levelling.spread_passes(passes_per_erase),
            background: Background::new(&config.ftl.background, layout),
            reuse,
            state,
            buffers,
            refusals: Refusals::default(),
            write_buffer,
            rewriting: RewriteQueue::default(),
            has_front,
            way,
            erases_before: vec![0; blocks],
            reprograms_before: 0,
            programmed_before: 0,
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
        if self.way != Path::Fast {
            return self.write_by_schemes(at, lpn, write);
        }
        self.state.counters.host_pages_written += 1;
        self.write_flash::<false, false>(at, lpn, write)
    }

    #[inline(never)]
    fn write_by_schemes(&mut self, at: Nanos, lpn: Lpn, write: HostWrite<'_>) -> Result<Nanos, FtlError> {
        if self.has_front {
            return self.write_in_front(at, lpn, write);
        }
        self.state.counters.host_pages_written += 1;
        match self.way {
            Path::Observed => self.write_flash::<false, true>(at, lpn, write),
            _ => self.write_flash::<true, true>(at, lpn, write),
        }
    }

    /// Writes one logical page to the flash: the three questions, as far as the drive's [`Path`] leaves them open.
    #[inline(always)] // The benchmark's loop; its other callers go through `write_flash_out_of_line`.
    pub(crate) fn write_flash<const GENERAL: bool, const OBSERVED: bool>(
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
        let ready_at = match OBSERVED && self.state.recycle.listens() {
            false => ready_at,
            true => match self.find_content(ready_at, lpn, write.content)? {
                Answer::Found(end) => return self.commit_many().map(|()| end),
                Answer::Write(at) => at,
            },
        };
        // Where can it be written without an erase?
        let stream = if GENERAL { self.streams.stream_of(lpn) } else { Stream::Host };
        let place = match self.place::<GENERAL>(at, lpn, stream, write.command)? {
            Place::Slot(at) => at,
            Place::Group(slots) => {
                return self.write_group(ready_at, (lpn, stream), write.content, slots);
            }
            Place::Again(place) => return self.write_again(ready_at, lpn, write.content, place),
        };
        let (SlotAddress { unit, slot }, ready_at) = if GENERAL && self.state.prepares {
            self.prepare_for_host(ready_at, lpn, stream, place, write.content)?
        } else {
            (place, ready_at)
        };
        if !GENERAL {
            return Ok(self.state.write_normally::<OBSERVED>(ready_at, lpn, SlotAddress { unit, slot })?);
        }
        // With how much effort must it be written?
        let mode = self.state.effort.mode_to_write(lpn, self.state.layout.ppn(unit, slot));
        if self.state.prepares {
            self.store_with_record(lpn, SlotAddress { unit, slot }, mode, stream)?;
        }
        let end = self.state.program(ready_at, unit, slot, mode)?;
        self.state.counters.programmed.host += u64::from(self.state.layout.slot_pages_of(unit));
        if self.state.may_fail() && self.state.program_failed(unit, slot) {
            return self.write_elsewhere(end, lpn, stream, write.content);
        }
        self.state.written(lpn, unit, slot);
        Ok(end)
    }

    /// The program of a page failed, or its encoding: writes it in other units until one takes it.
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
            let place = self.place_slot(at, lpn, stream)?;
            let (SlotAddress { unit, slot }, ready_at) = if self.state.prepares {
                self.prepare_for_host(at, lpn, stream, place, content)?
            } else {
                (place, at)
            };
            let mode = self.state.effort.mode_to_write(lpn, self.state.layout.ppn(unit, slot));
            self.store_with_record(lpn, SlotAddress { unit, slot }, mode, stream)?;
            at = self.state.program(ready_at, unit, slot, mode)?;
            self.state.counters.programmed.host += u64::from(self.state.layout.slot_pages_of(unit));
            if !(self.state.may_fail() && self.state.program_failed(unit, slot)) {
                self.state.written(lpn, unit, slot);
                return Ok(at);
            }
        }
    }

    /// Tells the drive that the writes which follow belong to a request of `bytes`; a hint for
    /// [`streams`](crate::policies::streams) by size, and for schemes that count requests.
    #[inline]
    pub fn announce_write(&mut self, bytes: u64) {
        self.streams.announce(bytes);
        self.reuse.announce(bytes);
        self.state.effort.begin_request();
    }

    /// Tells the drive that the reads which follow belong to one request.
    #[inline]
    pub fn announce_read(&mut self) {
        self.state.effort.begin_request();
    }

    /// Whether what follows is the workload, which is the default, or prepares the drive for it. Schemes that learn from
    /// accesses take no notice of preparations.
    pub fn set_listening(&mut self, listening: bool) {
        self.state.effort.set_listening(listening);
    }

    /// Reads one logical page. A page that was never written is answered from the map, at once.
    ///
    /// # Errors
    /// A page beyond the exported capacity; a fault of the translation layer.
    #[inline]
    pub fn read(&mut self, at: Nanos, lpn: Lpn) -> Result<Nanos, FtlError> {
        self.check(lpn)?;
        self.state.counters.host_pages_read += 1;
        if self.has_front {
            return self.read_in_front(at, lpn);
        }
        self.read_flash(at, lpn)
    }

    /// Reads one logical page from the flash.
    #[inline]
    pub(crate) fn read_flash(&mut self, at: Nanos, lpn: Lpn) -> Result<Nanos, FtlError> {
        let ppn = self.state.map.find(lpn);
        if ppn.is_none() {
            self.state.counters.unmapped_pages_read += 1;
            return Ok(at);
        }
        let SlotAddress { unit, slot } = self.state.layout.slot_address(ppn);
        if self.reuse.chooses_places() {
            self.read_ahead(at, self.state.layout.pool_of(unit))?;
        }
        let state = &mut self.state;
        let end = state.host_read(at, unit, slot)?;
        state.hear(Event::Read { ppn });
        match state.effort.was_read(lpn, ppn) {
            RewritesWhen::Never => {}
            when => self.rewrite_when(when, end, lpn, SlotAddress { unit, slot })?,
        }
        Ok(end)
    }

    /// Forgets one logical page; durably, on a drive that keeps a log, once a flush has ended.
    ///
    /// # Errors
    /// A page beyond the exported capacity; a fault of the translation layer.
    pub fn trim(&mut self, lpn: Lpn) -> Result<(), FtlError> {
        self.check(lpn)?;
        self.state.counters.host_pages_trimmed += 1;
        if self.write_buffer.is_some() {
            self.trim_in_front(lpn);
        }
        let ppn = self.state.map.find(lpn);
        if ppn.is_some() {
            self.state.map.unbind(lpn);
            self.state.note_mapped(lpn, Ppn::NONE, ppn);
            self.state.release(lpn, ppn);
        }
        self.commit_many()
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
    /// A page beyond the exported capacity; a buffer of the wrong size; a page that is not what was written, on a drive that
    /// keeps records.
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
        let ppn = self.state.map.find(lpn);
        if ppn.is_none() || !self.state.array.stores_cells() {
            page.fill(0);
            return Ok(());
        }
        let place = self.state.layout.slot_address(ppn);
        self.load(place)?;
        if self.state.keeps_records() && !self.buffers.is_intact() {
            return Err(FtlError::Uncorrectable { lpn });
        }
        page.copy_from_slice(&self.buffers.page);
        Ok(())
    }

    /// Starts counting anew. Data, wear, clock and queues stay.
    pub fn reset_counters(&mut self) {
        self.programmed_before = self.programmed_total();
        self.state.counters = Counters::default();
        self.state.effort.reset_counts();
        self.reuse.reset_figures();
        self.erases_before.copy_from_slice(self.state.array.wear().erases());
        self.reprograms_before = self.state.array.reprograms();
        self.unfinished_before = self.unfinished_cycles();
        self.state.array.reset_busy_ns();
        self.state.recycle.reset_counters();
    }

    /// Empties all queues: the next operation finds an idle array at time 0.
    pub fn restart_clock(&mut self) {
        self.state.array.restart_clock();
        self.state.recycle.restart_clock();
        self.reuse.restart_clock();
        if let Some(buffer) = &mut self.write_buffer {
            buffer.restart_clock();
        }
    }

    /// Keeps account from now on of how long the queues of the array are.
    pub fn watch_queues(&mut self) {
        self.state.array.watch_queues();
    }

    /// A request arrives now: counts the operations that each service unit has before it, if that is watched.
    pub fn look_at_queues(&mut self, now: Nanos) {
        self.state.array.look_at_queues(now);
    }

    /// Counters since the last reset.
    pub fn counters(&self) -> &Counters {
        &self.state.counters
    }

    /// What the effort scheme did since the last reset; `None` for one that has no choice.
    pub fn effort_figures(&self) -> Option<Figures> {
        self.state.effort.figures()
    }

    /// What the recycling scheme counted since the last reset; `None` if there is none.
    pub fn recycle_counters(&self) -> Option<RecycleCounters> {
        self.state.recycle.counters()
    }

    /// Whether the drive asks for the content of writes.
    pub fn wants_content(&self) -> bool {
        self.state.recycle.listens()
    }

    /// Erases of each block since the last reset.
    pub fn erases_per_block(&self) -> impl Iterator<Item = u32> + '_ {
        self.state.array.wear().erases().iter().zip(&self.erases_before).map(|(now, before)| now - before)
    }

    /// Erases since the last reset plus the change in the parts of their present cycles that blocks have used up.
    pub fn erase_equivalents(&self) -> f64 {
        self.state.counters.erases as f64 + self.unfinished_cycles() - self.unfinished_before
    }

    fn unfinished_cycles(&self) -> f64 {
        self.reuse.unfinished_cycles(&self.state.array, &self.state.layout)
    }

    /// Flash pages programmed since the drive was made or mounted.
    pub(crate) fn programmed_total(&self) -> u64 {
        self.programmed_before + self.state.counters.programmed.total()
    }

    /// Programs of pages that already held data, since the last reset.
    pub fn reprograms(&self) -> u64 {
        self.state.array.reprograms() - self.reprograms_before
    }

    /// The unit and slot where a logical page lies; `None` if it was never written or was trimmed, or lies in the write buffer only.
    pub fn find(&self, lpn: Lpn) -> Option<SlotAddress> {
        let ppn =
            if lpn < Lpn(self.state.map.logical_pages()) { self.state.map.find(lpn) } else { Ppn::NONE };
        ppn.is_some().then(|| self.state.layout.slot_address(ppn))
    }

    /// With which of its slots a unit is filled.
    pub fn fill(&self, unit: Unit) -> Fill {
        self.state.units.fill(unit)
    }

    /// Which programs of a programmed page the reuse scheme's code makes legal.
    pub fn program_again(&self) -> ProgramAgain {
        self.reuse.program_again()
    }

    /// Free erase units of a pool.
    pub fn free_units(&self, pool: Pool) -> usize {
        self.state.units.free(pool)
    }

    /// Erase units of each code, by data bits a cell, on a drive whose code rate changes.
    pub fn units_by_code(&self) -> Option<Vec<(u8, u32)>> {
        self.reuse.units_by_code()
    }

    /// Recycled and reused blocks, on a drive with second writes.
    pub fn second_write_figures(&self) -> Option<second_write::Figures> {
        match &self.reuse {
            Reuse::SecondWrite(scheme) => Some(scheme.figures()),
            _ => None,
        }
    }

    /// How page numbers lie over the array.
    pub fn layout(&self) -> &Layout {
        &self.state.layout
    }

    /// The flash array.
    pub fn array(&self) -> &rewear_flash::Array {
        &self.state.array
    }

    /// Blocks that were bad from the factory or on which an operation failed since.
    pub fn bad_blocks(&self) -> u32 {
        self.state.bad_blocks
    }

    /// Erase units that are out of service because a block is bad or worn out.
    pub fn retired_units(&self) -> u32 {
        self.state.units.retired()
    }

    #[inline]
    pub(crate) fn check(&self, lpn: Lpn) -> Result<(), FtlError> {
        let exported = self.state.map.logical_pages();
        if lpn.0 < exported { Ok(()) } else { Err(FtlError::Beyond { lpn: u64::from(lpn), exported }) }
    }

    fn read_to_modify(&mut self, at: Nanos, lpn: Lpn) -> Result<Nanos, FtlError> {
        let ppn = self.state.map.find(lpn);
        if ppn.is_none() {
            return Ok(at);
        }
        let SlotAddress { unit, slot } = self.state.layout.slot_address(ppn);
        let (end, pages) = self.state.read_page(at, unit, slot)?;
        self.state.counters.read.read_modify_write += pages;
        Ok(end)
    }
}
