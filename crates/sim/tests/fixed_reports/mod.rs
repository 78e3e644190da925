//! Reports of a fixed list of configurations, compared with the hashes of earlier ones: a change
//! that is to change no result is checked by them. `make reports` runs the whole list; `cargo test`
//! a part of it.
//!
//! Environment, for the whole list:
//! - `REPORTS_UPDATE=1` writes the hashes anew instead of comparing.
//! - `REPORTS_KEEP=FOLDER` writes every report as JSON into the folder.
//! - `REPORTS_AGAINST=FOLDER` names the fields that differ from reports kept earlier.
//! - `REPORTS_ONLY=TEXT` runs only configurations whose name contains the text.
#![allow(clippy::unwrap_used, missing_docs)]

mod differences;
mod expected;
mod list;
mod without_time;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use expected::{Expected, hash};
use list::Run;
use rewear_sim::Report;

const LIST: &str = include_str!("list.toml");

/// One run of so many is compared in each `cargo test`; prime, so that all axes are met.
const LIGHT_STRIDE: usize = 17;

/// The bytes of a report that are compared. Left out are the version of Rewear and the memory that
/// the model itself takes, which say nothing about the modelled drive.
fn compared(mut report: Report) -> String {
    report.rewear = "";
    report.drive.derived.retain(|item| !matches!(item.key, "model_memory_bytes" | "recycling_model_bytes"));
    serde_json::to_string_pretty(&report).unwrap()
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The reports of the runs, or why there is none, in their order; computed side by side.
fn reports(runs: &[Run]) -> Vec<Result<String, String>> {
    let repository = repository();
    let (next, done) = (AtomicUsize::new(0), Mutex::new(vec![Ok(String::new()); runs.len()]));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((at, run)) = Some(next.fetch_add(1, Ordering::Relaxed))
                    .and_then(|at| runs.get(at).map(|run| (at, run)))
                {
                    let report = run.report(&repository).map(compared);
                    done.lock().unwrap()[at] = report;
                }
            });
        }
    });
    done.into_inner().unwrap()
}

/// Compares and says what differs; with a folder of earlier reports in which fields.
fn compare(runs: &[Run], reports: &[Result<String, String>], against: Option<&Path>) {
    let expected = Expected::read();
    let mut differ = 0;
    for (run, report) in runs.iter().zip(reports) {
        let why = match (report, expected.of(&run.name)) {
            (Err(error), _) => error,
            (Ok(report), Some(earlier)) if earlier == hash(report) => continue,
            (Ok(_), Some(_)) => "differs",
            (Ok(_), None) => "has no expected hash",
        };
        differ += 1;
        println!("{}: {why}", run.name);
        let earlier = against.map(|folder| std::fs::read_to_string(kept(folder, run)));
        if let (Ok(report), Some(Ok(earlier))) = (report, earlier) {
            differences::between(&earlier, report).iter().for_each(|line| println!("    {line}"));
        }
    }
    println!("{} reports, {differ} differ", runs.len());
    assert_eq!(differ, 0, "reports differ; if they are to, write the hashes anew: make reports UPDATE=1");
}

/// The file of a kept report.
fn kept(folder: &Path, run: &Run) -> PathBuf {
    folder.join(run.name.replace(", ", "_")).with_extension("json")
}

fn folder(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}

#[test]
fn a_part_of_the_list_reports_what_it_always_did() {
    let runs: Vec<_> = list::runs(LIST).into_iter().step_by(LIGHT_STRIDE).collect();
    compare(&runs, &reports(&runs), None);
}

#[test]
#[ignore = "takes minutes: make reports"]
fn the_list_reports_what_it_always_did() {
    let only = std::env::var("REPORTS_ONLY").unwrap_or_default();
    let mut runs = list::runs(LIST);
    let all = runs.len();
    runs.retain(|run| run.name.contains(&only));
    assert!(!runs.is_empty(), "no configuration of {all} has {only:?} in its name");
    let reports = reports(&runs);
    if let Some(folder) = folder("REPORTS_KEEP") {
        std::fs::create_dir_all(&folder).unwrap();
        for (run, report) in runs.iter().zip(&reports) {
            std::fs::write(kept(&folder, run), report.as_deref().unwrap_or_default()).unwrap();
        }
    }
    if std::env::var("REPORTS_UPDATE").is_ok_and(|value| value == "1") {
        Expected::update(&runs, &reports, runs.len() == all);
        println!("{} hashes written", runs.len());
    } else {
        compare(&runs, &reports, folder("REPORTS_AGAINST").as_deref());
    }
}

#[test]
fn the_list_has_every_preset_and_no_name_twice() {
    let runs = list::runs(LIST);
    let names: std::collections::BTreeSet<_> = runs.iter().map(|run| &run.name).collect();
    assert_eq!(names.len(), runs.len());
    let presets = repository().join("presets");
    for file in std::fs::read_dir(presets).unwrap() {
        let file = file.unwrap().path();
        let preset = file.file_stem().unwrap().to_str().unwrap();
        assert!(names.iter().any(|name| name.starts_with(&format!("presets, {preset}, "))), "{preset}");
    }
}

/// Whoever adds a scheme or a policy adds it to the list: from then on its reports are kept, and a
/// restructuring that changes them is seen.
#[test]
fn the_list_has_every_scheme_and_policy() {
    let chosen: std::collections::BTreeSet<_> =
        list::runs(LIST).iter().map(|run| run.configuration(&repository())).flat_map(schemes_of).collect();
    let known = schemes_of(rewear_sim::configuration_schema());
    assert!(known.len() > 20, "{known:?}");
    for scheme in known {
        assert!(chosen.contains(&scheme), "no configuration of list.toml has a scheme \"{scheme}\"");
    }
}

/// The names of schemes anywhere in a configuration, or in the schema of one.
fn schemes_of(value: serde_json::Value) -> Vec<String> {
    fn walk(value: &serde_json::Value, into: &mut Vec<String>) {
        match value {
            serde_json::Value::Object(fields) => {
                if let Some(scheme) = fields.get("scheme") {
                    let name = scheme.as_str().or_else(|| scheme.get("const").and_then(|name| name.as_str()));
                    into.extend(name.map(str::to_string));
                }
                fields.values().for_each(|inner| walk(inner, into));
            }
            serde_json::Value::Array(items) => items.iter().for_each(|inner| walk(inner, into)),
            _ => {}
        }
    }
    let mut names = Vec::new();
    walk(&value, &mut names);
    names.sort();
    names.dedup();
    names
}
