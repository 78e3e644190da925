//! Drives that make second writes: the whole replay against that of the plain drive on the same
//! array.
//!
//! Both run in turn in the same process, several rounds; the medians are compared. A second write
//! programs two pages, and takes spare space from cleaning, which then moves more: so what a page
//! written by the host takes stands beside what a page of flash takes, moved ones included. Prints
//! one JSON object a line: name, value, unit, compared_with, ratio. An argument `uniform` or `zipf`
//! leaves out the other.

mod timed;
mod timed_replay;

use rewear_sim::ReplayOptions;
use timed::median;
use timed_replay::Array;

const WRITES: u64 = 4_000_000;
const ROUNDS: usize = 3;
const ARRAY: Array = Array { channels: 4, dies_per_channel: 1, planes_per_die: 2, blocks_per_plane: 512 };

/// Rounds on one drive: seconds, and flash pages that are programmed for a page of the host.
#[derive(Default)]
struct Runs {
    seconds: Vec<f64>,
    programs: f64,
}

fn main() {
    let named: Vec<_> =
        std::env::args().filter(|name| ["uniform", "zipf"].contains(&name.as_str())).collect();
    for (name, workload) in [("uniform", "uniform"), ("zipf", "zipf:theta=1")] {
        if !named.is_empty() && named.iter().all(|other| other != name) {
            continue;
        }
        let fidelities = ["", "table", "mask"].map(|fidelity| match fidelity {
            "" => String::new(),
            fidelity => format!("[reuse]\nscheme = \"second-write\"\nfidelity = \"{fidelity}\""),
        });
        let mut runs: [Runs; 3] = Default::default();
        for _ in 0..ROUNDS {
            for (tables, runs) in fidelities.iter().zip(&mut runs) {
                let options = ReplayOptions::default();
                let timed = timed_replay::replayed(&ARRAY, tables, &[], workload, WRITES, options);
                runs.seconds.push(timed.seconds / timed.share);
                let written = timed.report.host.host_pages_written as f64;
                runs.programs = timed.report.pages_programmed.total as f64 / written;
            }
        }
        let [plain, table, mask] = runs.map(|runs| (WRITES as f64 / median(runs.seconds), runs.programs));
        for (fidelity, own) in [("table", table), ("mask", mask)] {
            println!(
                r#"{{"name": "second_writes_{name}_{fidelity}", "value": {:.0}, "unit": "host pages/s", "compared_with": "plain drive ({:.0}/s)", "ratio": {:.3}}}"#,
                own.0,
                plain.0,
                own.0 / plain.0
            );
            let [programs, of_plain] = [own, plain].map(|(rate, programs)| rate * programs);
            println!(
                r#"{{"name": "flash_pages_of_second_writes_{name}_{fidelity}", "value": {programs:.0}, "unit": "flash pages/s ({:.2} a host page)", "compared_with": "plain drive ({of_plain:.0}/s, {:.2} a host page)", "ratio": {:.3}}}"#,
                own.1,
                plain.1,
                programs / of_plain
            );
        }
    }
}
