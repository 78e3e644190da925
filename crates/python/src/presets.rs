//! The preset drives: every `presets/*.toml` of the repository, compiled in.

use std::collections::BTreeMap;

use include_dir::{Dir, include_dir};
use pyo3::prelude::*;

static DRIVES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../presets");

/// Name of each preset drive -> its TOML text.
#[pyfunction]
pub(crate) fn presets() -> BTreeMap<&'static str, &'static str> {
    DRIVES
        .files()
        .filter(|file| file.path().extension().is_some_and(|extension| extension == "toml"))
        .filter_map(|file| Some((file.path().file_stem()?.to_str()?, file.contents_utf8()?)))
        .collect()
}
