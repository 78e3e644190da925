//! How large requests are.

use rand_xoshiro::Xoshiro256PlusPlus;

use super::random::unit;
use super::settings::{self, Settings};
use crate::error::TraceError;
use crate::operation::Operation;
use crate::pages::SECTOR_BYTES;

/// Sizes with the probability that a size is at most as far down the list.
#[derive(Clone, Debug)]
pub(crate) enum Size {
    /// Always the same.
    Fixed(u64),
    /// One of several: (bytes, cumulated probability).
    Mixed(Vec<(u64, f64)>),
}

impl Size {
    /// Reads `4KiB` or `4KiB*70/64KiB*30`. Sizes are at least a sector and at most `limit_bytes`,
    /// the region.
    pub(crate) fn new(
        settings: &Settings<'_>,
        page_bytes: u64,
        limit_bytes: u64,
    ) -> Result<Self, TraceError> {
        let Some(text) = settings.text("size") else { return Ok(Self::Fixed(page_bytes)) };
        let mut sizes: Vec<(u64, f64)> = Vec::new();
        let mut total = 0.0;
        for part in text.split('/') {
            let (bytes, weight) = part.split_once('*').unwrap_or((part, "1"));
            let weight: f64 = weight.trim().parse().unwrap_or(f64::NAN);
            let Some(bytes) = settings::size(bytes.trim()) else {
                return Err(settings.wrong(
                    "size",
                    "is not made of numbers of bytes (4096, 4k or 4KiB for 1024 each, 4kB for 1000)",
                ));
            };
            if bytes == 0 || !bytes.is_multiple_of(SECTOR_BYTES) {
                let problem =
                    format!("is {bytes} bytes, no multiple of 512; 4k and 4KiB are 4096, 4kB is 4000");
                return Err(settings.wrong("size", &problem));
            }
            if bytes > Operation::Write.longest_bytes() {
                return Err(settings.wrong("size", "is more than 4 GiB, the longest read or write"));
            }
            if bytes > limit_bytes {
                return Err(settings.wrong("size", "is larger than the region of pages x page_bytes"));
            }
            if !(weight > 0.0 && weight.is_finite()) {
                return Err(settings.wrong("size", "has a weight that is no positive number"));
            }
            total += weight;
            sizes.push((bytes, total));
        }
        if let [(bytes, _)] = sizes[..] {
            return Ok(Self::Fixed(bytes));
        }
        for (_, cumulated) in &mut sizes {
            *cumulated /= total;
        }
        Ok(Self::Mixed(sizes))
    }

    /// The next size in bytes.
    #[inline]
    pub(crate) fn next_bytes(&self, random: &mut Xoshiro256PlusPlus) -> u64 {
        match self {
            Self::Fixed(bytes) => *bytes,
            Self::Mixed(sizes) => {
                let drawn = unit(random);
                let found = sizes.iter().find(|(_, cumulated)| drawn < *cumulated).or(sizes.last());
                found.map_or(SECTOR_BYTES, |&(bytes, _)| bytes)
            }
        }
    }
}
