//! The write buffer: order of destaging, absorption, times, flushes.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::common::timing;
use proptest::prelude::*;
use rewear_flash::FlashConfig;
use rewear_ftl::config::FtlConfig;
use rewear_ftl::host::write_buffer::{BufferConfig, WriteBuffer, WriteBufferConfig};
use rewear_ftl::host::{Command, Coverage, HostWrite};
use rewear_ftl::{DriveConfig, Ftl, Lpn};

const READ_NS: u64 = 10;
const PROGRAM_NS: u64 = 100;

fn buffer(pages: u32, destage_at: f64) -> BufferConfig {
    BufferConfig { pages, destage_at, survives_power_loss: false }
}

/// One plane: programs come strictly one after another.
fn drive(write_buffer: WriteBufferConfig) -> Ftl {
    let flash =
        FlashConfig { pages_per_block: 16, ..FlashConfig::single_plane(timing(READ_NS, PROGRAM_NS, 0)) };
    let config = DriveConfig {
        ftl: FtlConfig { over_provisioning: 0.5, write_buffer, ..FtlConfig::default() },
        ..DriveConfig::plain("one plane", flash)
    };
    Ftl::new(&config).unwrap()
}

fn write(ftl: &mut Ftl, at: u64, lpn: u32) -> u64 {
    ftl.write(at, Lpn(lpn), HostWrite::WHOLE).unwrap()
}

#[test]
fn a_write_ends_in_the_buffer_and_waits_for_the_earliest_program_when_it_is_full() {
    // Four slots, of which two may wait.
    let mut ftl = drive(WriteBufferConfig::Fifo(buffer(4, 0.5)));
    assert_eq!([write(&mut ftl, 5, 0), write(&mut ftl, 5, 1)], [5, 5]);
    assert_eq!(ftl.counters().programmed.host, 0, "both wait");
    // Pages 0 and 1 are programmed from 5 to 105 and from 105 to 205.
    assert_eq!([write(&mut ftl, 5, 2), write(&mut ftl, 5, 3)], [5, 5]);
    assert_eq!(ftl.counters().programmed.host, 2);
    // Full: the slot of page 0 comes free at 105, then page 2 is programmed from 205 to 305.
    assert_eq!(write(&mut ftl, 5, 4), 105);
    assert_eq!(write(&mut ftl, 50, 4), 105, "a write to a page not yet accepted ends with it");
    assert_eq!(ftl.read(50, Lpn(4)), Ok(105));
    // All others at once, also page 1, whose program is under way until 205, but not page 0.
    assert_eq!([ftl.read(110, Lpn(1)), ftl.read(110, Lpn(2))], [Ok(110), Ok(110)]);
    assert_eq!(ftl.counters().events.reads_from_buffer, 3);
    assert_eq!(ftl.read(110, Lpn(0)), Ok(305 + READ_NS));
}

#[test]
fn above_a_mark_of_one_nothing_is_destaged_before_the_buffer_is_full() {
    let mut ftl = drive(WriteBufferConfig::Fifo(buffer(2, 1.0)));
    assert_eq!([write(&mut ftl, 0, 0), write(&mut ftl, 0, 1)], [0, 0]);
    assert_eq!(ftl.counters().programmed.host, 0);
    assert_eq!(write(&mut ftl, 7, 2), 7 + PROGRAM_NS);
    assert_eq!(ftl.counters().programmed.host, 1);
}

#[test]
fn a_flush_ends_when_everything_in_the_buffer_is_programmed() {
    let mut ftl = drive(WriteBufferConfig::Lru(buffer(8, 1.0)));
    assert_eq!(ftl.flush(3), Ok(3), "nothing to wait for");
    for lpn in 0..3 {
        write(&mut ftl, 10, lpn);
    }
    assert_eq!(ftl.flush(20), Ok(20 + 3 * PROGRAM_NS));
    assert_eq!(ftl.flush(250), Ok(20 + 3 * PROGRAM_NS), "the programs under way");
    assert_eq!(ftl.flush(400), Ok(400));
    assert_eq!(ftl.counters().programmed.host, 3);
    // Without a buffer a write ends with its program, so that a flush has nothing to add.
    assert_eq!(drive(WriteBufferConfig::default()).flush(5), Ok(5));
}

#[test]
fn a_buffer_that_survives_power_loss_ignores_flushes_but_is_drained() {
    let config = BufferConfig { survives_power_loss: true, ..buffer(8, 1.0) };
    let mut ftl = drive(WriteBufferConfig::Fifo(config));
    write(&mut ftl, 0, 1);
    assert_eq!(ftl.flush(5), Ok(5));
    assert_eq!(ftl.counters().programmed.host, 0);
    assert_eq!(ftl.drain(5), Ok(5 + PROGRAM_NS));
    assert_eq!(ftl.counters().programmed.host, 1);
}

#[test]
fn a_hot_set_that_fits_is_programmed_once() {
    for config in [WriteBufferConfig::Fifo(buffer(8, 1.0)), WriteBufferConfig::Lru(buffer(8, 1.0))] {
        let mut ftl = drive(config);
        for round in 0..100 {
            (0..8).for_each(|lpn| assert_eq!(write(&mut ftl, round, lpn), round));
        }
        ftl.drain(100).unwrap();
        let counters = ftl.counters();
        assert_eq!((counters.host_pages_written, counters.events.writes_absorbed), (800, 792));
        assert_eq!(counters.programmed.total(), 8);
    }
}

/// Page 0 is written every other time; the others come once. LRU keeps page 0, FIFO lets it go in
/// its turn.
#[test]
fn lru_absorbs_what_fifo_cannot_keep() {
    let absorbed = |config| {
        let mut ftl = drive(config);
        let mut now = 0;
        for cold in 1..65 {
            now = write(&mut ftl, now, 0).max(write(&mut ftl, now, cold));
        }
        ftl.drain(now).unwrap();
        ftl.counters().events.writes_absorbed
    };
    assert_eq!(absorbed(WriteBufferConfig::Lru(buffer(8, 0.5))), 63);
    let fifo = absorbed(WriteBufferConfig::Fifo(buffer(8, 0.5)));
    assert!((40..=55).contains(&fifo), "{fifo}");
}

#[test]
fn a_partial_write_reads_the_rest_once_and_only_if_there_is_one() {
    let part = |ftl: &mut Ftl, at, lpn| {
        ftl.write(at, lpn, HostWrite { coverage: Coverage::Part, ..HostWrite::WHOLE }).unwrap()
    };
    let mut ftl = drive(WriteBufferConfig::Fifo(buffer(4, 1.0)));
    // Nothing on the flash: the part is the page.
    assert_eq!(part(&mut ftl, 0, Lpn(1)), 0);
    assert_eq!(ftl.flush(0), Ok(PROGRAM_NS));
    assert_eq!(ftl.counters().read.read_modify_write, 0);
    // Two parts, one read, when the page is destaged.
    assert_eq!([part(&mut ftl, 1000, Lpn(1)), part(&mut ftl, 1000, Lpn(1))], [1000, 1000]);
    assert_eq!(ftl.flush(1000), Ok(1000 + READ_NS + PROGRAM_NS));
    assert_eq!(ftl.counters().read.read_modify_write, 1);
    // A whole write makes the page whole.
    part(&mut ftl, 2000, Lpn(1));
    write(&mut ftl, 2000, 1);
    assert_eq!(ftl.flush(2000), Ok(2000 + PROGRAM_NS));
    // A host's read of a part needs the flash, and completes it.
    part(&mut ftl, 3000, Lpn(1));
    assert_eq!(ftl.read(3000, Lpn(1)), Ok(3000 + READ_NS));
    assert_eq!(ftl.read(3100, Lpn(1)), Ok(3100));
    assert_eq!(ftl.flush(3100), Ok(3100 + PROGRAM_NS));
    assert_eq!(ftl.counters().read.read_modify_write, 1);
}

#[test]
fn a_trim_drops_buffered_pages() {
    let mut ftl = drive(WriteBufferConfig::Lru(buffer(4, 1.0)));
    write(&mut ftl, 0, 1);
    ftl.trim(Lpn(1)).unwrap();
    assert_eq!(ftl.counters().events.writes_absorbed, 1);
    assert_eq!(ftl.read(0, Lpn(1)), Ok(0));
    assert_eq!((ftl.counters().events.reads_from_buffer, ftl.counters().unmapped_pages_read), (0, 1));
    // A page whose program is under way was programmed for nothing, but is not absorbed.
    write(&mut ftl, 0, 2);
    ftl.flush(0).unwrap();
    ftl.trim(Lpn(2)).unwrap();
    assert_eq!(ftl.read(1, Lpn(2)), Ok(1));
    assert_eq!((ftl.counters().events.writes_absorbed, ftl.counters().programmed.host), (1, 1));
    ftl.drain(10).unwrap();
    ftl.audit().unwrap();
}

#[test]
fn impossible_buffers_are_refused_with_a_remedy() {
    for wrong in [buffer(0, 0.5), buffer(u32::MAX, 0.5), buffer(4, 1.5), buffer(4, f64::NAN)] {
        let error = WriteBufferConfig::Fifo(wrong).check().unwrap_err();
        assert!(error.key.starts_with("ftl.write_buffer.") && error.remedy.starts_with("give"), "{error}");
    }
}

#[derive(Debug, Clone)]
enum Step {
    Write(u32),
    Trim(u32, u32),
    /// Destage a page; its program takes this long.
    Destage(u64),
    Pass(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0u32..20).prop_map(Step::Write),
        1 => (0u32..20, 1u32..20).prop_map(|(first, pages)| Step::Trim(first, pages)),
        3 => (1u64..100).prop_map(Step::Destage),
        2 => (0u64..100).prop_map(Step::Pass),
    ]
}

#[test]
fn a_trim_of_pages_in_a_row_is_one_of_each() {
    for slots in [1, 4, 40] {
        let [mut together, mut apart] = [(); 2].map(|()| drive(WriteBufferConfig::Lru(buffer(slots, 0.5))));
        for turn in 0u64..60 {
            let (lpn, first, pages) = (turn * 7 % 13, (turn * 5 % 11) as u32, (turn % 9) as u32);
            let outcomes = [&mut together, &mut apart].map(|ftl| {
                let written = ftl.write(turn * PROGRAM_NS / 3, Lpn(lpn as u32), HostWrite::WHOLE);
                (written, ftl.read(turn * PROGRAM_NS / 3, Lpn(first)))
            });
            assert_eq!(outcomes[0], outcomes[1]);
            together.trim_pages(first..first + pages).unwrap();
            (first..first + pages).for_each(|lpn| apart.trim(Lpn(lpn)).unwrap());
            assert_eq!(format!("{:?}", together.counters()), format!("{:?}", apart.counters()));
        }
        assert!(together.counters().host_pages_trimmed > 200);
        together.audit().unwrap();
        let beyond = together.layout().exported_pages;
        assert!(together.trim_pages(beyond - 1..beyond + 1).is_err());
    }
}

/// What several writes of a page promise together is what all of them promise.
#[test]
fn a_page_is_overwritten_only_if_all_its_writes_were_overwrites() {
    use Command::{Overwrite, Write};
    for (commands, expected) in [
        (vec![Overwrite], Overwrite),
        (vec![Overwrite, Overwrite], Overwrite),
        (vec![Write, Overwrite], Write),
        (vec![Overwrite, Write, Overwrite], Write),
    ] {
        let mut buffer = WriteBuffer::new(&WriteBufferConfig::Fifo(buffer(4, 1.0)), 0, false).unwrap();
        let slot = buffer.add(Lpn(7), false, commands[0], 0).unwrap();
        for &command in &commands[1..] {
            buffer.overwrite(slot, true, command, 0);
        }
        assert_eq!(buffer.next_to_destage().unwrap().1.command, expected, "{commands:?}");
    }
}

proptest! {
    /// Against lists: pages leave in the order in which they came (FIFO) or were last written
    /// (LRU), a slot is free again when its program has ended, and the newest version of a page is
    /// found until then.
    #[test]
    fn order_and_slots_agree_with_lists(
        steps in prop::collection::vec(step(), 1..400),
        pages in 1u32..12,
        lru in any::<bool>(),
    ) {
        let config = buffer(pages, 0.5);
        let config = if lru { WriteBufferConfig::Lru(config) } else { WriteBufferConfig::Fifo(config) };
        let mut buffer = WriteBuffer::new(&config, 0, false).unwrap();
        // Waiting pages in order; pages under way with their ends and whether they were trimmed or
        // written anew.
        let mut waiting: Vec<u32> = Vec::new();
        let mut under_way: Vec<(u32, u64, bool)> = Vec::new();
        let mut now = 0;
        for step in steps {
            match step {
                Step::Write(lpn) => match buffer.find(Lpn(lpn)).filter(|found| !found.in_flight) {
                    Some(found) => {
                        buffer.overwrite(found.slot, true, Command::Write, now);
                        if lru {
                            waiting.retain(|&other| other != lpn);
                            waiting.push(lpn);
                        }
                    }
                    None if waiting.len() + under_way.len() < pages as usize => {
                        prop_assert!(buffer.has_room());
                        buffer.add(Lpn(lpn), false, Command::Write, now).unwrap();
                        under_way.iter_mut().for_each(|entry| entry.2 |= entry.0 == lpn);
                        waiting.push(lpn);
                    }
                    None => prop_assert!(!buffer.has_room() && buffer.add(Lpn(lpn), false, Command::Write, now).is_none()),
                },
                Step::Trim(first, count) => {
                    let gone = first..first + count;
                    let waited = waiting.iter().filter(|lpn| gone.contains(lpn)).count();
                    prop_assert_eq!(buffer.drop_pages(gone.clone()), waited as u64);
                    // The newest version goes, be it waiting or under way; older ones were
                    // unreachable before.
                    waiting.retain(|lpn| !gone.contains(lpn));
                    under_way.iter_mut().for_each(|entry| entry.2 |= gone.contains(&entry.0));
                }
                Step::Destage(program_ns) => {
                    let next = buffer.next_to_destage();
                    prop_assert_eq!(next.map(|(lpn, _)| lpn.0), waiting.first().copied());
                    if let Some((lpn, found)) = next {
                        buffer.begin_program(found.slot, now + program_ns);
                        waiting.remove(0);
                        under_way.push((lpn.0, now + program_ns, false));
                    }
                }
                Step::Pass(time) => {
                    now += time;
                    buffer.release(now);
                    under_way.retain(|&(_, end, _)| end > now);
                }
            }
            prop_assert_eq!(buffer.is_above_mark(), waiting.len() > pages as usize / 2);
            prop_assert_eq!(buffer.last_end(), under_way.iter().map(|entry| entry.1).max().unwrap_or(0));
            for lpn in 0..20 {
                let reachable = under_way.iter().any(|&(other, _, stale)| other == lpn && !stale);
                let expected = if waiting.contains(&lpn) { Some(false) } else { reachable.then_some(true) };
                prop_assert_eq!(buffer.find(Lpn(lpn)).map(|found| found.in_flight), expected, "page {}", lpn);
            }
        }
    }
}
