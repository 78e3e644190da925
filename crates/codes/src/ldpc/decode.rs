//! The decoder for everyday use: bit flipping while it is likely to help, min-sum for the rest.

use super::{BitFlipping, Ldpc, LdpcCorrected, MinSum, Workspace};
use crate::ecc_error::{EccError, Uncorrectable};

/// Rounds of bit flipping after which min-sum takes over: by then it has cost about as much as two
/// rounds of min-sum.
const FLIPPING_ROUNDS: u32 = 8;

/// Bit flipping is tried only if at most one check in this many is violated: with more, errors that
/// share checks are so many that it seldom ends in time.
const CHECKS_PER_VIOLATION: u32 = 12;

impl Ldpc {
    /// Corrects hard decisions in place: a few rounds of bit flipping, then min-sum with `rules` on
    /// what was read. As strong as [`Ldpc::decode_hard`] and faster on pages with few errors. The
    /// rounds of both are added.
    ///
    /// # Errors
    /// As [`Ldpc::decode_hard`].
    pub fn decode(
        &self,
        work: &mut Workspace,
        data: &mut [u8],
        parity: &mut [u8],
        rules: &MinSum,
    ) -> Result<LdpcCorrected, EccError> {
        let flipping = BitFlipping { max_iterations: FLIPPING_ROUNDS, ..BitFlipping::default() };
        let hopeless = 8 * self.parity_bytes() as u32 / CHECKS_PER_VIOLATION;
        match self.flip_unless_hopeless(work, data, parity, &flipping, hopeless) {
            Err(EccError::Uncorrectable {
                reason: Uncorrectable::NotConverged { iterations: spent, .. },
            }) => {
                let found = self.decode_hard(work, data, parity, rules)?;
                Ok(LdpcCorrected { iterations: found.iterations + spent, ..found })
            }
            other => other,
        }
    }
}
