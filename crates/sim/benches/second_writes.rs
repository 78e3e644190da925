//! Drives that make second writes: the whole replay against that of the plain drive on the same
//! array.
//!
//! Both run in turn in the same process, several rounds; the medians are compared. Prints one JSON
//! object a line: name, value, unit, compared_with, ratio.

mod timed;
mod timed_replay;

use rewear_sim::ReplayOptions;
use timed::median;
use timed_replay::Array;

const WRITES: u64 = 4_000_000;
const ROUNDS: usize = 3;
const ARRAY: Array = Array { channels: 4, dies_per_channel: 1, planes_per_die: 2, blocks_per_plane: 512 };

fn main() {
    for (name, workload) in [("uniform", "uniform"), ("zipf", "zipf:theta=1")] {
        let fidelities = ["", "table", "mask"].map(|fidelity| match fidelity {
            "" => String::new(),
            fidelity => format!("[reuse]\nscheme = \"second-write\"\nfidelity = \"{fidelity}\""),
        });
        let mut times = [const { Vec::new() }; 3];
        for _ in 0..ROUNDS {
            for (tables, times) in fidelities.iter().zip(&mut times) {
                times.push(timed_replay::seconds(&ARRAY, tables, workload, WRITES, ReplayOptions::default()));
            }
        }
        let [plain, table, mask] = times.map(|times| WRITES as f64 / median(times));
        for (fidelity, rate) in [("table", table), ("mask", mask)] {
            println!(
                r#"{{"name": "second_writes_{name}_{fidelity}", "value": {rate:.0}, "unit": "host pages/s", "compared_with": "plain drive ({plain:.0}/s)", "ratio": {:.3}}}"#,
                rate / plain
            );
        }
    }
}
