//! Reuse `none`: erase before write.
//!
//! # Idea
//! A page is programmed once; its block is erased before it is programmed again.
//!
//! # Paper
//! None: the standard SSD that the papers compare with (e.g. Reusable SSD, section 2.1).
//!
//! # Parameters
//! None.
//!
//! # Cost
//! None beyond the page map.
//!
//! # Deviations
//! None.

use rewear_flash::medium::CellFormat;
use rewear_flash::{FlashConfig, ProgramAgain};

use crate::address::{Slot, Unit};
use crate::error::FtlError;
use crate::shape::layout::SlotShape;

/// See the module's page.
#[derive(Debug, Clone)]
pub struct Nothing {
    page_bytes: u32,
}

impl Nothing {
    pub(super) fn new(flash: &FlashConfig) -> Nothing {
        Nothing { page_bytes: flash.page_bytes }
    }

    pub(super) fn slot_shape(&self) -> SlotShape {
        SlotShape::single(self.page_bytes)
    }

    pub(super) fn program_again(&self) -> ProgramAgain {
        ProgramAgain::Never
    }

    pub(super) fn cell_format(&self) -> CellFormat {
        CellFormat::binary(self.page_bytes)
    }

    pub(super) fn encode(
        &mut self,
        _unit: Unit,
        _slot: Slot,
        data: &[u8],
        image: &mut [u8],
    ) -> Result<bool, FtlError> {
        image.copy_from_slice(data);
        Ok(true)
    }

    pub(super) fn decode(
        &self,
        _unit: Unit,
        _slot: Slot,
        image: &[u8],
        data: &mut [u8],
    ) -> Result<(), FtlError> {
        data.copy_from_slice(image);
        Ok(())
    }
}
