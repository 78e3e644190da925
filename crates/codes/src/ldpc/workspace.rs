//! Memory of the decoders, allocated once.

use super::Ldpc;

/// Memory of a decoder beside the word: make one per thread with [`Ldpc::workspace`] and use it
/// for any number of pages.
#[derive(Debug, Clone)]
pub struct Workspace {
    /// Per column z posterior LLRs and the first 64 of them once more, so that every rotated vector
    /// is a contiguous run.
    pub(super) posteriors: Vec<LaneBlock>,
    /// Per block of the matrix, row by row, the z messages from checks to bits.
    pub(super) messages: Vec<LaneBlock>,
    /// Of one row, z each: the least magnitude, both minima after scaling, and the sign of the
    /// product.
    pub(super) extrema: Vec<LaneBlock>,
    /// The current hard decisions, a word per 64 bits.
    pub(super) decisions: Vec<u64>,
    /// Blocks of bits twice over, so that every rotation of one is a contiguous run.
    pub(super) doubled: Vec<u64>,
    /// The hard decisions that were read.
    pub(super) received: Vec<u64>,
    /// Bit-sliced counts of violated checks per bit: weights 1, 2 and 4.
    pub(super) counts: [Vec<u64>; 3],
    /// The parity checks of the current decisions.
    pub(super) checks: Vec<u64>,
}

/// 64 numbers, aligned so that no vector of the decoder crosses a cache line when it need not.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct LaneBlock {
    pub(super) lanes: [i8; 64],
}

/// Sizes of a workspace's parts.
#[derive(Debug, PartialEq, Eq)]
struct Shape {
    posterior_blocks: usize,
    message_blocks: usize,
    extrema_blocks: usize,
    words: usize,
    check_words: usize,
}

impl Ldpc {
    /// A workspace for decoders of this code.
    pub fn workspace(&self) -> Workspace {
        let shape = self.shape();
        let blocks = |count| vec![LaneBlock { lanes: [0; 64] }; count];
        Workspace {
            posteriors: blocks(shape.posterior_blocks),
            messages: blocks(shape.message_blocks),
            extrema: blocks(shape.extrema_blocks),
            decisions: vec![0; shape.words],
            doubled: vec![0; 2 * shape.words],
            received: vec![0; shape.words],
            counts: std::array::from_fn(|_| vec![0; shape.words]),
            checks: vec![0; shape.check_words],
        }
    }

    fn shape(&self) -> Shape {
        let blocks: usize = self.rows.iter().map(Vec::len).sum();
        let words = self.z / 64;
        Shape {
            posterior_blocks: self.columns.len() * (words + 1),
            message_blocks: blocks * words,
            extrema_blocks: 4 * words,
            words: self.columns.len() * words,
            check_words: self.rows.len() * words,
        }
    }

    /// True if `work` has the sizes that this code needs.
    pub(super) fn fits(&self, work: &Workspace) -> bool {
        let actual = Shape {
            posterior_blocks: work.posteriors.len(),
            message_blocks: work.messages.len(),
            extrema_blocks: work.extrema.len(),
            words: work.decisions.len(),
            check_words: work.checks.len(),
        };
        actual == self.shape()
    }
}
