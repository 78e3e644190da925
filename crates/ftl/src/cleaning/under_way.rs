//! A victim that is cleaned in idle time, page by page.

use rewear_flash::Nanos;

use crate::reuse::reclaim_decision::Victim;

/// See the module's page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UnderWay {
    pub(crate) victim: Victim,
    /// When its pages moved so far are safe.
    pub(crate) safe_at: Nanos,
}
