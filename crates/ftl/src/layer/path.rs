//! Which instance of the loops over pages a drive takes.

/// Who has a say in how a page is programmed. Where nobody has, that is not asked page by page: the
/// loops over pages are compiled for each of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Path {
    /// Nobody, and nobody hears of it: programs are normal ones, of one page each, need no
    /// preparation and cannot fail.
    Fast,
    /// Nobody, but a recycling scheme hears of it.
    Observed,
    /// A scheme or an option.
    General,
}
