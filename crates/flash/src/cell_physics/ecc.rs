//! Up to which raw bit error rate each code reads a page: BCH by the binomial tail, LDPC as
//! measured (`rewear_codes`).

use rewear_codes::bch::Bch;
use rewear_codes::ecc_error::EccError;
use rewear_codes::ecc_limits::{BchLimit, USUAL_UBER, largest_t};
use rewear_codes::ldpc_limits::measured_radii;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::ConfigError;

/// User bytes of a codeword: those for which LDPC codes were measured.
const DATA_BYTES: usize = 4096;

/// The codes of a page; BCH and LDPC have the same sizes. They promise [`USUAL_UBER`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EccConfig {
    /// Parity bytes of a codeword with 4096 bytes of data: 256, 384 or 1024, with which LDPC codes
    /// were measured.
    pub parity_bytes: usize,
}

impl Default for EccConfig {
    fn default() -> Self {
        EccConfig { parity_bytes: 384 }
    }
}

/// A code with a decoder, and what it stands.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct CodeLimit {
    /// `true` for LDPC, `false` for BCH.
    pub ldpc: bool,
    /// References a boundary between two levels is read with; 1 is a hard read.
    pub references: usize,
    /// Largest raw bit error rate at which the promised UBER is met.
    pub rber: f64,
}

/// What the codes of a page stand.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EccLimits {
    /// BCH, read hard.
    pub bch: CodeLimit,
    /// LDPC, by ascending number of references.
    pub ldpc: Vec<CodeLimit>,
}

impl EccLimits {
    /// The limits of a configuration's codes.
    ///
    /// # Errors
    /// Sizes that were not measured.
    pub fn new(ecc: &EccConfig) -> Result<EccLimits, ConfigError> {
        let rber = bch_limit(ecc.parity_bytes as f64 / DATA_BYTES as f64)?;
        let bch = CodeLimit { ldpc: false, references: 1, rber };
        let mut ldpc = Vec::new();
        for radius in measured_radii(DATA_BYTES, ecc.parity_bytes) {
            let rber = radius.rber_at_uber(USUAL_UBER).map_err(|error| refused(&error))?;
            ldpc.push(CodeLimit { ldpc: true, references: radius.references, rber });
        }
        if ldpc.is_empty() {
            let problem = format!("no LDPC code of {DATA_BYTES} + {} bytes was measured", ecc.parity_bytes);
            return Err(ConfigError::new("ecc.parity_bytes", problem, "give 256, 384 or 1024"));
        }
        Ok(EccLimits { bch, ldpc })
    }

    /// The fewest references with which LDPC reads a page of this raw bit error rate; `None`: more
    /// than any that was measured.
    pub fn references_needed(&self, rber: f64) -> Option<usize> {
        self.ldpc.iter().find(|limit| rber <= limit.rber).map(|limit| limit.references)
    }

    /// The largest raw bit error rate that LDPC stands with any number of references.
    pub fn most_ldpc(&self) -> f64 {
        self.ldpc.iter().map(|limit| limit.rber).fold(0.0, f64::max)
    }
}

/// The largest raw bit error rate of a BCH code with `parity` times the data as parity.
pub(super) fn bch_limit(parity: f64) -> Result<f64, ConfigError> {
    let limit = || BchLimit::of(&Bch::new(DATA_BYTES, largest_t(DATA_BYTES, parity)?)?, USUAL_UBER);
    limit().map(|limit| limit.rber).map_err(|error| refused(&error))
}

fn refused(error: &EccError) -> ConfigError {
    ConfigError::new("ecc.parity_bytes", error.to_string(), "give 256, 384 or 1024")
}
