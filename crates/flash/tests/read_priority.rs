//! Reads that overtake: hand-computed times, and laws that hold for any sequence of operations.
#![allow(clippy::unwrap_used, missing_docs)]

use proptest::prelude::*;
use rewear_flash::config::ServiceUnit;
use rewear_flash::medium::CellFormat;
use rewear_flash::queue::LONGEST;
use rewear_flash::timing::TimingConfig;
use rewear_flash::{Address, Array, FlashConfig, ProgramAgain, ProgramMode, Transfer};

const NORMAL: ProgramMode = ProgramMode::NORMAL;
const SUSPEND_NS: u64 = 100;

fn config() -> FlashConfig {
    FlashConfig {
        planes_per_die: 2,
        blocks_per_plane: 4,
        page_bytes: 512,
        bits_per_cell: 2,
        read_priority: true,
        erase_suspend_ns: Some(SUSPEND_NS),

        // 512 bytes at 4096 MB/s: a transfer takes 125 ns.
        ..FlashConfig::single_plane(TimingConfig {
            read_ns: vec![50, 60],
            program_ns: vec![500, 900],
            erase_ns: 3000,
            channel_mb_per_s: 4096,
        })
    }
}

fn array(config: &FlashConfig) -> Array {
    Array::new(config, ProgramAgain::Never, CellFormat::binary(config.page_bytes), &[]).unwrap()
}

fn page(page: u32) -> Address {
    Address { plane: 0, block: 0, page }
}

fn program(array: &mut Array, asked_at: u64, at: Address) -> u64 {
    array.program(asked_at, at, NORMAL, Transfer::None).unwrap()
}

fn read(array: &mut Array, asked_at: u64, at: Address) -> u64 {
    array.host_read(asked_at, at, NORMAL, Transfer::None).unwrap()
}

#[test]
fn a_host_read_starts_when_the_program_under_way_ends() {
    let mut array = array(&config());
    assert_eq!(program(&mut array, 0, page(0)), 500);
    assert_eq!(program(&mut array, 0, page(1)), 1400);
    assert_eq!(program(&mut array, 0, page(2)), 1900);
    assert_eq!(read(&mut array, 600, page(0)), 1400 + 50, "page 1 is under way");
    assert_eq!(read(&mut array, 600, page(0)), 1450 + 50, "reads keep their order");
    // Page 2 moved from 1400 to 1500; what is booked next bears it.
    assert_eq!(program(&mut array, 600, page(3)), 2000 + 900);
    assert_eq!(read(&mut array, 1510, page(1)), 2000 + 60);
    assert_eq!(array.busy_ns().0[0], 500 + 900 + 500 + 900 + 50 + 50 + 60);
}

#[test]
fn a_read_never_overtakes_the_program_of_its_own_page() {
    let mut array = array(&config());
    for index in 0..4 {
        program(&mut array, 0, page(index));
    }
    // Programs end at 500, 1400, 1900, 2800.
    assert_eq!(read(&mut array, 100, page(2)), 1900 + 50);
    assert_eq!(read(&mut array, 100, page(0)), 500 + 50);
    // A copyback writes its target.
    let copy = Address { plane: 0, block: 1, page: 0 };
    // The queue ends at 2800 + 50 + 50.
    assert_eq!(array.copy_back(100, (page(0), NORMAL), (copy, NORMAL)), Ok(2900 + 550));
    assert_eq!(read(&mut array, 100, copy), 3450 + 50);
}

#[test]
fn reads_of_the_drive_itself_keep_their_places() {
    let mut array = array(&config());
    program(&mut array, 0, page(0));
    program(&mut array, 0, page(1));
    assert_eq!(array.read(10, page(0), NORMAL, Transfer::None), Ok(1400 + 50));
    assert_eq!(read(&mut array, 10, page(0)), 500 + 50);
}

#[test]
fn idle_time_before_a_later_operation_is_used_first() {
    let mut array = array(&config());
    program(&mut array, 0, page(0));
    // An erase that waits for something until 1000.
    assert_eq!(array.erase(1000, 0, 1), 4000);
    assert_eq!(read(&mut array, 700, page(0)), 750);
    // 980..1030: the erase begins at 1030.
    assert_eq!(read(&mut array, 980, page(0)), 1030);
    assert_eq!(program(&mut array, 980, page(1)), 4030 + 900);
}

#[test]
fn an_erase_under_way_is_suspended() {
    let mut array = array(&config());
    program(&mut array, 0, page(0));
    assert_eq!(array.erase(0, 0, 1), 3500);
    assert_eq!(read(&mut array, 1500, page(0)), 1600 + 50);
    // Another read while the erase rests costs only its own time: the rest, 2000 ns, runs from 1700
    // to 3700.
    assert_eq!(read(&mut array, 1640, page(0)), 1650 + 50);
    assert_eq!(read(&mut array, 3650, page(0)), 3700 + 50, "so late, suspending is slower than waiting");
    assert_eq!(array.priority().unwrap().suspensions(), 1);
    assert_eq!(array.busy_ns().0[0], 500 + 3000 + SUSPEND_NS + 3 * 50);
    assert_eq!(program(&mut array, 3650, page(1)), 3750 + 900);
}

#[test]
fn without_a_suspension_time_a_read_waits_for_the_erase() {
    let mut array = array(&FlashConfig { erase_suspend_ns: None, ..config() });
    program(&mut array, 0, page(0));
    array.erase(0, 0, 1);
    program(&mut array, 0, page(1));
    assert_eq!(read(&mut array, 1500, page(0)), 3500 + 50);
}

#[test]
fn a_suspension_time_without_priority_is_refused() {
    let wrong = FlashConfig { read_priority: false, ..config() };
    let error = Array::new(&wrong, ProgramAgain::Never, CellFormat::binary(512), &[]).unwrap_err();
    assert_eq!(error.key, "flash.erase_suspend_ns");
}

#[test]
fn the_memory_of_a_queue_is_bounded() {
    let longer = 3 * LONGEST as u32;
    let mut array = array(&FlashConfig { pages_per_block: longer, ..config() });
    let end = (0..longer).map(|index| program(&mut array, 0, page(index))).last().unwrap();
    let queue = array.priority().unwrap().unit(0);
    assert_eq!(queue.bookings().count(), LONGEST);
    assert_eq!(queue.free_at(), end);
    assert_eq!(read(&mut array, 1, page(0)), 500 + 50);
    // As the host's time passes, what has ended makes place.
    array.advance(end);
    array.erase(end, 0, 1);
    assert_eq!(array.priority().unwrap().unit(0).bookings().count(), 2);
}

#[derive(Debug, Clone)]
enum Operation {
    Program,
    HostRead(u32),
    Read(u32),
    CopyBack(u32),
    Erase,
}

fn operation() -> impl Strategy<Value = (u64, u32, Operation)> {
    let kind = prop_oneof![
        4 => Just(Operation::Program),
        4 => (0u32..64).prop_map(Operation::HostRead),
        1 => (0u32..64).prop_map(Operation::Read),
        1 => (0u32..64).prop_map(Operation::CopyBack),
        1 => Just(Operation::Erase),
    ];
    (prop_oneof![Just(0u64), 0u64..2000], 0u32..2, kind)
}

/// Blocks 0 and 1 of each plane are written in turn; block 2 takes copies, block 3 is erased at any
/// time.
#[derive(Default, Clone, Copy)]
struct Written {
    pages: u32,
    copies: u32,
}

fn apply(
    array: &mut Array,
    now: u64,
    plane: u32,
    operation: &Operation,
    at: Written,
    transfer: Transfer,
) -> Option<u64> {
    let address = |page: u32| Address { plane, block: plane * 4 + page / 64, page: page % 64 };
    let of_written = |page: u32| (at.pages > 0).then(|| address(page % at.pages));
    match *operation {
        Operation::Program => {
            (at.pages < 128).then(|| array.program(now, address(at.pages), NORMAL, transfer).unwrap())
        }
        Operation::HostRead(page) => Some(array.host_read(now, of_written(page)?, NORMAL, transfer).unwrap()),
        Operation::Read(page) => Some(array.read(now, of_written(page)?, NORMAL, transfer).unwrap()),
        Operation::CopyBack(page) => {
            let to = (at.copies < 64).then(|| address(128 + at.copies))?;
            Some(array.copy_back(now, (of_written(page)?, NORMAL), (to, NORMAL)).unwrap())
        }
        Operation::Erase => Some(array.erase(now, plane, plane * 4 + 3)),
    }
}

proptest! {
    #[test]
    fn bookings_do_not_overlap_reads_gain_and_work_is_conserved(
        operations in prop::collection::vec(operation(), 1..120),
        service_unit in prop_oneof![Just(ServiceUnit::Plane), Just(ServiceUnit::Die)],
        suspends in any::<bool>(),
        transfer in prop_oneof![Just(Transfer::None), Just(Transfer::Channel)],
    ) {
        let erase_suspend_ns = suspends.then_some(SUSPEND_NS);
        let config = FlashConfig { service_unit, erase_suspend_ns, ..config() };
        let plain_config = FlashConfig { read_priority: false, erase_suspend_ns: None, ..config.clone() };
        let (mut array, mut plain) = (array(&config), array(&plain_config));
        let mut written = [Written::default(); 2];
        let mut now = 0;
        for (pause, plane, operation) in &operations {
            now += pause;
            let state = &mut written[*plane as usize];
            let before = array.clone();
            let Some(end) = apply(&mut array, now, *plane, operation, *state, transfer) else { continue };
            apply(&mut plain, now, *plane, operation, *state, transfer);
            match operation {
                Operation::Program => state.pages += 1,
                Operation::CopyBack(_) => state.copies += 1,
                Operation::HostRead(page) => {
                    // The same read in the same state, without priority.
                    let waiting = apply(&mut before.clone(), now, *plane, &Operation::Read(*page), *state, transfer);
                    prop_assert!(Some(end) <= waiting, "{end} after {waiting:?}");
                    prop_assert!(end >= now + 50);
                }
                _ => {}
            }
            for unit in 0..if service_unit == ServiceUnit::Die { 1 } else { 2 } {
                let queue = array.priority().unwrap().unit(unit);
                let bookings: Vec<_> = queue.bookings().collect();
                prop_assert!(bookings.iter().all(|booking| booking.start <= booking.end));
                prop_assert!(bookings.windows(2).all(|pair| pair[0].end <= pair[1].start), "{bookings:?}");
            }
        }
        let (planes, channels) = array.busy_ns();
        let (plain_planes, plain_channels) = plain.busy_ns();
        let suspended_ns = array.priority().unwrap().suspensions() * SUSPEND_NS;
        prop_assert_eq!(planes.iter().sum::<u64>(), plain_planes.iter().sum::<u64>() + suspended_ns);
        prop_assert_eq!(channels, plain_channels);
    }

    /// With everything asked for at once nothing idles: the queue ends at the sum of all times, in
    /// whatever order.
    #[test]
    fn a_queue_without_idle_time_ends_at_the_sum_of_its_work(kinds in prop::collection::vec(operation(), 1..100)) {
        let mut array = array(&FlashConfig { erase_suspend_ns: None, ..config() });
        let mut state = Written::default();
        for (_, _, operation) in &kinds {
            if apply(&mut array, 0, 0, operation, state, Transfer::None).is_some() {
                state.pages += u32::from(matches!(operation, Operation::Program));
                state.copies += u32::from(matches!(operation, Operation::CopyBack(_)));
            }
        }
        let queue = array.priority().unwrap().unit(0);
        prop_assert_eq!(queue.free_at(), array.busy_ns().0[0]);
        let booked: u64 = queue.bookings().map(|booking| booking.end - booking.start).sum();
        prop_assert_eq!(booked, queue.free_at());
    }
}
