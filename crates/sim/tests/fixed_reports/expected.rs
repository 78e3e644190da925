//! The expected hashes: a file with a line for each run.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;

use sha2::{Digest, Sha256};

use super::list::Run;

const HEAD: &str =
    "# SHA-256 of the reports of list.toml. Written by `make reports UPDATE=1`; do not edit.\n";

/// Hashes by the name of their run.
pub(crate) struct Expected(BTreeMap<String, String>);

/// SHA-256 of a report in hexadecimal digits.
pub(crate) fn hash(report: &str) -> String {
    Sha256::digest(report).iter().fold(String::new(), |mut text, byte| {
        _ = write!(text, "{byte:02x}");
        text
    })
}

fn file() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/fixed_reports/expected.toml")
}

impl Expected {
    /// The hashes of the file; none if there is no file.
    pub(crate) fn read() -> Expected {
        let text = std::fs::read_to_string(file()).unwrap_or_default();
        Expected(toml::from_str(&text).unwrap())
    }

    pub(crate) fn of(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// Writes the hashes of these reports; others stay unless the list is `whole`.
    pub(crate) fn update(runs: &[Run], reports: &[Result<String, String>], whole: bool) {
        let mut hashes = if whole { BTreeMap::new() } else { Expected::read().0 };
        for (run, report) in runs.iter().zip(reports) {
            let report = report.as_ref().unwrap_or_else(|error| panic!("{}: {error}", run.name));
            hashes.insert(run.name.clone(), hash(report));
        }
        let text = hashes.iter().fold(HEAD.to_string(), |mut text, (name, hash)| {
            _ = writeln!(text, "{name:?} = \"{hash}\"");
            text
        });
        std::fs::write(file(), text).unwrap();
    }
}
