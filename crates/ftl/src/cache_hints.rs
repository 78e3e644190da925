//! Hints to the processor: what will be asked for soon is brought into its cache meanwhile. No hint
//! changes a result.
//!
//! A replay knows which requests come and says so in the steps of [`Ahead`]; the layer translates
//! that into what a recycling scheme will look up ([`Soon`]); tables give the instruction
//! ([`hint`]).

use crate::address::{Lpn, Ppn};
use crate::host::fingerprint::Fingerprint;

/// Pages of a long request by which hints of what a recycling scheme will ask for are ahead, and
/// those by which hints of what depends on these are.
pub const PAGES_AHEAD_IN_REQUEST: u64 = 8;
/// See [`PAGES_AHEAD_IN_REQUEST`].
pub const MATCHES_AHEAD_IN_REQUEST: u64 = 4;

/// How near a page of a coming request is. What is looked up in one step finds what the next one
/// needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ahead {
    /// Far: its entry in the page map.
    Map,
    /// A recycling scheme's entries under its number and under its content.
    Keys,
    /// What the scheme knows of its present place.
    Place,
    /// Near, for writes and trims: what the scheme knows of the content that goes, and the page
    /// that may hold the one that comes.
    Match,
}

/// What a recycling scheme will be asked for soon.
#[derive(Debug, Clone, Copy)]
pub enum Soon {
    /// A logical page, which may lie beyond the drive, and the content to be written there, if it
    /// is known.
    Keys {
        /// The page.
        lpn: u64,
        /// The content.
        content: Option<Fingerprint>,
    },
    /// The present place of a logical page, and the list that it may join.
    Place {
        /// The logical page.
        lpn: Lpn,
        /// Where it lies.
        ppn: Ppn,
    },
    /// A physical page that a write or trim leaves behind; it will be offered to the store.
    Left(Ppn),
    /// The page that may match a content to be written.
    Match(Fingerprint),
    /// Physical pages in a row, about to be moved or destroyed.
    Row {
        /// The first.
        first: Ppn,
        /// How many.
        pages: u32,
    },
}

/// As [`hint`], of an index that is known to be one: none is looked for.
#[inline(always)]
pub(crate) fn hint_known<T>(all: &[T], index: usize) {
    debug_assert!(index < all.len());
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing architecturally, wherever it points.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(all.as_ptr().wrapping_add(index).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (all, index);
}

/// Brings an element into the cache; if there is none with this index, the first one, so that
/// nobody has to guess which.
#[inline]
pub(crate) fn hint<T>(all: &[T], index: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let element = all.as_ptr().wrapping_add(if index < all.len() { index } else { 0 });
        // SAFETY: a prefetch reads nothing architecturally, wherever it points.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(element.cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (all, index);
}
