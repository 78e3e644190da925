//! Digests of pages: the first 128 bits of BLAKE3, so that nobody can make two different pages look
//! equal.

use rewear_trace::{FINGERPRINT_PAGE_BYTES, Fingerprint};

/// Words of a recording's description about its fingerprints.
pub const HASH: &str = "BLAKE3, first 128 bits, little-endian";

const PAGE: usize = FINGERPRINT_PAGE_BYTES as usize;

fn fingerprint(bytes: &[u8]) -> Fingerprint {
    let digest = blake3::hash(bytes);
    let mut first = [0; 16];
    first.copy_from_slice(&digest.as_bytes()[..16]);
    Fingerprint::from_le_bytes(first)
}

/// The fingerprints of the pages of 4 KiB that `data` at `offset_bytes` touches; of a page that it
/// covers in part, the fingerprint of the covered bytes.
pub fn fingerprints(offset_bytes: u64, data: &[u8]) -> Vec<Fingerprint> {
    let lead = (PAGE - (offset_bytes % FINGERPRINT_PAGE_BYTES) as usize) % PAGE;
    let (first, rest) = data.split_at(lead.min(data.len()));
    let first = (!first.is_empty()).then(|| fingerprint(first));
    first.into_iter().chain(rest.chunks(PAGE).map(fingerprint)).collect()
}

/// The same for a range of zeros; hashes few pages, however long the range is.
pub fn zeros(offset_bytes: u64, length_bytes: u64) -> Vec<Fingerprint> {
    let page = [0; PAGE];
    let lead = ((PAGE as u64 - offset_bytes % PAGE as u64) % PAGE as u64).min(length_bytes);
    let rest = length_bytes - lead;
    let part = |bytes: u64| (bytes > 0).then(|| fingerprint(&page[..bytes as usize]));
    let whole = std::iter::repeat_n(fingerprint(&page), (rest / PAGE as u64) as usize);
    part(lead).into_iter().chain(whole).chain(part(rest % PAGE as u64)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rewear_trace::{Operation, Request};

    proptest! {
        #[test]
        fn there_is_one_a_page_and_zeros_are_like_data(offset in 0u64..20_000, length in 0usize..20_000) {
            let found = fingerprints(offset, &vec![0; length]);
            let request = Request::new(0, Operation::Write, offset, length as u64);
            prop_assert_eq!(found.len(), request.fingerprint_count());
            prop_assert_eq!(found, zeros(offset, length as u64));
        }
    }

    #[test]
    fn equal_pages_have_equal_fingerprints_and_others_differ() {
        let mut data = vec![7; 3 * PAGE];
        data[2 * PAGE] = 8;
        let found = fingerprints(PAGE as u64, &data);
        assert!(found[0] == found[1] && found[1] != found[2]);
        // The first 16 bytes of BLAKE3 of nothing, from its specification's test vectors.
        assert_eq!(fingerprint(&[]).to_le_bytes()[..4], [0xaf, 0x13, 0x49, 0xb9]);
    }
}
