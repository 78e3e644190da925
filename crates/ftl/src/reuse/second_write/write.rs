//! A host write on a drive with second writes, from its arrival to its program: the pool and the
//! place, a victim that is recycled for it, the read of what it goes over, attempts to encode, the
//! program; or the first write that takes its place.
//!
//! The rules are in the files of the paper's sections. This works on the [`Hand`] and the
//! [`Cleaner`] as the layer does.

use rewear_flash::Nanos;

use super::config::Recycling;
use super::encoding::PageForCells;
use super::page_allocation::{HostPage, Placed};
use super::prefetch;
use super::recycle_or_erase::recycle;
use super::retry::Tried;
use crate::address::{Lpn, Pool};
use crate::cleaning::Cleaner;
use crate::error::FtlError;
use crate::hand::cause::{Cause, LogicalPage};
use crate::hand::path::Path;
use crate::hand::{Hand, stored};
use crate::host::{Asked, Content};
use crate::reuse::reclaim_decision::{ReclaimDecision, Why};
use crate::state::groups::{GroupSlot, PARTS};
use crate::state::units::stream::Stream;

/// A page that the host writes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Page<'a> {
    pub(crate) lpn: Lpn,
    /// Through whose open unit it goes, as a first write.
    pub(crate) stream: Stream,
    pub(crate) content: Content<'a>,
}

impl Page<'_> {
    fn logical(&self) -> LogicalPage {
        LogicalPage { lpn: self.lpn, stream: self.stream, cause: Cause::Host }
    }
}

/// Writes a page; returns the end. `path` is who has a say in first writes.
#[inline(never)]
pub(crate) fn write(
    hand: &mut Hand,
    cleaner: &mut Cleaner,
    path: Path,
    Asked { at, ready_at }: Asked,
    page: Page<'_>,
) -> Result<Nanos, FtlError> {
    let pool = cleaner.pool_for_write(hand, at, page.lpn)?;
    let (scheme, state) = hand.second_writes();
    scheme.watch(state, page.lpn);
    let arrived = scheme.hot_or_cold(page.lpn, pool);
    prefetch::read_ahead(hand, at, arrived.group_pool.unwrap_or(pool))?;
    match find_place(hand, cleaner, at, arrived)? {
        Placed::Next { pool } => {
            let place = cleaner.place_in(hand, at, pool, page.lpn, page.stream)?;
            cleaner.write_by(path, hand, ready_at, (page.lpn, page.stream), place, page.content)
        }
        Placed::Group(slots) => write_over(hand, cleaner, ready_at, page, slots),
    }
}

/// Where a page goes. Where there is nothing to write over, victims are recycled first.
#[inline]
fn find_place(hand: &mut Hand, cleaner: &mut Cleaner, at: Nanos, page: HostPage) -> Result<Placed, FtlError> {
    let (scheme, state) = hand.second_writes();
    if let Some(placed) = scheme.allocate(state, &page, true) {
        return Ok(placed);
    }
    let (planes, recycling) = (scheme.planes_for(&page), scheme.config.recycling);
    let mut recycled = false;
    for pool in Pool::each(planes) {
        recycled |= match recycling {
            Recycling::BeforeErasing => restore_threshold(hand, cleaner, at, pool)?,
            Recycling::ForHotWrites => recycle_next(hand, cleaner, at, pool)?,
        };
    }
    let (scheme, state) = hand.second_writes();
    let placed = if recycled { scheme.allocate(state, &page, false) } else { None };
    Ok(placed.unwrap_or_else(|| scheme.first_write(state, &page)))
}

/// The last second writes of a pair took its blocks from those that count towards the threshold of
/// cleaning. Whether anything was cleaned.
fn restore_threshold(
    hand: &mut Hand,
    cleaner: &mut Cleaner,
    at: Nanos,
    pool: Pool,
) -> Result<bool, FtlError> {
    let mut any = false;
    while hand.state().units.is_short(pool) {
        match cleaner.clean(hand, at, pool, None) {
            Err(FtlError::OutOfSpace { .. }) => break,
            cleaned => cleaned?,
        }
        any = true;
    }
    Ok(any)
}

/// Recycles the next victim of a pool, if it may be.
fn recycle_next(hand: &mut Hand, cleaner: &mut Cleaner, at: Nanos, pool: Pool) -> Result<bool, FtlError> {
    let Some(unit) = cleaner.victim_by_policy(hand, pool) else { return Ok(false) };
    let victim = hand.victim_of(unit, Why::Groups);
    if hand.decision(&victim) != ReclaimDecision::ReopenForGroups {
        return Ok(false);
    }
    recycle(hand, at, unit)?;
    Ok(true)
}

/// Writes a page over the invalid slots of a group, or where else a retry leads.
#[inline(never)]
fn write_over(
    hand: &mut Hand,
    cleaner: &mut Cleaner,
    ready_at: Nanos,
    page: Page<'_>,
    slots: GroupSlot,
) -> Result<Nanos, FtlError> {
    let (mut at, mut slots, mut used) = (ready_at, slots, 0);
    loop {
        let read_at = match hand.second_writes().0.content_at_hand(slots) {
            Some(read_at) => at.max(read_at),
            None => {
                hand.counters().read.before_write += PARTS as u64;
                hand.read_group(at, slots)?
            }
        };
        let tried = encode(hand, slots, used, page.content)?;
        hand.counters().encoding_failures += u64::from(tried.failed);
        (at, used) = (read_at + tried.lasted_ns, used + tried.attempts);
        if tried.success {
            return program(hand, cleaner, at, page, slots);
        }
        let (scheme, state) = hand.second_writes();
        match scheme.next_after_failure(state, slots, used, at) {
            Some(next) => slots = next,
            None => break,
        }
    }
    hand.counters().second_write_fallbacks += 1;
    cleaner.write_elsewhere(hand, at, (page.lpn, page.stream), page.content)
}

#[inline]
fn encode(hand: &mut Hand, slots: GroupSlot, used: u8, content: Content<'_>) -> Result<Tried, FtlError> {
    let (scheme, state) = hand.second_writes();
    if !state.array.stores_cells() {
        return scheme.try_encoding(slots, used, None);
    }
    let address = state.place_of(slots);
    let data = stored::bytes_of(content)?;
    let cells_are_known = scheme.load_images(state, slots)?;
    scheme.try_encoding(slots, used, Some(PageForCells { data, address, cells_are_known }))
}

#[inline]
fn program(
    hand: &mut Hand,
    cleaner: &mut Cleaner,
    at: Nanos,
    page: Page<'_>,
    slots: GroupSlot,
) -> Result<Nanos, FtlError> {
    let mut at = at;
    if hand.keeps_log() {
        for index in 0..PARTS {
            at = hand.before_overwriting(at, hand.state().part_of(slots, index))?;
        }
    }
    hand.take_content(page.content)?;
    let done = hand.program_page_on_group(at, page.logical(), slots)?;
    let (scheme, state) = hand.second_writes();
    if done.failed {
        // The failed block is condemned already, the others take no more such writes either.
        scheme.program_failed(state, slots);
        return cleaner.write_elsewhere(hand, done.end, (page.lpn, page.stream), page.content);
    }
    if let Some(guard) = &mut scheme.guard {
        guard.saved_a_page();
    }
    scheme.pass(state, slots, done.end);
    Ok(done.end)
}

/// The host trimmed a page.
pub(crate) fn trimmed(hand: &mut Hand, lpn: Lpn) {
    if let Some(guard) = &mut hand.second_writes().0.guard {
        guard.invalidated(lpn);
    }
}
