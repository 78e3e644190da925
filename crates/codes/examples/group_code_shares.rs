//! Third and fourth writes: what the polar code does on cells that were written two and three times
//! (Reusable SSD, section 7, names them: 4 and 8 pages for the data of one).
//!
//! `cargo run --release -p rewear-codes --example group_code_shares -- [GROUPS] [SEED]`. Each of
//! GROUPS groups of eight 4 KB pages is written once, then in pairs, in fours and as a whole, with
//! real data on real cells; what does not fit after one retry is drawn anew, so that every write
//! meets cells as the drive would find them.

use std::error::Error;
use std::time::{Duration, Instant};

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_codes::polar_wom::{Attempt, PolarWom, Workspace};

const PAGE_BITS: usize = 32768;
/// Of the bits of a page of data, those in the polar code at each write behind the first; the rest
/// is raw in the spare areas. The next write meets what the last choice leaves.
const MESSAGE_BITS: [&[usize]; 3] =
    [&[28967], &[30147, 29491, 28967, 28180], &[31130, 30147, 29491, 28967, 28180]];

/// Writes, successes at the first attempt and within two, and the time of the first attempts.
#[derive(Default)]
struct Tally {
    tried: u32,
    at_once: u32,
    with_retry: u32,
    taken: Duration,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let groups: usize = arguments.first().map_or(Ok(60), |text| text.parse())?;
    let seed: u64 = arguments.get(1).map_or(Ok(1), |text| text.parse())?;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut cells: Vec<Vec<u64>> = (0..groups * 8).map(|_| first_write(&mut rng)).collect();
    println!(
        "| write | pages | programmed before | in the code | spare bytes a page | one attempt | one retry | us an attempt |"
    );
    println!("|---|--:|--:|--:|--:|--:|--:|--:|");
    for (number, choices) in MESSAGE_BITS.iter().enumerate() {
        let pages = 2usize << number;
        let before: Vec<Vec<u64>> = cells.chunks_exact(2).map(<[_]>::concat).collect();
        let share = programmed_share(&before);
        let mut after = Vec::new();
        for (index, &bits) in choices.iter().enumerate() {
            let code = PolarWom::for_programmed_share(pages * PAGE_BITS, bits, share)?;
            let mut tally = Tally::default();
            let written: Vec<Vec<u64>> = before
                .iter()
                .map(|programmed| write(&code, programmed, &mut rng, &mut tally))
                .collect::<Result<_, _>>()?;
            println!(
                "| {} | {pages} | {:.1}% | {:.1}% | {:.0} | {:.1}% | {:.1}% | {:.0} |",
                number + 2,
                100.0 * share,
                100.0 * bits as f64 / PAGE_BITS as f64,
                (PAGE_BITS - bits) as f64 / 8.0 / pages as f64,
                100.0 * f64::from(tally.at_once) / f64::from(tally.tried),
                100.0 * f64::from(tally.with_retry) / f64::from(tally.tried),
                tally.taken.as_micros() as f64 / f64::from(tally.tried),
            );
            if index + 1 == choices.len() {
                after = written;
            }
        }
        cells = after;
    }
    println!("\nprogrammed after the last write: {:.1}%", 100.0 * programmed_share(&cells));
    Ok(())
}

/// A page of random data, at most half of whose cells are programmed.
fn first_write(rng: &mut Xoshiro256PlusPlus) -> Vec<u64> {
    let page: Vec<u64> = (0..PAGE_BITS / 64).map(|_| rng.next_u64()).collect();
    let ones: u32 = page.iter().map(|word| word.count_ones()).sum();
    if ones as usize > PAGE_BITS / 2 { page.iter().map(|word| !word).collect() } else { page }
}

fn programmed_share(cells: &[Vec<u64>]) -> f64 {
    let ones: u64 = cells.iter().flatten().map(|word| u64::from(word.count_ones())).sum();
    ones as f64 / (64 * cells.iter().map(Vec::len).sum::<usize>()).max(1) as f64
}

/// The cells behind a write of random data, read back. Data that does not fit in two attempts is
/// replaced, ten thousand times at most.
fn write(
    code: &PolarWom,
    programmed: &[u64],
    rng: &mut Xoshiro256PlusPlus,
    tally: &mut Tally,
) -> Result<Vec<u64>, Box<dyn Error>> {
    let mut workspace = Workspace::new(code);
    let mut cells = vec![0; code.cell_words()];
    let mut back = vec![0; code.message_words()];
    tally.tried += 1;
    for round in 0..10_000 {
        let mut message: Vec<u64> = (0..code.message_words()).map(|_| rng.next_u64()).collect();
        if let (Some(last), tail @ 1..) = (message.last_mut(), code.message_bits() % 64) {
            *last &= (1 << tail) - 1;
        }
        for attempt in 0..2 {
            let begin = Instant::now();
            let mut attempts = [Attempt {
                programmed,
                message: &message,
                address: round,
                attempt,
                rotation: attempt,
                cells: &mut cells,
                success: false,
            }];
            workspace.encode(code, &mut attempts)?;
            let success = attempts[0].success;
            if round == 0 {
                tally.taken += if attempt == 0 { begin.elapsed() } else { Duration::ZERO };
                tally.at_once += u32::from(success && attempt == 0);
                tally.with_retry += u32::from(success);
            }
            if success {
                code.decode(&cells, round, attempt, &mut back)?;
                let raised = programmed.iter().zip(&cells).all(|(old, new)| old & !new == 0);
                if back != message || !raised {
                    return Err("a cell was lowered, or the data is another".into());
                }
                return Ok(cells);
            }
        }
        // Where hardly any data fits the figure is known; the cells go on as they are.
        if round == 20 {
            break;
        }
    }
    Ok(programmed.to_vec())
}
