//! Errors as values: a configuration that cannot be, and an operation that a chip would not
//! survive.

use rewear_codes::mlc_cell::Refusal;

use crate::Address;

/// A configuration value that cannot be. `Display` names the key, the problem and the remedy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {problem}; {remedy}")]
pub struct ConfigError {
    /// Dotted key, e.g. `flash.page_bytes`.
    pub key: String,
    /// What is wrong, with the offending value.
    pub problem: String,
    /// What to do about it.
    pub remedy: String,
}

impl ConfigError {
    /// Builds an error from its three parts.
    pub fn new(key: impl Into<String>, problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        ConfigError { key: key.into(), problem: problem.into(), remedy: remedy.into() }
    }
}

/// An operation that NAND flash does not permit. Seeing one means that a translation layer has a
/// bug.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Illegal {
    /// Pages of a block are programmed in ascending order within a pass.
    #[error("program of {at} out of order: the next page of this block is {expected}")]
    OutOfOrder {
        /// The page that was to be programmed.
        at: Address,
        /// The lowest page that may be programmed now.
        expected: u32,
    },
    /// The page holds data and no code permits another program before an erase.
    #[error(
        "program of {at}, which was programmed {programs} times since its erase; at most {limit} are permitted"
    )]
    ProgrammedBefore {
        /// The page that was to be programmed.
        at: Address,
        /// Programs since the last erase.
        programs: u32,
        /// Programs that the code in use permits between two erases.
        limit: u32,
    },
    /// The other page of the word line is, or was, in the way (see [`rewear_codes::mlc_cell`]).
    #[error("program of {at} would corrupt data: {refusal}")]
    Corrupts {
        /// The page that was to be programmed.
        at: Address,
        /// Why.
        refusal: Refusal,
    },
    /// A high page of the block is programmed, so its low pages are done.
    #[error("program of {at} again, although its block is sealed: a high page of it is programmed")]
    Sealed {
        /// The page that was to be programmed.
        at: Address,
    },
    /// A cell would not come to hold both its bits.
    #[error(
        "program of {at} would corrupt cell {cell}: it would not take the bit, or lose that of its other page"
    )]
    CorruptsCell {
        /// The page that was to be programmed.
        at: Address,
        /// Index of the first such cell.
        cell: u32,
    },
    /// Only an erase lowers a cell.
    #[error("program of {at} would lower cell {cell}")]
    LowersCell {
        /// The page that was to be programmed.
        at: Address,
        /// Index of the first cell that would be lowered.
        cell: u32,
    },
    /// Only an erase lowers a cell of a spare area.
    #[error("program of {at} would lower a cell of its spare area")]
    LowersSpareCell {
        /// The page that was to be programmed.
        at: Address,
    },
    /// Power failed (see [`PowerCut`](crate::medium::PowerCut)).
    #[error("the power failed")]
    NoPower,
    /// The page was not programmed since its erase.
    #[error("read of {at}, which was not programmed since its erase")]
    NotProgrammed {
        /// The page that was to be read.
        at: Address,
    },
    /// No code permits programming this block again without an erase, or its passes are used up.
    #[error("block {block} cannot be reopened: {passes} of {limit} passes used")]
    NoPassLeft {
        /// The block.
        block: u32,
        /// Passes begun since the last erase.
        passes: u32,
        /// Passes that the code in use permits.
        limit: u32,
    },
    /// Outside the array.
    #[error("{at} lies outside the array")]
    Outside {
        /// The address.
        at: Address,
    },
    /// A stored medium needs the cells' image with every program and read.
    #[error("{at}: an image of {got} bytes was given where a page holds {expected}")]
    ImageSize {
        /// The page.
        at: Address,
        /// Bytes given.
        got: usize,
        /// Bytes that a page holds.
        expected: usize,
    },
    /// Copyback stays within a plane.
    #[error("copyback to {at} from another plane")]
    NotOnePlane {
        /// The page that was to be programmed.
        at: Address,
    },
    /// A multi-plane command addresses one page on each of several planes of one die.
    #[error("{at} cannot take part in a multi-plane command: same plane twice or another die")]
    NotMultiPlane {
        /// The offending page.
        at: Address,
    },
}
