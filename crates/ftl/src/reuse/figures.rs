//! What schemes report of themselves.

/// Of second writes, gauges beside the counters: blocks of the drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SecondWriteFigures {
    /// Recycled blocks now.
    pub recycled_blocks: u32,
    /// Reused blocks now.
    pub reused_blocks: u32,
    /// Most blocks that were either at a time, since the counters were reset.
    pub most_blocks: u32,
}
