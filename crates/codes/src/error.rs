//! The errors of all codes in this crate.

use thiserror::Error;

/// Why a code refused its parameters or its input.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CodeError {
    /// The code does not exist with these parameters.
    #[error("{code}: {problem}")]
    Parameters {
        /// The requested family of codes.
        code: &'static str,
        /// The fault of the parameters, and which ones are possible.
        problem: String,
    },
    /// A buffer has the wrong length.
    #[error("{what} holds {got} {unit}, but this code needs {expected}; pass a buffer of {expected} {unit}")]
    Size {
        /// Which argument.
        what: &'static str,
        /// The unit of the counts.
        unit: &'static str,
        /// The length the code needs.
        expected: usize,
        /// The length that was passed.
        got: usize,
    },
    /// An index lies outside its range.
    #[error("{what} {got} is out of range; the code has {count} (0 to {})", count.saturating_sub(1))]
    Range {
        /// The name of the items that are counted.
        what: &'static str,
        /// How many there are.
        count: usize,
        /// The index that was passed.
        got: usize,
    },
    /// A cell holds a level, or a group of cells a pattern, that the code never writes.
    #[error("cell {cell} holds {found}, which {code} never writes; was this page written with another code?")]
    NotACodeword {
        /// The family of codes that read the cell.
        code: &'static str,
        /// The first offending cell.
        cell: usize,
        /// Its level or pattern.
        found: u32,
    },
    /// The watch of a measurement ended it.
    #[error("the measurement was interrupted after {done} trials")]
    Interrupted {
        /// Trials done until then.
        done: u64,
    },
}

impl CodeError {
    /// `Ok` when `got == expected`, else [`CodeError::Size`] in bytes.
    pub(crate) fn check_bytes(what: &'static str, got: usize, expected: usize) -> Result<(), CodeError> {
        if got == expected { Ok(()) } else { Err(CodeError::Size { what, unit: "bytes", expected, got }) }
    }
}
