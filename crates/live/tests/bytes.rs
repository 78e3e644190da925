//! A live drive against plain memory: any bytes anywhere, on every scheme.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::common::{SCHEMES, Scheme, fill, options};
use proptest::prelude::*;
use rewear_live::{LiveDrive, LiveError, LiveOptions};

#[derive(Debug, Clone)]
enum Act {
    Write { offset: u64, length: usize, seed: u64, durable: bool },
    Read { offset: u64, length: usize },
    Trim { offset: u64, length: u64 },
    Zero { offset: u64, length: u64, may_trim: bool },
    Flush,
}

fn act(size: u64) -> impl Strategy<Value = Act> {
    let place =
        move |longest: u64| (0..size, 0..longest).prop_map(move |(at, length)| (at, length.min(size - at)));
    prop_oneof![
        6 => (place(20_000), any::<u64>(), any::<bool>()).prop_map(|((offset, length), seed, durable)|
            Act::Write { offset, length: length as usize, seed, durable }),
        // Whole pages, as file systems write them.
        6 => (0..size / 4096, any::<u64>()).prop_map(|(page, seed)|
            Act::Write { offset: page * 4096, length: 4096, seed, durable: false }),
        3 => place(30_000).prop_map(|(offset, length)| Act::Read { offset, length: length as usize }),
        1 => place(60_000).prop_map(|(offset, length)| Act::Trim { offset, length }),
        1 => (place(60_000), any::<bool>()).prop_map(|((offset, length), may_trim)| Act::Zero { offset, length, may_trim }),
        1 => Just(Act::Flush),
    ]
}

/// Acts on both, and compares what is read.
fn perform(live: &LiveDrive, memory: &mut [u8], act: &Act) {
    match *act {
        Act::Write { offset, length, seed, durable } => {
            let bytes = &mut memory[offset as usize..][..length];
            fill(seed, bytes);
            live.write(offset, bytes, durable).unwrap();
        }
        Act::Read { offset, length } => {
            let mut read = vec![0xaa; length];
            live.read(offset, &mut read).unwrap();
            assert!(read == memory[offset as usize..][..length], "{act:?}");
        }
        Act::Trim { offset, length } => {
            let page = u64::from(live.page_bytes());
            live.trim(offset, length, false).unwrap();
            let (first, stop) = (offset.div_ceil(page) * page, (offset + length) / page * page);
            if first < stop {
                memory[first as usize..stop as usize].fill(0);
            }
        }
        Act::Zero { offset, length, may_trim } => {
            live.zero(offset, length, may_trim, false).unwrap();
            memory[offset as usize..][..length as usize].fill(0);
        }
        Act::Flush => live.flush().unwrap(),
    }
}

/// Everything reads as it should, and what counts as a hole reads as zeros.
fn compare(live: &LiveDrive, memory: &[u8]) {
    let mut read = vec![0; memory.len()];
    live.read(0, &mut read).unwrap();
    assert!(read == memory);
    let mut next = 0;
    live.extents(0, memory.len() as u64, &mut |extent| {
        assert_eq!(extent.offset_bytes, next);
        next += extent.length_bytes;
        let bytes = &memory[extent.offset_bytes as usize..next as usize];
        assert!(extent.holds_data || bytes.iter().all(|&byte| byte == 0), "{extent:?}");
        true
    })
    .unwrap();
    assert_eq!(next, memory.len() as u64);
}

fn size(scheme: Scheme) -> u64 {
    LiveDrive::open(options(scheme)).unwrap().size_bytes()
}

#[test]
fn bytes_come_back_as_they_were_written_on_every_scheme() {
    for &scheme in SCHEMES {
        let size = size(scheme);
        let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(6));
        let run = runner.run(&proptest::collection::vec(act(size), 300), |acts| {
            let live = LiveDrive::open(options(scheme)).unwrap();
            let mut memory = vec![0; size as usize];
            acts.iter().for_each(|act| perform(&live, &mut memory, act));
            compare(&live, &memory);
            Ok(())
        });
        run.unwrap_or_else(|error| panic!("{}: {error}", scheme.0));
    }
}

#[test]
fn many_threads_share_a_drive() {
    for &scheme in SCHEMES {
        let live = LiveDrive::open(options(scheme)).unwrap();
        let share = (live.size_bytes() / 4 / 4096 * 4096) as usize;
        std::thread::scope(|scope| {
            for thread in 0..4u64 {
                let live = &live;
                scope.spawn(move || {
                    let mut bytes = vec![0; share];
                    for round in 0..3 {
                        fill(thread * 10 + round, &mut bytes);
                        for (index, part) in bytes.chunks(7000).enumerate() {
                            live.write(thread * share as u64 + index as u64 * 7000, part, round == 1)
                                .unwrap();
                        }
                        let mut read = vec![0; share];
                        live.read(thread * share as u64, &mut read).unwrap();
                        assert!(read == bytes, "{}", scheme.0);
                    }
                });
            }
        });
        live.audit().unwrap();
        live.with_served(|ftl, served| {
            let cleaned = ftl.counters().garbage_collections > 0;
            assert!(cleaned && served.failed == 0, "{}", scheme.0);
        })
        .unwrap();
    }
}

#[test]
fn requests_beyond_the_device_are_refused_and_change_nothing() {
    let live = LiveDrive::open(options(SCHEMES[0])).unwrap();
    let size = live.size_bytes();
    live.write(size - 10, &[7; 10], false).unwrap();
    let beyond = |result: Result<(), LiveError>| {
        let error = result.unwrap_err();
        assert!(matches!(error, LiveError::Beyond { .. }));
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
    };
    beyond(live.write(size - 9, &[1; 10], false));
    beyond(live.write(u64::MAX, &[1; 10], true));
    beyond(live.read(size, &mut [0]));
    beyond(live.trim(size - 4096, 4097, false));
    beyond(live.trim(1, u64::MAX, false));
    beyond(live.zero(size, 1, true, false));
    beyond(live.extents(size - 1, 2, &mut |_| true));
    let mut read = [0; 10];
    live.read(size - 10, &mut read).unwrap();
    assert_eq!(read, [7; 10]);
}

#[test]
fn the_upper_half_of_a_device_with_an_overwrite_bit_is_the_lower_half() {
    let live = LiveDrive::open(LiveOptions { overwrite_bit: true, ..options(SCHEMES[0]) }).unwrap();
    let half = live.size_bytes() / 2;
    live.write(5000, &[1; 100], false).unwrap();
    live.write(half + 5050, &[2; 100], false).unwrap();
    let mut read = [0; 150];
    live.read(5000, &mut read).unwrap();
    assert!(read[..50] == [1; 50] && read[50..] == [2; 100]);
    live.read(half + 5000, &mut read).unwrap();
    assert!(read[..50] == [1; 50] && read[50..] == [2; 100]);
    // Across the border: the end of the drive, then its begin as overwrites.
    live.write(half - 30, &[3; 60], false).unwrap();
    let (mut end, mut begin) = ([0; 30], [0; 30]);
    live.read(half - 30, &mut end).unwrap();
    live.read(0, &mut begin).unwrap();
    assert_eq!((end, begin), ([3; 30], [3; 30]));
}

#[test]
fn overwrites_program_pages_where_they_lie_and_broken_promises_are_refused() {
    let seal = *SCHEMES.iter().find(|scheme| scheme.0 == "seal").unwrap();
    let live = LiveDrive::open(LiveOptions { overwrite_bit: true, ..options(seal) }).unwrap();
    let (half, page) = (live.size_bytes() / 2, live.page_bytes() as usize);
    let mut bytes = vec![0xff; page];
    live.write(half, &bytes, false).unwrap();
    for (offset, byte) in (0..).zip(&mut bytes[..5]) {
        *byte = 0;
        live.write(half + offset, &[0], false).unwrap();
    }
    let error = live.write(half, &vec![0xff; page], false).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput, "{error}");
    let mut read = vec![0; page];
    live.read(0, &mut read).unwrap();
    assert!(read == bytes);
    assert_eq!(live.with_served(|ftl, _| ftl.reprograms()).unwrap(), 5);
}
