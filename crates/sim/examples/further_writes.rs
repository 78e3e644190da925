//! What second, third and fourth writes save: `cargo run --release -p rewear-sim --example
//! further_writes -- [REQUESTS]` prints a table.
//!
//! All drives have the eight planes of `presets/toshiba-slc.toml`: in four chips of two planes for
//! second writes, in two of four for third ones, in one of eight for fourth ones; each is compared
//! with the plain drive of the same chips. REQUESTS is the length of the made-up workloads.

use std::error::Error;

use rewear_sim::options::{FitKind, PreconditionKind};
use rewear_sim::{Drive, ReplayOptions, Report, replay};
use rewear_trace::{AnySource, Defaults, OpenOptions, open, workload};

const CHIP: &str = include_str!("../../../presets/toshiba-slc.toml");

fn main() -> Result<(), Box<dyn Error>> {
    let requests: u64 = std::env::args().nth(1).map_or(Ok(3_000_000), |text| text.parse())?;
    println!("| workload, over-provisioning | 2 writes | 3 writes | 4 writes |");
    println!("|---|---|---|---|");
    for over_provisioning in ["0.07", "0.28"] {
        for name in ["zipf:theta=2", "zipf:theta=1", "uniform", "recordings/day.rwt", "recordings/home.rwt"] {
            let cells: Vec<String> = (2..=4)
                .map(|writes| {
                    let run = |scheme| run(name, over_provisioning, (writes, scheme), requests);
                    Ok(cell(&run(true)?, &run(false)?))
                })
                .collect::<Result<_, Box<dyn Error>>>()?;
            println!("| {name}, {over_provisioning} | {} |", cells.join(" | "));
        }
    }
    Ok(())
}

/// A replay on chips of as many planes as so many writes need, with the scheme or plain.
fn run(
    name: &str,
    over_provisioning: &str,
    (writes, has_scheme): (u32, bool),
    requests: u64,
) -> Result<Report, Box<dyn Error>> {
    let planes = 1 << (writes - 1);
    let mut settings = vec![
        ("flash.channels", (8 / planes).to_string()),
        ("flash.planes_per_die", planes.to_string()),
        ("ftl.over_provisioning", over_provisioning.to_owned()),
    ];
    if has_scheme {
        settings.push(("reuse.scheme", "second-write".to_owned()));
        settings.push(("reuse.success_probability", "0.95".to_owned()));
        settings.push(("reuse.writes", writes.to_string()));
    }
    let settings: Vec<_> = settings.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    let drive = Drive::from_toml(CHIP, "toshiba-slc", &settings)?;
    let is_trace = name.starts_with("recordings/");
    let options = ReplayOptions {
        precondition: PreconditionKind::Fill,
        fit: is_trace.then_some(FitKind::Dense),
        loops: if is_trace { 2 } else { 1 },
        ..ReplayOptions::default()
    };
    let mut source = source(&drive, name, requests)?;
    Ok(replay(&drive, &mut source, &options, &mut |_| true)?)
}

fn source(drive: &Drive, name: &str, requests: u64) -> Result<AnySource, Box<dyn Error>> {
    if name.starts_with("recordings/") {
        return Ok(open(name.as_ref(), &OpenOptions::default())?);
    }
    let derived = drive.derived()?;
    let value = |key: &str| {
        derived.iter().find(|item| item.key == key).and_then(|item| item.value.as_u64()).ok_or(key.to_owned())
    };
    let defaults = Defaults {
        pages: value("exported_pages")?,
        page_bytes: value("logical_page_bytes")?,
        requests,
        seed: 1,
    };
    let separator = if name.contains(':') { ',' } else { ':' };
    Ok(workload(&format!("{name}{separator}arrival=poisson,rate=100"), &defaults)?)
}

/// Erases, those of the second half, and the mean response time of writes, relative to the plain
/// drive; and the shares of the host's writes that were second, third and fourth ones.
fn cell(report: &Report, plain: &Report) -> String {
    let change = |new: f64, old: f64| format!("{:+.1}%", 100.0 * (new / old - 1.0));
    let writes = report.second_writes.as_ref();
    let share =
        |count: Option<u64>| 100.0 * count.unwrap_or(0) as f64 / report.host.host_pages_written as f64;
    format!(
        "{} / {} / {}; {:.0}%, {:.1}%, {:.1}%",
        change(report.cleaning.erases as f64, plain.cleaning.erases as f64),
        change(report.cleaning.erases_in_second_half as f64, plain.cleaning.erases_in_second_half as f64),
        change(mean_response(report), mean_response(plain)),
        share(writes.map(|writes| writes.written)),
        share(writes.and_then(|writes| writes.third)),
        share(writes.and_then(|writes| writes.fourth)),
    )
}

fn mean_response(report: &Report) -> f64 {
    report.latency_ns.write.as_ref().map_or(f64::NAN, |write| write.mean)
}
