//! The indirection unit: how many flash pages one entry of the page map stands for, or how many
//! entries share a page of the chip.

use rewear_flash::ConfigError;
use rewear_flash::config::MediumKind;

use crate::config::drive::DriveConfig;
use crate::effort::EffortConfig;
use crate::reuse::ReuseConfig;
use crate::shape::layout::{Layout, MAX_SLOT_PAGES, SlotShape};
use crate::shape::slc_cache;

const KEY: &str = "ftl.indirection_unit_bytes";

/// The logical pages of a drive whose map has entries of several pages.
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
            format!(
                "give a multiple of flash.page_bytes, at most {MAX_SLOT_PAGES} of them; units that share a page \
                 are flash.page_bytes long and flash.pages_per_program of them make one"
            ),
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
    Ok(SlotShape { pages, logical_page_bytes: unit_bytes })
}

/// Checks a drive whose mapping units share pages of the chip (`flash.pages_per_program`).
///
/// # Errors
/// A scheme that programs a mapping unit by itself; units of several pages; a cache whose blocks
/// do not end with a page of the chip.
pub(super) fn check_shared_pages(config: &DriveConfig, layout: &Layout) -> Result<(), ConfigError> {
    let units = config.flash.pages_per_program;
    if units == 1 {
        return Ok(());
    }
    let wrong =
        |problem: &str, remedy: &str| Err(ConfigError::new("flash.pages_per_program", problem, remedy));
    if config.reuse != (ReuseConfig::Nothing {}) {
        return wrong(
            "the reuse scheme programs pages one by one",
            "give reuse.scheme = \"none\", or leave it out",
        );
    }
    if config.effort != (EffortConfig::Uniform {}) {
        return wrong(
            "the effort scheme chooses a mode for each mapping unit, and a page of the chip has one",
            "give effort.scheme = \"uniform\", or leave it out",
        );
    }
    if layout.slot_pages > 1 {
        return wrong("ftl.indirection_unit_bytes has several pages in a unit", "leave one of the two out");
    }
    let cached = slc_cache::slots(config, layout).unwrap_or(0) / layout.width;
    if !cached.is_multiple_of(units) {
        return wrong(
            "blocks of the cache end within a page of the chip",
            "give flash.pages_per_block a multiple of flash.bits_per_cell times as many pages",
        );
    }
    Ok(())
}
