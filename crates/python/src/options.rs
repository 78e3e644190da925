//! Replay options as they come from Python: a JSON object whose keys are those of
//! [`rewear_sim::ReplayOptions`].

use pyo3::prelude::*;

use crate::errors::configuration_error;

/// Parses the options; an unknown key or an impossible value is a configuration error.
pub(crate) fn replay_options(text: &str) -> PyResult<rewear_sim::ReplayOptions> {
    serde_json::from_str(text).map_err(|error| {
        configuration_error(format!(
            "A replay option is wrong: {error}. See the arguments of Drive.replay, or rewear run -h."
        ))
    })
}
