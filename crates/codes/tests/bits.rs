//! Bits in words.

use rewear_codes::bits::{count_ones, get, load, set, store, words_for};

#[test]
fn bytes_survive_the_trip_through_words_at_every_length() {
    for length in 0..40 {
        let bytes: Vec<u8> = (0..length as u8).map(|b| b.wrapping_mul(37) ^ 0x5a).collect();
        let mut words = vec![u64::MAX; words_for(8 * length) + 1];
        load(&mut words, &bytes);
        assert_eq!(words.last(), Some(&0));
        for (i, byte) in bytes.iter().enumerate() {
            for bit in 0..8 {
                assert_eq!(get(&words, 8 * i + bit), byte >> bit & 1 == 1);
            }
        }
        let mut back = vec![0xff; length];
        store(&mut back, &words);
        assert_eq!(back, bytes);
    }
}

#[test]
fn set_changes_one_bit_only() {
    let mut words = [0u64; 3];
    set(&mut words, 130, true);
    assert_eq!(words, [0, 0, 4]);
    assert!(get(&words, 130) && !get(&words, 129));
    assert_eq!(count_ones(&words), 1);
    set(&mut words, 130, false);
    assert_eq!(words, [0; 3]);
}
