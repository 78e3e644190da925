//! A host write on a drive whose scheme names the places: cleaning for it, reading what it goes
//! over, encoding with retries, program; or the first write that takes its place. The scheme
//! decides ([`Placing`]), this does.

use rewear_flash::Nanos;

use crate::address::{Lpn, Pool, Unit};
use crate::error::FtlError;
use crate::host::Content;
use crate::layer::cause::{Cause, LogicalPage};
use crate::layer::{Ftl, stored};
use crate::reuse::place::{Answer, GivesRoom, Order, PageForCells, Place, Placed, ReadAhead, Tried};
use crate::reuse::placing::Placing;
use crate::reuse::reclaim_decision::{ReclaimDecision, Why};
use crate::state::groups::{GroupSlot, PARTS};
use crate::state::units::stream::Stream;

impl Ftl {
    /// The place of a host write, as the scheme says.
    #[inline(never)]
    pub(crate) fn place_by_scheme(&mut self, at: Nanos, lpn: Lpn, stream: Stream) -> Result<Place, FtlError> {
        let pool = self.pool_for_write(at, lpn)?;
        let mut page = self.reuse.placing().arrives(lpn, pool);
        self.read_ahead(at, page.group_pool.unwrap_or(pool))?;
        let mut round = 0;
        loop {
            let answer = self.reuse.placing().place(&self.state, &page, round);
            self.obey();
            match answer {
                Answer::Go(Placed::Group(slots)) => return Ok(Place::Group(slots)),
                Answer::Go(Placed::Next { pool }) => {
                    return self.place_in(at, pool, lpn, stream).map(Place::Slot);
                }
                Answer::AfterRecycling { pools } => {
                    for pool in Pool::each(pools) {
                        page.recycled |= self.recycle_for_groups(at, pool)?;
                    }
                }
            }
            round += 1;
        }
    }

    /// Reopens the next victim of a pool for groups, if the scheme wants it. Whether it did.
    fn recycle_for_groups(&mut self, at: Nanos, pool: Pool) -> Result<bool, FtlError> {
        self.state.units.settle_queues(pool);
        let Some(unit) = self.victim.choose(&self.state.units, pool) else { return Ok(false) };
        let victim = self.victim_of(unit, Why::Groups);
        if self.reuse.reclaim(&self.state, &victim) != ReclaimDecision::ReopenForGroups {
            return Ok(false);
        }
        self.state.counters.victim_valid_pages += u64::from(victim.valid_when_taken);
        self.state.counters.garbage_collections += 1;
        self.reopen_for_groups(at, unit)?;
        Ok(true)
    }

    /// An operation on a pool is asked for at `at`: reads that the scheme wanted were made if its
    /// planes idled before.
    #[inline(always)] // The question of every page.
    pub(crate) fn read_ahead(&mut self, at: Nanos, pool: Pool) -> Result<(), FtlError> {
        match self.reuse.placing().read_ahead(&self.state, pool, at) {
            Some(ahead) => self.read_groups_ahead(at, pool, ahead),
            None => Ok(()),
        }
    }

    /// Makes the reads that the scheme wants ahead, of which `first` is the first.
    #[inline(never)]
    fn read_groups_ahead(&mut self, at: Nanos, pool: Pool, first: ReadAhead) -> Result<(), FtlError> {
        let mut next = Some(first);
        while let Some(ahead) = next {
            let pages = PARTS as u64;
            self.state.counters.read.before_write += pages;
            self.state.counters.pages_prefetched += pages;
            let end = self.read_group(ahead.at, ahead.slots)?;
            let scheme = self.reuse.placing();
            scheme.was_read(&ahead, end);
            next = scheme.read_ahead(&self.state, pool, at);
        }
        Ok(())
    }

    /// Executes what the scheme ordered.
    #[inline]
    pub(crate) fn obey(&mut self) {
        while let Some(order) = self.reuse.placing().next_order() {
            self.execute(&order);
        }
    }

    #[inline(never)]
    fn execute(&mut self, order: &Order) {
        match order {
            Order::Tie(group) => {
                if let Some(groups) = &mut self.state.groups {
                    groups.tie(group);
                }
            }
            Order::End(unit) => self.state.units.break_off(*unit),
            Order::MoveApart(apart) => self.state.units.move_apart(*apart),
        }
    }

    /// Writes a logical page over the invalid slots of a group, or where else the scheme sends it.
    #[inline(never)]
    pub(crate) fn write_group(
        &mut self,
        ready_at: Nanos,
        (lpn, stream): (Lpn, Stream),
        content: Content<'_>,
        slots: GroupSlot,
    ) -> Result<Nanos, FtlError> {
        let (mut at, mut slots, mut used) = (ready_at, slots, 0);
        loop {
            let read_at = match self.reuse.placing().content_at_hand(slots) {
                Some(read_at) => at.max(read_at),
                None => {
                    self.state.counters.read.before_write += PARTS as u64;
                    self.read_group(at, slots)?
                }
            };
            let tried = self.encode_group(slots, used, content)?;
            self.state.counters.encoding_failures += u64::from(tried.failed);
            (at, used) = (read_at + tried.lasted_ns, used + tried.attempts);
            if tried.success {
                return self.program_group_page(at, (lpn, stream), content, slots);
            }
            let next = self.reuse.placing().refused(&self.state, slots, used, at);
            self.obey();
            match next {
                Some(next) => slots = next,
                None => break,
            }
        }
        self.state.counters.second_write_fallbacks += 1;
        self.write_elsewhere(at, lpn, stream, content)
    }

    #[inline]
    fn encode_group(&mut self, slots: GroupSlot, used: u8, content: Content<'_>) -> Result<Tried, FtlError> {
        if !self.state.array.stores_cells() {
            return self.reuse.placing().encode_over(slots, used, None);
        }
        let data = stored::bytes_of(content)?;
        let cells_are_known = stored::load_group_images(&self.state, &mut self.reuse, slots)?;
        let page = PageForCells { data, address: stored::group_address(&self.state, slots), cells_are_known };
        self.reuse.placing().encode_over(slots, used, Some(page))
    }

    #[inline]
    fn program_group_page(
        &mut self,
        at: Nanos,
        (lpn, stream): (Lpn, Stream),
        content: Content<'_>,
        slots: GroupSlot,
    ) -> Result<Nanos, FtlError> {
        let mut at = at;
        if self.log.is_some() {
            at = self.before_overwriting_group(at, slots)?;
        }
        if self.state.array.stores_cells() {
            self.take_content(content)?;
        }
        let page = LogicalPage { lpn, stream, cause: Cause::Host };
        let done = self.program_page_on_group(at, page, slots)?;
        if done.failed {
            // The failed block is condemned already, the others take no more such writes either.
            self.reuse.placing().program_failed(slots);
            self.obey();
            return self.write_elsewhere(done.end, lpn, stream, content);
        }
        self.reuse.placing().programmed(&self.state, slots, done.end);
        self.obey();
        Ok(done.end)
    }

    #[cold]
    fn before_overwriting_group(&mut self, at: Nanos, slots: GroupSlot) -> Result<Nanos, FtlError> {
        let mut at = at;
        for index in 0..PARTS {
            let Some(groups) = &self.state.groups else { break };
            at = self.before_overwriting(at, groups.part(slots, index))?;
        }
        Ok(at)
    }

    /// A victim's valid pages stay, its invalid slots are for groups.
    fn reopen_for_groups(&mut self, at: Nanos, unit: Unit) -> Result<(), FtlError> {
        let state = &mut self.state;
        state.array.reopen(state.layout.block_of(unit, 0).block)?;
        state.units.begin_reopened_for_groups(unit);
        state.counters.reopens += 1;
        self.reuse.placing().reopened(&self.state, unit, at);
        self.obey();
        Ok(())
    }

    /// Every pool holds as many valid pages as it may: units with writes of groups are cleaned
    /// until a pool takes host writes, if the scheme has any. Returns that pool.
    #[cold]
    pub(crate) fn make_pages_of_groups(&mut self, at: Nanos, lpn: Lpn) -> Result<Pool, FtlError> {
        loop {
            if let Some(pool) = self.state.units.choose_pool(lpn) {
                return Ok(pool);
            }
            if !self.reuse.chooses_places() {
                return Err(self.out_of_space());
            }
            let pools = self.state.units.pools_for(lpn);
            let given = self.reuse.placing().gives_room(&self.state, pools);
            self.obey();
            match given {
                GivesRoom::Clean { unit } => self.move_group_pages(at, unit)?,
                GivesRoom::AskAgain => {}
                GivesRoom::Nothing => return Err(self.out_of_space()),
            }
        }
    }

    fn move_group_pages(&mut self, at: Nanos, unit: Unit) -> Result<(), FtlError> {
        let (pool, victim) =
            (self.state.units.pool_of(unit), self.victim_of(unit, Why::Room { needy: None }));
        self.begin_to_empty(unit);
        self.state.counters.victim_valid_pages += u64::from(victim.valid_when_taken);
        let found_at = self.find_owners(at, unit)?;
        let moved_at = self.move_valid_pages(found_at, pool, unit, Stream::Moved)?;
        self.state.counters.garbage_collections += 1;
        self.reclaim(moved_at, &victim).map(|_| ())
    }
}
