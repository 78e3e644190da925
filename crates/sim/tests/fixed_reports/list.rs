//! The list of configurations: grids of a TOML file, multiplied out.

use std::collections::BTreeMap;
use std::path::Path;

use rewear_sim::{Drive, ReplayOptions, Report, replay};
use rewear_trace::{AnySource, Defaults, OpenOptions, TraceError};
use serde::Deserialize;
use toml::{Table, Value};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    grid: Vec<Grid>,
}

/// The product of the axes; each point of an axis adds to the base.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Grid {
    name: String,
    base: Table,
    axes: BTreeMap<String, BTreeMap<String, Table>>,
}

/// One configuration and its workload.
pub(crate) struct Run {
    /// Name of the grid and of a point of each axis.
    pub(crate) name: String,
    settings: Table,
}

/// What a run says beside keys of the drive.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Source {
    drive: String,
    #[serde(default)]
    trace: Option<String>,
    #[serde(default)]
    workload: Option<String>,
    #[serde(default)]
    replay: ReplayOptions,
}

/// The runs of the list, in its order.
pub(crate) fn runs(text: &str) -> Vec<Run> {
    let list: List = toml::from_str(text).unwrap();
    list.grid.iter().flat_map(Grid::runs).collect()
}

impl Grid {
    fn runs(&self) -> Vec<Run> {
        let start = vec![Run { name: self.name.clone(), settings: self.base.clone() }];
        self.axes.values().fold(start, |runs, axis| {
            runs.iter().flat_map(|run| axis.iter().map(|(name, point)| run.with(name, point))).collect()
        })
    }
}

impl Run {
    fn with(&self, name: &str, point: &Table) -> Run {
        let mut settings = self.settings.clone();
        merge(&mut settings, point);
        Run { name: format!("{}, {name}", self.name), settings }
    }

    /// The drive, and what else the run says.
    fn drive(&self, repository: &Path) -> Result<(Drive, Source), String> {
        let (mut of_drive, mut source) = (Vec::new(), Table::new());
        for (key, value) in &self.settings {
            match key.as_str() {
                "drive" | "trace" | "workload" | "replay" => _ = source.insert(key.clone(), value.clone()),
                _ => flatten(key, value, &mut of_drive),
            }
        }
        let source: Source = source.try_into().map_err(|error: toml::de::Error| error.to_string())?;
        let file = repository.join("presets").join(&source.drive).with_extension("toml");
        let text = std::fs::read_to_string(&file).unwrap();
        let drive = Drive::from_toml(&text, &source.drive, &of_drive).map_err(|error| error.to_string())?;
        Ok((drive, source))
    }

    /// The full configuration of its drive as JSON; nothing if the drive is refused.
    pub(crate) fn configuration(&self, repository: &Path) -> serde_json::Value {
        let drive = self.drive(repository).map(|(drive, _)| serde_json::to_value(drive.configuration()));
        drive.map_or(serde_json::Value::Null, |json| json.unwrap())
    }

    /// Replays the run. `repository` is the root folder of the project.
    ///
    /// # Errors
    /// A run that is no run, a drive that is refused, a replay that fails.
    pub(crate) fn report(&self, repository: &Path) -> Result<Report, String> {
        self.report_with(repository, |_| {})
    }

    /// As [`Run::report`], with changed options.
    pub(crate) fn report_with(
        &self,
        repository: &Path,
        change: impl FnOnce(&mut ReplayOptions),
    ) -> Result<Report, String> {
        let (drive, mut source) = self.drive(repository)?;
        change(&mut source.replay);
        let requests = match (&source.trace, &source.workload) {
            (Some(trace), None) => rewear_trace::open(&repository.join(trace), &OpenOptions::default()),
            (None, Some(workload)) => made_up(&drive, workload),
            _ => return Err("give a trace or a workload".to_string()),
        };
        let mut requests = requests.map_err(|error| error.to_string())?;
        replay(&drive, &mut requests, &source.replay, &mut |_| true).map_err(|error| error.to_string())
    }
}

/// A workload over the whole drive.
fn made_up(drive: &Drive, workload: &str) -> Result<AnySource, TraceError> {
    let derived = drive.derived().unwrap();
    let value = |key| derived.iter().find(|item| item.key == key).unwrap().value.as_u64().unwrap();
    let (pages, page_bytes) = (value("exported_pages"), value("logical_page_bytes"));
    rewear_trace::workload(workload, &Defaults { pages, page_bytes, ..Defaults::default() })
}

/// Adds the values of `from` to `into`, tables key by key.
fn merge(into: &mut Table, from: &Table) {
    for (key, value) in from {
        match (into.get_mut(key), value) {
            (Some(Value::Table(table)), Value::Table(more)) => merge(table, more),
            _ => _ = into.insert(key.clone(), value.clone()),
        }
    }
}

/// Dotted keys and values as text, as a drive takes them.
fn flatten(key: &str, value: &Value, to: &mut Vec<(String, String)>) {
    match value {
        Value::Table(table) => {
            table.iter().for_each(|(inner, value)| flatten(&format!("{key}.{inner}"), value, to));
        }
        _ => to.push((key.to_string(), value.to_string())),
    }
}
