//! Host writes on a drive whose flash has a cache of cells with one bit each (see
//! [`crate::policies::slc_cache`]): into the cache, or past it.

use rewear_flash::{Nanos, ProgramMode};

use crate::address::{Lpn, Pool, SlotAddress};
use crate::cleaning::fold::FoldInto;
use crate::error::FtlError;
use crate::host::Content;
use crate::layer::Ftl;
use crate::layer::cause::{Cause, LogicalPage};
use crate::policies::slc_cache::WhenFull;
use crate::state::units::stream::Stream;

impl Ftl {
    /// Writes a page that is asked for at `at` and at hand at `ready_at`, in units that the cache or
    /// the host has open, until one takes it.
    #[inline(never)]
    pub(crate) fn write_by_cache(
        &mut self,
        (at, ready_at): (Nanos, Nanos),
        lpn: Lpn,
        content: Content<'_>,
    ) -> Result<Nanos, FtlError> {
        let (mut asked_at, mut ready_at) = (at, ready_at);
        loop {
            let (place, stream) = self.place_by_cache(asked_at, lpn)?;
            let (place, begins_at) = if self.state.prepares {
                self.prepare_for_host(ready_at, lpn, stream, place, content)?
            } else {
                (place, ready_at)
            };
            let page = LogicalPage { lpn, stream, cause: Cause::Host };
            let done = self.program_page::<true, true>(begins_at, page, place)?;
            if !done.failed {
                match self.state.units.is_cached(place.unit) {
                    true => self.state.counters.pages_cached += 1,
                    false => self.state.counters.writes_past_cache += 1,
                }
                return Ok(done.end);
            }
            (asked_at, ready_at) = (done.end, done.end);
        }
    }

    fn place_by_cache(&mut self, at: Nanos, lpn: Lpn) -> Result<(SlotAddress, Stream), FtlError> {
        let Some(pool) = self.state.units.choose_pool(lpn) else { return Err(self.out_of_space()) };
        let cache = self.state.units.cache_stream();
        let place = match self.state.units.take_slot(pool, cache) {
            Some(place) => Some(place),
            None if self.open_cache(at, pool)? => self.state.units.take_slot(pool, cache),
            None => None,
        };
        match place {
            Some(place) => Ok((place, cache)),
            None => Ok((self.place_in(at, pool, lpn, Stream::Host)?, Stream::Host)),
        }
    }

    /// Gives the cache of a pool another unit, for which it may fold one; whether it has one then.
    #[cold]
    fn open_cache(&mut self, at: Nanos, pool: Pool) -> Result<bool, FtlError> {
        self.state.units.close_cached(pool);
        loop {
            let Some(cache) = &self.slc_cache else { return Ok(false) };
            if cache.may_grow(&self.state.units, pool) && self.state.units.open_cached(pool).is_some() {
                return Ok(true);
            }
            if cache.when_full == WhenFull::Direct {
                return Ok(false);
            }
            match self.fold(at, pool, FoldInto::Room) {
                Ok(true) => {}
                // The way past the cache says whether there is no room at all.
                Ok(false) | Err(FtlError::OutOfSpace { .. }) => return Ok(false),
                Err(error) => return Err(error),
            }
        }
    }

    /// The mode in which the page in a slot was programmed.
    #[inline]
    pub(crate) fn mode_of(&self, at: SlotAddress) -> ProgramMode {
        match &self.slc_cache {
            Some(cache) if self.state.units.is_cached(at.unit) => cache.mode,
            _ => self.effort.mode_of(self.state.layout.ppn(at.unit, at.slot)),
        }
    }

    /// The mode in which a page is to be programmed, where the cache has a say in it: its own, or,
    /// of a page that leaves it, that of a host write.
    #[inline]
    pub(crate) fn mode_of_cache(&mut self, page: &LogicalPage, to: SlotAddress) -> Option<ProgramMode> {
        let cache = self.slc_cache.as_ref()?;
        let units = &self.state.units;
        if units.is_cached(to.unit) {
            return Some(cache.mode);
        }
        match page.cause {
            Cause::Moved(from) if units.is_cached(from.at.unit) => {
                Some(self.effort.mode_to_write(page.lpn, self.state.layout.ppn(to.unit, to.slot)))
            }
            _ => None,
        }
    }
}
