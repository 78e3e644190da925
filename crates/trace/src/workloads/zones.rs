//! Zones: parts of the region that are written from their beginning to their end, as the log of a
//! zoned store writes them, and trimmed whole before they are written anew.
//!
//! The pattern `zns` of SSD-iq's benchmark (Haas, Lee, Bonnet, Leis: "SSD-iq: Uncovering the Hidden
//! Side of SSD Performance", PVLDB 18(11), 2025; `shared/PatternGen.hpp`): each request goes to one
//! of the active zones, all equally likely. A zone that is full is followed by any zone that is not
//! active. What does not make a whole zone at the end of the region is never written.

use rand_xoshiro::Xoshiro256PlusPlus;

use super::pattern::{Aimed, Asked};
use super::random::below;
use super::settings::Settings;
use crate::error::TraceError;
use crate::operation::Operation;

/// Placement identifiers have eight bits, and a component is one.
const MOST_ACTIVE: u64 = 256;

/// A zone that is being written, and the page in it that is written next.
#[derive(Clone, Copy, Debug)]
struct Active {
    zone: u64,
    next: u64,
}

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Zones {
    zone_pages: u64,
    zones: u64,
    trims: bool,
    /// Empty until each has been asked for.
    active: Vec<Option<Active>>,
    /// The active zone that was trimmed by the request before, and is written now.
    trimmed: Option<u8>,
}

impl Zones {
    pub(crate) fn new(settings: &Settings<'_>, (pages, page_bytes): (u64, u64)) -> Result<Self, TraceError> {
        settings.refuse(&["read"], "zones are written")?;
        let zone_bytes = settings.size("zone", 1 << 30, page_bytes)?;
        if !zone_bytes.is_multiple_of(page_bytes) || zone_bytes > Operation::Trim.longest_bytes() {
            return Err(settings.wrong("zone", "is no multiple of page_bytes of at most 16 TiB"));
        }
        let zone_pages = zone_bytes / page_bytes;
        let zones = pages / zone_pages;
        let active = settings.count("active", 1, 1)?;
        if active > MOST_ACTIVE || active >= zones {
            let problem = format!("is too many of {zones} zones; one must be left to follow a full one");
            return Err(settings.wrong("active", &problem));
        }
        let trims = settings.flag("trim", true)?;
        Ok(Self { zone_pages, zones, trims, active: vec![None; active as usize], trimmed: None })
    }

    /// The next request: a trim of a whole zone, or a write, that ends with its zone.
    pub(crate) fn next(&mut self, random: &mut Xoshiro256PlusPlus, page_bytes: u64, asked: Asked) -> Aimed {
        let component = self.trimmed.take().unwrap_or_else(|| below(random, self.active.len() as u64) as u8);
        let index = usize::from(component);
        let at = match self.active[index] {
            Some(at) if at.next < self.zone_pages => at,
            _ => {
                let at = Active { zone: self.follower(random), next: 0 };
                self.active[index] = Some(at);
                if self.trims {
                    self.trimmed = Some(component);
                    return self.request(at, self.zone_pages * page_bytes, component, Operation::Trim);
                }
                at
            }
        };
        let pages = asked.span.min(self.zone_pages - at.next);
        self.active[index] = Some(Active { next: at.next + pages, ..at });
        let length_bytes = asked.length_bytes.min(pages * page_bytes);
        self.request(at, length_bytes, component, Operation::Write)
    }

    fn request(&self, at: Active, length_bytes: u64, component: u8, operation: Operation) -> Aimed {
        Aimed { page: at.zone * self.zone_pages + at.next, component, operation, length_bytes }
    }

    /// A zone that is not active, all equally likely.
    fn follower(&self, random: &mut Xoshiro256PlusPlus) -> u64 {
        loop {
            let zone = below(random, self.zones);
            if self.active.iter().flatten().all(|active| active.zone != zone) {
                return zone;
            }
        }
    }
}
