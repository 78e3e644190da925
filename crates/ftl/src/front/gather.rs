//! The figures of a drive whose dies work apart, each some of them as a drive of its own.
//!
//! The whole one has no map then and takes no pages. It shows what the parts did together, as if it
//! had done it.

use rewear_flash::ConfigError;

use crate::config::drive::DriveConfig;
use crate::front::Ftl;

impl Ftl {
    /// A drive that takes no pages, and shows what it [gathers](Self::gather).
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of_parts(config: &DriveConfig) -> Result<Ftl, ConfigError> {
        Ftl::of(config, None)
    }

    /// Takes over the counters of the parts, how their blocks stand and how long they worked. Die
    /// `d` of part `p` of `n` is die `n d + p` of this drive, and a channel likewise where parts have
    /// whole ones.
    pub fn gather<'p>(&mut self, parts: impl ExactSizeIterator<Item = &'p Ftl> + Clone) {
        self.hand.gather(parts.map(|part| &part.hand));
    }

    /// The parts were asked to write so many logical pages since they were gathered.
    pub fn asked_to_write(&mut self, pages: u64) {
        self.hand.counters().host_pages_written += pages;
    }
}
