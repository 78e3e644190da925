//! Two drives of the same cells under the same random writes: how many units a plain drive erases,
//! and one under WOM-v(2,4).
//!
//! `cargo run --release -p rewear-ftl --example compare_erases`

use std::error::Error;

use rewear_flash::FlashConfig;
use rewear_flash::timing::TimingConfig;
use rewear_ftl::host::HostWrite;
use rewear_ftl::reuse::ReuseConfig;
use rewear_ftl::reuse::wom_v::WomVConfig;
use rewear_ftl::{DriveConfig, Ftl, Lpn};

/// Logical pages that both drives export, and writes to them.
const PAGES: u32 = 4_000;
const WRITES: u32 = 100_000;

fn drive(reuse: ReuseConfig) -> DriveConfig {
    let flash = FlashConfig {
        bits_per_cell: 4,
        blocks_per_plane: 200,
        pages_per_block: 64,
        ..FlashConfig::single_plane(TimingConfig {
            read_ns: vec![100_000],
            program_ns: vec![2_000_000],
            erase_ns: 10_000_000,
            channel_mb_per_s: 0,
        })
    };
    DriveConfig { reuse, ..DriveConfig::plain("example", flash) }
}

/// Writes random pages; returns the time of the last answer in nanoseconds, and the units erased.
fn wear(config: &DriveConfig) -> Result<(u64, u64), Box<dyn Error>> {
    let mut ftl = Ftl::new(config)?;
    let (mut now_ns, mut state) = (0, 1_u64);
    for _ in 0..WRITES {
        // A multiplicative generator is random enough for an example.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let page = Lpn((state >> 33) as u32 % PAGES);
        now_ns = ftl.write(now_ns, page, HostWrite::WHOLE)?;
    }
    Ok((now_ns, ftl.counters().erases))
}

fn main() -> Result<(), Box<dyn Error>> {
    let drives =
        [("plain", ReuseConfig::Nothing {}), ("WOM-v(2,4)", ReuseConfig::WomV(WomVConfig::baseline(2)))];
    for (name, reuse) in drives {
        let (ns, erases) = wear(&drive(reuse))?;
        println!("{name}: {erases} units erased, {:.0} s", ns as f64 / 1e9);
    }
    Ok(())
}
