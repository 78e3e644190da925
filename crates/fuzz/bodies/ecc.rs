//! The codes that correct errors, on any received word. What a decoder accepts must be a codeword,
//! what it refuses must be left alone, and few errors must be corrected.

use std::sync::LazyLock;

use rewear_codes::bch::Bch;
use rewear_codes::ldpc::{Ldpc, MinSum, Sensing};

use crate::input::Input;

/// (data bits, t): small fields and large ones, whole bytes and not.
static BCH: LazyLock<Vec<Bch>> = LazyLock::new(|| {
    let sizes = [(1, 1), (7, 2), (16, 3), (77, 5), (128, 8), (1000, 12), (4096, 20), (8 * 1024, 40)];
    sizes.iter().filter_map(|&(data_bits, t)| Bch::with_data_bits(data_bits, t).ok()).collect()
});

/// Every size of a circulant.
static LDPC: LazyLock<Vec<Ldpc>> = LazyLock::new(|| {
    let sizes = [(64, 48), (128, 96), (512, 64), (256, 192), (1024, 256)];
    sizes.iter().filter_map(|&(data, parity)| Ldpc::new(data, parity).ok()).collect()
});

/// A received word: a codeword with errors where the input says, or anything at all. Also how many
/// errors at most, if known.
fn received(
    input: &mut Input<'_>,
    sizes: [usize; 2],
    encode: impl Fn(&[u8], &mut [u8]) -> bool,
) -> ([Vec<u8>; 2], Option<usize>) {
    let near = input.byte();
    let [mut data, mut parity] = sizes.map(|size| {
        let size = input.about(size);
        input.bytes(size)
    });
    if near >= 128 || !encode(&data, &mut parity) {
        return ([data, parity], None);
    }
    for _ in 0..near {
        let place = input.u64() as usize % (data.len() + parity.len());
        let bit = 1 << input.below(8);
        match place.checked_sub(data.len()) {
            None => data[place] ^= bit,
            Some(place) => parity[place] ^= bit,
        }
    }
    ([data, parity], Some(near.into()))
}

/// Decodes any word, with any erasures.
pub fn bch_decode(input: &[u8]) {
    let mut input = Input(input);
    let code = &BCH[input.below(BCH.len())];
    let erasures: Vec<u32> = match input.byte() {
        0..=127 => Vec::new(),
        _ => {
            let mut at = 0u32;
            let next = |_| {
                at = at.wrapping_add(input.byte().into());
                at
            };
            // One more than the code fills.
            (0..=2 * code.t()).map(next).collect()
        }
    };
    let sizes = [code.data_bytes(), code.parity_bytes()];
    let (before, errors) = received(&mut input, sizes, |data, parity| code.encode(data, parity).is_ok());
    let [mut data, mut parity] = before.clone();
    match code.decode(&mut data, &mut parity, &erasures) {
        Ok(found) => {
            let mut expected = vec![0; parity.len()];
            code.encode(&data, &mut expected).expect("a corrected word has the code's size");
            assert_eq!(parity, expected, "the corrected word is no codeword");
            assert!(2 * found.bit_errors + found.erased_bits <= 2 * code.t() as u32);
        }
        Err(error) => {
            assert_eq!([data, parity], before, "a refused word was changed");
            let few = errors.is_some_and(|errors| errors <= code.t());
            assert!(!few || !erasures.is_empty(), "{error}");
        }
    }
}

/// Decodes any word, read hard or soft.
pub fn ldpc_decode(input: &[u8]) {
    let mut input = Input(input);
    let code = &LDPC[input.below(LDPC.len())];
    let rules = MinSum {
        max_iterations: input.below(12) as u32,
        normalisation_bits: input.below(10) as u32,
        offset: input.byte(),
        message_limit: input.byte(),
        hard_llr: input.byte() as i8,
    };
    let rules = if input.below(2) == 0 { MinSum::default() } else { rules };
    let soft = input.below(2) == 1;
    let sizes = [code.data_bytes(), code.parity_bytes()];
    let (before, _) = received(&mut input, sizes, |data, parity| code.encode(data, parity).is_ok());
    let [mut data, mut parity] = before.clone();
    let mut work = code.workspace();
    let decoded = if soft {
        let count = input.about(code.codeword_bits());
        let llrs: Vec<i8> = input.bytes(count).iter().map(|byte| *byte as i8).collect();
        code.decode_soft(&mut work, &llrs, &mut data, &mut parity, &rules)
    } else {
        code.decode_hard(&mut work, &mut data, &mut parity, &rules)
    };
    match decoded {
        Ok(_) => assert_eq!(code.is_codeword(&data, &parity), Ok(true)),
        Err(_) => assert_eq!([data, parity], before, "a refused word was changed"),
    }
}

/// Soft reads at any raw bit error rate.
pub fn sensing(input: &[u8]) {
    let mut input = Input(input);
    let rber = f64::from_bits(input.u64());
    let Ok(sensing) = Sensing::new(rber, input.below(20)) else { return };
    let sum: f64 = sensing.probabilities().iter().sum();
    assert!((sum - 1.0).abs() < 1e-6, "probabilities of {rber} add up to {sum}");
    assert!(sensing.llrs().is_sorted_by(|a, b| a >= b), "{:?}", sensing.llrs());
    let uniform = f64::from_bits(input.u64());
    assert!(sensing.llrs().contains(&sensing.read(input.below(2) == 1, uniform)));
}
