//! Random operations on tiny drives with stored cells, against a shadow map: every byte at every time.
#![allow(clippy::unwrap_used, missing_docs)]

use std::collections::BTreeMap;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use rewear_flash::FlashConfig;
use rewear_flash::config::{MediumKind, ServiceUnit};
use rewear_flash::timing::TimingConfig;
use rewear_ftl::config::{EraseUnit, FtlConfig, MovedPages};
use rewear_ftl::reuse::{ReuseConfig, wom_v::WomVConfig};
use rewear_ftl::write_buffer::{BufferConfig, WriteBufferConfig};
use rewear_ftl::{DriveConfig, Ftl};

const SECTOR: usize = 512;

#[derive(Debug, Clone)]
enum Step {
    /// Page (modulo the exported pages), first sector, sectors, byte to fill with.
    Write(u32, usize, usize, u8),
    Trim(u32),
    Read(u32),
    Flush,
}

fn step() -> impl Strategy<Value = Step> {
    let hot_or_any = || prop_oneof![0u32..4, 0u32..10_000];
    prop_oneof![
        6 => (hot_or_any(), 0usize..8, 1usize..9, 1u8..255).prop_map(|(lpn, at, len, byte)| Step::Write(lpn, at, len, byte)),
        1 => hot_or_any().prop_map(Step::Trim),
        2 => hot_or_any().prop_map(Step::Read),
        1 => Just(Step::Flush),
    ]
}

fn write_buffer() -> impl Strategy<Value = WriteBufferConfig> {
    let size =
        (1u32..40, 0.0f64..=1.0, any::<bool>()).prop_map(|(pages, destage_at, survives_power_loss)| {
            BufferConfig { pages, destage_at, survives_power_loss }
        });
    prop_oneof![
        Just(WriteBufferConfig::Nothing {}),
        size.clone().prop_map(WriteBufferConfig::Fifo),
        size.prop_map(WriteBufferConfig::Lru),
    ]
}

fn drive() -> impl Strategy<Value = DriveConfig> {
    let reuse = prop_oneof![
        Just((1u8, ReuseConfig::Nothing {})),
        Just((3u8, ReuseConfig::Nothing {})),
        (1u8..5).prop_flat_map(
            |k| (k + 1..7).prop_map(move |n| (n, ReuseConfig::WomV(WomVConfig { data_bits: k })))
        ),
    ];
    let erase_unit = prop_oneof![Just(EraseUnit::Block), Just(EraseUnit::Die), Just(EraseUnit::Drive)];
    let moved = prop_oneof![Just(MovedPages::Together), Just(MovedPages::Apart)];
    let service = prop_oneof![Just(ServiceUnit::Plane), Just(ServiceUnit::Die)];
    let front = (write_buffer(), any::<bool>());
    (reuse, erase_unit, moved, service, 1u32..3, 1u32..3, any::<bool>(), 0.35f64..0.6, front).prop_map(
        |(
            (bits_per_cell, reuse),
            erase_unit,
            moved_pages,
            service_unit,
            channels,
            planes_per_die,
            cache_register,
            op,
            (write_buffer, read_priority),
        )| {
            DriveConfig {
                name: "tiny".into(),
                description: String::new(),
                flash: FlashConfig {
                    channels,
                    dies_per_channel: 1,
                    planes_per_die,
                    blocks_per_plane: 16,
                    pages_per_block: 13,
                    page_bytes: 1024,
                    spare_bytes: 0,
                    bits_per_cell,
                    medium: MediumKind::Stored,
                    service_unit,
                    cache_register,
                    read_priority,
                    erase_suspend_ns: read_priority.then_some(50),
                    endurance_cycles: None,
                    timing: TimingConfig {
                        read_ns: vec![10],
                        program_ns: vec![100],
                        erase_ns: 1000,
                        channel_mb_per_s: 400,
                    },
                },
                ftl: FtlConfig {
                    over_provisioning: op,
                    erase_unit,
                    moved_pages,
                    write_buffer,
                    ..FtlConfig::default()
                },
                recycle: Default::default(),
                reuse,
                effort: Default::default(),
            }
        },
    )
}

fn check_page(ftl: &mut Ftl, shadow: &BTreeMap<u32, Vec<u8>>, lpn: u32, page: &mut [u8]) {
    ftl.read_bytes(lpn, page).unwrap();
    match shadow.get(&lpn) {
        Some(expected) => assert_eq!(expected, page, "page {lpn}"),
        None => assert!(page.iter().all(|&byte| byte == 0), "page {lpn} was never written"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, ..ProptestConfig::default() })]

    #[test]
    fn the_drive_agrees_with_a_shadow_map(config in drive(), steps in prop::collection::vec(step(), 200..1200)) {
        let mut ftl = Ftl::new(&config).unwrap();
        let pages = ftl.layout().exported_pages;
        let page_bytes = ftl.layout().logical_page_bytes as usize;
        let mut shadow: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
        let mut page = vec![0; page_bytes];
        let mut now = 0;
        // A full drive is the hard case.
        for lpn in 0..pages {
            now = ftl.write_bytes(now, lpn, 0, &vec![lpn as u8; page_bytes]).unwrap();
            shadow.insert(lpn, vec![lpn as u8; page_bytes]);
        }
        for step in steps {
            match step {
                Step::Write(lpn, first, sectors, byte) => {
                    let lpn = lpn % pages;
                    let start = (first * SECTOR).min(page_bytes - SECTOR);
                    let stop = (start + sectors * SECTOR).min(page_bytes);
                    let end = ftl.write_bytes(now, lpn, start, &vec![byte; stop - start]).unwrap();
                    let buffered = config.ftl.write_buffer != WriteBufferConfig::default();
                    prop_assert!(end > now || (buffered && end == now));
                    now = end;
                    shadow.entry(lpn).or_insert_with(|| vec![0; page_bytes])[start..stop].fill(byte);
                }
                Step::Trim(lpn) => {
                    ftl.trim(lpn % pages).unwrap();
                    shadow.remove(&(lpn % pages));
                }
                Step::Read(lpn) => {
                    now = ftl.read(now, lpn % pages).unwrap();
                    check_page(&mut ftl, &shadow, lpn % pages, &mut page);
                }
                Step::Flush => now = ftl.flush(now).unwrap(),
            }
        }
        ftl.audit().unwrap();
        for lpn in 0..pages {
            check_page(&mut ftl, &shadow, lpn, &mut page);
        }
        ftl.drain(now).unwrap();
        ftl.audit().unwrap();
        for lpn in 0..pages {
            check_page(&mut ftl, &shadow, lpn, &mut page);
        }
        let programmed = ftl.counters().programmed;
        let slot_pages = u64::from(ftl.layout().slot_pages);
        let written = ftl.counters().host_pages_written - ftl.counters().writes_absorbed;
        prop_assert_eq!(programmed.host, written * slot_pages);
        prop_assert_eq!(programmed.moved, ftl.counters().pages_moved * slot_pages);
        prop_assert_eq!(ftl.erases_per_block().map(u64::from).sum::<u64>(), ftl.counters().erases);
    }
}

#[test]
fn pages_beyond_the_exported_capacity_are_refused() {
    let config = drive().new_tree(&mut proptest::test_runner::TestRunner::deterministic()).unwrap().current();
    let mut ftl = Ftl::new(&config).unwrap();
    let beyond = ftl.layout().exported_pages;
    assert!(ftl.read(0, beyond).is_err());
    assert!(ftl.trim(beyond).is_err());
    assert!(ftl.write_bytes(0, beyond, 0, &[0; 512]).is_err());
    assert!(ftl.write_bytes(0, 0, 0, &vec![0; 1 << 20]).is_err());
}
