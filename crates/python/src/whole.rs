//! Whole numbers from Python, where they have any length.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::errors::configuration_error;

/// A whole number from 0 up.
pub(crate) struct Whole(pub(crate) u64);

impl<'a, 'py> FromPyObject<'a, 'py> for Whole {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        whole(value, configuration_error).map(Self)
    }
}

/// The number that `value` is; `refuse` makes the error of one that is out of range.
pub(crate) fn whole(value: Borrowed<'_, '_, PyAny>, refuse: impl Fn(String) -> PyErr) -> PyResult<u64> {
    match value.extract::<u64>() {
        Ok(number) => Ok(number),
        Err(error) if error.is_instance_of::<PyTypeError>(value.py()) => Err(error),
        // Python writes out no numbers of more than some thousand digits.
        Err(_) => {
            let shown = value.str().map_or_else(|_| "a number that long".to_owned(), |text| text.to_string());
            Err(refuse(format!("{shown} must be a whole number from 0 to 2^64 - 1")))
        }
    }
}
