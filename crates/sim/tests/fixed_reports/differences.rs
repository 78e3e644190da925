//! In which fields two reports differ.

use serde_json::Value;

/// Lines shown of one pair of reports.
const MOST_LINES: usize = 40;

/// A line for each field that differs: its path, what it was and what it is.
pub(crate) fn between(earlier: &str, now: &str) -> Vec<String> {
    let (was, is) = (serde_json::from_str(earlier).unwrap(), serde_json::from_str(now).unwrap());
    let mut lines = Vec::new();
    collect("", &was, &is, &mut lines);
    if lines.is_empty() {
        lines.push("the order of fields or the format of numbers".to_string());
    }
    if lines.len() > MOST_LINES {
        let more = lines.len() - MOST_LINES;
        lines.truncate(MOST_LINES);
        lines.push(format!("and {more} more"));
    }
    lines
}

fn collect(path: &str, was: &Value, is: &Value, lines: &mut Vec<String>) {
    match (was, is) {
        (Value::Object(old), Value::Object(new)) => {
            let keys = old.keys().chain(new.keys().filter(|key| !old.contains_key(*key)));
            for key in keys {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                match (old.get(key), new.get(key)) {
                    (Some(was), Some(is)) => collect(&path, was, is, lines),
                    (Some(was), None) => lines.push(format!("{path}: {was} -> absent")),
                    (_, is) => lines.push(format!("{path}: absent -> {}", is.unwrap_or(&Value::Null))),
                }
            }
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            for (at, (was, is)) in old.iter().zip(new).enumerate() {
                collect(&format!("{path}[{at}]"), was, is, lines);
            }
        }
        _ if was == is => {}
        _ => lines.push(format!("{path}: {was} -> {is}")),
    }
}

#[test]
fn changed_added_and_removed_fields_are_named_with_their_values() {
    let lines = between(
        r#"{"a": 1, "b": {"c": [1, 2], "d": "x"}, "gone": null}"#,
        r#"{"a": 1, "b": {"c": [1, 3], "d": "y"}, "new": 0.5}"#,
    );
    assert_eq!(
        lines,
        ["b.c[1]: 2 -> 3", "b.d: \"x\" -> \"y\"", "gone: null -> absent", "new: absent -> 0.5"]
    );
}
