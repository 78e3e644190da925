//! Idle time: pages are rewritten, the cache is folded, units are cleaned.

use rewear_flash::Nanos;

use crate::error::FtlError;
use crate::front::Ftl;

impl Ftl {
    /// Whether [`idle`](Self::idle) does anything.
    pub fn uses_idle_time(&self) -> bool {
        self.hand.effort().rewrites_in_idle_time() || self.cleaner.uses_idle_time()
    }

    /// The next request arrives at `until`; the idle time before it may be used.
    ///
    /// # Errors
    /// A fault of the translation layer.
    pub fn idle(&mut self, until: Nanos) -> Result<(), FtlError> {
        self.rewrite_in_idle_time(until)?;
        self.cleaner.clean_in_idle_time(&mut self.hand, until)
    }
}
