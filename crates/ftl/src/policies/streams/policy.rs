//! What a stream policy decides: which open unit takes a page that the host writes, and one that
//! cleaning moves.

use rewear_flash::ConfigError;

use super::figures::StreamFigures;
use crate::address::{Lpn, Unit};
use crate::config::choices::MovedPages;
use crate::shape::layout::Layout;
use crate::state::units::stream::Stream;

/// Which open unit takes the pages that cleaning moves, where the policy does not sort them one by
/// one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MovedWith {
    /// That of host writes.
    Host,
    /// That of cold host writes: what survives until it is cleaned is cold.
    Cold,
    /// One of their own.
    Nobody,
}

/// What a policy takes of each pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StreamShape {
    /// Open units of host writes and of moved pages.
    pub open_units: u32,
    /// Of these, those of a [`Stream::Class`].
    pub classes: u32,
    /// Where moved pages go.
    pub moved_with: MovedWith,
}

impl StreamShape {
    /// All host writes in one unit.
    pub fn one(moved_pages: MovedPages) -> StreamShape {
        let (open_units, moved_with) = match moved_pages {
            MovedPages::Together => (1, MovedWith::Host),
            MovedPages::Apart => (2, MovedWith::Nobody),
        };
        StreamShape { open_units, classes: 0, moved_with }
    }

    /// Hot and cold host writes apart.
    pub fn hot_cold(moved_pages: MovedPages) -> StreamShape {
        let (open_units, moved_with) = match moved_pages {
            MovedPages::Together => (2, MovedWith::Cold),
            MovedPages::Apart => (3, MovedWith::Nobody),
        };
        StreamShape { open_units, moved_with, ..StreamShape::one(moved_pages) }
    }
}

/// A stream policy. It is asked for every page that the host writes, on a drive that has one.
pub trait Policy: Sized {
    /// Its parameters.
    type Config;

    /// Whether it is asked for every page that cleaning moves, too: without it
    /// [`stream_of_move`](Policy::stream_of_move) is never called.
    const SORTS_MOVES: bool;

    /// [`SORTS_MOVES`](Policy::SORTS_MOVES).
    #[inline]
    fn sorts_moves(&self) -> bool {
        Self::SORTS_MOVES
    }

    /// Checks parameters, which stand in this table of the configuration.
    ///
    /// # Errors
    /// The first that is out of range, with its range.
    fn check(_: &Self::Config, _table: &str) -> Result<(), ConfigError> {
        Ok(())
    }

    /// What it takes.
    fn shape(_: &Self::Config, moved_pages: MovedPages) -> StreamShape {
        StreamShape::hot_cold(moved_pages)
    }

    /// Bytes that its tables take, in the model as in the memory of a controller, as *Cost* says.
    fn table_bytes(config: &Self::Config, layout: &Layout) -> u64;

    /// The policy of a configuration.
    fn new(config: &Self::Config) -> Self;

    /// The drive on which it is, before the first write.
    fn prepare(&mut self, _: MovedPages, _: &Layout) {}

    /// The writes that follow belong to a request of this size, which came with this placement
    /// identifier (0 for none).
    fn announce(&mut self, _bytes: u64, _identifier: u8) {}

    /// The identifier of the present request, as far as the policy cares.
    fn identifier(&self) -> u8 {
        0
    }

    /// The page that follows came with this identifier.
    fn identify(&mut self, _: u8) {}

    /// The stream whose open units are those of a reclaim unit handle, if the policy knows handles
    /// and this is one.
    fn stream_of_handle(&self, _handle: u8) -> Option<Stream> {
        None
    }

    /// The stream of a page that the host writes now.
    fn stream_of(&mut self, lpn: Lpn) -> Stream;

    /// The stream of a page that is moved now out of a unit of the stream `from`. Wear levelling
    /// has a unit of its own all the same.
    fn stream_of_move(&mut self, _: Lpn, _from: Stream) -> Stream {
        Stream::Moved
    }

    /// A unit was opened for a stream.
    fn opened(&mut self, _: Unit, _: Stream) {}

    /// Cleaning took a unit that was last the open one of a stream, with its number of valid pages.
    fn reclaimed(&mut self, _: Unit, _: Stream, _valid: u32) {}

    /// What it counted since the last reset.
    fn figures(&self) -> Option<&StreamFigures> {
        None
    }

    /// Counts anew.
    fn reset_counts(&mut self) {}
}
