//! Mapping units that share a page of the chip: times counted by hand.
#![allow(clippy::unwrap_used)] // a test may stop where it stands

use rewear_flash::config::{MediumKind, ServiceUnit};
use rewear_flash::medium::CellFormat;
use rewear_flash::timing::TimingConfig;
use rewear_flash::{Address, Array, FlashConfig, ProgramAgain, ProgramMode, Transfer};

const NORMAL: ProgramMode = ProgramMode::NORMAL;
/// 4096 bytes at 4096 MB/s.
const TRANSFER: u64 = 1000;

fn config() -> FlashConfig {
    FlashConfig {
        planes_per_die: 2,
        pages_per_block: 16,
        pages_per_program: 4,
        bits_per_cell: 2,
        ..FlashConfig::single_plane(TimingConfig {
            read_ns: vec![50_000, 60_000],
            program_ns: vec![500_000, 900_000],
            erase_ns: 3_000_000,
            channel_mb_per_s: 4096,
        })
    }
}

fn array(config: &FlashConfig) -> Array {
    Array::new(config, ProgramAgain::Never, CellFormat::binary(config.page_bytes), &[]).unwrap()
}

fn at(page: u32) -> Address {
    Address { plane: 0, block: 0, page }
}

fn program(array: &mut Array, asked_at: u64, page: u32) -> u64 {
    array.program(asked_at, at(page), NORMAL, Transfer::Channel).unwrap()
}

fn read(array: &mut Array, asked_at: u64, page: u32) -> u64 {
    array.read(asked_at, at(page), NORMAL, Transfer::Channel).unwrap() - asked_at
}

#[test]
fn four_units_are_programmed_once_and_a_page_is_sensed_once() {
    let mut array = array(&config());
    let ends: Vec<u64> = (0..8).map(|page| program(&mut array, 0, page)).collect();
    // The low page after four transfers; the units of the high page are transferred when it is done.
    let low = 4 * TRANSFER + 500_000;
    assert_eq!(ends[..4], [TRANSFER, 2 * TRANSFER, 3 * TRANSFER, low]);
    assert_eq!(ends[7], low + 4 * TRANSFER + 900_000);
    assert_eq!(array.busy_ns().0[0], 500_000 + 900_000, "two programs for eight units");

    let idle = 10_000_000;
    assert_eq!(read(&mut array, idle, 1), 50_000 + TRANSFER);
    assert_eq!(read(&mut array, 2 * idle, 3), TRANSFER, "the page is in the register");
    assert_eq!(read(&mut array, 3 * idle, 4), 60_000 + TRANSFER, "another page");
    assert_eq!(read(&mut array, 4 * idle, 0), 50_000 + TRANSFER, "its register was overwritten");
}

#[test]
fn units_that_wait_are_read_from_the_buffer_and_programs_and_erases_use_the_register() {
    let mut array = array(&config());
    (0..6).for_each(|page| {
        program(&mut array, 0, page);
    });
    let idle = 10_000_000;
    assert_eq!(read(&mut array, idle, 4), 0, "it waits for two others");
    assert_eq!(read(&mut array, idle, 2), 50_000 + TRANSFER);
    program(&mut array, 2 * idle, 6);
    assert_eq!(read(&mut array, 3 * idle, 2), TRANSFER, "nothing was programmed");
    program(&mut array, 4 * idle, 7);
    assert_eq!(read(&mut array, 5 * idle, 2), 50_000 + TRANSFER);
    assert_eq!(read(&mut array, 6 * idle, 4), 60_000 + TRANSFER, "it waits no more");
    array.erase(7 * idle, 0, 1);
    assert_eq!(read(&mut array, 8 * idle, 4), 60_000 + TRANSFER, "another block's erase");
    // An array without a clock admits the same operations.
    array.stop_clock();
    assert_eq!(read(&mut array, idle, 4), 0);
    assert!(array.read(idle, at(8), NORMAL, Transfer::None).is_err());
}

#[test]
fn a_block_takes_a_quarter_of_the_programs_and_their_energy() {
    let (shared, mut single) = (config(), config());
    single.pages_per_program = 1;
    let mean = |config: &FlashConfig| array(config).timing().mean_ns(NORMAL);
    assert_eq!(mean(&single), (55_000.0, 700_000.0));
    assert_eq!(mean(&shared), (55_000.0, 175_000.0));
}

#[test]
fn what_has_pages_of_its_own_is_refused() {
    let refused = |change: fn(&mut FlashConfig)| {
        let mut config = config();
        change(&mut config);
        let error = Array::new(&config, ProgramAgain::Never, CellFormat::binary(4096), &[]).unwrap_err();
        assert!(error.to_string().contains("flash.pages_per_program"), "{error}");
    };
    refused(|config| config.pages_per_program = 0);
    refused(|config| config.pages_per_program = 3);
    refused(|config| config.page_bytes = 1 << 19);
    refused(|config| config.medium = MediumKind::Stored);
    refused(|config| config.read_priority = true);
    refused(|config| config.service_unit = ServiceUnit::Chip);
}
