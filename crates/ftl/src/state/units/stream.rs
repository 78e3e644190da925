//! Who writes, and so which open unit.

/// Who writes: separate streams may have separate open units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Host writes; where hot and cold data are told apart, of hot data.
    Host,
    /// Host writes of cold data.
    HostCold,
    /// Pages moved by cleaning.
    Moved,
    /// Pages moved by wear levelling.
    Levelled,
    /// Host writes to pages that will be programmed again in place.
    Overwrite,
}

/// How many there are.
pub(super) const STREAMS: usize = 5;
