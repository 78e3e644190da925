//! The parameters of a coset code and the sizes that follow from them.

use super::capacity;
use super::plan::{WritePlan, plan};
use crate::CodeError;

/// A coset code for pages of one size: cells of `2^bits` levels with a fixed number of writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code {
    bits: u8,
    data_bytes: usize,
    /// Words of a page, which are searched side by side; a multiple of 8.
    words: usize,
    /// Cells of a word.
    columns: usize,
    writes: Vec<WritePlan>,
}

/// Cells of a word below which a page is divided into fewer words: the ends of words cost.
const LEAST_COLUMNS: usize = 128;

impl Code {
    /// The code of cells of `bits` bits (2 to 4) that holds `data_bytes` bytes in about
    /// `1 / rate` times as many, `writes` times between two erases.
    ///
    /// # Errors
    /// [`CodeError::Parameters`] for other numbers of bits, rates outside 0 to 1, no data, and more
    /// writes than the sum capacity has room for.
    pub fn new(bits: u8, rate: f64, data_bytes: usize, writes: u32) -> Result<Code, CodeError> {
        let payload = f64::from(bits) * rate;
        if !((2..=4).contains(&bits) && rate > 0.0 && rate <= 1.0) {
            return Code::with(bits, rate, data_bytes, writes);
        }
        let most = capacity::most_writes(bits, payload);
        if writes == 0 || writes > most {
            return Err(wrong(format!(
                "cells of {bits} bits take {most} writes at the rate {rate}; choose from 1 to that, not {writes}"
            )));
        }
        Code::with(bits, rate, data_bytes, writes)
    }

    fn with(bits: u8, rate: f64, data_bytes: usize, writes: u32) -> Result<Code, CodeError> {
        if !(2..=4).contains(&bits) {
            return Err(wrong(format!("cells of {bits} bits have no code; choose 2, 3 or 4")));
        }
        let payload = f64::from(bits) * rate;
        if !(rate > 0.0 && rate <= 1.0) || data_bytes == 0 {
            return Err(wrong(format!("no code has the rate {rate} and pages of {data_bytes} bytes")));
        }
        let cells = 8.0 * data_bytes as f64 / payload;
        let words =
            [64, 32, 16].into_iter().find(|&words| cells >= (words * LEAST_COLUMNS) as f64).unwrap_or(8);
        let rows = (8 * data_bytes).div_ceil(words);
        // Three decimals of a rate say no more than this.
        let columns = libm::ceil(rows as f64 / payload - 1e-6) as usize;
        let planned = if writes == 0 { None } else { plan(bits, rows, columns, writes) };
        let Some(writes) = planned else {
            return Err(wrong(format!(
                "{writes} equal writes at the rate {rate} do not fit; choose fewer writes or a lower rate"
            )));
        };
        Ok(Code { bits, data_bytes, words, columns, writes })
    }

    /// Bits of a cell.
    pub fn bits(&self) -> u8 {
        self.bits
    }

    /// Bytes of data in a page.
    pub fn data_bytes(&self) -> usize {
        self.data_bytes
    }

    /// Data bits for each bit of a cell, as the sizes of this page come out.
    pub fn rate(&self) -> f64 {
        8.0 * self.data_bytes as f64 / (self.cells() * usize::from(self.bits)) as f64
    }

    /// Writes between two erases.
    pub fn writes(&self) -> u32 {
        self.writes.len() as u32
    }

    /// Cells of a page.
    pub fn cells(&self) -> usize {
        self.words * self.columns
    }

    /// Bytes of the packed cell image: two cells a byte.
    pub fn image_bytes(&self) -> usize {
        self.cells() / 2
    }

    /// Words of a page, which are searched for side by side.
    pub fn words(&self) -> usize {
        self.words
    }

    pub(super) fn columns(&self) -> usize {
        self.columns
    }

    pub(super) fn plan(&self, write: u32) -> Result<&WritePlan, CodeError> {
        let count = self.writes.len();
        self.writes.get(write as usize).ok_or(CodeError::Range { what: "write", count, got: write as usize })
    }
}

fn wrong(problem: String) -> CodeError {
    CodeError::Parameters { code: "coset", problem }
}
