//! Random operations on tiny drives with stored cells, against a shadow map: every byte at every
//! time.
#![allow(clippy::unwrap_used, missing_docs)]

mod drives;
mod other_axes;
mod policies;
mod reuse;

use std::collections::BTreeMap;

use drives::{drive, recoverable};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use rewear_ftl::host::Command;
use rewear_ftl::host::write_buffer::WriteBufferConfig;
use rewear_ftl::policies::background::BackgroundConfig;
use rewear_ftl::recycle::RecycleConfig;
use rewear_ftl::{Ftl, FtlError, Lpn, Shape};

const SECTOR: usize = 512;

#[derive(Debug, Clone)]
enum Step {
    /// Page (modulo the exported pages), first sector, sectors, byte to fill with.
    Write(u32, usize, usize, u8),
    /// As a write, but by the overwrite command; the bits of the byte that are 0 are cleared, or,
    /// one time in eight, the byte is written as it is, whatever the command promises.
    Overwrite(u32, usize, usize, u8, bool),
    Trim(u32),
    Read(u32),
    /// Nothing comes for so many nanoseconds.
    Idle(u64),
    Flush,
    /// The next write of a handle begins fresh units.
    UpdateHandle(u8),
}

/// Few contents, so that they return, and some that are seen once.
fn content() -> impl Strategy<Value = u8> {
    prop_oneof![3 => 1u8..8, 1 => 1u8..255]
}

fn step() -> impl Strategy<Value = Step> {
    let hot_or_any = || prop_oneof![0u32..4, 0u32..10_000];
    prop_oneof![
        6 => (hot_or_any(), 0usize..8, 1usize..9, content()).prop_map(|(lpn, at, len, byte)| Step::Write(lpn, at, len, byte)),
        6 => (hot_or_any(), 0usize..8, 1usize..9, any::<u8>(), prop::bool::weighted(0.125))
            .prop_map(|(lpn, at, len, byte, breaks)| Step::Overwrite(lpn, at, len, byte, breaks)),
        1 => hot_or_any().prop_map(Step::Trim),
        2 => hot_or_any().prop_map(Step::Read),
        1 => (0u64..20_000).prop_map(Step::Idle),
        1 => Just(Step::Flush),
        1 => (0u8..4).prop_map(Step::UpdateHandle),
    ]
}

fn check_page(ftl: &mut Ftl, shadow: &BTreeMap<u32, Vec<u8>>, lpn: u32, page: &mut [u8]) {
    ftl.read_bytes(Lpn(lpn), page).unwrap();
    match shadow.get(&lpn) {
        Some(expected) => assert_eq!(expected, page, "page {lpn}"),
        None => assert!(page.iter().all(|&byte| byte == 0), "page {lpn} was never written"),
    }
}

/// A drive and what it should hold.
struct Watched {
    ftl: Ftl,
    shadow: BTreeMap<u32, Vec<u8>>,
    now: u64,
    /// Whether a write may end at once.
    buffered: bool,
    /// Whether an erase may begin when a request arrives.
    erases_on_arrival: bool,
    /// The page of an overwrite that found no space.
    doubtful: Option<u32>,
}

impl Watched {
    /// Whether the drive still has room. Where it has not, everything written before must be there.
    fn write(&mut self, lpn: u32, start: usize, data: &[u8], command: Command) -> bool {
        let page_bytes = self.ftl.layout().logical_page_bytes as usize;
        self.ftl.announce_write(data.len() as u64, (lpn % 4) as u8);
        match self.ftl.write_bytes(self.now, Lpn(lpn), start, data, command) {
            Ok(end) => {
                assert!(end > self.now || (self.buffered && end == self.now));
                self.now = end;
                let page = self.shadow.entry(lpn).or_insert_with(|| vec![0; page_bytes]);
                page[start..start + data.len()].copy_from_slice(data);
                true
            }
            Err(FtlError::OutOfSpace { .. }) => {
                if command == Command::Overwrite {
                    // The program of the page in place may have failed: it holds the old data or
                    // the new.
                    self.shadow.remove(&lpn);
                    self.doubtful = Some(lpn);
                }
                false
            }
            Err(FtlError::NotOverwritable { lpn: refused, byte }) => {
                // Only where the data sets a bit, and then nothing has happened.
                assert!(command == Command::Overwrite && refused == Lpn(lpn) && byte < page_bytes);
                let old = &self.shadow[&lpn];
                assert!(data[byte - start] & !old[byte] != 0);
                check_page(&mut self.ftl, &self.shadow, lpn, &mut vec![0; page_bytes]);
                true
            }
            Err(error) => panic!("{error}"),
        }
    }

    /// What the overwrite of a page writes: its present data with bits cleared, or anything.
    fn overwriting(&self, lpn: u32, range: std::ops::Range<usize>, byte: u8, breaks: bool) -> Vec<u8> {
        match self.shadow.get(&lpn) {
            Some(page) if !breaks => page[range].iter().map(|old| old & byte).collect(),
            _ => vec![byte; range.len()],
        }
    }

    /// Whether the drive still has room.
    fn take(&mut self, step: &Step) -> bool {
        let pages = self.ftl.layout().exported_pages;
        let page_bytes = self.ftl.layout().logical_page_bytes as usize;
        match *step {
            Step::Write(lpn, first, sectors, byte) => {
                let start = (first * SECTOR).min(page_bytes - SECTOR);
                let stop = (start + sectors * SECTOR).min(page_bytes);
                return self.write(lpn % pages, start, &vec![byte; stop - start], Command::Write);
            }
            Step::Overwrite(lpn, first, sectors, byte, breaks) => {
                let start = (first * SECTOR).min(page_bytes - SECTOR);
                let stop = (start + sectors * SECTOR).min(page_bytes);
                let data = self.overwriting(lpn % pages, start..stop, byte, breaks);
                return self.write(lpn % pages, start, &data, Command::Overwrite);
            }
            Step::Trim(lpn) => {
                self.ftl.trim(Lpn(lpn % pages)).unwrap();
                self.shadow.remove(&(lpn % pages));
            }
            Step::Read(lpn) => {
                self.now = self.ftl.read(self.now, Lpn(lpn % pages)).unwrap();
                check_page(&mut self.ftl, &self.shadow, lpn % pages, &mut vec![0; page_bytes]);
            }
            Step::Flush => self.now = self.ftl.flush(self.now).unwrap(),
            Step::UpdateHandle(handle) => {
                self.now = self.ftl.update_handle(self.now, handle).unwrap().0;
            }
            Step::Idle(ns) => {
                self.now = self.now.max(self.ftl.array().idle_at()) + ns;
                self.ftl.idle(self.now).unwrap();
                let may_overlap = self.erases_on_arrival || self.ftl.bad_blocks() > 0;
                assert!(self.ftl.array().idle_at() <= self.now || may_overlap);
            }
        }
        true
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn the_drive_agrees_with_a_shadow_map(config in drive(), steps in prop::collection::vec(step(), 200..1200), is_mounted: bool) {
        let config = if is_mounted { recoverable(&config) } else { config };
        // Too many bad blocks from the factory are refused.
        let ftl = match Ftl::new(&config) {
            Ok(ftl) => ftl,
            Err(error) => {
                prop_assert!(config.flash.failures.factory_bad_fraction > 0.0, "{}", error);
                return Ok(());
            }
        };
        let (pages, page_bytes) = (ftl.layout().exported_pages, ftl.layout().logical_page_bytes as usize);
        let buffered = config.ftl.write_buffer != WriteBufferConfig::default();
        let erases_on_arrival = matches!(
            config.ftl.background,
            BackgroundConfig::EraseInvalid {} | BackgroundConfig::EachRequest(_)
        );
        let most_entries = match &config.recycle {
            RecycleConfig::Lx(recycle) if recycle.entries > 0 => u64::from(recycle.entries),
            _ => u64::MAX,
        };
        let mut watched = Watched { ftl, shadow: BTreeMap::new(), now: 0, buffered, erases_on_arrival, doubtful: None };
        // A full drive is the hard case.
        let mut has_room = (0..pages).all(|lpn| {
            let command = if lpn % 3 == 0 { Command::Overwrite } else { Command::Write };
            watched.write(lpn, 0, &vec![lpn as u8; page_bytes], command)
        });
        has_room = has_room && steps.iter().all(|step| watched.take(step));
        let Watched { mut ftl, shadow, now, doubtful, .. } = watched;
        if !has_room {
            // Bad blocks have eaten up the spare space, or failures came so quickly that a pool's
            // reserve was not yet restored.
            let (shape, layout) = (Shape::new(&config).unwrap(), ftl.layout());
            // Units of the log hold no pages of the host either, nor do those of a static cache.
            let log_units = shape.log.map_or(0, |log| log.units());
            let cached = config.ftl.slc_cache.fixed_units(layout.units_per_pool) * layout.pools;
            let lost = u64::from(ftl.retired_units() + log_units + cached) * u64::from(layout.slots_per_unit);
            let limit = u64::from(shape.reserve.valid_limit) * u64::from(layout.pools);
            let usable = limit.saturating_sub(lost);
            let failures = ftl.counters().program_failures + ftl.counters().erase_failures;
            let is_full = usable < u64::from(pages + layout.pools);
            prop_assert!(failures > 0 && (is_full || failures > 1), "{} usable for {}", usable, pages);
        }
        ftl.audit().unwrap();
        let mut page = vec![0; page_bytes];
        for lpn in (0..pages).filter(|&lpn| Some(lpn) != doubtful) {
            check_page(&mut ftl, &shadow, lpn, &mut page);
        }
        if has_room {
            ftl.drain(now).unwrap();
            ftl.audit().unwrap();
            for lpn in 0..pages {
                check_page(&mut ftl, &shadow, lpn, &mut page);
            }
            check_conservation(&ftl);
        }
        if is_mounted && has_room {
            ftl.flush(now).unwrap();
            let (mounted, _) = Ftl::mount(&config, ftl.into_cells().unwrap()).unwrap();
            ftl = mounted;
            ftl.audit().unwrap();
            for lpn in 0..pages {
                check_page(&mut ftl, &shadow, lpn, &mut page);
            }
        }
        if let Some(counters) = ftl.recycle_counters() {
            prop_assert!(counters.most_entries <= most_entries && counters.entries <= counters.most_entries);
            prop_assert!(counters.hits == ftl.counters().events.writes_recycled && counters.hits <= counters.lookups);
        }
    }
}

fn check_conservation(ftl: &Ftl) {
    let (counters, slot_pages) = (ftl.counters(), u64::from(ftl.layout().slot_pages));
    let answered = counters.events.writes_absorbed
        + counters.events.writes_recycled
        + counters.events.writes_deduplicated;
    let written = counters.host_pages_written - answered;
    let placed = written + counters.pages_moved + counters.pages_rewritten + counters.program_failures;
    let summaries = counters.programmed.metadata;
    // A second write programs two pages.
    let expected = placed * slot_pages + counters.second_writes + summaries;
    assert_eq!(counters.programmed.total(), expected);
    assert!(ftl.reprograms() == 0 || counters.events.overwrites > 0 || counters.reopens > 0);
    assert_eq!(ftl.erases_per_block().map(u64::from).sum::<u64>(), counters.erases);
    let width = u64::from(ftl.layout().width);
    assert_eq!(
        counters.garbage_collections + counters.levellings + counters.folds,
        (counters.erases - counters.log_erases) / width + counters.reopens
    );
    assert!(counters.pages_levelled + counters.pages_moved_idle <= counters.pages_moved);
}

#[test]
fn pages_beyond_the_exported_capacity_are_refused() {
    let config = drive().new_tree(&mut proptest::test_runner::TestRunner::deterministic()).unwrap().current();
    let mut ftl = Ftl::new(&config).unwrap();
    let beyond = ftl.layout().exported_pages;
    assert!(ftl.read(0, Lpn(beyond)).is_err());
    assert!(ftl.trim(Lpn(beyond)).is_err());
    assert!(ftl.write_bytes(0, Lpn(beyond), 0, &[0; 512], Command::Write).is_err());
    assert!(ftl.write_bytes(0, Lpn(0), 0, &vec![0; 1 << 20], Command::Write).is_err());
}
