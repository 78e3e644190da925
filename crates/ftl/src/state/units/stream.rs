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
    /// The journal of the page map.
    Metadata,
    /// Pages of a class of the placement policy (`ftl.streams`) that is none of the above, by its
    /// number.
    Class(u8),
}

impl Stream {
    /// The stream of a host write where hot and cold data are told apart.
    #[inline]
    pub(crate) fn of_hot(is_hot: bool) -> Stream {
        if is_hot { Stream::Host } else { Stream::HostCold }
    }

    /// The index of its open unit in a pool.
    #[inline]
    pub(super) fn index(self) -> usize {
        match self {
            Stream::Host => 0,
            Stream::HostCold => 1,
            Stream::Moved => 2,
            Stream::Levelled => 3,
            Stream::Overwrite => 4,
            Stream::Metadata => 5,
            Stream::Class(class) => STREAMS + usize::from(class),
        }
    }

    /// The stream of an index.
    pub(super) fn of_index(index: u8) -> Stream {
        match index {
            0 => Stream::Host,
            1 => Stream::HostCold,
            2 => Stream::Moved,
            3 => Stream::Levelled,
            4 => Stream::Overwrite,
            5 => Stream::Metadata,
            class => Stream::Class(class - STREAMS as u8),
        }
    }
}

/// How many there are beside the classes.
pub(super) const STREAMS: usize = 6;

/// The most classes that a policy may have.
pub(crate) const MOST_CLASSES: u32 = 64;
