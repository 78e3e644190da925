//! The code of Rivest and Shamir, and the search over binary WOM codes.

use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use rewear_codes::rivest_shamir::{self, Generation, Table};

use super::arguments::{Bytes, Whole};
use super::released;
use crate::errors::code_error;

/// The code of Rivest and Shamir (1982): two bits in three binary cells, written twice.
///
/// Pages are packed from the lowest bit of byte 0 on; numbers are written as printed, the leftmost
/// bit the highest.
///
/// Args: table: "second-write" (its Table 1: cells go from 0 to 1) or "seal" (its Table I: cells go
/// from 1 to 0, other mapping).
///
/// Raises:
///     CodeError: There is no such table.
#[pyclass(frozen, module = "rewear.codes")]
pub(super) struct RivestShamir {
    table: Table,
}

#[pymethods]
impl RivestShamir {
    #[new]
    #[pyo3(signature = (table="second-write"))]
    fn new(table: &str) -> PyResult<Self> {
        match table {
            "second-write" => Ok(Self { table: Table::SECOND_WRITE }),
            "seal" => Ok(Self { table: Table::SEAL }),
            "reusable" => {
                Err(code_error("The table \"reusable\" is called \"second-write\" now.".to_string()))
            }
            _ => Err(code_error(format!("There is no table {table:?}; choose second-write or seal."))),
        }
    }

    /// The paper and the number of the table.
    #[getter]
    fn name(&self) -> &'static str {
        self.table.name()
    }

    /// Bytes of cells for `data_bytes` bytes.
    fn image_bytes(&self, data_bytes: Whole) -> PyResult<usize> {
        let image_bytes = data_bytes.0.checked_mul(12).map(|_| self.table.image_bytes(data_bytes.0));
        image_bytes.ok_or_else(|| code_error(format!("{} bytes are no page", data_bytes.0)))
    }

    /// The three cells (0 to 7) of `data` (0 to 3) in `generation` (1 or 2).
    fn codeword(&self, generation: Whole, data: Whole) -> PyResult<u8> {
        if data.0 > 3 {
            return Err(code_error(format!("data = {} are more than two bits; choose 0 to 3", data.0)));
        }
        Ok(self.table.codeword(parse_generation(generation)?, data.0 as u8))
    }

    /// The generation (1 or 2) and the data of three cells (0 to 7).
    fn data(&self, word: Whole) -> PyResult<(usize, u8)> {
        if word.0 > 7 {
            return Err(code_error(format!("word = {} is more than three cells; choose 0 to 7", word.0)));
        }
        let (generation, data) = self.table.data(word.0 as u8);
        Ok((1 + generation as usize, data))
    }

    /// Writes `data` (uint8): on an erased page, or a second time over `image`. A codeword that
    /// holds its data already stays as it is.
    ///
    /// Raises: CodeError: An image of another size, or cells that have had their second write and
    /// hold other data.
    #[pyo3(signature = (data, image=None))]
    fn encode<'py>(
        &self,
        py: Python<'py>,
        data: Bytes,
        image: Option<Bytes>,
    ) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let image = released(py, || {
            let (generation, mut image) = match image {
                None => {
                    (Generation::First, vec![self.table.erased_byte(); self.table.image_bytes(data.0.len())])
                }
                Some(image) => (Generation::Second, image.0),
            };
            self.table.encode(generation, &data.0, &mut image).map_err(code_error)?;
            Ok(image)
        })?;
        Ok(image.into_pyarray(py))
    }

    /// The data of either generation.
    ///
    /// Raises:
    ///     CodeError: An image whose size is that of no data.
    fn decode<'py>(&self, py: Python<'py>, image: Bytes) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let data = released(py, || {
            // The size of the data follows from that of the image; one that fits no data is refused
            // below.
            let mut data = vec![0; image.0.len() * 2 / 3];
            self.table.decode(&image.0, &mut data).map_err(code_error)?;
            Ok(data)
        })?;
        Ok(data.into_pyarray(py))
    }

    /// The table as the paper prints it.
    fn print(&self) -> String {
        self.table.print()
    }

    fn __repr__(&self) -> String {
        format!("<RivestShamir: {}>", self.table.name())
    }
}

fn parse_generation(generation: Whole) -> PyResult<Generation> {
    match generation.0 {
        1 => Ok(Generation::First),
        2 => Ok(Generation::Second),
        other => Err(code_error(format!("generation = {other}; the code has the generations 1 and 2"))),
    }
}

/// The most generations of any binary WOM code with `messages` messages a write in `cells` cells (1
/// to 4), by exhaustive search; encoder and decoder may know the generation. `max_generations(4,
/// 4)` is the claim of `wom-v`, section 2.
///
/// Raises:
///     CodeError: More cells than the search is done for, or fewer than two messages.
#[pyfunction]
pub(super) fn max_generations(py: Python<'_>, messages: Whole, cells: Whole) -> PyResult<u32> {
    let (messages, cells) = (messages.narrow("messages")?, cells.narrow("cells")?);
    released(py, || rivest_shamir::max_generations(messages, cells).map_err(code_error))
}
