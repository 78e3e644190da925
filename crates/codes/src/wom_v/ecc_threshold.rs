//! When too many invalid cells end a page's writes (`wom-v`, section 2.2 and 3.2.1).

/// Where the threshold on invalid cells is checked. The paper's text leaves it open; the four
/// readings differ by one write or more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EccCheck {
    /// Refuse the write that would exceed the threshold: the error-correcting code is never asked
    /// for more than it has. The choice for a drive that must keep its data.
    Pre,
    /// Keep the write that crosses the threshold and erase before the next one. Reproduces the
    /// paper's numbers.
    Post,
    /// As `Post`, but a cell counts from the write that raises it to the last generation, though it
    /// holds its data there: the letter of sections 2.2 and 3.2.1.
    LastGeneration,
    /// Count over a whole erase unit when it closes, as the authors' released simulator does.
    Unit,
}

/// A limit on the share of invalid cells, and where it is checked.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct EccThreshold {
    /// Where the limit is checked.
    pub check: EccCheck,
    /// The largest share of invalid cells that is tolerated, 0 to 1.
    pub max_invalid_share: f64,
}

impl EccThreshold {
    /// The paper's 3% with its reading "keep the crossing write".
    pub const PAPER: EccThreshold = EccThreshold { check: EccCheck::Post, max_invalid_share: 0.03 };
    /// 3% that is never exceeded.
    pub const SAFE: EccThreshold = EccThreshold { check: EccCheck::Pre, max_invalid_share: 0.03 };
    /// No invalid cell at all: the code without help from the error-correcting code.
    pub const NONE: EccThreshold = EccThreshold { check: EccCheck::Pre, max_invalid_share: 0.0 };
    /// The authors' released code: 7.75% over an erase unit.
    pub const RELEASED_CODE: EccThreshold = EccThreshold { check: EccCheck::Unit, max_invalid_share: 0.0775 };

    /// The most invalid cells that `cells` cells (of a page, or of an erase unit under
    /// [`EccCheck::Unit`]) may have.
    pub fn limit(&self, cells: usize) -> usize {
        // Negative and not-a-number shares become 0, as a cast from float saturates.
        (self.max_invalid_share * cells as f64).floor() as usize
    }
}
