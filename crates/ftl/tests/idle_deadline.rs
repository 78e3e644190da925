//! Work in idle time ends before the next request, however long the idle time is and whatever a
//! step depends on.
#![allow(clippy::unwrap_used, missing_docs)]

use rewear_flash::FlashConfig;
use rewear_flash::timing::TimingConfig;
use rewear_ftl::config::FtlConfig;
use rewear_ftl::effort::EffortConfig;
use rewear_ftl::effort::differentiated_ecc::DifferentiatedEccConfig;
use rewear_ftl::effort::differentiated_ecc::config::{RewriteTime, Unclassified};
use rewear_ftl::host::HostWrite;
use rewear_ftl::recovery::{LogConfig, RecoveryConfig};
use rewear_ftl::reuse::ReuseConfig;
use rewear_ftl::reuse::wom_v::{Reopening, WomVConfig};
use rewear_ftl::{DriveConfig, Ftl, Lpn};

/// An erase takes far longer than the rewrite of a page, so what comes before it does not fit into
/// the difference.
fn drive(ftl: FtlConfig) -> DriveConfig {
    let flash = FlashConfig {
        channels: 2,
        blocks_per_plane: 24,
        pages_per_block: 16,
        page_bytes: 512,
        ..FlashConfig::single_plane(TimingConfig {
            read_ns: vec![10],
            program_ns: vec![100],
            erase_ns: 10_000,
            channel_mb_per_s: 400,
        })
    };
    let ftl = FtlConfig { over_provisioning: 1.0, ..ftl };
    DriveConfig { ftl, ..DriveConfig::plain("idle", flash) }
}

fn logged() -> FtlConfig {
    let log = LogConfig { journal_pages: 4 };
    FtlConfig { recovery: RecoveryConfig::Log(log), ..FtlConfig::default() }
}

/// Between a few writes, reads and trims, lets copies of the drive idle for every time up to 40 us.
/// Returns the pages that all idle times together rewrote.
fn idles(config: &DriveConfig) -> u64 {
    let mut ftl = Ftl::new(config).unwrap();
    let pages = ftl.layout().exported_pages;
    let mut pages_rewritten = 0;
    let mut at = 1u32;
    for round in 0..1200 {
        for _ in 0..4 {
            at = at.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
            let lpn = (at >> 8) % pages;
            match at >> 29 {
                0 => ftl.trim(Lpn(lpn)).unwrap(),
                1 => (0..4).for_each(|_| assert!(ftl.read(0, Lpn(lpn)).is_ok())),
                _ => assert!(ftl.write(0, Lpn(lpn), HostWrite::WHOLE).is_ok()),
            }
        }
        if round % 64 == 0 {
            ftl.flush(0).unwrap();
        }
        for length in (0..40_000).step_by(500) {
            let mut copy = ftl.clone();
            let until = copy.array().idle_at() + length;
            copy.idle(until).unwrap();
            let idle_at = copy.array().idle_at();
            assert!(idle_at <= until, "round {round}, {length} ns: {} ns late", idle_at - until);
            let (before, after) = (ftl.counters(), copy.counters());
            pages_rewritten += after.pages_rewritten - before.pages_rewritten;
        }
        if round % 8 == 0 {
            // Some of what waits is done, so that later rounds find another state.
            let until = ftl.array().idle_at() + 15_000;
            ftl.idle(until).unwrap();
        }
    }
    ftl.audit().unwrap();
    pages_rewritten
}

#[test]
fn a_page_that_goes_over_trimmed_ones_waits_for_the_log() {
    let mut config = drive(logged());
    config.flash.bits_per_cell = 4;
    config.flash.blocks_per_plane = 48;
    let code = WomVConfig { reopen: Reopening::InPlaceAny, ..WomVConfig::baseline(2) };
    config.reuse = ReuseConfig::WomV(code);
    config.effort = EffortConfig::DifferentiatedEcc(DifferentiatedEccConfig {
        low_cost_program_ns: vec![50],
        low_cost_read_ns: vec![40],
        unclassified: Unclassified::LowCost,
        n: 0.0,
        rewrite: RewriteTime::Idle,
        ..DifferentiatedEccConfig::default()
    });
    assert!(idles(&config) > 0);
}
