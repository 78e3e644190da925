//! Third and fourth writes on pages that took all writes before them.
#![allow(clippy::unwrap_used, missing_docs)]

use proptest::prelude::*;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_codes::CodeError;
use rewear_codes::polar_wom::{Effort, GroupCode, GroupPreset, GroupWorkspace, SecondWrite};

fn random(bytes: usize, rng: &mut Xoshiro256PlusPlus) -> Vec<u8> {
    let mut data = vec![0; bytes];
    rng.fill_bytes(&mut data);
    data
}

/// Pages of which about this share is programmed.
fn programmed(bytes: usize, share: f64, rng: &mut Xoshiro256PlusPlus) -> Vec<u8> {
    let limit = (share * 4_294_967_296.0) as u64;
    let mut bit = || u8::from(u64::from(rng.next_u32()) < limit);
    (0..bytes).map(|_| (0..8).fold(0, |byte, _| byte << 1 | bit())).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// What is written is read back, whatever the pages held; no cell is lowered; a write that
    /// fails leaves everything.
    #[test]
    fn data_comes_back_and_no_cell_is_lowered(
        third in any::<bool>(),
        size in 8u32..12,
        share in 0.0f64..1.0,
        full in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let page_bytes = 1 << size;
        let preset = if third { GroupPreset::THIRD } else { GroupPreset::FOURTH };
        let code = GroupCode::new(page_bytes, preset).unwrap();
        let (mut work, mut rng) = (GroupWorkspace::new(&code), Xoshiro256PlusPlus::seed_from_u64(seed));
        let data = random(page_bytes, &mut rng);
        let old = programmed(code.pages() * page_bytes, share, &mut rng);
        let (mut pages, mut spares) = (old.clone(), vec![0; code.pages() * code.spare_bytes()]);
        let effort = if full { Effort::FULL } else { Effort::PAPER };
        match code.write(&mut work, effort, (&mut pages, &mut spares), &data, seed).unwrap() {
            SecondWrite::Written { tries, .. } => {
                prop_assert!(tries <= effort.attempts + 1);
                prop_assert!(old.iter().zip(&pages).all(|(old, new)| old & !new == 0));
                // All fields but one may be unreadable.
                let own = code.spare_bytes();
                spares.chunks_exact_mut(own).skip(1).for_each(|spare| spare[..2].copy_from_slice(&[0x17, 0x88]));
                let mut back = vec![0; page_bytes];
                code.read(&mut work, (&pages, &spares), seed, &mut back).unwrap();
                prop_assert_eq!(back, data);
            }
            outcome => {
                prop_assert_eq!(outcome, SecondWrite::Failed);
                prop_assert!(pages == old && spares.iter().all(|&byte| byte == 0));
                prop_assert!(share > 0.6, "there was room");
            }
        }
    }
}

#[test]
fn what_does_not_fit_is_an_error() {
    let code = GroupCode::new(512, GroupPreset::THIRD).unwrap();
    let mut work = GroupWorkspace::new(&code);
    let (mut pages, mut spares, mut data) = (vec![0; 2048], vec![0; 4 * code.spare_bytes()], vec![0; 512]);
    let short = code.write(&mut work, Effort::FULL, (&mut pages[1..], &mut spares), &data, 0);
    assert!(matches!(short, Err(CodeError::Size { .. })));
    let erased = code.read(&mut work, (&pages, &spares), 0, &mut data);
    assert!(matches!(erased, Err(CodeError::NotACodeword { .. })));
    code.write(&mut work, Effort::FULL, (&mut pages, &mut spares), &data, 0).unwrap();
    let again = code.write(&mut work, Effort::FULL, (&mut pages, &mut spares), &data, 0);
    assert!(matches!(again, Err(CodeError::NotACodeword { .. })));
    assert!(matches!(GroupCode::new(1 << 17, GroupPreset::FOURTH), Err(CodeError::Parameters { .. })));
    assert!(matches!(GroupCode::new(3000, GroupPreset::FOURTH), Err(CodeError::Parameters { .. })));
}
