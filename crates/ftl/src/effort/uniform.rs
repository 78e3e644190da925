//! Effort `uniform`: the chip as its maker delivers it.
//!
//! # Idea
//! Every page is programmed in the normal mode and read at the normal latency; one error-correcting code for all.
//!
//! # Paper
//! None: the baseline of all five.
//!
//! # Parameters
//! None.
//!
//! # Cost
//! None: no memory, no extra operation.
//!
//! # Deviations
//! None.

use rewear_flash::ProgramMode;

use crate::units::Stream;
use crate::{Lpn, Ppn};

/// See the module's page.
#[derive(Debug, Clone, Copy)]
pub struct Uniform;

impl Uniform {
    #[inline]
    pub(super) fn mode_to_write(self, _lpn: Lpn, _stream: Stream) -> ProgramMode {
        ProgramMode::NORMAL
    }

    #[inline]
    pub(super) fn mode_of(self, _ppn: Ppn) -> ProgramMode {
        ProgramMode::NORMAL
    }

    #[inline]
    pub(super) fn should_rewrite(self, _lpn: Lpn, _ppn: Ppn) -> bool {
        false
    }
}
