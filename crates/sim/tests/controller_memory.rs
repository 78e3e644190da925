//! What schemes take of a controller's memory, against the formula under *Cost* in their head
//! comments. Whoever adds a scheme with tables writes one there.
#![allow(clippy::unwrap_used, missing_docs)]

use std::path::Path;

use crate::common::schemes::{drive_with, schemes};
use rewear_ftl::Shape;
use rewear_ftl::shape::controller::ControllerMemory;
use rewear_sim::Drive;
use serde_json::Value;

/// The axes, the folders of their schemes, and where their tables are counted.
type Axis = (&'static str, &'static str, fn(&ControllerMemory) -> u64);
const AXES: [Axis; 4] = [
    ("recycle", "recycle", |memory| memory.recycle),
    ("reuse", "reuse", |memory| memory.reuse),
    ("effort", "effort", |memory| memory.effort),
    ("ftl.streams", "policies/streams", |memory| memory.streams),
];

/// The store of a scheme that is no larger than the drive.
const SETTINGS: [(&str, &str, &str); 1] = [("lx", "recycle.entries", "1000")];

/// Rounding up to whole words, in each table of a scheme.
const ROUNDING: f64 = 32.0;

fn source(folder: &str, scheme: &str) -> Option<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ftl/src").join(folder);
    let name = scheme.replace('-', "_");
    let name = name.strip_prefix("by_update").map_or(name.clone(), |rest| format!("update{rest}"));
    [format!("{name}.rs"), format!("{name}/mod.rs")]
        .iter()
        .find_map(|file| std::fs::read_to_string(folder.join(file)).ok())
}

/// The code spans behind `Controller RAM:` in a head comment.
fn formulas(source: &str) -> Vec<String> {
    let comment: Vec<_> = source.lines().map_while(|line| line.strip_prefix("//!")).collect();
    let paragraph = comment.iter().skip_while(|line| !line.starts_with(" Controller RAM:"));
    let text: String = paragraph.take_while(|line| !line.trim().is_empty()).copied().collect();
    text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

/// A sum of products, from left to right.
fn value(formula: &str, drive: &Drive, table: &str) -> f64 {
    let layout = Shape::new(drive.configuration()).unwrap().layout;
    let blocks = u64::from(layout.units()) * u64::from(layout.width);
    let mut config = serde_json::to_value(drive.configuration()).unwrap();
    for key in table.split('.') {
        config = config[key].take();
    }
    let of_name = |name: &str| match name {
        "pages" => f64::from(layout.exported_pages),
        "slots" => f64::from(layout.slots()),
        "units" => f64::from(layout.units()),
        "blocks" => blocks as f64,
        parameter => find(&config, parameter).unwrap_or(0.0),
    };
    let of_word = |word: &str| word.parse().unwrap_or_else(|_| of_name(word));
    let product = |term: &str| {
        let words: Vec<_> = term.split_whitespace().collect();
        words[1..].chunks(2).fold(of_word(words[0]), |product, pair| match pair[0] {
            "*" => product * of_word(pair[1]),
            "/" => product / of_word(pair[1]),
            other => panic!("{formula}: {other}"),
        })
    };
    formula.split(" + ").map(product).sum()
}

/// A number of a table of the configuration, or of one within it.
fn find(config: &Value, key: &str) -> Option<f64> {
    let table = config.as_object()?;
    table.get(key).and_then(Value::as_f64).or_else(|| table.values().find_map(|inner| find(inner, key)))
}

#[test]
fn every_scheme_takes_what_its_head_comment_says() {
    let mut with_tables = 0;
    for (table, scheme, _) in schemes() {
        let Some((_, folder, of)) = AXES.into_iter().find(|(axis, ..)| *axis == table) else { continue };
        let formulas = source(folder, &scheme).map(|source| formulas(&source)).unwrap_or_default();
        let settings = SETTINGS.into_iter().filter(|(of, ..)| *of == scheme);
        let settings: Vec<_> = settings.map(|(_, key, value)| (key, value)).collect();
        let drive = drive_with((table, &scheme), &settings).unwrap();
        let stated = of(&Shape::new(drive.configuration()).unwrap().controller);
        let written = formulas.first().map_or(0.0, |formula| value(formula, &drive, table));
        assert!(
            (stated as f64 - written).abs() <= ROUNDING,
            "{table}.scheme = \"{scheme}\" takes {stated} bytes, its head comment says {written}: {formulas:?}"
        );
        with_tables += u32::from(stated > 0);
    }
    assert!(with_tables >= 10, "{with_tables}");
}

#[test]
fn a_drive_takes_its_map_and_the_tables_of_all_axes() {
    let memory = |scheme| Shape::new(drive_with(("reuse", scheme), &[]).unwrap().configuration()).unwrap();
    let (plain, coded) = (memory("none"), memory("wom-v"));
    assert_eq!(plain.controller.total(), 4 * u64::from(plain.layout.exported_pages));
    assert_eq!(coded.controller.total() - coded.controller.reuse, 4 * u64::from(coded.layout.exported_pages));
    assert!(coded.controller.reuse >= 2 * u64::from(coded.layout.slots()));
}
