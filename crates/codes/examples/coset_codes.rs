//! Measures the coset codes: the table `coset::measured::MEASURED`.
//!
//! `cargo run --release -p rewear-codes --example coset_codes -- [CELLS] [SEED] [PAGE_BYTES]`. Of each
//! rate all numbers of writes are tried, from the sum capacity down to one without invalid cells.

use rewear_codes::coset::{Code, capacity};
use rewear_codes::measure::measure_coset;
use std::error::Error;

const RATES: [f64; 12] = [1.0, 0.857, 0.844, 0.833, 0.8, 0.75, 0.7, 0.667, 0.6, 0.5, 0.4, 0.333];
/// Share of invalid cells above which a number of writes is left out, and below which fewer are.
const MOST: f64 = 0.031;
const NONE: f64 = 0.0001;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let cells: usize = arguments.first().map_or(Ok(1_000_000), |text| text.parse())?;
    let seed: u64 = arguments.get(1).map_or(Ok(1), |text| text.parse())?;
    let page_bytes: usize = arguments.get(2).map_or(Ok(4096), |text| text.parse())?;
    for bits in 2..=4 {
        for rate in RATES {
            // A single write needs no code.
            let least = if rate < 1.0 { 2 } else { 1 };
            for writes in (least..=capacity::most_writes(bits, f64::from(bits) * rate)).rev() {
                // Less than the sum capacity fits into writes of equal size.
                let Ok(code) = Code::new(bits, rate, page_bytes, writes) else { continue };
                let row = measure_coset(&code, rate, cells, seed)?;
                if row.invalid.mean > MOST {
                    continue;
                }
                println!(
                    "    measured({bits}, {rate:?}, {writes}, {}, {:.6}, {:.6}),",
                    row.bound, row.invalid.mean, row.wrong_bits.mean
                );
                assert_eq!(row.wrong_pages, 0);
                if row.invalid.mean < NONE {
                    break;
                }
            }
        }
    }
    Ok(())
}
