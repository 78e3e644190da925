//! Contents of valid pages, for deduplication (Chen, Luo, Zhang: CAFTL, FAST '11).

use foldhash::fast::FixedState;
use hashbrown::HashMap;

use crate::Ppn;
use crate::fingerprint::Fingerprint;

/// Bytes of the model for each valid page: an entry of the index.
pub(super) const MODEL_BYTES_PER_PAGE: u64 = 40;

/// Which valid page holds a content. Bounded by the valid pages; CAFTL bounds its index further and finds less.
///
/// Where two valid pages hold the same content (one of them was written while it could not be compared), the later is known.
#[derive(Debug, Clone, Default)]
pub(super) struct LivePages {
    page_of: HashMap<Fingerprint, Ppn, FixedState>,
}

impl LivePages {
    /// The page became valid.
    pub(super) fn add(&mut self, fingerprint: Fingerprint, ppn: Ppn) {
        self.page_of.insert(fingerprint, ppn);
    }

    /// The page is no longer valid.
    pub(super) fn remove(&mut self, fingerprint: Fingerprint, ppn: Ppn) {
        if self.page_of.get(&fingerprint) == Some(&ppn) {
            self.page_of.remove(&fingerprint);
        }
    }

    /// A valid page with this content.
    pub(super) fn find(&self, fingerprint: Fingerprint) -> Option<Ppn> {
        self.page_of.get(&fingerprint).copied()
    }
}
