//! A drive from TOML text and overrides.

use rewear_flash::ConfigError;
use rewear_ftl::{DriveConfig, Shape};
use serde::Deserialize;

use crate::derived::{Derived, derive};

/// A checked drive.
#[derive(Debug, Clone)]
pub struct Drive {
    config: DriveConfig,
}

impl Drive {
    /// Reads a drive's TOML. `origin` names the text in messages (a file or preset); `overrides`
    /// are dotted keys and values, e.g. `("ftl.over_provisioning", "0.28")`. Overriding the
    /// `scheme` of an axis drops the axis' other parameters.
    ///
    /// # Errors
    /// Text that is no TOML, an unknown key, a wrong type (with line and column), an impossible
    /// value.
    pub fn from_toml(text: &str, origin: &str, overrides: &[(String, String)]) -> Result<Drive, ConfigError> {
        let strict: Result<DriveConfig, _> = toml::from_str(text);
        let as_written = strict.map_err(|error| located(text, origin, &error))?;
        let config = if overrides.is_empty() { as_written } else { overridden(text, origin, overrides)? };
        Drive::new(config).map_err(|error| ConfigError { key: format!("{origin}: {}", error.key), ..error })
    }

    /// Checks a configuration.
    ///
    /// # Errors
    /// An impossible value.
    pub fn new(config: DriveConfig) -> Result<Drive, ConfigError> {
        Shape::new(&config)?;
        rewear_flash::Energy::new(&*config.coded_flash()?)?;
        Ok(Drive { config })
    }

    /// The drive's name.
    pub fn name(&self) -> &str {
        &self.config.name
    }

    /// The full configuration, defaults included.
    pub fn configuration(&self) -> &DriveConfig {
        &self.config
    }

    /// Every quantity that follows from the configuration.
    ///
    /// # Errors
    /// None for a drive that was checked.
    pub fn derived(&self) -> Result<Vec<Derived>, ConfigError> {
        derive(&self.config)
    }
}

/// The JSON schema of a drive's configuration.
pub fn configuration_schema() -> serde_json::Value {
    schemars::schema_for!(DriveConfig).to_value()
}

/// The JSON schema of a report, as `Report` serializes.
pub fn report_schema() -> serde_json::Value {
    schemars::generate::SchemaSettings::draft2020_12()
        .for_serialize()
        .into_generator()
        .into_root_schema_for::<crate::Report>()
        .to_value()
}

fn overridden(text: &str, origin: &str, overrides: &[(String, String)]) -> Result<DriveConfig, ConfigError> {
    let mut table: toml::Table = toml::from_str(text).map_err(|error| located(text, origin, &error))?;
    // Schemes first: the parameters that follow belong to the new scheme.
    let (schemes, rest): (Vec<_>, Vec<_>) = overrides.iter().partition(|(key, _)| key.ends_with(".scheme"));
    for (key, value) in schemes.into_iter().chain(rest) {
        apply(&mut table, key, value)?;
    }
    DriveConfig::deserialize(toml::Value::Table(table)).map_err(|error| {
        let keys: Vec<_> = overrides.iter().map(|(key, value)| format!("{key}={value}")).collect();
        ConfigError::new(
            format!("the settings {}", keys.join(", ")),
            error.message().trim().replace('\n', " "),
            "give a key and a value that `rewear list schema` describes",
        )
    })
}

fn apply(table: &mut toml::Table, key: &str, value: &str) -> Result<(), ConfigError> {
    let wrong = |problem: &str| {
        ConfigError::new(
            format!("the setting {key}={value}"),
            problem,
            "give a dotted key such as ftl.over_provisioning=0.28 (`rewear list schema` lists all)",
        )
    };
    let parts: Vec<&str> = key.split('.').collect();
    let (Some((last, path)), false) = (parts.split_last(), parts.iter().any(|part| part.is_empty())) else {
        return Err(wrong("an empty key"));
    };
    let mut table = table;
    for part in path {
        let entry = table.entry(*part).or_insert_with(|| toml::Value::Table(toml::Table::new()));
        table = entry.as_table_mut().ok_or_else(|| wrong(&format!("{part} is a value, not a table")))?;
    }
    let value = parse_value(value);
    if *last == "scheme" && table.get("scheme") != Some(&value) {
        table.clear();
    }
    table.insert((*last).to_string(), value);
    Ok(())
}

/// A TOML value if it is one, else the text itself: `reuse.scheme=wom-v` needs no quotes.
fn parse_value(text: &str) -> toml::Value {
    match toml::from_str::<toml::Table>(&format!("value = {text}")) {
        Ok(mut table) if table.len() == 1 => {
            table.remove("value").unwrap_or_else(|| toml::Value::String(text.to_string()))
        }
        _ => toml::Value::String(text.to_string()),
    }
}

fn located(text: &str, origin: &str, error: &toml::de::Error) -> ConfigError {
    let place = match error.span() {
        Some(span) => {
            let before = &text[..span.start.min(text.len())];
            let line = before.matches('\n').count() + 1;
            let column = before.rsplit('\n').next().map_or(0, |tail| tail.chars().count()) + 1;
            format!("{origin}, line {line}, column {column}")
        }
        None => origin.to_string(),
    };
    ConfigError::new(
        place,
        error.message().trim().replace('\n', " "),
        "correct the file (`rewear list schema` describes every key)",
    )
}
