//! A second write: old content, encoding with its retries, program; or the first write that takes its place (section 5.6).

use rewear_flash::Nanos;
use rewear_flash::medium::Kind;

use super::SecondWrite;
use super::config::Retry;
use super::encoding::Tried;
use super::lane::Prefetch;
use crate::address::Lpn;
use crate::error::FtlError;
use crate::host::Content;
use crate::layer::Ftl;
use crate::layer::stored;
use crate::recovery::SpareMetadata;
use crate::reuse::Reuse;
use crate::reuse::place::Place;
use crate::state::State;
use crate::state::units::stream::Stream;

impl Ftl {
    /// Writes a logical page over the two invalid pages at `place`, or where else the scheme sends it.
    #[inline(never)]
    pub(crate) fn write_second(
        &mut self,
        ready_at: Nanos,
        (lpn, stream): (Lpn, Stream),
        content: Content<'_>,
        place: (u32, u32),
    ) -> Result<Nanos, FtlError> {
        let (mut at, mut first) = (ready_at, place);
        let Reuse::SecondWrite(scheme) = &mut self.reuse else { return Err(self.out_of_space()) };
        let (retry, mut left) = (scheme.config.retry, scheme.config.tries());
        let lane = scheme.lane_of(self.state.layout.pool_of(first.0));
        loop {
            let tries = if retry == Retry::OtherPages { 1 } else { left };
            let (encoded_at, success) = self.try_pair(at, lane, tries, content, first)?;
            if success {
                return self.program_second(encoded_at, lane, (lpn, stream), content, first);
            }
            (at, left) = (encoded_at, left - tries);
            match self.next_pair(lane) {
                // Only the retry on other pages has attempts left.
                Some(Place::Pair { unit, slot, .. }) if left > 0 => first = (unit, slot),
                _ => break,
            }
        }
        self.state.counters.second_write_fallbacks += 1;
        self.write_elsewhere(at, lpn, stream, content)
    }

    /// Up to `tries` attempts to encode on one pair of pages; returns when the last one is over, and whether it succeeded.
    #[inline]
    fn try_pair(
        &mut self,
        at: Nanos,
        lane: usize,
        tries: u8,
        content: Content<'_>,
        first: (u32, u32),
    ) -> Result<(Nanos, bool), FtlError> {
        let Reuse::SecondWrite(scheme) = &mut self.reuse else { return Err(self.out_of_space()) };
        let encode_ns = scheme.encode_ns;
        let read_at = scheme.old_content(&mut self.state, lane, at, first)?;
        let tried = self.encode_second(tries, lane, content, first)?;
        // The first encoding takes the place of a first write's error-correcting code, which the program's time includes.
        let encoded_at = read_at + Nanos::from(tried.failed) * encode_ns;
        self.state.counters.encoding_failures += u64::from(tried.failed);
        if let (false, Reuse::SecondWrite(scheme)) = (tried.success, &mut self.reuse) {
            scheme.failed(&mut self.state, lane, first.1, encoded_at);
        }
        Ok((encoded_at, tried.success))
    }

    /// Whether one of up to `tries` attempts succeeds; on stored cells their new levels are then set.
    #[inline]
    fn encode_second(
        &mut self,
        tries: u8,
        lane: usize,
        content: Content<'_>,
        first: (u32, u32),
    ) -> Result<Tried, FtlError> {
        let Reuse::SecondWrite(scheme) = &mut self.reuse else { return Err(self.out_of_space()) };
        let drawn = scheme.outcomes.draw(tries, &mut scheme.lanes[lane].tried.mask);
        match (drawn, &mut scheme.cells) {
            (Some(drawn), None) => Ok(drawn),
            (Some(drawn), Some(_)) if !drawn.success => Ok(drawn),
            (None, None) => Err(FtlError::Code("the code has no cells to work on".into())),
            (drawn, Some(cells)) => {
                let data = stored::bytes_of(content)?;
                let attempts = if drawn.is_some() { None } else { Some(tries) };
                let second = self.state.pairs.as_deref().map_or(first, |pairs| pairs.second_half(first));
                let tried = stored::encode_second(&self.state, cells, data, attempts, [first, second])?;
                Ok(drawn.filter(|_| tried.success).unwrap_or(tried))
            }
        }
    }

    #[inline]
    fn program_second(
        &mut self,
        at: Nanos,
        lane: usize,
        (lpn, stream): (Lpn, Stream),
        content: Content<'_>,
        first: (u32, u32),
    ) -> Result<Nanos, FtlError> {
        let second = self.state.pairs.as_deref().map_or(first, |pairs| pairs.second_half(first));
        let mut at = at;
        for half in [first, second] {
            at = self.before_overwriting(at, half)?;
        }
        let state = &mut self.state;
        let mode = state.effort.mode_to_write(lpn, state.layout.ppn(first.0, first.1));
        if state.array.stores_cells() {
            let metadata = SpareMetadata {
                kind: Kind::SecondFirstHalf,
                lpn,
                mode,
                stream: state.units.stream_index(stream),
            };
            let content = (metadata, stored::bytes_of(content)?);
            stored::raise_second(state, &mut self.reuse, &mut self.buffers, [first, second], content)?;
        }
        let end = state.program_halves(at, first, mode)?;
        state.counters.programmed.host += 2;
        state.counters.second_writes += 1;
        if let Some(pairs) = &mut state.pairs {
            pairs.programmed(first);
        }
        if state.may_fail() && state.halves_failed(first) {
            self.give_up_pair(lane);
            return self.write_elsewhere(end, lpn, stream, content);
        }
        state.supersede_by_second(lpn, first);
        let Reuse::SecondWrite(scheme) = &mut self.reuse else { return Ok(end) };
        scheme.advance(state, lane, first.1, end);
        Ok(end)
    }

    /// A program failed on a block of the active pair: it is condemned already, the other takes no more second writes either.
    #[cold]
    fn give_up_pair(&mut self, lane: usize) {
        let Reuse::SecondWrite(scheme) = &mut self.reuse else { return };
        scheme.close_pair(&mut self.state, lane);
    }
}

impl SecondWrite {
    /// A write failed on the next pair of pages, whose content is still at hand.
    fn failed(&mut self, state: &mut State, lane: usize, slot: u32, at: Nanos) {
        let tried = &mut self.lanes[lane].tried;
        tried.failures += 1;
        if self.config.retry == Retry::OtherPages || tried.failures >= self.config.pair_failures {
            return self.advance(state, lane, slot, at);
        }
        self.lanes[lane].prefetch = Prefetch::Done { at, slot };
    }
}

impl State {
    /// Whether the program of the halves that was just made failed on one of their blocks, which is then condemned.
    #[cold]
    fn halves_failed(&mut self, first: (u32, u32)) -> bool {
        let Some(pairs) = &self.pairs else { return false };
        let second = pairs.second_half(first);
        self.program_failed(first.0, first.1) || self.program_failed(second.0, second.1)
    }
}
