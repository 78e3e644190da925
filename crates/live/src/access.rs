//! The one or the many locks of a live drive.

use std::sync::{Mutex, MutexGuard};
use std::time::Instant;

use rewear_flash::Nanos;
use rewear_ftl::host::Command;
use rewear_ftl::{Ftl, Space};

use crate::error::LiveError;
use crate::parts::Parts;
use crate::serve::{Served, State};

/// A drive that many threads ask for requests.
#[derive(Debug)]
pub(crate) enum Shared {
    /// One lock over the whole drive.
    Whole(Box<Mutex<State>>),
    /// One lock for each part of it.
    Parts(Box<Parts>),
}

/// The drive as a request finds it.
pub(crate) enum Access<'d> {
    Whole(MutexGuard<'d, State>),
    Parts(&'d Parts),
}

impl Shared {
    /// A thread that panicked while it changed the drive may have left it half changed: from then
    /// on nothing is served.
    pub(crate) fn access(&self) -> Result<Access<'_>, LiveError> {
        let Shared::Whole(state) = self else { return self.access_even_closed() };
        let state = lock(state)?;
        if state.is_closed { Err(LiveError::Closed) } else { Ok(Access::Whole(state)) }
    }

    fn access_even_closed(&self) -> Result<Access<'_>, LiveError> {
        match self {
            Shared::Whole(state) => Ok(Access::Whole(lock(state)?)),
            // Parts are asked one by one, and say so themselves.
            Shared::Parts(parts) => Ok(Access::Parts(parts)),
        }
    }

    /// Looks at the drive, at what was served, at its space and at how many requests are recorded.
    pub(crate) fn look<R>(
        &self,
        look: impl FnOnce(&Ftl, &Served, Space, Option<u64>) -> R,
    ) -> Result<R, LiveError> {
        match self.access_even_closed()? {
            Access::Whole(state) => {
                let recorded = state.recording.as_ref().map(|recording| recording.summary().requests);
                Ok(look(&state.ftl, &state.served, state.ftl.space(), recorded))
            }
            Access::Parts(parts) => parts.look(|ftl, served, space| look(ftl, served, space, None)),
        }
    }

    pub(crate) fn audit(&self) -> Result<(), String> {
        match self.access_even_closed().map_err(|error| error.to_string())? {
            Access::Whole(state) => state.ftl.audit(),
            Access::Parts(parts) => parts.audit(),
        }
    }

    /// Ends the drive and its recording; to end it once more does nothing.
    pub(crate) fn finish(&self) -> Result<(), LiveError> {
        match self.access_even_closed()? {
            Access::Whole(mut state) => {
                if state.is_closed {
                    return Ok(());
                }
                let closed = state.close();
                state.is_closed = true;
                let recorded =
                    state.recording.take().map_or(Ok(()), |recording| recording.finish().map(drop));
                closed.and(recorded)
            }
            Access::Parts(parts) => parts.close().map(drop),
        }
    }
}

impl Access<'_> {
    pub(crate) fn read(&mut self, offset_bytes: u64, into: &mut [u8]) -> Result<Nanos, LiveError> {
        match self {
            Access::Whole(state) => state.read(offset_bytes, into),
            Access::Parts(parts) => parts.read(offset_bytes, into),
        }
    }

    pub(crate) fn write(
        &mut self,
        offset_bytes: u64,
        data: &[u8],
        (command, stream): (Command, u8),
    ) -> Result<Nanos, LiveError> {
        match self {
            Access::Whole(state) => state.write(offset_bytes, data, (command, stream)),
            // Parts share nothing, so they have no streams of a host either.
            Access::Parts(parts) => parts.write(offset_bytes, data, command),
        }
    }

    pub(crate) fn trim(&mut self, offset_bytes: u64, length_bytes: u64) -> Result<Nanos, LiveError> {
        match self {
            Access::Whole(state) => state.trim(offset_bytes, length_bytes),
            Access::Parts(parts) => parts.trim(offset_bytes, length_bytes),
        }
    }

    pub(crate) fn update_handle(&mut self, handle: u8) -> Result<u32, LiveError> {
        match self {
            Access::Whole(state) => state.update_handle(handle),
            // Parts have no streams of a host, so there is no handle.
            Access::Parts(_) => Ok(0),
        }
    }

    pub(crate) fn flush(&mut self) -> Result<Nanos, LiveError> {
        match self {
            Access::Whole(state) => state.flush(),
            Access::Parts(parts) => parts.flush(),
        }
    }

    /// Tells `ask` whether pages hold data.
    pub(crate) fn with_holders(&self, ask: impl FnOnce(&dyn Fn(u64) -> bool)) -> Result<(), LiveError> {
        match self {
            Access::Whole(state) => ask(&|page| state.holds(page)),
            Access::Parts(parts) => ask(&parts.holders()?),
        }
        Ok(())
    }

    /// The moment on the wall at which the simulated clock shows `end_ns`.
    pub(crate) fn deadline(&self, end_ns: Nanos) -> Option<Instant> {
        match self {
            Access::Whole(state) => state.clock.deadline(end_ns),
            Access::Parts(parts) => parts.deadline(end_ns),
        }
    }
}

fn lock(state: &Mutex<State>) -> Result<MutexGuard<'_, State>, LiveError> {
    state.lock().map_err(|_| LiveError::Stopped)
}
