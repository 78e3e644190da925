//! Which pages lie together under the placement policies, and what that saves.
#![allow(clippy::unwrap_used, missing_docs)]

use std::collections::{BTreeMap, BTreeSet};

use crate::common::timing;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_flash::FlashConfig;
use rewear_ftl::config::{FtlConfig, MovedPages};
use rewear_ftl::host::HostWrite;
use rewear_ftl::host::write_buffer::{BufferConfig, WriteBufferConfig};
use rewear_ftl::policies::streams::StreamsConfig;
use rewear_ftl::policies::streams::host::{HostConfig, Isolation};
use rewear_ftl::{DriveConfig, Ftl, Lpn};

const PAGE_BYTES: u32 = 4096;

fn drive(change: impl FnOnce(&mut FtlConfig)) -> Ftl {
    let flash = FlashConfig {
        blocks_per_plane: 256,
        page_bytes: PAGE_BYTES,
        ..FlashConfig::single_plane(timing(10, 100, 0))
    };
    let mut ftl = FtlConfig { over_provisioning: 0.15, ..FtlConfig::default() };
    change(&mut ftl);
    Ftl::new(&DriveConfig { ftl, ..DriveConfig::plain("placement", flash) }).unwrap()
}

fn host(handles: u8, isolation: Isolation) -> StreamsConfig {
    StreamsConfig::Host(HostConfig { handles, isolation })
}

struct Host {
    ftl: Ftl,
    random: Xoshiro256PlusPlus,
    /// The identifier of a page.
    identifier: fn(u32) -> u8,
}

impl Host {
    /// A drive whose pages were all written once, in order.
    fn new(ftl: Ftl, identifier: fn(u32) -> u8) -> Host {
        let mut host = Host { ftl, random: Xoshiro256PlusPlus::seed_from_u64(1), identifier };
        (0..host.pages()).for_each(|lpn| host.write(lpn));
        host
    }

    fn pages(&self) -> u32 {
        self.ftl.layout().exported_pages
    }

    fn write(&mut self, lpn: u32) {
        self.ftl.announce_write(u64::from(PAGE_BYTES), (self.identifier)(lpn));
        self.ftl.write(0, Lpn(lpn), HostWrite::WHOLE).unwrap();
    }

    fn below(&mut self, count: u32) -> u32 {
        ((u64::from(self.random.next_u32()) * u64::from(count)) >> 32) as u32
    }

    /// Nine of ten writes to every tenth page.
    fn skewed_writes(&mut self, count: u32) {
        for _ in 0..count {
            let tenth = self.below(self.pages() / 10) * 10;
            let lpn = if self.below(10) > 0 { tenth } else { self.below(self.pages()) };
            self.write(lpn);
        }
    }

    /// Erase units in which pages of several identifiers lie, and all with pages.
    fn mixed_units(&self) -> (usize, usize) {
        let mut identifiers: BTreeMap<_, BTreeSet<u8>> = BTreeMap::new();
        for lpn in 0..self.pages() {
            if let Some(at) = self.ftl.find(Lpn(lpn)) {
                identifiers.entry(at.unit).or_default().insert((self.identifier)(lpn));
            }
        }
        (identifiers.values().filter(|of_unit| of_unit.len() > 1).count(), identifiers.len())
    }

    /// Moves for every page that the host writes, in the long run under skew.
    fn moved_per_page(mut self) -> f64 {
        self.skewed_writes(60_000);
        self.ftl.reset_counters();
        self.skewed_writes(60_000);
        self.ftl.audit().unwrap();
        self.ftl.counters().pages_moved as f64 / self.ftl.counters().host_pages_written as f64
    }
}

#[test]
fn units_hold_pages_of_one_identifier_until_pages_are_moved_or_for_ever() {
    let identifier = |lpn| (lpn % 3) as u8;
    for (isolation, moved_pages) in [
        (Isolation::Initial, MovedPages::Together),
        (Isolation::Persistent, MovedPages::Together),
        (Isolation::Persistent, MovedPages::Apart),
    ] {
        for buffered in [false, true] {
            let change = |config: &mut FtlConfig| {
                (config.streams, config.moved_pages) = (host(3, isolation), moved_pages);
                if buffered {
                    let buffer = BufferConfig { pages: 50, destage_at: 0.5, survives_power_loss: true };
                    config.write_buffer = WriteBufferConfig::Fifo(buffer);
                }
            };
            let mut host = Host::new(drive(change), identifier);
            let (mixed, units) = host.mixed_units();
            assert!(mixed == 0 && units > 200, "{isolation:?}, filled: {mixed} of {units} units mixed");
            host.skewed_writes(60_000);
            host.ftl.audit().unwrap();
            let (mixed, units) = host.mixed_units();
            match isolation {
                Isolation::Initial => assert!(mixed > units / 4, "{mixed} of {units} units mixed"),
                Isolation::Persistent => assert_eq!(mixed, 0, "of {units} units, moved {moved_pages:?}"),
            }
        }
    }
    let mut host = Host::new(drive(|_| {}), identifier);
    host.skewed_writes(1000);
    let (mixed, units) = host.mixed_units();
    assert!(mixed > units * 9 / 10, "without the policy {mixed} of {units} units are mixed");
}

#[test]
fn identifiers_that_tell_hot_from_cold_save_moves_and_others_do_not() {
    let told = |lpn| u8::from(lpn % 10 != 0);
    let moved = |streams: StreamsConfig, identifier| {
        let change =
            |config: &mut FtlConfig| (config.streams, config.moved_pages) = (streams, MovedPages::Apart);
        Host::new(drive(change), identifier).moved_per_page()
    };
    let none = moved(StreamsConfig::One {}, told);
    let initial = moved(host(2, Isolation::Initial), told);
    let persistent = moved(host(2, Isolation::Persistent), told);
    let silent = moved(host(2, Isolation::Initial), |_| 0);
    println!(
        "moved per page: one {none:.3}, initial {initial:.3}, persistent {persistent:.3}, all alike {silent:.3}"
    );
    assert!(initial < none * 0.95 && persistent < none * 0.8);
    // A handle that nobody uses costs the unit that is kept for it, nothing else.
    assert!((silent / none - 1.0).abs() < 0.1);
}

#[test]
fn counts_of_streams_add_up_and_unknown_identifiers_are_of_the_first() {
    for isolation in [Isolation::Initial, Isolation::Persistent] {
        let change = |config: &mut FtlConfig| config.streams = host(3, isolation);
        let mut host = Host::new(drive(change), |lpn| (lpn / 10 % 4) as u8);
        host.skewed_writes(30_000);
        let (counters, figures) = (host.ftl.counters(), host.ftl.stream_figures().unwrap());
        assert_eq!(figures.rows.iter().map(|row| row.written).sum::<u64>(), counters.host_pages_written);
        assert_eq!(figures.rows.iter().map(|row| row.moved).sum::<u64>(), counters.pages_moved);
        assert!(figures.rows.iter().all(|row| row.moved > 0));
        // Identifiers 0 and 3 go to the first.
        let share = figures.unknown as f64 / counters.host_pages_written as f64;
        assert!((share - 0.25).abs() < 0.01, "{share}");
        assert!(figures.rows[0].written > figures.rows[1].written + figures.unknown / 2);
        host.ftl.reset_counters();
        assert!(host.ftl.stream_figures().unwrap().rows.iter().all(|row| row.written + row.moved == 0));
    }
    assert!(drive(|_| {}).stream_figures().is_none());
}

#[test]
fn sep_bit_saves_moves_where_writes_are_skewed() {
    let moved = |streams: StreamsConfig| {
        let change =
            |config: &mut FtlConfig| (config.streams, config.moved_pages) = (streams, MovedPages::Apart);
        Host::new(drive(change), |_| 0).moved_per_page()
    };
    let (apart, sep_bit) = (moved(StreamsConfig::One {}), moved(StreamsConfig::SepBit {}));
    println!("moved per page: one and moved apart {apart:.3}, sep-bit {sep_bit:.3}");
    assert!(sep_bit < apart * 0.9);
}

#[test]
fn a_handle_that_is_updated_begins_a_fresh_unit() {
    let change = |config: &mut FtlConfig| config.streams = host(2, Isolation::Initial);
    let mut host = Host::new(drive(change), |lpn| (lpn % 2) as u8);
    let unit_of = |host: &Host, lpn| host.ftl.find(Lpn(lpn)).unwrap().unit;
    let slots = host.ftl.layout().slots_per_unit;
    let start = |host: &mut Host| host.ftl.update_handle(0, 1).unwrap().1;
    start(&mut host);
    assert_eq!(start(&mut host), 0, "a unit without a page is fresh");
    host.write(1);
    host.write(3);
    host.write(2);
    assert_eq!(unit_of(&host, 1), unit_of(&host, 3));
    assert_eq!(start(&mut host), slots - 2);
    host.write(5);
    assert!(unit_of(&host, 5) != unit_of(&host, 3), "the next write of the handle");
    let other = unit_of(&host, 2);
    host.write(4);
    assert!([unit_of(&host, 4), unit_of(&host, 5)] != [other, other], "units of two handles");
    assert_eq!(host.ftl.update_handle(7, 2).unwrap(), (7, 0));
    host.ftl.audit().unwrap();
}

#[test]
fn updates_cost_erases_and_no_room() {
    let erases = [0, 40].map(|every| {
        let change = |config: &mut FtlConfig| config.streams = host(2, Isolation::Persistent);
        let mut host = Host::new(drive(change), |lpn| (lpn % 2) as u8);
        for index in 0..20_000 {
            if every > 0 && index % every == 0 {
                host.ftl.update_handle(0, (index / every % 2) as u8).unwrap();
            }
            let lpn = host.below(host.pages());
            host.write(lpn);
        }
        host.ftl.audit().unwrap();
        host.ftl.counters().erases
    });
    assert!(erases[1] > erases[0] * 11 / 10, "{erases:?}");
}
