//! The keystream that whitens messages.

use rewear_codes::keystream::Keystream;

#[test]
fn bytes_and_words_get_the_same_keystream_and_lose_it_again() {
    let key = Keystream::new(5, 9);
    let mut words = [3, 0, u64::MAX];
    let mut bytes: Vec<u8> = words.iter().flat_map(|word: &u64| word.to_le_bytes()).collect();
    let before = bytes.clone();
    key.apply(&mut words);
    key.apply_to_bytes(&mut bytes);
    assert_eq!(bytes, words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>());
    // An end that is no whole word.
    let mut part = before[..21].to_vec();
    key.apply_to_bytes(&mut part);
    assert_eq!(part, bytes[..21]);
    key.apply_to_bytes(&mut bytes);
    assert_eq!(bytes, before);
}

#[test]
fn neighbouring_addresses_and_numbers_share_nothing() {
    let keys = [(7, 0), (7, 1), (8, 0), (8, 1), (1 << 40, 0)]
        .map(|(address, number)| Keystream::new(address, number));
    for (index, one) in keys.iter().enumerate() {
        for other in &keys[..index] {
            let differing: u32 = (0..512).map(|i| (one.word(i) ^ other.word(i)).count_ones()).sum();
            // Half of 32,768 bits, within 6 standard deviations of a coin's 90.5.
            assert!((16_384 - 543..16_384 + 543).contains(&differing), "{differing}");
        }
    }
}
