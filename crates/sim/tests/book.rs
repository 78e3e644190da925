//! The book of figures and the schema of reports say the same.

use std::collections::BTreeSet;

use rewear_sim::book::{CIRCUMSTANCES, Shown, book, numbers};
use rewear_sim::{Drive, report_schema};

#[test]
fn every_number_of_the_report_is_a_figure_or_a_circumstance() {
    let book = book();
    let known: BTreeSet<&str> = book.iter().flat_map(|figure| figure.paths()).collect();
    let numbers = numbers(&report_schema());
    assert!(numbers.len() > 150);
    for path in numbers.keys() {
        let circumstance = CIRCUMSTANCES.iter().any(|part| path.starts_with(part));
        assert_ne!(known.contains(path.as_str()), circumstance, "{path}");
    }
    for part in CIRCUMSTANCES {
        assert!(numbers.keys().any(|path| path.starts_with(part)), "no number begins with {part}");
    }
}

#[test]
fn every_path_of_a_figure_leads_to_a_number() {
    let drive = Drive::from_toml(include_str!("../../../presets/qlc.toml"), "qlc", &[]).unwrap();
    let derived: BTreeSet<String> =
        drive.derived().unwrap().into_iter().map(|item| format!("derived.{}", item.key)).collect();
    let numbers = numbers(&report_schema());
    for figure in book() {
        assert_ne!(figure.paths().count(), 0, "{}", figure.key);
        for path in figure.paths() {
            assert!(derived.contains(path) || numbers.contains_key(path), "{}: {path}", figure.key);
        }
    }
}

#[test]
fn figures_have_a_name_of_their_own_and_a_sentence() {
    let book = book();
    let mut keys = BTreeSet::new();
    for figure in &book {
        assert!(keys.insert(&figure.key), "{} stands twice", figure.key);
        assert!(!figure.title.is_empty());
        assert!(figure.shown == Shown::Named || !figure.group.is_empty(), "{}", figure.key);
        assert!(!figure.sentence.is_empty(), "{} has no sentence", figure.key);
    }
}
