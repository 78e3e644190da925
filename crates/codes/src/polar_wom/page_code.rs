//! Where the bits of a second write go: pages, spare areas and presets.

use super::code::{PolarWom, Retry};
use super::field::FIELD_BYTES;
use crate::CodeError;

/// A division of work between the programmed pages and the clean spare cells (`second-write`,
/// figure 4).
///
/// Shares are for a 4 KB page and scale with it. "Storage" is what a second write occupies relative
/// to its data: `3 - 2 R` for a share R of the data in the polar code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Preset {
    /// The paper's 210%: 29488 of 32768 bits in the polar code, 205 spare bytes a page.
    Paper210,
    /// The success rate the paper gives for 210%, 95%: 28960 bits, 238 spare bytes a page.
    PaperP95,
}

impl Preset {
    /// All presets.
    pub const ALL: [Preset; 2] = [Preset::Paper210, Preset::PaperP95];

    /// Spare bytes that each page of `page_bytes` bytes contributes.
    pub fn raw_bytes(self, page_bytes: usize) -> usize {
        let of_4096 = match self {
            Preset::Paper210 => 205,
            Preset::PaperP95 => 238,
        };
        (page_bytes * of_4096).div_ceil(4096)
    }
}

/// A second write of one page's data on two pages: the polar code on their cells, the rest raw in
/// their spare areas.
///
/// Layout of a spare area: the field of the first write ([`FIELD_BYTES`]), the field of the second
/// write, then [`PageCode::raw_bytes`] raw bytes. What follows belongs to the caller's
/// error-correcting code.
#[derive(Debug, Clone)]
pub struct PageCode {
    polar: PolarWom,
    page_bytes: usize,
    raw_bytes: usize,
    retry: Retry,
}

impl PageCode {
    /// A preset for pages of `page_bytes` bytes, retrying by rotation.
    ///
    /// # Errors
    /// [`CodeError::Parameters`] for a page size that is no power of two from 64 bytes to 64 KB.
    pub fn new(page_bytes: usize, preset: Preset) -> Result<PageCode, CodeError> {
        PageCode::with_raw_bytes(page_bytes, preset.raw_bytes(page_bytes), Retry::Rotation)
    }

    /// Any division: `raw_bytes` bytes of the data go to the spare area of each page. The kind of
    /// retry is part of the code, because a reader has to know it.
    ///
    /// # Errors
    /// [`CodeError::Parameters`] for a page size that is no power of two from 64 bytes to 64 KB, or
    /// for more raw bytes than half a page.
    pub fn with_raw_bytes(page_bytes: usize, raw_bytes: usize, retry: Retry) -> Result<PageCode, CodeError> {
        let refuse = |problem| Err(CodeError::Parameters { code: "second write", problem });
        if !page_bytes.is_power_of_two() || !(64..=1 << 16).contains(&page_bytes) {
            return refuse(format!("pages of {page_bytes} bytes; choose a power of two from 64 to 65536"));
        }
        if 2 * raw_bytes >= page_bytes {
            return refuse(format!(
                "{raw_bytes} raw bytes a page leave nothing of {page_bytes} for the polar code"
            ));
        }
        let polar = PolarWom::new(16 * page_bytes, 8 * (page_bytes - 2 * raw_bytes))?;
        Ok(PageCode { polar, page_bytes, raw_bytes, retry })
    }

    /// The code on the cells of the two pages, the first page's cells first.
    pub fn polar(&self) -> &PolarWom {
        &self.polar
    }

    /// Bytes of a physical page, and of the data of a second write.
    pub fn page_bytes(&self) -> usize {
        self.page_bytes
    }

    /// Raw data bytes in each page's spare area.
    pub fn raw_bytes(&self) -> usize {
        self.raw_bytes
    }

    /// Spare bytes of each page that first and second writes need, fields included.
    pub fn spare_bytes(&self) -> usize {
        2 * FIELD_BYTES + self.raw_bytes
    }

    /// Data bytes in the polar code.
    pub fn polar_bytes(&self) -> usize {
        self.page_bytes - 2 * self.raw_bytes
    }

    /// The change that a second attempt makes.
    pub fn retry(&self) -> Retry {
        self.retry
    }

    /// The rotation of an attempt.
    pub(super) fn rotation(&self, attempt: u8) -> u8 {
        match self.retry {
            Retry::Rotation => attempt,
            Retry::Dither => 0,
        }
    }
}
