//! The figures of a drive whose dies work apart, each some of them as a drive of its own.
//!
//! The whole one has no map then and takes no pages. It shows what the parts did together, as if it
//! had done it.

use rewear_flash::ConfigError;

use crate::config::drive::DriveConfig;
use crate::front::Ftl;
use crate::state::counters::Counters;

impl Ftl {
    /// A drive that takes no pages, and shows what it [gathers](Self::gather).
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of_parts(config: &DriveConfig) -> Result<Ftl, ConfigError> {
        Ftl::with_map(config, false)
    }

    /// Takes over the counters of the parts, how their blocks stand and how long they worked. Die
    /// `d` of part `p` of `n` is die `n d + p` of this drive, and a channel likewise where parts have
    /// whole ones. No scheme and no policy of theirs counts anything of its own.
    pub fn gather<'p>(&mut self, parts: impl ExactSizeIterator<Item = &'p Ftl>) {
        let count = parts.len() as u32;
        *self.hand.counters() = Counters::default();
        for (index, part) in (0..).zip(parts) {
            let part = part.hand.state();
            *self.hand.counters() += part.counters;
            let geometry = part.array.geometry();
            let array = self.hand.array();
            for die in 0..geometry.dies() {
                let planes = die * geometry.planes_per_die..(die + 1) * geometry.planes_per_die;
                let first_plane = (die * count + index) * geometry.planes_per_die;
                array.take_planes(first_plane, &part.array, planes);
            }
            let has_own_channels = geometry.channels * count == array.geometry().channels;
            for channel in (0..geometry.channels).filter(|_| has_own_channels) {
                array.take_channel(channel * count + index, &part.array, channel);
            }
        }
    }

    /// The parts were asked to write so many logical pages since they were gathered.
    pub fn asked_to_write(&mut self, pages: u64) {
        self.hand.counters().host_pages_written += pages;
    }
}
