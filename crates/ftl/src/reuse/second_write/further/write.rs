//! A third or fourth write: as a second one, on the pages of a group.

use rewear_flash::Nanos;

use crate::address::Lpn;
use crate::error::FtlError;
use crate::host::Content;
use crate::layer::Ftl;
use crate::layer::stored;
use crate::reuse::Reuse;
use crate::reuse::second_write::SecondWrite;
use crate::reuse::second_write::config::Retry;
use crate::reuse::second_write::encoding::Tried;
use crate::reuse::second_write::lane::Prefetch;
use crate::state::State;
use crate::state::groups::Group;
use crate::state::units::stream::Stream;

/// A slot of the active group of a lane.
#[derive(Debug, Clone, Copy)]
struct Target {
    kind: usize,
    lane: usize,
    group: Group,
    slot: u32,
}

impl Ftl {
    /// Writes a logical page over the invalid pages in a slot of a group, which is known by its first unit, or as a first write.
    #[inline(never)]
    pub(crate) fn write_further(
        &mut self,
        ready_at: Nanos,
        (lpn, stream): (Lpn, Stream),
        content: Content<'_>,
        (kind, unit, slot): (u8, u32, u32),
    ) -> Result<Nanos, FtlError> {
        let kind = usize::from(kind);
        let Reuse::SecondWrite(scheme) = &mut self.reuse else { return Err(self.out_of_space()) };
        let (retry, mut left) = (scheme.config.retry, scheme.config.tries());
        let lane = scheme.further[kind].lane_of(self.state.layout.pool_of(unit));
        let (mut at, mut slot) = (ready_at, slot);
        while let Reuse::SecondWrite(scheme) = &mut self.reuse
            && let Some(target) = scheme.target(kind, lane, slot)
        {
            let tries = if retry == Retry::OtherPages { 1 } else { left };
            let (encoded_at, success) = scheme.try_group(&mut self.state, at, tries, content, target)?;
            if success {
                return self.program_further(encoded_at, (lpn, stream), content, target);
            }
            (at, left) = (encoded_at, left - tries);
            let next = scheme.further[kind].next_slot(&mut self.state, &mut scheme.blocks, lane);
            match next {
                // Only the retry on other pages has attempts left.
                Some((_, next)) if left > 0 => slot = next,
                _ => break,
            }
        }
        self.state.counters.second_write_fallbacks += 1;
        self.write_elsewhere(at, lpn, stream, content)
    }

    fn program_further(
        &mut self,
        at: Nanos,
        (lpn, stream): (Lpn, Stream),
        content: Content<'_>,
        Target { kind, lane, group, slot }: Target,
    ) -> Result<Nanos, FtlError> {
        let Reuse::SecondWrite(scheme) = &mut self.reuse else { return Err(self.out_of_space()) };
        let state = &mut self.state;
        let mode = state.effort.mode_to_write(lpn, state.layout.ppn(group.first(), slot));
        if let Some(cells) = scheme.group_cells(kind) {
            cells.raise(state, &group, slot)?;
        }
        let end = state.program_group(at, &group, slot, mode)?;
        state.counters.programmed.host += group.units().len() as u64;
        state.counters.further_writes[kind] += 1;
        if let Some(pairs) = &mut state.pairs {
            pairs.programmed_group(kind, &group, slot);
        }
        let further = &mut scheme.further[kind];
        if state.may_fail() && state.group_failed(&group, slot) {
            further.close(state, &mut scheme.blocks, lane);
            return self.write_elsewhere(end, lpn, stream, content);
        }
        state.supersede_by_group(lpn, &group, slot);
        let wanted_at = scheme.config.prefetch.then_some(end);
        further.advance(state, &mut scheme.blocks, (lane, slot), wanted_at);
        Ok(end)
    }
}

impl SecondWrite {
    fn target(&self, kind: usize, lane: usize, slot: u32) -> Option<Target> {
        let group = self.further[kind].lanes[lane].active?.group;
        Some(Target { kind, lane, group, slot })
    }

    /// Up to `tries` attempts to encode on one group of pages; returns when the last one is over, and whether it succeeded.
    fn try_group(
        &mut self,
        state: &mut State,
        at: Nanos,
        tries: u8,
        content: Content<'_>,
        target: Target,
    ) -> Result<(Nanos, bool), FtlError> {
        let Target { kind, lane, group, slot } = target;
        let further = &mut self.further[kind];
        let read_at = match std::mem::replace(&mut further.lanes[lane].prefetch, Prefetch::Nothing) {
            Prefetch::Done { at: read_at, slot: read } if read == slot => at.max(read_at),
            _ => {
                state.counters.read.before_write += group.units().len() as u64;
                state.read_group(at, &group, slot)?
            }
        };
        let tried = self.encode_group(state, tries, content, target)?;
        let encoded_at = read_at + Nanos::from(tried.failed) * self.encode_ns;
        state.counters.encoding_failures += u64::from(tried.failed);
        if !tried.success {
            self.group_refused(state, target, encoded_at);
        }
        Ok((encoded_at, tried.success))
    }

    /// Whether one of up to `tries` attempts succeeds; on stored cells their new levels are then at hand.
    fn encode_group(
        &mut self,
        state: &State,
        tries: u8,
        content: Content<'_>,
        target: Target,
    ) -> Result<Tried, FtlError> {
        let further = &mut self.further[target.kind];
        let drawn = further.outcomes.draw(tries, &mut further.lanes[target.lane].tried.mask);
        match (drawn, &mut further.cells) {
            (Some(drawn), None) => Ok(drawn),
            (Some(drawn), Some(_)) if !drawn.success => Ok(drawn),
            (None, None) => Err(FtlError::Code("the code has no cells to work on".into())),
            (drawn, Some(cells)) => {
                let data = stored::bytes_of(content)?;
                let attempts = if drawn.is_some() { None } else { Some(tries) };
                let tried = cells.encode(state, (&target.group, target.slot), data, attempts)?;
                Ok(drawn.filter(|_| tried.success).unwrap_or(tried))
            }
        }
    }

    /// A write failed on the next pages of a group, whose content is still at hand.
    fn group_refused(&mut self, state: &mut State, Target { kind, lane, slot, .. }: Target, at: Nanos) {
        let further = &mut self.further[kind];
        let tried = &mut further.lanes[lane].tried;
        tried.failures += 1;
        if self.config.retry == Retry::OtherPages || tried.failures >= self.config.pair_failures {
            let wanted_at = self.config.prefetch.then_some(at);
            return further.advance(state, &mut self.blocks, (lane, slot), wanted_at);
        }
        further.lanes[lane].prefetch = Prefetch::Done { at, slot };
    }
}
