//! The log pages of a served drive are those of the replay of its recording, to the byte.

use std::sync::Arc;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_ftl::Shape;
use rewear_live::{LiveDrive, LiveOptions};
use rewear_nvme::{Counters, Drive as _, logs};
use rewear_nvme_live::{Namespace, counters, identity};
use rewear_sim::{Drive, ReplayOptions, replay};
use rewear_trace::OpenOptions;

/// 4 MiB of flash, of which about a half is exported, rated for few cycles.
const SMALL: &str = r#"
name = "small"
[flash]
channels = 2
dies_per_channel = 1
planes_per_die = 1
blocks_per_plane = 32
pages_per_block = 16
page_bytes = 4096
bits_per_cell = 4
medium = "stored"
[flash.life]
cycles = 50
source = "the test"
[flash.timing]
read_ns = [50_000]
program_ns = [600_000]
erase_ns = 2_000_000
channel_mb_per_s = 400
[ftl]
over_provisioning = 0.9
"#;

fn open(settings: &[(&str, &str)]) -> Drive {
    let owned: Vec<_> = settings.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
    Drive::from_toml(SMALL, "small", &owned).unwrap()
}

/// Writes of two streams of which one is overwritten all the time, reads, deallocations, flushes.
fn work(namespace: &Namespace, pages: u64) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let mut data = vec![0; 16_384];
    for at in 0..4000 {
        let hot = rng.next_u32() % 4 > 0;
        let page = if hot { rng.next_u64() % 40 } else { 40 + rng.next_u64() % (pages - 44) };
        let length = 4096 * (1 + (rng.next_u64() % 4) as usize);
        rng.fill_bytes(&mut data[..64]);
        match rng.next_u32() % 16 {
            0 => namespace.deallocate(page * 4096, length as u64).unwrap(),
            1 => namespace.flush().unwrap(),
            7 if at % 8 == 0 => assert!(namespace.update_handle(u8::from(hot)).is_ok()),
            2 => namespace.zero(page * 4096, length as u64, at % 2 == 0, false).unwrap(),
            3..=6 => namespace.read(page * 4096, &mut data[..length]).unwrap(),
            _ => namespace.write(page * 4096, &data[..length], u8::from(hot), at % 9 == 0).unwrap(),
        }
    }
    // An identifier that no handle has.
    namespace.write(0, &data[..4096], 200, false).unwrap();
}

#[test]
fn log_pages_equal_those_of_the_replay() {
    let streams: &[&[(&str, &str)]] = &[
        &[],
        &[
            ("ftl.streams.scheme", "host"),
            ("ftl.streams.handles", "4"),
            ("ftl.streams.isolation", "persistent"),
        ],
        &[("ftl.streams.scheme", "host"), ("ftl.streams.handles", "2")],
        &[("recycle.scheme", "lx")],
    ];
    let mut erased = Vec::new();
    for &settings in streams {
        let drive = open(settings);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("recording.rwt");
        let config = drive.configuration().clone();
        let options = LiveOptions { record: Some(path.clone()), ..LiveOptions::new(config.clone()) };
        let live = Arc::new(LiveDrive::open(options).unwrap());
        live.begin().unwrap();
        let identity = identity(&live, "small", 512).unwrap();
        let namespace = Namespace::new(Arc::clone(&live)).unwrap();
        work(&namespace, live.size_bytes() / 4096);
        let seen = namespace.counters().unwrap();
        let figures = live.snapshot().unwrap().report.streams;
        live.finish().unwrap();

        let mut trace = rewear_trace::open(&path, &OpenOptions::default()).unwrap();
        let replayed = replay(&drive, &mut trace, &ReplayOptions::default(), &mut |_| true).unwrap();
        let shape = Shape::new(&config).unwrap();
        // The one figure that a report lacks: units that are free at the end. It is compared with the drive.
        let expected = Counters {
            free_percent: seen.free_percent,
            bytes_held: replayed.host.host_pages_held.unwrap() * 4096,
            ..counters(&replayed, &config, &shape)
        };
        assert_eq!(logs::smart(&seen), logs::smart(&expected), "{settings:?}");
        assert_eq!(logs::endurance_group(&seen, &identity), logs::endurance_group(&expected, &identity));
        assert_eq!(logs::placement_statistics(&seen), logs::placement_statistics(&expected));
        assert_eq!(logs::ocp_smart(&seen, &identity), logs::ocp_smart(&expected, &identity));
        assert_eq!(seen, expected, "{settings:?}");
        assert!(seen.media_bytes_erased > 100 * 65_536 && seen.percentage_used > 0, "{seen:?}");
        let space = live.snapshot().unwrap().live.space;
        assert_eq!(u32::from(seen.free_percent), space.free_units * 100 / shape.layout.units());

        // Identifiers are in the recording: the replay sorts by them, too.
        let rows = |report: &Option<rewear_sim::report::StreamsReport>| {
            let Some(report) = report else { return Vec::new() };
            let rows = report.rows.iter().map(|row| (row.stream, row.pages_written, row.pages_moved));
            rows.chain([(255, report.pages_of_unknown_identifiers, 0)]).collect()
        };
        assert_eq!(rows(&figures), rows(&replayed.streams), "{settings:?}");
        if settings.len() == 3 {
            let rows = rows(&figures);
            assert!(rows[1].1 > 1000 && rows[0].1 > 100 && rows[4].1 == 1, "{rows:?}");
        }
        erased.push(seen.media_bytes_erased);
    }
    assert!(erased[1] < erased[0], "streams that die together erase less: {erased:?}");
}

#[test]
fn a_name_is_one_drive_and_another_name_another() {
    let live = LiveDrive::open(LiveOptions::new(open(&[]).configuration().clone())).unwrap();
    let [a, again, b] = ["a", "a", "b"].map(|name| identity(&live, name, 4096).unwrap());
    assert_eq!((a.uuid, &a.serial, &a.subsystem), (again.uuid, &again.serial, &again.subsystem));
    assert!(a.uuid != b.uuid && a.serial != b.serial && a.subsystem != b.subsystem);
    assert_eq!((a.uuid[6] >> 4, a.uuid[8] >> 6, a.placement), (8, 2, None));
    assert!(identity(&live, "a", 1024).is_err());
}
