//! Roles: each part of the address space is only read, only written, or both, as section III of Xia
//! and Xiao, "Improving MLC flash performance with workload-aware differentiated ECC" (2016), finds
//! real workloads to be (Figures 1 and 2).
//!
//! Roles belong to extents of neighbouring pages, which lie scattered over the region. Where
//! `phase` is given, the pages that are both read and written fall into two halves; of one half all
//! requests read, of the other all write, and the halves change places every `phase` requests: what
//! space does not separate, time does.

use rand_xoshiro::Xoshiro256PlusPlus;

use super::permutation::Permutation;
use super::random::{below, chance};
use super::ranks::Ranks;
use super::settings::Settings;
use crate::error::TraceError;
use crate::operation::Operation;

/// Extents of one role, in the order before scattering, with their popularity.
#[derive(Clone, Debug)]
struct Role {
    first: u64,
    extents: u64,
    ranks: Ranks,
}

impl Role {
    fn new(settings: &Settings<'_>, first: u64, extents: u64, theta: f64) -> Result<Self, TraceError> {
        let ranks =
            Ranks::new(extents.max(1) as f64, theta).ok_or_else(|| settings.wrong("theta", "is refused"))?;
        Ok(Self { first, extents, ranks })
    }

    fn draw(&self, random: &mut Xoshiro256PlusPlus) -> u64 {
        self.first + (self.ranks.draw(random) - 1).min(self.extents - 1)
    }
}

/// Who is read and written.
#[derive(Clone, Debug)]
pub(crate) struct Roles {
    extent_pages: u64,
    /// The two halves of the extents that are read and written; one, without phases.
    shared: [Role; 2],
    only_read: Role,
    only_written: Role,
    shared_hits: f64,
    scatter: Permutation,
    phase: u64,
    requests: u64,
}

impl Roles {
    pub(crate) fn new(settings: &Settings<'_>, pages: u64, seed: u64) -> Result<Self, TraceError> {
        let extent_pages = settings.count("extent", 32, 1)?;
        let extents = pages / extent_pages;
        let part = |key, default| -> Result<u64, TraceError> {
            Ok((settings.real(key, default, 0.0, 1.0)? * extents as f64).round() as u64)
        };
        let (shared, only_read) = (part("shared", 0.05)?, part("only_read", 0.3)?);
        let phase = settings.count("phase", 0, 0)?;
        let halves = if phase > 0 { [shared / 2, shared - shared / 2] } else { [shared, 0] };
        let shared_hits = settings.real("shared_hits", 0.1, 0.0, 1.0)?;
        if shared_hits > 0.0 && (halves[0] == 0 || (phase > 0 && halves[1] == 0)) {
            let problem = format!("makes {shared} of {extents} extents; shared_hits needs some");
            return Err(settings.wrong("shared", &problem));
        }
        if only_read == 0 || shared + only_read >= extents {
            let problem =
                format!("and shared leave no extent of {extents} for one of the roles; each needs one");
            return Err(settings.wrong("only_read", &problem));
        }
        let theta = settings.real("theta", 0.9, 0.0, 10.0)?;
        let role = |first, extents| Role::new(settings, first, extents, theta);
        Ok(Self {
            extent_pages,
            shared: [role(0, halves[0])?, role(halves[0], halves[1])?],
            only_read: role(shared, only_read)?,
            only_written: role(shared + only_read, extents - shared - only_read)?,
            shared_hits,
            scatter: Permutation::new(extents, seed),
            phase,
            requests: 0,
        })
    }

    /// The first page of a request of `span` pages in a region of `pages`, and its component: 0
    /// both read and written, 1 only one of both. The request begins so that it ends within its
    /// extent if it fits, and is moved back where it would reach beyond the region.
    pub(crate) fn next_page(
        &mut self,
        random: &mut Xoshiro256PlusPlus,
        (pages, span): (u64, u64),
        operation: Operation,
    ) -> (u64, u8) {
        let writes = operation.is_write();
        let turn = self.requests.checked_div(self.phase).unwrap_or(0) % 2;
        self.requests += 1;
        let is_shared = chance(random, self.shared_hits);
        let role = if is_shared {
            let half = if self.phase == 0 { 0 } else { (turn + u64::from(writes)) % 2 };
            &self.shared[half as usize]
        } else if writes {
            &self.only_written
        } else {
            &self.only_read
        };
        let extent = self.scatter.apply(role.draw(random));
        let page = extent * self.extent_pages + below(random, self.extent_pages.saturating_sub(span) + 1);
        (page.min(pages - span), u8::from(!is_shared))
    }
}
