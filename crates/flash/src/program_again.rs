//! What a write-once-memory code makes legal: programming a page again without an erase.

/// Which programs of an already programmed page the array accepts.
///
/// A code states its rule once, when the array is made. On modelled cells the array counts programs
/// against the rule; on stored cells it also sees that no cell is lowered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProgramAgain {
    /// Plain flash: one program a page between two erases, in ascending order.
    Never,
    /// Passes over a block: after [`reopen`](crate::Array::reopen) its pages may be programmed once
    /// more, again in ascending order (pages may be left out), each page at most `limit` times
    /// between two erases. The rule of second writes (`limit` 2).
    Passes {
        /// Programs of one page between two erases.
        limit: u16,
    },
    /// Any number of passes over a block; a pass may leave out pages. Each page at most
    /// `limit` times between two erases. The rule of WOM-v codes, where pages that are left out
    /// keep their programs for a later pass.
    Pages {
        /// Programs of one page between two erases.
        limit: u16,
    },
    /// MLC: the low pages of a block may be programmed again in place until the first of its high
    /// pages is; then the high pages, each once. Or the whole block in ascending order, each page
    /// once. The rule of extended P/E cycles.
    LowPages {
        /// Programs of one low page between two erases.
        limit: u16,
    },
}

impl ProgramAgain {
    /// Programs of one page that are permitted between two erases.
    pub fn limit(self) -> u32 {
        match self {
            ProgramAgain::Never => 1,
            ProgramAgain::Passes { limit }
            | ProgramAgain::Pages { limit }
            | ProgramAgain::LowPages { limit } => u32::from(limit),
        }
    }

    /// Passes over a block that are permitted between two erases.
    pub fn passes(self) -> u32 {
        match self {
            ProgramAgain::Pages { .. } => u32::MAX,
            ProgramAgain::LowPages { .. } => 1,
            other => other.limit(),
        }
    }
}
