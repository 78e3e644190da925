//! How little a drive could write if the future were known, with the GIL released.

use pyo3::prelude::*;

use crate::drive::Drive;
use crate::errors::{configuration_error, guarded, to_json};
use crate::options::replay_options;
use crate::progress::Reporter;
use crate::replay::{phase, replay_error};
use crate::source::any_source;

/// JSON object of the bound of `drive` under `source`; see [`rewear_sim::bound::bound`].
pub(crate) fn bound(
    py: Python<'_>,
    drive: &Drive,
    source: &Bound<'_, PyAny>,
    options: &str,
    open_units: Vec<i64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let options = replay_options(options)?;
    // Numbers beyond the largest are refused by their size.
    let open_units: Vec<u32> = open_units
        .into_iter()
        .map(|open| {
            u32::try_from(open).map_err(|_| {
                configuration_error(format!(
                    "{open} open units. Give a number from 1 to what the spare flash has room for."
                ))
            })
        })
        .collect::<PyResult<_>>()?;
    let mut source = any_source(source)?;
    let mut reporter = Reporter::new(progress);
    let result = py.detach(|| {
        guarded(|| {
            let mut progress =
                |state: rewear_sim::Progress| reporter.report(phase(state.stage), state.done, state.total);
            let found =
                rewear_sim::bound::bound(&drive.drive, &mut *source, &options, &open_units, &mut progress)
                    .map_err(replay_error)?;
            to_json(&found)
        })
    });
    reporter.finish(result)
}
