//! The book of figures: every number of a report that a table, a sweep or a claim may name.
//!
//! Figures of tables have a title in `titles`. Every other number of the report's schema has its
//! path for a key and its doc comment for a sentence, except what [`CIRCUMSTANCES`] lists.
//! Terminals, pages and the manual read the book, and know no figure of their own.

mod titles;

use std::collections::BTreeMap;

pub use rewear_ftl::state::events::Better;
use serde::Serialize;
use serde_json::Value;

/// How a figure is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// Bytes, in powers of 1,024.
    Bytes,
    /// Whole operations, pages, blocks.
    Count,
    /// A part of a whole, as a percentage.
    Share,
    /// One amount over another, with three decimals.
    Ratio,
    /// A large number without decimals.
    Rounded,
    /// Nanoseconds, in the fitting unit of time.
    Time,
    /// Years, below one in days.
    Years,
    /// Joules.
    Energy,
    /// Anything else.
    Number,
}

/// When tables have a row for a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shown {
    /// Where some drive has it.
    Always,
    /// Where it is not zero for every drive.
    NotZero,
    /// Only where it is named.
    Named,
}

/// A figure of a report.
#[derive(Debug, Clone, Serialize)]
pub struct Figure {
    /// Its name in `--json`, sweeps and claims.
    pub key: String,
    /// Where it stands in a report: a dotted path. Paths may be joined by `+`, `-`, `*`, `/` and `or`;
    /// the value does not exist where a path leads nowhere.
    pub path: String,
    /// Heading under which tables have it.
    pub group: &'static str,
    /// What it is called there, without its unit.
    pub title: String,
    /// How it is written.
    pub unit: Unit,
    /// Which way is good.
    pub better: Better,
    /// What it means.
    pub sentence: String,
    /// When tables show it.
    pub shown: Shown,
    /// Whether it says nothing about a run that is too short to tell the wear.
    pub takes_length: bool,
}

/// Parts of a report that say what was replayed, in which way and when: no results, so no figures.
pub const CIRCUMSTANCES: [&str; 6] = ["schema", "seed", "drive.", "source.", "replay.", "warmed_up."];

use Better::Neither;
use Unit::{Bytes, Count, Energy, Number, Time};

impl Figure {
    fn new(key: &str, title: &str, unit: Unit, better: Better) -> Figure {
        Figure {
            key: key.into(),
            path: key.into(),
            group: "",
            title: title.into(),
            unit,
            better,
            sentence: String::new(),
            shown: Shown::Always,
            takes_length: false,
        }
    }

    fn at(mut self, path: &str) -> Figure {
        self.path = path.into();
        self
    }

    fn means(mut self, sentence: &str) -> Figure {
        self.sentence = sentence.into();
        self
    }

    fn shown(mut self, shown: Shown) -> Figure {
        self.shown = shown;
        self
    }

    fn takes_length(mut self) -> Figure {
        self.takes_length = true;
        self
    }

    /// The dotted paths that it is worked out from.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        let words = self.path.split(|c: char| !(c.is_ascii_alphanumeric() || "._".contains(c)));
        words.filter(|word| word.starts_with(|c: char| c.is_ascii_lowercase()) && *word != "or")
    }
}

/// Every figure: those with a title first, in the order of the tables.
pub fn book() -> Vec<Figure> {
    let numbers = numbers(&crate::report_schema());
    let mut all: Vec<Figure> = titles::titled()
        .into_iter()
        .flat_map(|(group, figures)| figures.into_iter().map(move |figure| Figure { group, ..figure }))
        .chain(titles::ratios())
        .collect();
    for figure in &mut all {
        let path = figure.path.trim_end_matches(" or 0");
        if let (true, Some(number)) = (figure.sentence.is_empty(), numbers.get(path)) {
            figure.sentence.clone_from(&number.sentence);
        }
    }
    let rest: Vec<Figure> = numbers
        .into_values()
        .filter(|number| !CIRCUMSTANCES.iter().any(|part| number.path.starts_with(part)))
        .filter(|number| all.iter().all(|figure| figure.path != number.path && figure.key != number.path))
        .collect();
    all.extend(rest);
    all
}

/// The numbers of a schema by their paths, with the doc comment of each. Lists have columns of their
/// own and no path.
pub fn numbers(schema: &Value) -> BTreeMap<String, Figure> {
    let mut found = BTreeMap::new();
    walk(schema, schema, "", &mut found);
    found
}

fn walk(schema: &Value, at: &Value, path: &str, found: &mut BTreeMap<String, Figure>) {
    if let Some(name) = at["$ref"].as_str() {
        walk(schema, &schema["$defs"][name.rsplit('/').next().unwrap_or(name)], path, found);
    }
    for choice in ["anyOf", "oneOf", "allOf"] {
        for each in at[choice].as_array().into_iter().flatten() {
            walk(schema, each, path, found);
        }
    }
    let is = |kind: &str| {
        at["type"] == kind || at["type"].as_array().is_some_and(|all| all.iter().any(|each| each == kind))
    };
    if is("integer") || is("number") {
        let whole = if is("integer") { Count } else { Number };
        let sentence = at["description"].as_str().unwrap_or("").replace('\n', " ");
        let figure =
            Figure::new(path, path, unit_of(path, whole), Neither).means(&sentence).shown(Shown::Named);
        found.insert(path.into(), figure);
    }
    for (name, each) in at["properties"].as_object().into_iter().flatten() {
        walk(schema, each, &if path.is_empty() { name.clone() } else { format!("{path}.{name}") }, found);
    }
}

/// The unit that the name of a figure says (`CONTRIBUTING.md`: units come last in names).
fn unit_of(path: &str, other: Unit) -> Unit {
    if path.split('.').any(|name| name.ends_with("_ns")) {
        return Time;
    }
    let last = path.rsplit('.').next().unwrap_or(path);
    match () {
        () if path.starts_with("energy_j") => Energy,
        () if last.contains("bytes") && !last.contains("_per_") => Bytes,
        () => other,
    }
}
