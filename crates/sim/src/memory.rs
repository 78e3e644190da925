//! Whether a drive's model fits into the memory that is there, before any of it is taken.

use rewear_flash::ConfigError;
use rewear_ftl::{DriveConfig, Shape};

/// What a replay takes of the address space beside the model: threads, batches of requests, the
/// report.
const BESIDE_MODEL_BYTES: u64 = 128 << 20;

/// Compares what the model takes at most with the memory that can be had now.
///
/// # Errors
/// It does not fit. Where the system does not tell (no `/proc/meminfo`), nothing is refused.
pub fn check(config: &DriveConfig) -> Result<(), ConfigError> {
    let needed = needed_bytes(config)?;
    match available_bytes() {
        Some(available) if needed > available => Err(ConfigError::new(
            "flash.blocks_per_plane",
            format!(
                "the model of this drive takes up to {needed} bytes of memory, and {available} are available"
            ),
            "give fewer blocks, flash.medium = \"modelled\" if the cells are stored, or more memory (ulimit -v)",
        )),
        _ => Ok(()),
    }
}

/// Whether the model leaves most of the memory that is available now to others.
///
/// # Errors
/// A configuration that is no drive.
pub fn is_modest(config: &DriveConfig) -> Result<bool, ConfigError> {
    let needed = needed_bytes(config)?;
    Ok(available_bytes().is_some_and(|available| needed <= available / 4))
}

/// What the model takes at most.
fn needed_bytes(config: &DriveConfig) -> Result<u64, ConfigError> {
    let shape = Shape::new(config)?;
    Ok(shape.model_memory_bytes() + shape.cells_bytes)
}

/// What can be had now: of the machine, and of the address space that this process may still take
/// (`ulimit -v`).
pub(crate) fn available_bytes() -> Option<u64> {
    [machine_bytes(), address_space_bytes()].into_iter().flatten().min()
}

fn machine_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// `None` where there is no limit.
fn address_space_bytes() -> Option<u64> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let limit: u64 = line.split_whitespace().next()?.parse().ok()?;
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmSize:"))?;
    let taken: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(limit.saturating_sub(taken * 1024).saturating_sub(BESIDE_MODEL_BYTES))
}

#[cfg(test)]
mod tests {
    use rewear_ftl::Shape;

    use crate::Drive;

    #[test]
    fn a_drive_larger_than_the_memory_is_refused_before_it_is_built() {
        let qlc = include_str!("../../../presets/qlc.toml");
        let huge = [("flash.medium", "stored"), ("flash.blocks_per_plane", "1500000")];
        let huge = huge.map(|(key, value)| (key.to_string(), value.to_string()));
        // 12 TB of stored cells.
        let drive = Drive::from_toml(qlc, "qlc", &huge).expect("a drive that page numbers can name");
        if super::available_bytes().is_some() {
            assert!(super::check(drive.configuration()).is_err());
        }
        assert!(super::check(Drive::from_toml(qlc, "qlc", &[]).expect("a preset").configuration()).is_ok());
    }
    /// `tests/memory.rs` holds that a model takes no more than what its shape says.
    #[test]
    fn large_drives_of_4_kib_pages_take_less_than_7_4_bytes_a_page() {
        let qlc = include_str!("../../../presets/qlc-op28.toml");
        for (flash_bytes, blocks_per_plane, most_bytes) in [(1.0e12, 954, 2e9), (7.68e12, 7153, 14e9)] {
            let blocks = blocks_per_plane.to_string();
            let settings = [
                ("flash.dies_per_channel", "8"),
                ("flash.planes_per_die", "4"),
                ("flash.pages_per_block", "1024"),
                ("flash.blocks_per_plane", &blocks),
                ("ftl.erase_unit", "block"),
            ];
            let settings = settings.map(|(key, value)| (key.to_owned(), value.to_owned()));
            let drive = Drive::from_toml(qlc, "large", &settings).expect("a drive");
            let shape = Shape::new(drive.configuration()).expect("a shape");
            let pages = u64::from(shape.layout.slots());
            assert!(pages as f64 * 4096.0 >= flash_bytes, "{pages}");
            let bytes = shape.model_memory_bytes() as f64;
            assert!(bytes < 7.4 * pages as f64, "{bytes} for {pages}");
            assert!(bytes <= most_bytes, "{bytes} for {pages}");
        }
    }
}
