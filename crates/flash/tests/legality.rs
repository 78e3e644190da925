//! What the array refuses, and when what it accepts ends.
#![allow(clippy::unwrap_used, missing_docs)]

use rewear_flash::config::{MediumKind, ServiceUnit};
use rewear_flash::medium::CellFormat;
use rewear_flash::timing::TimingConfig;
use rewear_flash::{Address, Array, FlashConfig, Geometry, Illegal, ProgramAgain, ProgramMode, Transfer};

const NORMAL: ProgramMode = ProgramMode::NORMAL;

fn config() -> FlashConfig {
    FlashConfig {
        channels: 2,
        planes_per_die: 2,
        blocks_per_plane: 2,
        pages_per_block: 4,
        page_bytes: 512,
        bits_per_cell: 2,

        // 512 bytes at 512 MB/s: a transfer takes 1000 ns.
        ..FlashConfig::single_plane(TimingConfig {
            read_ns: vec![50, 60],
            program_ns: vec![500, 900],
            erase_ns: 3000,
            channel_mb_per_s: 512,
        })
    }
}

fn array(config: &FlashConfig, rule: ProgramAgain) -> Array {
    Array::new(config, rule, CellFormat::binary(config.page_bytes), &[]).unwrap()
}

fn at(plane: u32, page: u32) -> Address {
    Address { plane, block: plane * 2, page }
}

fn program(array: &mut Array, page: Address) -> Result<u64, Illegal> {
    array.program(0, page, NORMAL, Transfer::None)
}

#[test]
fn pages_are_programmed_once_and_in_order() {
    let mut array = array(&config(), ProgramAgain::Never);
    assert_eq!(program(&mut array, at(0, 1)), Err(Illegal::OutOfOrder { at: at(0, 1), expected: 0 }));
    for page in 0..4 {
        program(&mut array, at(0, page)).unwrap();
    }
    let again = Err(Illegal::ProgrammedBefore { at: at(0, 2), programs: 1, limit: 1 });
    assert_eq!(program(&mut array, at(0, 2)), again);
    assert_eq!(program(&mut array, at(0, 4)), Err(Illegal::Outside { at: at(0, 4) }));
    assert_eq!(array.reopen(0), Err(Illegal::NoPassLeft { block: 0, passes: 1, limit: 1 }));
    array.erase(0, 0, 0);
    program(&mut array, at(0, 0)).unwrap();
}

#[test]
fn a_page_that_was_not_programmed_cannot_be_read() {
    let mut array = array(&config(), ProgramAgain::Never);
    let refused = Err(Illegal::NotProgrammed { at: at(1, 0) });
    assert_eq!(array.read(0, at(1, 0), NORMAL, Transfer::Channel), refused);
    program(&mut array, at(1, 0)).unwrap();
    array.read(0, at(1, 0), NORMAL, Transfer::Channel).unwrap();
    array.erase(0, 1, 2);
    assert_eq!(array.read(0, at(1, 0), NORMAL, Transfer::Channel), refused);
}

#[test]
fn a_code_permits_as_many_passes_as_it_states() {
    let mut array = array(&config(), ProgramAgain::Passes { limit: 3 });
    for pass in 0..3 {
        // A later pass may leave pages out, but still runs upwards.
        for page in (0..4).filter(|page| pass == 0 || page % 2 == 0) {
            program(&mut array, at(0, page)).unwrap();
        }
        assert!(matches!(program(&mut array, at(0, 0)), Err(Illegal::OutOfOrder { .. })));
        array.read(0, at(0, 3), NORMAL, Transfer::None).unwrap();
        assert_eq!(array.reopen(0).is_ok(), pass < 2);
    }
    assert_eq!(array.reprograms(), 4);
    assert_eq!(array.wear().total(), 0);
}

#[test]
fn stored_cells_are_never_lowered() {
    let stored = FlashConfig { medium: MediumKind::Stored, ..config() };
    let mut array = array(&stored, ProgramAgain::Passes { limit: 2 });
    let mut image = vec![0b0101; 512];
    array.raise_cells(at(0, 0), &image, &[]).unwrap();
    image[7] = 0b0110;
    assert_eq!(array.raise_cells(at(0, 0), &image, &[]), Err(Illegal::LowersCell { at: at(0, 0), cell: 56 }));
    let mut read = vec![0; 512];
    array.load_cells(at(0, 0), &mut read).unwrap();
    assert!(read.iter().all(|&byte| byte == 0b0101), "a refused image changes nothing");
    assert!(matches!(
        array.load_cells(at(0, 0), &mut read[1..]),
        Err(Illegal::ImageSize { got: 511, expected: 512, .. })
    ));
    array.erase(0, 0, 0);
    array.raise_cells(at(0, 0), &image, &[]).unwrap();
}

#[test]
fn a_program_takes_transfer_and_page_kind_into_account() {
    let mut array = array(&config(), ProgramAgain::Never);
    assert_eq!(array.program(10, at(0, 0), NORMAL, Transfer::Channel), Ok(10 + 1000 + 500));
    // The plane is busy until 1510; then transfer and the slower page of the pair.
    assert_eq!(array.program(10, at(0, 1), NORMAL, Transfer::Channel), Ok(1510 + 1000 + 900));
    // The other plane of the die shares the channel only; the idle 500 ns from 1010 on are too
    // short for a transfer.
    assert_eq!(array.program(10, at(1, 0), NORMAL, Transfer::Channel), Ok(2510 + 1000 + 500));
    // The other channel is free.
    assert_eq!(array.program(10, at(2, 0), NORMAL, Transfer::Channel), Ok(1510));
    // A read senses when its plane is free, then transfers.
    assert_eq!(array.read(10, at(2, 0), NORMAL, Transfer::Channel), Ok(1510 + 50 + 1000));
    assert_eq!(array.erase(0, 2, 4), 2560 + 3000);
    let (planes, channels) = array.busy_ns();
    assert_eq!(planes, [1400, 500, 500 + 50 + 3000, 0]);
    assert_eq!(channels, [3000, 2000]);
}

#[test]
fn a_multi_plane_command_occupies_the_die_once() {
    let die = FlashConfig { service_unit: ServiceUnit::Die, ..config() };
    let mut array = array(&die, ProgramAgain::Never);
    // Two transfers one after the other, then both programs together.
    assert_eq!(array.program_multi_plane(0, &[at(0, 0), at(1, 0)], NORMAL), Ok(2000 + 500));
    assert_eq!(array.program(0, at(1, 1), NORMAL, Transfer::None), Ok(2500 + 900));
    let wrong = [[at(0, 1), at(2, 0)], [at(0, 1), at(0, 2)]];
    for pair in wrong {
        let refused = array.program_multi_plane(0, &pair, NORMAL);
        assert_eq!(refused, Err(Illegal::NotMultiPlane { at: pair[1] }));
    }
}

#[test]
fn a_multi_plane_read_senses_both_pages_at_once() {
    let die = FlashConfig { service_unit: ServiceUnit::Die, ..config() };
    for overtakes in [false, true] {
        let mut array = array(&FlashConfig { read_priority: overtakes, ..die.clone() }, ProgramAgain::Never);
        let pair = [at(0, 0), at(1, 0)];
        assert_eq!(array.read_multi_plane(0, &pair, NORMAL), Err(Illegal::NotProgrammed { at: at(0, 0) }));
        let written = array.program_multi_plane(0, &pair, NORMAL).unwrap();
        // One sensing, then one transfer after the other; the die is free again when both are over.
        let read = array.read_multi_plane(written, &pair, NORMAL);
        assert_eq!(read, Ok(written + 50 + 2000));
        assert_eq!(array.host_read_multi_plane(10_000, &pair, NORMAL), Ok(10_000 + 50 + 2000));
        assert_eq!(array.busy_ns().0[..2], [500 + 100, 500 + 100]);
        let refused = array.host_read_multi_plane(0, &[at(0, 0), at(0, 0)], NORMAL);
        assert_eq!(refused, Err(Illegal::NotMultiPlane { at: at(0, 0) }));
    }
}

/// A host's read of two planes waits for the program under way, not for the queue behind it.
#[test]
fn a_multi_plane_read_of_the_host_overtakes() {
    let die = FlashConfig { service_unit: ServiceUnit::Die, read_priority: true, ..config() };
    let mut array = array(&die, ProgramAgain::Never);
    let written = array.program_multi_plane(0, &[at(0, 0), at(1, 0)], NORMAL).unwrap();
    for page in 1..4 {
        array.program(written, at(0, page), NORMAL, Transfer::None).unwrap();
    }
    let first_ends = written + 900;
    let read = array.host_read_multi_plane(written + 1, &[at(0, 0), at(1, 0)], NORMAL);
    assert_eq!(read, Ok(first_ends + 50 + 2000));
}

#[test]
fn copyback_takes_sensing_and_programming_and_stays_in_its_plane() {
    let mut array = array(&config(), ProgramAgain::Never);
    program(&mut array, at(0, 0)).unwrap();
    let to = Address { plane: 0, block: 1, page: 0 };
    assert_eq!(array.copy_back(0, (at(0, 0), NORMAL), (to, NORMAL)), Ok(500 + 50 + 500));
    assert_eq!(array.busy_ns().1, [0, 0], "no transfer");
    let refused = array.copy_back(0, (at(0, 0), NORMAL), (at(1, 0), NORMAL));
    assert_eq!(refused, Err(Illegal::NotOnePlane { at: at(1, 0) }));
}

/// Those of a chip: the pages of a code may have any size.
#[test]
fn pages_of_a_chip_are_made_of_sectors() {
    for page_bytes in [1000, 2 << 20] {
        let error =
            Geometry::new(&FlashConfig { page_bytes, ..config() }).unwrap().check_page_bytes().unwrap_err();
        assert_eq!(error.key, "flash.page_bytes");
        assert!(error.remedy.contains("multiple of 512"), "{error}");
    }
}

#[test]
fn impossible_arrays_are_refused_with_a_remedy() {
    let broken = [
        FlashConfig { channels: 0, ..config() },
        FlashConfig { bits_per_cell: 9, ..config() },
        FlashConfig { blocks_per_plane: u32::MAX, pages_per_block: u32::MAX, ..config() },
        FlashConfig { timing: TimingConfig { read_ns: vec![1, 2, 3], ..config().timing }, ..config() },
    ];
    for config in broken {
        let error = Array::new(&config, ProgramAgain::Never, CellFormat::binary(512), &[]).unwrap_err();
        assert!(error.key.starts_with("flash."), "{error}");
        assert!(!error.remedy.is_empty());
    }
}
