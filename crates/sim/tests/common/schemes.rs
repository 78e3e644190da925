//! Every scheme and policy of the tables that CONTRIBUTING.md tells how to extend, as the schema of
//! configurations lists them: whoever adds one is tested without a line in a test.

use std::collections::BTreeSet;

use rewear_sim::Drive;
use serde_json::Value;

use super::SMALL;

/// The tables, as dotted keys.
const TABLES: [&str; 5] = ["recycle", "reuse", "effort", "ftl.victim", "ftl.streams"];

/// What a scheme has no default for.
const PARAMETERS: [(&str, &str, &str); 2] =
    [("wom-v", "reuse.data_bits", "2"), ("coset", "reuse.rate", "0.75")];

/// Chips on which schemes are tried, in this order: one that wears out, the same with two bits a
/// cell, and one with a bit a cell.
const CHIPS: [&[(&str, &str)]; 3] = [
    &[("flash.endurance_cycles", "100000")],
    &[
        ("flash.endurance_cycles", "100000"),
        ("flash.bits_per_cell", "2"),
        ("flash.timing.read_ns", "[50000, 60000]"),
        ("flash.timing.program_ns", "[500000, 900000]"),
        ("flash.page_order", "paired"),
    ],
    &[
        ("flash.endurance_cycles", "100000"),
        ("flash.bits_per_cell", "1"),
        ("flash.timing.read_ns", "[50000]"),
        ("flash.timing.program_ns", "[500000]"),
    ],
];

/// Table, name and parameters of every scheme.
pub(crate) fn schemes() -> Vec<(&'static str, String, Vec<String>)> {
    let schema = rewear_sim::configuration_schema();
    let of_table = |table: &'static str| {
        let mut at = &schema;
        for key in table.split('.') {
            at = resolved(&schema, &resolved(&schema, at)["properties"][key]);
        }
        let variants = at["oneOf"].as_array().unwrap().iter();
        variants.map(|variant| of_variant(&schema, table, variant)).collect::<Vec<_>>()
    };
    TABLES.into_iter().flat_map(of_table).collect()
}

fn of_variant<'t>(schema: &Value, table: &'t str, variant: &Value) -> (&'t str, String, Vec<String>) {
    let name = variant["properties"]["scheme"]["const"].as_str().unwrap().to_owned();
    let parts = [&variant["properties"], &resolved(schema, variant)["properties"]];
    let keys: BTreeSet<_> =
        parts.into_iter().filter_map(Value::as_object).flat_map(serde_json::Map::keys).cloned().collect();
    (table, name, keys.into_iter().filter(|key| key != "scheme").collect())
}

/// What a reference of a schema leads to; what is none leads to itself.
fn resolved<'a>(schema: &'a Value, at: &'a Value) -> &'a Value {
    match at["$ref"].as_str() {
        Some(to) => schema.pointer(to.trim_start_matches('#')).unwrap(),
        None => at,
    }
}

/// A small drive with a scheme and its default parameters, on the first chip that it takes, with
/// further changes; the refusal of the last chip if it takes none.
pub(crate) fn drive_with(
    (table, scheme): (&str, &str),
    changes: &[(&str, &str)],
) -> Result<Drive, rewear_flash::ConfigError> {
    let mut refused = None;
    for chip in CHIPS {
        let parameters =
            PARAMETERS.iter().filter(|(of, ..)| *of == scheme).map(|&(_, key, value)| (key, value));
        let settings: Vec<_> =
            chip.iter().copied().chain(parameters).chain(changes.iter().copied()).collect();
        let text = |(key, value): (&str, &str)| (key.to_owned(), value.to_owned());
        let mut settings: Vec<_> = settings.into_iter().map(text).collect();
        settings.push((format!("{table}.scheme"), scheme.to_owned()));
        match Drive::from_toml(SMALL, "small", &settings) {
            Ok(drive) => return Ok(drive),
            Err(error) => refused = Some(error),
        }
    }
    Err(refused.unwrap())
}
