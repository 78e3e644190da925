//! How often third and fourth writes succeed: the codes of `GroupCode`, on pages that took every
//! write before them.
//!
//! `cargo run --release -p rewear-codes --example group_codes -- [GROUPS] [SEED]`. GROUPS groups of
//! eight 4 KB pages are written once, in pairs, in fours and as a whole. An attempt that determines
//! D message bits succeeds with probability 2^-D, whatever the data: the mean of that is printed,
//! and of the chance that one of two attempts does.

use std::error::Error;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_codes::polar_wom::{
    Effort, FIELD_BYTES, GroupCode, GroupPreset, GroupWorkspace, PageCode, PagePair, PairWorkspace, Preset,
    SecondWrite, first_write,
};

const PAGE_BYTES: usize = 4096;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let groups: usize = arguments.first().map_or(Ok(200), |text| text.parse())?;
    let seed: u64 = arguments.get(1).map_or(Ok(1), |text| text.parse())?;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut pages = Vec::new();
    for _ in 0..4 * groups {
        pages.extend(second_write(&mut rng)?);
    }
    println!("| write | pages | programmed before | spare bytes a page | one attempt | one retry |");
    println!("|---|--:|--:|--:|--:|--:|");
    for (number, preset) in [(3, GroupPreset::THIRD), (4, GroupPreset::FOURTH)] {
        let code = GroupCode::new(PAGE_BYTES, preset)?;
        let mut work = GroupWorkspace::new(&code);
        let (mut once, mut twice, mut groups) = (0.0, 0.0, 0.0);
        let share = programmed_share(&pages);
        for group in pages.chunks_exact_mut(preset.pages * PAGE_BYTES) {
            let [first, second] = [0, 1].map(|attempt| chance(&code, group, attempt));
            let (first, second) = (first?, second?);
            once += first;
            twice += first + (1.0 - first) * second;
            groups += 1.0;
            let mut data = [0; PAGE_BYTES];
            rng.fill_bytes(&mut data);
            let mut spares = vec![0; preset.pages * code.spare_bytes()];
            let done = code.write(&mut work, Effort::FULL, (group, &mut spares), &data, 1)?;
            if !matches!(done, SecondWrite::Written { .. }) {
                return Err("a write failed although everything was tried".into());
            }
        }
        println!(
            "| {number} | {} | {:.1}% | {} | {:.1}% | {:.1}% |",
            preset.pages,
            100.0 * share,
            preset.raw_bytes(PAGE_BYTES),
            100.0 * once / groups,
            100.0 * twice / groups
        );
    }
    println!("\nprogrammed after the last write: {:.1}%", 100.0 * programmed_share(&pages));
    Ok(())
}

/// Two pages that took a first and a second write.
fn second_write(rng: &mut Xoshiro256PlusPlus) -> Result<Vec<u8>, Box<dyn Error>> {
    let code = PageCode::new(PAGE_BYTES, Preset::PaperP95)?;
    let mut work = PairWorkspace::new(&code);
    let mut data = [0; PAGE_BYTES];
    let mut pages = [[0; PAGE_BYTES]; 2];
    let mut spares = [vec![0; code.spare_bytes()], vec![0; code.spare_bytes()]];
    for page in &mut pages {
        rng.fill_bytes(&mut data);
        first_write(&data, page, &mut [0; FIELD_BYTES])?;
    }
    rng.fill_bytes(&mut data);
    let [first, second] = &mut pages;
    let [first_spare, second_spare] = &mut spares;
    let mut pair = [PagePair {
        pages: [first, second],
        spares: [first_spare, second_spare],
        data: &data,
        address: 1,
        outcome: SecondWrite::Pending,
    }];
    code.second_write(&mut work, Effort::FULL, &mut pair)?;
    Ok(pages.concat())
}

/// The chance of an attempt on a group of pages, one after the other.
fn chance(code: &GroupCode, pages: &[u8], attempt: u8) -> Result<f64, Box<dyn Error>> {
    let words: Vec<u64> = pages
        .chunks_exact(8)
        .map(|bytes| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)))
        .collect();
    Ok(0.5f64.powi(code.polar().determined(&words, attempt)? as i32))
}

fn programmed_share(pages: &[u8]) -> f64 {
    let ones: u64 = pages.iter().map(|byte| u64::from(byte.count_ones())).sum();
    ones as f64 / (8 * pages.len()) as f64
}
