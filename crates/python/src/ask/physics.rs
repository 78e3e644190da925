//! The study of the cell model: rates, limits, lives, reads and second writes.

use std::collections::BTreeMap;

use pyo3::prelude::*;
use rewear_codes::measure::Watch;
use rewear_flash::ConfigError;
use rewear_flash::cell_physics::{
    Age, CellConfig, Cells, CodeLimit, EccLimits, derived_modes, extended_cycles, second_write_ends_at_cycles,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::errors::configuration_error;

/// Cells of a configuration, and the ages at which they are looked at.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Study {
    /// Parameters of the cells by dotted key, as `voltage.step_v`; others have their defaults.
    #[serde(default)]
    set: BTreeMap<String, Value>,
    /// Program steps in volts; half, once and twice the normal step unless given.
    steps_v: Option<Vec<f64>>,
    /// Program/erase cycles.
    #[serde(default = "usual_cycles")]
    cycles: Vec<f64>,
    /// Hours since programming: a day, a month, three months (enterprise drives, JEDEC JESD218), a
    /// year (client drives) unless given.
    #[serde(default = "usual_hours")]
    retention_hours: Vec<f64>,
    /// Programs of a low page in an extended cycle (Margaglia and Brinkmann, section V-A).
    #[serde(default = "usual_programs")]
    programs: u32,
}

/// The three steps of AGCR; differentiated ECC uses the last two.
const STEP_RATIOS: [f64; 3] = [0.5, 1.0, 2.0];

fn usual_cycles() -> Vec<f64> {
    vec![0.0, 1000.0, 2000.0, 3000.0, 5000.0, 10_000.0]
}

fn usual_hours() -> Vec<f64> {
    vec![24.0, 720.0, 2160.0, 8760.0]
}

fn usual_programs() -> u32 {
    8
}

/// Every combination of steps, cycles and retention times.
pub(super) fn study(of: Study, _: &mut Watch<'_>) -> PyResult<Value> {
    let refuse = |problem: String| configuration_error(format!("Cell model: {problem}"));
    let config: CellConfig =
        serde_json::from_value(nested(&of.set)?).map_err(|error| refuse(error.to_string()))?;
    config.check().map_err(|error| refuse(error.to_string()))?;
    let steps = of.steps_v.unwrap_or_else(|| STEP_RATIOS.map(|ratio| ratio * config.voltage.step_v).to_vec());
    let lists = [("steps_v", &steps), ("cycles", &of.cycles), ("retention_hours", &of.retention_hours)];
    for (name, list) in lists {
        if list.is_empty() {
            return Err(configuration_error(format!("{name} is empty. Give at least one value.")));
        }
    }
    let (cycles, hours, programs) = (of.cycles, of.retention_hours, of.programs);
    let sections = Ages { config: &config, steps, cycles, hours, programs }.sections();
    let sections = sections.map_err(|error| refuse(error.to_string()))?;
    Ok(json!({ "config": config, "sections": sections }))
}

/// Dotted keys as nested tables.
fn nested(set: &BTreeMap<String, Value>) -> PyResult<Value> {
    let mut tables = Map::new();
    for (key, value) in set {
        let mut place = &mut tables;
        let (path, last) =
            key.rsplit_once('.').map_or((None, key.as_str()), |(path, last)| (Some(path), last));
        for table in path.into_iter().flat_map(|path| path.split('.')) {
            let inner = place.entry(table).or_insert_with(|| json!({}));
            place = inner.as_object_mut().ok_or_else(|| {
                configuration_error(format!(
                    "Cell model: {key}: {table} is no table. See `rewear codes physics --json` for all keys."
                ))
            })?;
        }
        place.insert(last.to_owned(), value.clone());
    }
    Ok(tables.into())
}

struct Ages<'a> {
    config: &'a CellConfig,
    steps: Vec<f64>,
    cycles: Vec<f64>,
    hours: Vec<f64>,
    programs: u32,
}

type Rows = Result<Vec<Value>, ConfigError>;

impl Ages<'_> {
    fn sections(&self) -> Result<Value, ConfigError> {
        let EccLimits { bch, ldpc } = EccLimits::new(&self.config.ecc)?;
        let codes: Vec<CodeLimit> = std::iter::once(bch).chain(ldpc).collect();
        Ok(json!({
            "limits": codes,
            "rber": self.by_hours_and_steps(|hours, step| self.rates(step, hours))?,
            "lives": self.by_hours_and_steps(|hours, step| self.lives(step, hours, &codes))?,
            "doubled_step": self.hours.iter().map(|hours| self.doubled(*hours, &codes)).collect::<Rows>()?,
            "modes": self.modes()?,
            "second_writes": self.by_hours_and_steps(|hours, step| self.second_writes(step, hours))?,
            "extended_cycles": self.extended()?,
        }))
    }

    fn by_hours_and_steps(&self, row: impl Fn(f64, f64) -> Result<Value, ConfigError>) -> Rows {
        let each = self.hours.iter().flat_map(|hours| self.steps.iter().map(move |step| (*hours, *step)));
        each.map(|(hours, step)| row(hours, step)).collect()
    }

    /// Raw bit error rates of the worst kind of page.
    fn rates(&self, step_v: f64, retention_hours: f64) -> Result<Value, ConfigError> {
        let cells = Cells::new(self.config, step_v)?;
        let rate = |&cycles: &f64| {
            let rates = cells.rber(Age { cycles, retention_hours })?.pages;
            Ok(json!({ "cycles": cycles, "rber": rates.into_iter().fold(0.0, f64::max) }))
        };
        let by_cycles = self.cycles.iter().map(rate).collect::<Rows>()?;
        Ok(json!({ "step_v": step_v, "retention_hours": retention_hours, "by_cycles": by_cycles }))
    }

    /// Cycles until the worst kind of page passes each code's limit.
    fn lives(&self, step_v: f64, retention_hours: f64, codes: &[CodeLimit]) -> Result<Value, ConfigError> {
        let by_code = self.by_code(step_v, retention_hours, codes)?;
        Ok(json!({ "step_v": step_v, "retention_hours": retention_hours, "by_code": by_code }))
    }

    fn by_code(&self, step_v: f64, hours: f64, codes: &[CodeLimit]) -> Rows {
        let cells = Cells::new(self.config, step_v)?;
        let life = |code: &CodeLimit| {
            let cycles = cells.cycles_until(code.rber, hours)?;
            Ok(json!({ "ldpc": code.ldpc, "references": code.references, "cycles": cycles }))
        };
        codes.iter().map(life).collect()
    }

    /// Until when each code reads the doubled step, beside how long the normal step lasts under BCH.
    fn doubled(&self, hours: f64, codes: &[CodeLimit]) -> Result<Value, ConfigError> {
        let step_v = self.config.voltage.step_v;
        let normal = Cells::new(self.config, step_v)?.cycles_until(codes[0].rber, hours)?;
        let doubled = self.by_code(2.0 * step_v, hours, codes)?;
        Ok(json!({ "retention_hours": hours, "normal_bch_cycles": normal, "doubled": doubled }))
    }

    /// The modes of differentiated ECC and AGCR at each age.
    fn modes(&self) -> Rows {
        let ages =
            self.hours.iter().flat_map(|hours| self.cycles.iter().map(move |cycles| (*hours, *cycles)));
        ages.map(|(hours, cycles)| {
            let modes = derived_modes(self.config, cycles, hours)?;
            Ok(json!({ "cycles": cycles, "retention_hours": hours, "modes": modes }))
        })
        .collect()
    }

    /// When a block's second writes end (Reusable SSD, section 3).
    fn second_writes(&self, step_v: f64, retention_hours: f64) -> Result<Value, ConfigError> {
        let mut row = json!(second_write_ends_at_cycles(self.config, step_v, retention_hours)?);
        row["step_v"] = json!(step_v);
        row["retention_hours"] = json!(retention_hours);
        Ok(row)
    }

    /// Low pages right after programming, on cells of two bits; on others there are none.
    fn extended(&self) -> Rows {
        if self.config.voltage.verify_v.len() != 3 {
            return Ok(Vec::new());
        }
        let row = |&cycles: &f64| {
            let age = Age { cycles, retention_hours: 0.0 };
            let mut row =
                json!(extended_cycles(self.config, self.config.voltage.step_v, self.programs, age)?);
            row["cycles"] = json!(cycles);
            Ok(row)
        };
        self.cycles.iter().map(row).collect()
    }
}
