//! Arguments from Python, copied: arrays, pairs of pages, whole numbers.
//!
//! A value of a wrong type is a `TypeError` to which PyO3 adds the name of the argument.

use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::errors::code_error;
use crate::whole::whole;

/// Bytes, from a one-dimensional array of uint8.
pub(super) struct Bytes(pub(super) Vec<u8>);

impl<'a, 'py> FromPyObject<'a, 'py> for Bytes {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        vector(value, "uint8").map(Self)
    }
}

/// LLRs, from a one-dimensional array of int8.
pub(super) struct Llrs(pub(super) Vec<i8>);

impl<'a, 'py> FromPyObject<'a, 'py> for Llrs {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        vector(value, "int8").map(Self)
    }
}

/// Numbers, from a one-dimensional array of float64.
pub(crate) struct Floats(pub(crate) Vec<f64>);

impl<'a, 'py> FromPyObject<'a, 'py> for Floats {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        vector(value, "float64").map(Self)
    }
}

/// Buffers of two pages, from an array of uint8 with two rows.
pub(super) struct TwoRows(pub(super) [Vec<u8>; 2]);

impl<'a, 'py> FromPyObject<'a, 'py> for TwoRows {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let wrong = || {
            let found = describe(value);
            PyTypeError::new_err(format!("needs a numpy array of uint8 with two rows, not {found}"))
        };
        let array = value.cast::<PyArray2<u8>>().map_err(|_| wrong())?;
        let array = array.try_readonly()?;
        let rows = array.as_array();
        match rows.outer_iter().collect::<Vec<_>>().as_slice() {
            [first, second] => Ok(Self([first.to_vec(), second.to_vec()])),
            _ => Err(wrong()),
        }
    }
}

/// Bit or cell indices, from an array of integers or any sequence of them.
pub(super) struct Indices(pub(super) Vec<u32>);

impl<'a, 'py> FromPyObject<'a, 'py> for Indices {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let numbers: Vec<i64> = value.extract().map_err(|_| {
            PyTypeError::new_err(format!(
                "needs a one-dimensional array or a sequence of integers, not {}",
                describe(value)
            ))
        })?;
        let index = |number: i64| {
            u32::try_from(number)
                .map_err(|_| code_error(format!("{number} is no index of a bit; count from 0")))
        };
        numbers.into_iter().map(index).collect::<PyResult<_>>().map(Self)
    }
}

/// A whole number from 0 up.
#[derive(Clone, Copy)]
pub(super) struct Whole(pub(super) usize);

impl<'a, 'py> FromPyObject<'a, 'py> for Whole {
    type Error = PyErr;

    fn extract(value: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        whole(value, code_error).map(|number| Self(number as usize))
    }
}

impl Whole {
    /// The number as a `u64`.
    pub(super) fn u64(self) -> u64 {
        self.0 as u64
    }

    /// The number as a smaller type, or an error that names the argument.
    pub(super) fn narrow<T: TryFrom<usize>>(self, name: &str) -> PyResult<T> {
        T::try_from(self.0).map_err(|_| {
            let most = u128::MAX >> (128 - 8 * size_of::<T>());
            code_error(format!("{name} = {} is out of range; it is at most {most}", self.0))
        })
    }
}

fn vector<T: Element + Clone>(value: Borrowed<'_, '_, PyAny>, name: &str) -> PyResult<Vec<T>> {
    let Ok(array) = value.cast::<PyArray1<T>>() else {
        let found = describe(value);
        return Err(PyTypeError::new_err(format!(
            "needs a one-dimensional numpy array of {name}, not {found}"
        )));
    };
    Ok(array.try_readonly()?.as_array().to_vec())
}

/// A value in the words of an error.
fn describe(value: Borrowed<'_, '_, PyAny>) -> String {
    let kind = value.get_type().name().map_or_else(|_| "something else".to_owned(), |name| name.to_string());
    match value.cast::<PyUntypedArray>() {
        Ok(array) => format!("an array of {} with shape {:?}", array.dtype(), array.shape()),
        Err(_) => format!("a value of type {kind}"),
    }
}
