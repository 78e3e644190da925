//! Host writes on a drive whose flash has a cache of cells with one bit each (see
//! [`crate::policies::slc_cache`]): into the cache, or past it.

use rewear_flash::Nanos;

use crate::address::{Lpn, SlotAddress};
use crate::error::FtlError;
use crate::front::Ftl;
use crate::hand::cause::{Cause, LogicalPage};
use crate::hand::path::General;
use crate::host::{Asked, Content};
use crate::state::units::stream::Stream;

impl Ftl {
    /// Writes a page in units that the cache or the host has open, until one takes it.
    #[inline(never)]
    pub(super) fn write_by_cache(
        &mut self,
        asked: Asked,
        lpn: Lpn,
        content: Content<'_>,
    ) -> Result<Nanos, FtlError> {
        let Asked { at: mut asked_at, mut ready_at } = asked;
        loop {
            let (place, stream) = self.place_by_cache(asked_at, lpn)?;
            let (place, begins_at) = if self.hand.state().prepares {
                self.cleaner.prepare_for_host(&mut self.hand, ready_at, (lpn, stream), place, content)?
            } else {
                (place, ready_at)
            };
            let page = LogicalPage { lpn, stream, cause: Cause::Host };
            let done = self.hand.program_page::<General>(begins_at, page, place)?;
            if !done.failed {
                match self.hand.state().units.is_cached(place.unit) {
                    true => self.hand.counters().pages_cached += 1,
                    false => self.hand.counters().writes_past_cache += 1,
                }
                return Ok(done.end);
            }
            (asked_at, ready_at) = (done.end, done.end);
        }
    }

    fn place_by_cache(&mut self, at: Nanos, lpn: Lpn) -> Result<(SlotAddress, Stream), FtlError> {
        let Some(pool) = self.hand.units().choose_pool(lpn) else { return Err(self.hand.out_of_space()) };
        let cache = self.hand.state().units.cache_stream();
        let place = match self.hand.units().take_slot(pool, cache) {
            Some(place) => Some(place),
            None if self.cleaner.open_cache(&mut self.hand, at, pool)? => {
                self.hand.units().take_slot(pool, cache)
            }
            None => None,
        };
        match place {
            Some(place) => Ok((place, cache)),
            None => Ok((self.cleaner.place_in(&mut self.hand, at, pool, lpn, Stream::Host)?, Stream::Host)),
        }
    }
}
