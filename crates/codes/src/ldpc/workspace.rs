//! Memory of the decoders, allocated once.

use super::Ldpc;

/// Memory of a decoder beside the word: make one per thread with [`Ldpc::workspace`] and use it
/// for any number of pages.
#[derive(Debug, Clone)]
pub struct Workspace {
    /// Posterior LLRs, one a bit.
    pub(super) posteriors: Vec<i8>,
    /// Per block of the matrix, row by row, the z messages from checks to bits.
    pub(super) messages: Vec<i8>,
    /// The current hard decisions, a word per 64 bits.
    pub(super) decisions: Vec<u64>,
    /// The hard decisions that were read.
    pub(super) received: Vec<u64>,
}

impl Ldpc {
    /// A workspace for decoders of this code.
    pub fn workspace(&self) -> Workspace {
        let bits = self.codeword_bits();
        Workspace {
            posteriors: vec![0; bits],
            messages: vec![0; self.messages()],
            decisions: vec![0; bits / 64],
            received: vec![0; bits / 64],
        }
    }

    fn messages(&self) -> usize {
        self.z * self.rows.iter().map(Vec::len).sum::<usize>()
    }

    /// True if `work` has the sizes that this code needs.
    pub(super) fn fits(&self, work: &Workspace) -> bool {
        (work.posteriors.len(), work.messages.len()) == (self.codeword_bits(), self.messages())
    }
}
