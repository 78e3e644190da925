//! Miniatures: what a smaller drive keeps, and what has none.

use rewear_ftl::Shape;
use rewear_sim::Drive;
use rewear_sim::miniature::Miniature;

const DRIVE: &str = r#"
name = "test"
[flash]
channels = 8
dies_per_channel = 2
planes_per_die = 2
blocks_per_plane = 512
pages_per_block = 128
page_bytes = 4096
bits_per_cell = 2
[flash.timing]
read_ns = [50_000]
program_ns = [600_000]
erase_ns = 3_000_000
[ftl]
over_provisioning = 0.1
gc_threshold = 0.02
"#;

fn drive(settings: &[(&str, &str)]) -> Drive {
    let settings: Vec<_> = settings.iter().map(|(key, value)| (key.to_string(), value.to_string())).collect();
    Drive::from_toml(DRIVE, "test", &settings).expect("a drive")
}

fn shape(drive: &Drive) -> Shape {
    Shape::new(drive.configuration()).expect("a shape")
}

#[test]
fn pools_are_taken_away_first_and_then_nothing_else_changes() {
    let whole = drive(&[]);
    let small = Miniature::new(&whole, 16, 1).expect("a miniature");
    let (one, other) = (shape(&whole), shape(&small.drive));
    assert_eq!((one.layout.pools, other.layout.pools), (32, 2));
    assert_eq!(other.layout.units_per_pool, 512);
    assert_eq!(other.layout.slots_per_unit, 128);
    assert_eq!(other.reserve.free_units, one.reserve.free_units);
    assert!(other.layout.exported_pages.abs_diff(one.layout.exported_pages / 16) <= 1);
    assert_eq!(small.sampling.group_pages, 16);
    assert_eq!(small.sampling.sampled_pages + 1, u64::from(other.layout.exported_pages));
}

#[test]
fn with_fewer_units_the_spare_space_beyond_the_reserve_keeps_its_share() {
    let whole = drive(&[]);
    let share = |shape: &Shape| {
        let units = f64::from(shape.layout.units_per_pool - shape.reserve.free_units);
        units * f64::from(shape.layout.slots_per_unit * shape.layout.pools)
            / f64::from(shape.layout.exported_pages)
    };
    let small = shape(&Miniature::new(&whole, 48, 1).expect("a miniature").drive);
    assert!(small.layout.units_per_pool < 512 && small.layout.units_per_pool >= 128);
    assert!((share(&small) / share(&shape(&whole)) - 1.0).abs() < 1e-3);
}

#[test]
fn a_unit_over_the_drive_becomes_narrower() {
    let whole = drive(&[("ftl.erase_unit", "drive"), ("ftl.gc_threshold", "0")]);
    let small = shape(&Miniature::new(&whole, 8, 1).expect("a miniature").drive);
    assert_eq!((small.layout.pools, small.layout.width), (1, 4));
    assert_eq!(small.layout.units_per_pool, 512);
}

#[test]
fn a_refusal_names_a_scale_that_holds() {
    for settings in [
        &[][..],
        &[("ftl.erase_unit", "drive")],
        &[("ftl.over_provisioning", "0.05"), ("ftl.gc_threshold", "0")],
    ] {
        let whole = drive(settings);
        let error = Miniature::new(&whole, 5_000, 1).expect_err("too small").to_string();
        let (_, rest) = error.split_once("a scale of 1/").expect("a remedy");
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        let one_in: u32 = digits.parse().expect("a number");
        assert!(Miniature::new(&whole, one_in, 1).is_ok(), "{error}");
    }
    for one_in in [0, 1, 100_001] {
        assert!(Miniature::new(&drive(&[]), one_in, 1).is_err());
    }
}

#[test]
fn memories_of_schemes_become_shorter_with_the_drive() {
    let whole = drive(&[("effort.scheme", "differentiated-ecc")]);
    let small = Miniature::new(&whole, 8, 1).expect("a miniature");
    let effort = serde_json::to_value(&small.drive.configuration().effort).expect("a table");
    assert_eq!(effort["separator"]["decay_accesses"], 64);
    assert_eq!(effort["separator"]["bits"], 256);
    let error = Miniature::new(&whole, 32, 1).expect_err("too short").to_string();
    assert!(error.contains("give a scale of 1/16 or larger"), "{error}");
}
