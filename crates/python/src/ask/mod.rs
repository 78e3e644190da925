//! Questions with structured answers: `ask(question, arguments)` takes and gives JSON text.
//!
//! Codes, cells, bounds, schemas and catalogues are functions of plain data. Each is one line of
//! [`questions!`], a function from a struct of arguments to something that has a JSON form. The
//! classes of this module are for what has a state or takes long: drives, traces, policies,
//! recordings, the replay.

mod catalogues;
mod codes;
mod physics;
mod sections;

use pyo3::prelude::*;
use rewear_codes::measure::Watch;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::errors::{configuration_error, guarded, to_json};
use crate::progress::Reporter;

/// The table of questions: a name, and the function that answers.
macro_rules! questions {
    ($($name:literal => $function:path,)*) => {
        const NAMES: &[&str] = &[$($name),*];

        fn answer(question: &str, arguments: &str, watch: &mut Watch<'_>) -> PyResult<String> {
            match question {
                $($name => run(question, arguments, watch, $function),)*
                _ => Err(configuration_error(format!(
                    "There is no question {question:?}. There are: {}.", NAMES.join(", ")
                ))),
            }
        }
    };
}

questions! {
    "bounds.coded" => catalogues::coded_bound,
    "codes.binomial-tail" => codes::binomial_tail,
    "codes.erase-factor" => codes::erase_factor,
    "codes.first-writes" => codes::first_writes,
    "codes.max-generations" => codes::max_generations,
    "codes.page-code" => codes::page_code,
    "codes.retries" => codes::retries,
    "codes.rivest-shamir" => codes::rivest_shamir,
    "codes.row" => sections::row,
    "codes.sections" => sections::sections,
    "codes.table-2" => codes::table_2,
    "codes.wom-v" => codes::wom_v,
    "codes.wom-v-writes" => codes::wom_v_writes,
    "drives" => catalogues::presets,
    "figures" => catalogues::figures,
    "lx.popularity" => catalogues::lx_popularity,
    "lx.probability" => catalogues::lx_probability,
    "lx.version" => catalogues::lx_version,
    "physics" => physics::study,
    "schema.drive" => catalogues::drive_schema,
    "schema.report" => catalogues::report_schema,
    "student-t" => catalogues::student_t_quantile,
    "trace-formats" => catalogues::trace_formats,
    "workloads" => catalogues::workloads,
}

/// A question without arguments.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

fn run<A: DeserializeOwned, R: Serialize>(
    question: &str,
    arguments: &str,
    watch: &mut Watch<'_>,
    function: impl FnOnce(A, &mut Watch<'_>) -> PyResult<R>,
) -> PyResult<String> {
    let arguments = serde_json::from_str(arguments)
        .map_err(|error| configuration_error(format!("Question {question}: {error}")))?;
    to_json(&function(arguments, watch)?)
}

/// The answer to a question as JSON text, the GIL released.
///
/// Args:
///     question: A name of the table in `crates/python/src/ask/mod.rs`.
///     arguments: JSON object; its keys are fields of the question's struct.
///     progress: Called a few times a second with the trials done; an exception that it raises ends
///         the work. So does Ctrl-C.
///
/// Raises:
///     ConfigurationError: No such question, or an argument that is unknown, missing or impossible.
///     CodeError: What a code refuses.
#[pyfunction]
pub(crate) fn ask(
    py: Python<'_>,
    question: &str,
    arguments: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<String> {
    let mut reporter = Reporter::new(progress);
    let result = py.detach(|| {
        guarded(|| {
            answer(question, arguments, &mut |done, total| reporter.report("measuring", done, Some(total)))
        })
    });
    reporter.finish(result)
}
