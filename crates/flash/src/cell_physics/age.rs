//! The age of a page: wear of its block, and time since it was programmed.

/// How long a block was used and its data has lain there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Age {
    /// Program/erase cycles of the block, 0 up; need not be whole.
    pub cycles: f64,
    /// Hours since the page was programmed, 0 up.
    pub retention_hours: f64,
}
