//! The schemes that have no benchmark of their own, each beside the plain drive on the same array:
//! `differentiated-ecc`, `agcr` and `seal`.
//!
//! Both run in turn in the same process, several rounds; the medians are compared. Prints one JSON
//! object a line: name, value, unit, compared_with, ratio. An argument leaves out the cases of
//! which it is not the begin.

mod timed;
mod timed_replay;

use rewear_sim::ReplayOptions;
use timed::median;
use timed_replay::Array;

const REQUESTS: u64 = 3_000_000;
const ROUNDS: usize = 3;
const ARRAY: Array = Array { channels: 4, dies_per_channel: 1, planes_per_die: 2, blocks_per_plane: 512 };

type Overrides = &'static [(&'static str, &'static str)];

/// Schemes that replay the same workload, by name.
struct Case {
    schemes: &'static [(&'static str, Overrides)],
    workload: &'static str,
    name: &'static str,
    /// Of the plain drive, too.
    flash: Overrides,
}

const EFFORTS: &[(&str, Overrides)] =
    &[("diffecc", &[("effort.scheme", "differentiated-ecc")]), ("agcr", &[("effort.scheme", "agcr")])];

const CASES: &[Case] = &[
    Case { schemes: EFFORTS, workload: "uniform:read=0.1", name: "uniform", flash: &[] },
    Case { schemes: EFFORTS, workload: "zipf:theta=1.1,read=0.3", name: "zipf", flash: &[] },
    Case {
        schemes: &[("seal", &[("reuse.scheme", "seal"), ("reuse.ecc_bytes", "32")])],
        workload: "overwrite-regions:region=0.1,skew=0.8,warmup=false",
        name: "overwrites",
        flash: &[("flash.page_order", "paired"), ("flash.spare_bytes", "512")],
    },
];

fn main() {
    let begins: Vec<_> = std::env::args().skip(1).filter(|begin| !begin.starts_with('-')).collect();
    let wanted = |name: &str| {
        let mut begins = begins.iter().filter(|begin| *begin != "large").peekable();
        begins.peek().is_none() || begins.any(|begin| name.starts_with(begin.as_str()))
    };
    for case in CASES {
        let schemes: Vec<_> = case.schemes.iter().filter(|(name, _)| wanted(name)).collect();
        if schemes.is_empty() {
            continue;
        }
        let drives: Vec<Vec<_>> = std::iter::once(&("plain", &[][..]))
            .chain(schemes.iter().copied())
            .map(|(_, own)| [case.flash, own].concat())
            .collect();
        let mut seconds = vec![Vec::new(); drives.len()];
        for _ in 0..ROUNDS {
            for (overrides, seconds) in drives.iter().zip(&mut seconds) {
                let options = ReplayOptions::default();
                let timed = timed_replay::replayed(&ARRAY, "", overrides, case.workload, REQUESTS, options);
                seconds.push(timed.seconds / timed.share);
            }
        }
        let rates: Vec<_> = seconds.into_iter().map(|seconds| REQUESTS as f64 / median(seconds)).collect();
        for ((name, _), rate) in schemes.iter().zip(&rates[1..]) {
            println!(
                r#"{{"name": "{name}_writes_{}", "value": {rate:.0}, "unit": "requests/s", "compared_with": "plain drive ({:.0}/s)", "ratio": {:.3}}}"#,
                case.name,
                rates[0],
                rate / rates[0]
            );
        }
    }
}
