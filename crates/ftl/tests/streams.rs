//! Streams by the size of requests: worth something where large requests carry cold data, and only
//! there.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::common::timing;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_flash::FlashConfig;
use rewear_ftl::config::FtlConfig;
use rewear_ftl::host::HostWrite;
use rewear_ftl::policies::streams::StreamsConfig;
use rewear_ftl::policies::streams::by_size::BySizeConfig;
use rewear_ftl::{DriveConfig, Ftl, Lpn};

const PAGE_BYTES: u32 = 4096;

fn drive(streams: StreamsConfig) -> Ftl {
    let flash = FlashConfig {
        blocks_per_plane: 256,
        page_bytes: PAGE_BYTES,
        ..FlashConfig::single_plane(timing(10, 100, 0))
    };
    Ftl::new(&DriveConfig {
        ftl: FtlConfig { over_provisioning: 0.15, streams, ..FtlConfig::default() },
        ..DriveConfig::plain("streams", flash)
    })
    .unwrap()
}

/// Moves for every page that the host writes. Requests of one page go to the first tenth of the
/// drive; as many pages come in requests of 16 pages and go to the rest (or, if sizes say nothing,
/// the other way round half of the time).
fn moved_per_page(streams: StreamsConfig, sizes_tell: bool) -> f64 {
    let mut ftl = drive(streams);
    let pages = ftl.layout().exported_pages;
    let mut write = |lpn: u32, count: u32, announced: u32| {
        ftl.announce_write(u64::from(announced * PAGE_BYTES), 0);
        for lpn in lpn..lpn + count {
            ftl.write(0, Lpn(lpn), HostWrite::WHOLE).unwrap();
        }
        (ftl.counters().pages_moved, ftl.counters().host_pages_written)
    };
    (0..pages).for_each(|lpn| {
        write(lpn, 1, 1);
    });
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut below = |n: u32| ((u64::from(rng.next_u32()) * u64::from(n)) >> 32) as u32;
    let hot = pages / 10;
    let mut seen = [(0, 0); 2];
    for step in 0..60_000u32 {
        let is_large = step % 17 == 0;
        let is_cold = if sizes_tell { is_large } else { is_large == (below(2) == 0) };
        let count = if is_large { 16 } else { 1 };
        let lpn = if is_cold { hot + below(pages - hot - count) } else { below(hot - count) };
        seen[1] = write(lpn, count, count);
        if step == 20_000 {
            seen[0] = seen[1];
        }
    }
    ftl.audit().unwrap();
    (seen[1].0 - seen[0].0) as f64 / (seen[1].1 - seen[0].1) as f64
}

#[test]
fn size_separates_hot_from_cold_where_it_tells_them_apart() {
    let by_size = || StreamsConfig::BySize(BySizeConfig { cold_bytes: 4 * u64::from(PAGE_BYTES) });
    let (one, two) = (moved_per_page(StreamsConfig::One {}, true), moved_per_page(by_size(), true));
    println!("sizes tell: {one:.3} moved per page in one stream, {two:.3} in two");
    assert!(two < one * 0.95);
    let (one, two) = (moved_per_page(StreamsConfig::One {}, false), moved_per_page(by_size(), false));
    println!("sizes say nothing: {one:.3} in one stream, {two:.3} in two");
    assert!(two > one * 0.9);
}
