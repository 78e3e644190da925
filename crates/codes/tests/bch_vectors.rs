//! Known answers from an independent library (see `vectors/bch_vectors.py`, which produced
//! `vectors/bch_vectors.txt`).

use rewear_codes::bch::Bch;

#[test]
fn parity_matches_an_independent_library() {
    let mut checked = 0;
    for line in include_str!("vectors/bch_vectors.txt").lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        let [data_bits, t, parity_bits, seed] = [0, 1, 2, 4].map(|i| fields[i].parse::<usize>().unwrap());
        let code = Bch::with_data_bits(data_bits, t).unwrap();
        assert_eq!(code.parity_bits(), parity_bits, "{data_bits} bits, t = {t}");
        let mut data: Vec<u8> =
            (0..code.data_bytes()).map(|i| (seed * i * i + 17 * i + seed) as u8).collect();
        data[0] &= 0xff >> (8 * code.data_bytes() - data_bits);
        let mut parity = vec![0; code.parity_bytes()];
        code.encode(&data, &mut parity).unwrap();
        let hexadecimal: String = parity.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hexadecimal, fields[5], "{data_bits} bits, t = {t}, seed {seed}");
        let mut powers = fields[3].split(',').map(|power| power.parse::<usize>().unwrap());
        assert!(code.generator_powers().into_iter().take(8).eq(powers.by_ref()), "{data_bits} bits, t = {t}");
        checked += 1;
    }
    assert_eq!(checked, 30);
}
