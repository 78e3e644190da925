//! A report as the counts that log pages show. A replay has the same report as the drive that was
//! recorded, so it has the same log pages.

use rewear_ftl::{DriveConfig, Shape};
use rewear_nvme::Counters;
use rewear_sim::Report;

/// The counts of a report of this drive, without those that a report does not have: free units,
/// misread bits, bytes that hold data.
pub fn counters(report: &Report, config: &DriveConfig, shape: &Shape) -> Counters {
    let (geometry, layout) = (&shape.geometry, &shape.layout);
    let page_bytes = u64::from(geometry.page_bytes);
    let block_bytes = u64::from(geometry.pages_per_block) * page_bytes;
    let (blocks, erases) = (u64::from(geometry.blocks()), report.cleaning.erases);
    let rated = config.flash.endurance_cycles.or(config.flash.life.as_ref().map(|life| life.cycles));
    let rated_erases = u64::from(rated.unwrap_or(0)) * blocks;
    Counters {
        reads: report.host.requests.read,
        bytes_read: report.host.host_bytes_read,
        writes: report.host.requests.write,
        bytes_written: report.host.host_bytes_written,
        media_bytes_read: report.pages_read.total * page_bytes,
        media_bytes_written: report.pages_programmed.total * page_bytes,
        media_bytes_erased: erases * block_bytes,
        erases_most: report.wear.pe_cycles.most,
        erases_least: report.wear.pe_cycles.least,
        erases_mean: erases / blocks.max(1),
        percentage_used: (erases * 100).checked_div(rated_erases).unwrap_or(0),
        endurance_bytes: rated_erases * block_bytes,
        spare_percent: spare_percent(
            layout.slots(),
            layout.exported_pages,
            report.failures.retired_units * layout.slots_per_unit,
        ),
        bad_blocks: report.failures.bad_blocks.into(),
        blocks,
        powered_ns: report.simulated_ns.unwrap_or(0),
        dies: u16::try_from(geometry.channels * geometry.dies_per_channel).unwrap_or(u16::MAX),
        ..Counters::default()
    }
}

/// Of the slots beyond those that are exported, how many are not retired.
fn spare_percent(slots: u32, exported: u32, retired: u32) -> u8 {
    let spare = u64::from(slots.saturating_sub(exported));
    let left = spare.saturating_sub(retired.into());
    (left * 100).checked_div(spare).unwrap_or(0) as u8
}
