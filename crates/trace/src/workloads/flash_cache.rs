//! A flash cache of small and large objects, as CacheLib lays them out on a drive (Berg et al.,
//! "The CacheLib caching engine", OSDI 2020, section 4.2; the defaults of its engine Navy).
//!
//! - **Small objects** lie in a set-associative part. The hash of its key names the bucket of an
//!   object, so that each insertion rewrites one bucket, each as likely as any other.
//! - **Large objects** gather in memory until a region is full. Regions are written whole, one
//!   behind the other, and the oldest gives way. So what is written together dies together.
//!
//! How the bytes written divide between the two depends on the objects and on what the cache
//! admits; both are parameters.

use rand_xoshiro::Xoshiro256PlusPlus;

use super::random::{below, chance};
use super::settings::Settings;
use crate::error::TraceError;
use crate::operation::Operation;

/// The two parts: buckets first, regions behind them.
#[derive(Clone, Debug)]
pub(crate) struct FlashCache {
    /// Pages of the buckets together.
    small_pages: u64,
    region_pages: u64,
    regions: u64,
    /// The region that is written next.
    next_region: u64,
    /// Part of the writes that rewrite a bucket.
    small_writes: f64,
    /// Part of the reads that look into a bucket.
    small_reads: f64,
}

/// One request to the cache.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    pub(crate) page: u64,
    pub(crate) pages: u64,
    /// 0 for small objects, 1 for large ones.
    pub(crate) component: u8,
}

impl FlashCache {
    pub(crate) fn new(settings: &Settings<'_>, pages: u64, page_bytes: u64) -> Result<Self, TraceError> {
        if settings.text("size").is_some() {
            return Err(settings.wrong("size", "does not go with this workload; give region"));
        }
        let small_pages = (settings.real("small", 0.04, 0.0, 1.0)? * pages as f64).round() as u64;
        let region_bytes = settings.size("region", 16 << 20, page_bytes)?;
        if !region_bytes.is_multiple_of(page_bytes) || region_bytes > Operation::Write.longest_bytes() {
            return Err(settings.wrong("region", "is no multiple of page_bytes of at most 4 GiB"));
        }
        let region_pages = region_bytes / page_bytes;
        let regions = (pages - small_pages.min(pages)) / region_pages;
        let share = settings.real("small_writes", 0.5, 0.0, 1.0)?;
        if small_pages == 0 && share > 0.0 {
            return Err(settings.wrong("small", "leaves no bucket to write to; give more, or small_writes=0"));
        }
        if regions == 0 && share < 1.0 {
            let problem = format!("leaves no room for a region of {region_pages} pages in {pages}");
            return Err(settings.wrong("region", &problem));
        }
        // Of the bytes written, not of the requests: one region holds as many pages as that many
        // buckets.
        let small = share * region_pages as f64;
        let small_writes = small / (small + 1.0 - share);
        let small_reads = if regions == 0 { 1.0 } else { share };
        Ok(Self { small_pages, region_pages, regions, next_region: 0, small_writes, small_reads })
    }

    /// The next request: a bucket or a region is written, a page of either is read.
    pub(crate) fn next(&mut self, random: &mut Xoshiro256PlusPlus, operation: Operation) -> Access {
        let writes = operation.is_write();
        if chance(random, if writes { self.small_writes } else { self.small_reads }) {
            return Access { page: below(random, self.small_pages), pages: 1, component: 0 };
        }
        if !writes {
            let page = self.small_pages + below(random, self.regions * self.region_pages);
            return Access { page, pages: 1, component: 1 };
        }
        let page = self.small_pages + self.next_region * self.region_pages;
        self.next_region = (self.next_region + 1) % self.regions;
        Access { page, pages: self.region_pages, component: 1 }
    }
}
