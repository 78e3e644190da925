//! Where an operation goes.

use std::fmt;

/// One page of the array.
///
/// The plane is carried along although the block implies it, so that no operation has to divide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address {
    /// Plane, counted over the whole array.
    pub plane: u32,
    /// Block, counted over the whole array: `plane * blocks_per_plane + index in the plane`.
    pub block: u32,
    /// Page within the block.
    pub page: u32,
}

impl Address {
    /// Another copy, for a call that is not inlined: this one need not lie in memory for it.
    #[inline(always)]
    pub(crate) fn apart(&self) -> Address {
        let Address { plane, block, page } = *self;
        Address { plane, block, page }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "plane {} block {} page {}", self.plane, self.block, self.page)
    }
}
