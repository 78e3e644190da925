//! Numbers of pages.

/// Logical page number: what the host addresses, in units of the drive's logical page.
pub type Lpn = u32;
/// Physical page number: a slot, the place of one logical page (one flash page, or several where a code needs them).
pub type Ppn = u32;
/// No page, no unit.
pub const NONE: u32 = u32::MAX;
