//! Chips that do one operation of the host at a time, and whose planes are cleaned side by side.
#![allow(clippy::unwrap_used, missing_docs)]

use rewear_flash::config::ServiceUnit;
use rewear_flash::medium::CellFormat;
use rewear_flash::timing::TimingConfig;
use rewear_flash::{Address, Array, FlashConfig, ProgramAgain, ProgramMode, Transfer};

const READ: u64 = 10;
const PROGRAM: u64 = 100;
const ERASE: u64 = 1000;
const BLOCKS: u32 = 16;

/// Two chips of two planes.
fn config() -> FlashConfig {
    let timing =
        TimingConfig { read_ns: vec![READ], program_ns: vec![PROGRAM], erase_ns: ERASE, channel_mb_per_s: 0 };
    FlashConfig {
        dies_per_channel: 2,
        planes_per_die: 2,
        service_unit: ServiceUnit::Chip,
        ..FlashConfig::single_plane(timing)
    }
}

fn chips() -> Array {
    Array::new(&config(), ProgramAgain::Never, CellFormat::binary(4096), &[]).unwrap()
}

fn page(plane: u32, block: u32, page: u32) -> Address {
    Address { plane, block: plane * BLOCKS + block, page }
}

fn program(array: &mut Array, at: Address) -> u64 {
    array.program(0, at, ProgramMode::NORMAL, Transfer::Channel).unwrap()
}

fn move_page(array: &mut Array, plane: u32, number: u32) -> u64 {
    let (from, to) = (page(plane, 0, number), page(plane, 1, number));
    array.copy_back(0, (from, ProgramMode::NORMAL), (to, ProgramMode::NORMAL)).unwrap()
}

#[test]
fn a_chip_does_one_operation_of_the_host_at_a_time() {
    let mut array = chips();
    assert_eq!(program(&mut array, page(0, 0, 0)), PROGRAM);
    assert_eq!(program(&mut array, page(1, 0, 0)), 2 * PROGRAM, "the other plane of the chip waits");
    assert_eq!(program(&mut array, page(2, 0, 0)), PROGRAM, "the other chip does not");
    let both = [page(0, 0, 1), page(1, 0, 1)];
    assert_eq!(array.program_multi_plane(0, &both, ProgramMode::NORMAL).unwrap(), 3 * PROGRAM);
    assert_eq!(array.read_multi_plane(0, &both, ProgramMode::NORMAL).unwrap(), 3 * PROGRAM + READ);
    let read = array.host_read(0, page(1, 0, 0), ProgramMode::NORMAL, Transfer::Channel).unwrap();
    assert_eq!(read, 3 * PROGRAM + 2 * READ);
}

#[test]
fn cleaning_of_several_planes_costs_the_host_the_longest() {
    let mut array = chips();
    for number in 0..3 {
        program(&mut array, page(0, 0, number));
        program(&mut array, page(1, 0, number));
    }
    let begin = 6 * PROGRAM;
    array.work_apart(true);
    let first = (0..2).map(|number| move_page(&mut array, 0, number)).max().unwrap();
    let second = (0..3).map(|number| move_page(&mut array, 1, number)).max().unwrap();
    array.work_apart(false);
    assert_eq!(first, begin + 2 * (READ + PROGRAM));
    assert_eq!(second, begin + 3 * (READ + PROGRAM), "it did not wait for the other plane");
    assert_eq!(array.erase(first, 0, 0), first + ERASE);
    assert_eq!(array.erase(second, 1, BLOCKS), second + ERASE);
    assert_eq!(program(&mut array, page(0, 1, 2)), second + ERASE + PROGRAM);
}

#[test]
fn reads_that_overtake_are_refused_with_a_remedy() {
    let config = FlashConfig { read_priority: true, ..config() };
    let error = Array::new(&config, ProgramAgain::Never, CellFormat::binary(4096), &[]).unwrap_err();
    assert_eq!(error.key, "flash.read_priority");
    assert!(error.to_string().contains("service_unit"));
}
