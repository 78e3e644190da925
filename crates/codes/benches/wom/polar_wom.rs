//! Polar WOM at the paper's size: 4 KB logical pages on pairs of 4 KB physical pages.

use std::hint::black_box;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_codes::polar_wom::{Attempt, PolarWom, Workspace};

use crate::timing::{fastest, gb_per_s, print_throughput};

const CELLS: usize = 1 << 16;
const MESSAGE_BITS: usize = 29488;
const LOGICAL_BYTES: usize = 4096;
const PAIRS: usize = 64;
const PASSES: u32 = 40;

struct Pages {
    programmed: Vec<Vec<u64>>,
    messages: Vec<Vec<u64>>,
    cells: Vec<Vec<u64>>,
    copy: Vec<Vec<u64>>,
}

/// Prints throughputs of logical data (4 KB a codeword) and the time of D: those whose names
/// contain `filter`.
pub(crate) fn run(filter: &str) {
    if let Ok(code) = PolarWom::new(CELLS, MESSAGE_BITS) {
        measure(&code, filter);
    }
}

fn measure(code: &PolarWom, filter: &str) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    let mut random = |words: usize| -> Vec<Vec<u64>> {
        (0..PAIRS).map(|_| (0..words).map(|_| rng.next_u64()).collect()).collect()
    };
    let mut pages = Pages {
        programmed: random(code.cell_words()),
        messages: random(code.message_words()),
        cells: random(code.cell_words()),
        copy: random(code.cell_words()),
    };
    let mut workspace = Workspace::new(code);
    let copy = fastest(
        &mut pages,
        PASSES,
        |_| (),
        |p| {
            for (from, to) in p.cells.iter().zip(&mut p.copy) {
                black_box(to).copy_from_slice(black_box(from));
            }
        },
    );
    let logical = PAIRS * LOGICAL_BYTES;
    let copied = gb_per_s(logical, copy);
    let mut report = |what: &str, work: &mut dyn FnMut(&mut Pages)| {
        let name = format!("polar_wom_{what}");
        if name.contains(filter) {
            let time = fastest(&mut pages, PASSES, |_| (), work);
            print_throughput(&name, gb_per_s(logical, time), "GB/s of logical data", "the codewords", copied);
        }
    };
    report("sc_encode", &mut |p| encode(code, &mut workspace, p));
    report("decode", &mut |p| {
        for (i, (cells, message)) in p.cells.iter().zip(&mut p.messages).enumerate() {
            black_box(workspace.decode(code, cells, i as u64, 0, message)).expect("sizes fit");
        }
    });
    let name = "polar_wom_determined";
    if !name.contains(filter) {
        return;
    }
    let determined = fastest(
        &mut pages,
        PASSES,
        |_| (),
        |p| {
            for programmed in &p.programmed {
                black_box(workspace.determined(code, programmed, 0)).expect("sizes fit");
            }
        },
    );
    println!(
        r#"{{"name": "{name}", "value": {:.3}, "unit": "us a pair of 4 KB pages", "compared_with": "memcpy of the pages ({:.3} us)", "ratio": {:.4}}}"#,
        determined.as_secs_f64() * 1e6 / PAIRS as f64,
        copy.as_secs_f64() * 1e6 / PAIRS as f64,
        copy.as_secs_f64() / determined.as_secs_f64()
    );
}

fn encode(code: &PolarWom, workspace: &mut Workspace, pages: &mut Pages) {
    let inputs = pages.programmed.iter().zip(&pages.messages).zip(&mut pages.cells).enumerate();
    for (i, ((programmed, message), cells)) in inputs {
        let (address, attempt, rotation) = (i as u64, 0, 0);
        let mut one = Attempt { programmed, message, address, attempt, rotation, cells, success: false };
        workspace.encode(code, &mut one).expect("sizes fit");
        black_box(&one);
    }
}
