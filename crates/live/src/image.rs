//! The image file of a live drive: opening it, mounting the drive from it, and saying how another
//! drive differs.

use std::path::Path;
use std::time::Instant;

use rewear_flash::ConfigError;
use rewear_flash::medium::{Image, ImageError, ImageShape, Stored};
use rewear_ftl::recovery::{LogConfig, RecoveryConfig};
use rewear_ftl::{DriveConfig, Ftl};
use serde_json::Value;

use crate::error::LiveError;
use crate::snapshot::Mounted;

/// A drive in an image keeps records and a log, whatever its configuration says: without them it
/// could not be mounted. So does one whose cells are misread: only its record tells whether a page
/// is right.
pub(crate) fn with_recovery(mut config: DriveConfig) -> DriveConfig {
    if config.ftl.recovery.log().is_none() {
        config.ftl.recovery = RecoveryConfig::Log(LogConfig::default());
    }
    config
}

/// The drive in an image, which is made where there is none, sparse if so asked. The report is absent where it was made
/// just now.
///
/// # Errors
/// An image that is none, is in use or is that of another drive; cells that contradict each other.
pub(crate) fn mount(
    config: &DriveConfig,
    path: &Path,
    is_sparse: bool,
) -> Result<(Ftl, Option<Mounted>), LiveError> {
    let mut ftl = Ftl::new(config)?;
    let geometry = *ftl.array().geometry();
    let Some(format) = ftl.array().stored().map(Stored::format) else {
        return Err(LiveError::Config(ConfigError::new(
            "flash.medium",
            "an image holds stored cells",
            "set flash.medium = \"stored\"",
        )));
    };
    let drive = identity(config);
    let (blocks, pages_per_block) = (geometry.blocks(), geometry.pages_per_block);
    let shape = ImageShape { format, blocks, pages_per_block, drive: &drive, is_sparse };
    let image = Image::open(path, shape).map_err(|error| said_why(error, &drive))?;
    let is_new = image.is_new();
    let began = Instant::now();
    let report = ftl.attach(Stored::on_image(format, pages_per_block, image))?;
    let mounted = Mounted {
        records_read: report.records_read,
        log_pages_read: report.log_pages_read,
        journal_changes: report.journal_changes,
        torn_pages: report.torn_pages,
        damaged_pages: report.damaged_pages,
        took_ns: u64::try_from(began.elapsed().as_nanos()).unwrap_or(u64::MAX),
    };
    Ok((ftl, (!is_new).then_some(mounted)))
}

/// What decides what lies in the cells and what it means: the configuration without name, times and
/// energies.
fn identity(config: &DriveConfig) -> String {
    let mut tables = serde_json::to_value(config).unwrap_or_default();
    for pointer in ["", "/flash"] {
        if let Some(table) = tables.pointer_mut(pointer).and_then(Value::as_object_mut) {
            for key in ["name", "description", "timing", "energy"] {
                table.remove(key);
            }
        }
    }
    tables.to_string()
}

/// Says in which keys the drive of an image differs.
fn said_why(error: ImageError, wanted: &str) -> LiveError {
    let ImageError::OtherDrive { path, found } = &error else { return LiveError::Image(error) };
    let mut differences = Vec::new();
    if let (Ok(found), Ok(wanted)) = (serde_json::from_str(found), serde_json::from_str(wanted)) {
        compare("", &found, &wanted, &mut differences);
    }
    if differences.is_empty() {
        return LiveError::Image(error);
    }
    LiveError::Options(format!(
        "{} is the image of another drive: {}. Serve it with the configuration that it was made with, or give another path",
        path.display(),
        differences.join("; ")
    ))
}

fn compare(key: &str, found: &Value, wanted: &Value, differences: &mut Vec<String>) {
    let (Value::Object(found_table), Value::Object(wanted_table)) = (found, wanted) else {
        if found != wanted {
            differences.push(format!("{key} is {found} in the image and {wanted} here"));
        }
        return;
    };
    let keys: std::collections::BTreeSet<_> = found_table.keys().chain(wanted_table.keys()).collect();
    for name in keys {
        let key = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
        compare(&key, &found[name.as_str()], &wanted[name.as_str()], differences);
    }
}
