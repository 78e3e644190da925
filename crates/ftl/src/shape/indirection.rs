//! The indirection unit: how many flash pages one entry of the page map stands for.

use rewear_flash::ConfigError;
use rewear_flash::config::MediumKind;

use crate::config::drive::DriveConfig;
use crate::reuse::ReuseConfig;
use crate::shape::layout::{MAX_SLOT_PAGES, SlotShape};

const KEY: &str = "ftl.indirection_unit_bytes";

/// The logical pages of a drive whose map has entries of so many bytes.
///
/// # Errors
/// Not a whole number of flash pages, more of them than a slot can have, a scheme or a medium whose
/// logical pages are its own.
pub(super) fn slot_shape(config: &DriveConfig, unit_bytes: u32) -> Result<SlotShape, ConfigError> {
    let page_bytes = config.flash.page_bytes;
    let pages = unit_bytes / page_bytes.max(1);
    if !unit_bytes.is_multiple_of(page_bytes.max(1)) || !(1..=MAX_SLOT_PAGES as u32).contains(&pages) {
        return Err(ConfigError::new(
            KEY,
            format!("{unit_bytes} bytes on flash pages of {page_bytes}"),
            format!("give a multiple of flash.page_bytes, at most {MAX_SLOT_PAGES} of them"),
        ));
    }
    if config.reuse != (ReuseConfig::Nothing {}) {
        return Err(ConfigError::new(
            KEY,
            "the reuse scheme decides which flash pages a logical page takes",
            "give reuse.scheme = \"none\", or leave it out",
        ));
    }
    if config.flash.medium == MediumKind::Stored && pages > 1 {
        return Err(ConfigError::new(
            KEY,
            "cells are stored a flash page at a time",
            "give flash.medium = \"modelled\", or leave it out",
        ));
    }
    Ok(SlotShape { pages, most_pages: pages, logical_page_bytes: unit_bytes })
}
