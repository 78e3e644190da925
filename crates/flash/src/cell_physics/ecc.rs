//! Up to which raw bit error rate each code reads a page: BCH by the binomial tail, LDPC as
//! measured (`rewear_codes`).

use rewear_codes::bch::Bch;
use rewear_codes::ecc_error::EccError;
use rewear_codes::ecc_limits::{BchLimit, USUAL_UBER, largest_t};
use rewear_codes::ldpc_limits::measured_radii;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::ConfigError;

/// The codes of a page, of which BCH and LDPC have the same sizes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EccConfig {
    /// User bytes of a codeword.
    pub data_bytes: usize,
    /// Parity bytes of a codeword. LDPC codes were measured with 256, 384 and 1024 for 4096 bytes
    /// of data.
    pub parity_bytes: usize,
    /// Uncorrectable bit error rate that is promised.
    pub uber: f64,
    /// Second writes: parity of the first write's BCH code, as a fraction of the data.
    pub first_write_parity: f64,
    /// Second writes: parity that the whole spare area holds, as a fraction of the data.
    pub spare_parity: f64,
}

impl Default for EccConfig {
    fn default() -> Self {
        EccConfig {
            data_bytes: 4096,
            parity_bytes: 384,
            uber: USUAL_UBER,
            first_write_parity: 0.025,
            spare_parity: 0.09,
        }
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
    /// Sizes that no code has or that were not measured; an impossible UBER.
    pub fn new(ecc: &EccConfig) -> Result<EccLimits, ConfigError> {
        let parity = ecc.parity_bytes as f64 / ecc.data_bytes.max(1) as f64;
        let bch = CodeLimit { ldpc: false, references: 1, rber: bch_limit(ecc, "ecc.parity_bytes", parity)? };
        let mut ldpc = Vec::new();
        for radius in measured_radii(ecc.data_bytes, ecc.parity_bytes) {
            let rber = radius.rber_at_uber(ecc.uber).map_err(|error| refused("ecc.uber", &error))?;
            ldpc.push(CodeLimit { ldpc: true, references: radius.references, rber });
        }
        if ldpc.is_empty() {
            let problem =
                format!("no LDPC code of {} + {} bytes was measured", ecc.data_bytes, ecc.parity_bytes);
            return Err(ConfigError::new(
                "ecc.parity_bytes",
                problem,
                "give 4096 data bytes with 256, 384 or 1024",
            ));
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

/// The largest raw bit error rate of a BCH code with `parity` times the data as parity; `key` is
/// blamed if there is none.
pub(super) fn bch_limit(ecc: &EccConfig, key: &str, parity: f64) -> Result<f64, ConfigError> {
    let limit = || {
        let code = Bch::new(ecc.data_bytes, largest_t(ecc.data_bytes, parity)?)?;
        BchLimit::of(&code, ecc.uber)
    };
    limit().map(|limit| limit.rber).map_err(|error| refused(key, &error))
}

fn refused(key: &str, error: &EccError) -> ConfigError {
    ConfigError::new(key, error.to_string(), "choose another size of codeword, parity or UBER")
}
