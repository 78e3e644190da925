//! Digests of page contents.
//!
//! Equal digests are taken for equal contents; on stored cells the bytes themselves are compared
//! before anything depends on it. XXH3 with 128 bits is no cryptographic hash: a host that wants
//! two of its pages to collide can make them.

use xxhash_rust::xxh3::{Xxh3, xxh3_128};

/// A 128-bit digest of the content of a logical page.
pub type Fingerprint = u128;

/// The digest of a page's bytes.
pub fn of_bytes(page: &[u8]) -> Fingerprint {
    xxh3_128(page)
}

/// The digest of a page from the digests of its parts, in order.
pub fn of_parts(parts: &[Fingerprint]) -> Fingerprint {
    if let [whole] = parts {
        return *whole;
    }
    let mut state = Xxh3::new();
    parts.iter().for_each(|part| state.update(&part.to_le_bytes()));
    state.digest128()
}

/// The digest of part `index` of a page from the digest of the whole page.
pub fn of_part(whole: Fingerprint, index: u64) -> Fingerprint {
    of_parts(&[whole, u128::from(index)])
}
