//! Drives as users describe them: files, and parameters changed by `--set`.

use rewear_sim::Drive;

use crate::edits::edited;
use crate::input::Input;

/// The drives that come along.
pub static PRESETS: [&str; 10] = [
    include_str!("../../../presets/qlc.toml"),
    include_str!("../../../presets/qlc-wom-v.toml"),
    include_str!("../../../presets/second-write-toshiba.toml"),
    include_str!("../../../presets/differentiated-ecc-mlc.toml"),
    include_str!("../../../presets/lx-slc-dedup.toml"),
    include_str!("../../../presets/samsung-mlc.toml"),
    include_str!("../../../presets/disksim.toml"),
    include_str!("../../../presets/tlc-3d.toml"),
    include_str!("../../../presets/hynix-mlc.toml"),
    include_str!("../../../presets/qlc-3d.toml"),
];

/// Reads any text, or an edited preset, as a drive.
pub fn drive_file(input: &[u8]) {
    let mut input = Input(input);
    let content = match input.below(8) {
        0 => input.0.to_vec(),
        _ => {
            let preset = PRESETS[input.below(PRESETS.len())];
            edited(preset.as_bytes(), &mut input)
        }
    };
    check(&String::from_utf8_lossy(&content), &[]);
}

/// Values of all types, at their limits.
const VALUES: [&str; 24] = [
    "0",
    "1",
    "2",
    "3",
    "8",
    "64",
    "4096",
    "65536",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "-1",
    "0.0",
    "0.07",
    "1.0",
    "1e300",
    "nan",
    "true",
    "steady",
    "drive",
    "[1, 2]",
    "[]",
    "{a = 1}",
];

/// Changes parameters of a preset: keys that there are and keys that there are not, values of any
/// kind.
pub fn set(input: &[u8]) {
    let mut input = Input(input);
    let preset = PRESETS[input.below(PRESETS.len())];
    let keys = &*KEYS;
    let settings: Vec<(String, String)> = (0..1 + input.below(3))
        .map(|_| {
            let key = match input.byte() {
                0..=15 => text(&mut input),
                choice => keys[(usize::from(choice) << 8 | usize::from(input.byte())) % keys.len()].clone(),
            };
            let value = match input.byte() {
                0..=63 => text(&mut input),
                choice => VALUES[usize::from(choice) % VALUES.len()].to_owned(),
            };
            (key, value)
        })
        .collect();
    check(preset, &settings);
}

fn text(input: &mut Input<'_>) -> String {
    let length = input.below(24);
    String::from_utf8_lossy(&input.bytes(length)).into_owned()
}

/// Every dotted key of the schema, as far as properties nest.
static KEYS: std::sync::LazyLock<Vec<String>> = std::sync::LazyLock::new(|| {
    let schema = rewear_sim::configuration_schema();
    let mut keys = Vec::new();
    gather(&schema, &schema, "", 0, &mut keys);
    keys.sort();
    keys.dedup();
    keys
});

fn gather(
    schema: &serde_json::Value,
    node: &serde_json::Value,
    path: &str,
    depth: u32,
    keys: &mut Vec<String>,
) {
    if depth > 12 {
        return;
    }
    let reference = node.get("$ref").and_then(|name| name.as_str());
    if let Some(target) = reference.and_then(|name| schema.pointer(name.trim_start_matches('#'))) {
        gather(schema, target, path, depth + 1, keys);
    }
    for several in ["oneOf", "anyOf", "allOf"] {
        for one in node.get(several).and_then(|list| list.as_array()).into_iter().flatten() {
            gather(schema, one, path, depth + 1, keys);
        }
    }
    for (name, child) in node.get("properties").and_then(|list| list.as_object()).into_iter().flatten() {
        let key = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        keys.push(key.clone());
        gather(schema, child, &key, depth + 1, keys);
    }
}

/// A description is refused with what is wrong, or every quantity follows from it.
fn check(text: &str, settings: &[(String, String)]) {
    match Drive::from_toml(text, "drive.toml", settings) {
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok(drive) => drop(drive.derived().expect("everything follows from a checked drive")),
    }
}
