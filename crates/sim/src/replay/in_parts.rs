//! What a replay asks of the parts of a drive, where its pages go to them.

use rewear_flash::Nanos;
use rewear_trace::Request;

use super::Replay;
use crate::error::SimError;

impl Replay<'_> {
    /// Hands the pages of a request that arrives at `at` to their parts, which know when it ends.
    #[inline(never)]
    pub(super) fn serve_in_parts(&mut self, request: &Request, at: Nanos) -> Result<(), SimError> {
        let Some(parts) = &mut self.parts else { return Ok(()) };
        let pages_written = parts.serve(request, at, &self.pages)?;
        self.ftl.asked_to_write(pages_written);
        self.served.end_ns = self.served.end_ns.max(at);
        self.count(request, at)?;
        if self.observers.active() && !request.torn {
            self.observe(request, at, at)?;
        }
        Ok(())
    }

    /// Has the whole drive show what its parts have done, if it has such.
    #[inline(never)]
    pub(super) fn gather(&mut self) -> Result<(), SimError> {
        match &mut self.parts {
            None => Ok(()),
            Some(parts) => parts.gather(&mut self.ftl),
        }
    }

    /// Keeps the erases of now, for those of the second half.
    #[inline(never)]
    pub(super) fn sample(&mut self) {
        let counters = self.ftl.counters();
        let (written, erases) = (counters.host_pages_written, counters.erases);
        match &mut self.parts {
            None => self.served.halves.sample(written, erases),
            // The erases are those of the parts, which come later.
            Some(parts) => {
                parts.sample(written);
                self.served.halves.sample(written, 0);
            }
        }
    }

    /// Starts the counters of the drive anew.
    pub(super) fn reset_counters(&mut self) -> Result<(), SimError> {
        match &mut self.parts {
            None => self.ftl.reset_counters(),
            Some(parts) => parts.reset_counters(&mut self.ftl)?,
        }
        Ok(())
    }

    /// Puts the figures of the parts together, once the last request is served. Returns how many
    /// logical pages hold data.
    pub(super) fn pages_held(&mut self) -> Result<u64, SimError> {
        match &mut self.parts {
            None => Ok(self.ftl.pages_held()),
            Some(parts) => {
                parts.gather(&mut self.ftl)?;
                parts.add_served(&mut self.served)?;
                parts.pages_held()
            }
        }
    }
}
