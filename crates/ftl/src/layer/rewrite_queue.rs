//! Pages that wait for idle time to be rewritten.

use std::collections::VecDeque;

use crate::address::Lpn;

/// Pages that may wait for idle time; a page that finds no room is asked for again when it is read
/// the next time.
pub(super) const MOST_WAITING: usize = 4096;

/// The pages that wait for idle time.
#[derive(Debug, Clone, Default)]
pub(crate) struct RewriteQueue {
    pub(super) waiting: VecDeque<Lpn>,
}
