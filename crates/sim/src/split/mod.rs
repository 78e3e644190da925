//! One replay on several cores, with the same report.
//!
//! With `ftl.striping = "static-die"` a logical page belongs to one die for ever. Where dies share
//! nothing but times, such a drive is several drives of fewer dies side by side: page `l` of the
//! whole one is page `l / n` of part `l mod n`, of `n` parts. So each part is an ordinary drive with
//! a thread of its own ([`part`]). The replay cuts requests into pages, hands each page to its part
//! ([`parts`]), and counts requests as ever. Where it asks for a figure it waits for the parts and
//! puts their figures together. What would not be the same is refused ([`refusals`]).
//!
//! Where time is kept parts have whole channels, and requests arrive at the times of the trace,
//! whatever else is under way. A part answers a request that lies in it; one that lies in several
//! ends with the last of them ([`answers`]).

mod answers;
mod part;
mod parts;
mod refusals;

use std::ops::Range;

use rewear_flash::PartOf;
use rewear_ftl::{DriveConfig, Ftl, Shape};
use strength_reduce::StrengthReducedU32;

use crate::error::SimError;
use crate::load::Drive;
use crate::options::{ArrivalKind, ReplayOptions};

pub(crate) use parts::Parts;
pub use refusals::shared_by_dies;

/// The parts of a fresh drive, each with a thread of its own.
///
/// # Errors
/// A drive, or options, whose parts would not do what the whole does.
pub(crate) fn split(
    drive: &Drive,
    (options, arrival): (&ReplayOptions, ArrivalKind),
    count: u32,
) -> Result<Parts, SimError> {
    let config = drive.configuration();
    let whole = Shape::new(config)?;
    refusals::check(config, (options, arrival), (count, &whole))?;
    let parts = PartOf::each(count).map(|of| {
        let mut ftl = Ftl::part(&part(config, &whole, of), of)?;
        if options.no_time {
            ftl.stop_clock();
        }
        Ok(ftl)
    });
    let parts = parts.collect::<Result<Vec<_>, SimError>>()?;
    Ok(Parts::new(parts, !options.no_time))
}

/// Where the pages of a drive lie among its parts.
#[derive(Debug, Clone, Copy)]
pub struct ByParts {
    count: u32,
    divisor: StrengthReducedU32,
}

impl ByParts {
    /// Among so many parts, at least one.
    pub fn new(count: u32) -> ByParts {
        ByParts { count, divisor: StrengthReducedU32::new(count) }
    }

    /// The part of a page, and the page's number there.
    #[inline]
    pub fn place(&self, page: u32) -> (usize, u32) {
        let number = page / self.divisor;
        ((page - number * self.count) as usize, number)
    }

    /// The pages of a range that lie in a part, which are in a row there, too.
    #[inline]
    pub fn in_part(&self, part: usize, pages: &Range<u32>) -> Range<u32> {
        let below = |page: u32| {
            let (remainder, number) = self.place(page);
            number + u32::from(remainder > part)
        };
        below(pages.start)..below(pages.end)
    }
}

/// The configuration of a part of a drive whose [dies are apart](shared_by_dies) and fall into as
/// many equal parts. It has whole channels where they do, too; then its operations take as long as
/// they take on the whole drive.
pub fn part(config: &DriveConfig, whole: &Shape, of: PartOf) -> DriveConfig {
    let mut part = config.clone();
    if whole.geometry.channels.is_multiple_of(of.count) {
        part.flash.channels /= of.count;
    } else {
        (part.flash.channels, part.flash.dies_per_channel) = (whole.geometry.dies() / of.count, 1);
    }
    let slots = f64::from(whole.layout.slots() / of.count);
    let exported = (whole.layout.exported_pages + of.count - 1 - of.index) / of.count;
    // Half a page more, so that rounding down comes out at it.
    part.ftl.over_provisioning = slots / (f64::from(exported) + 0.5) - 1.0;
    part
}
