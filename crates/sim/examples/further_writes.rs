//! What second, third and fourth writes save: `cargo run --release -p rewear-sim --example further_writes -- [REQUESTS]` prints a table.
//!
//! All drives are the Toshiba chip of `drives/toshiba-slc.toml` rearranged: one chip of 1 GiB with eight planes on one data path, plain
//! and with 2, 3 and 4 writes of a page between two erases. REQUESTS is the length of the made-up workloads.

use std::error::Error;

use rewear_sim::options::{FitKind, PreconditionKind};
use rewear_sim::{Drive, ReplayOptions, Report, replay};
use rewear_trace::{AnySource, Defaults, OpenOptions, open, workload};

const CHIP: &str = include_str!("../../../drives/toshiba-slc.toml");

fn main() -> Result<(), Box<dyn Error>> {
    let requests: u64 = std::env::args().nth(1).map_or(Ok(1_500_000), |text| text.parse())?;
    println!("| workload, over-provisioning | 2 writes | 3 writes | 4 writes |");
    println!("|---|---|---|---|");
    for over_provisioning in ["0.07", "0.28"] {
        for name in ["zipf:theta=2", "zipf:theta=1", "uniform", "traces/day.rwt", "traces/home.rwt"] {
            let reports: Vec<Report> = (1..=4)
                .map(|writes| run(name, over_provisioning, writes, requests))
                .collect::<Result<_, _>>()?;
            print_row(name, over_provisioning, &reports);
        }
    }
    Ok(())
}

fn run(name: &str, over_provisioning: &str, writes: u8, requests: u64) -> Result<Report, Box<dyn Error>> {
    let mut settings = vec![
        ("flash.channels", "1".to_owned()),
        ("flash.planes_per_die", "8".to_owned()),
        ("flash.blocks_per_plane", "512".to_owned()),
        ("ftl.over_provisioning", over_provisioning.to_owned()),
    ];
    if writes > 1 {
        settings.push(("reuse.scheme", "second-write".to_owned()));
        settings.push(("reuse.success_probability", "0.95".to_owned()));
        settings.push(("reuse.writes", writes.to_string()));
    }
    let settings: Vec<_> = settings.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    let drive = Drive::from_toml(CHIP, "toshiba-slc", &settings)?;
    let is_trace = name.starts_with("traces/");
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
    if name.starts_with("traces/") {
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
    Ok(workload(&format!("{name}{separator}arrival=poisson,rate=200"), &defaults)?)
}

/// Erases, those of the second half, and the mean response time of writes, relative to the plain drive.
fn print_row(name: &str, over_provisioning: &str, reports: &[Report]) {
    let change = |new: f64, old: f64| format!("{:+.1}%", 100.0 * (new / old - 1.0));
    let Some((plain, others)) = reports.split_first() else { return };
    let cells: Vec<String> = others
        .iter()
        .map(|report| {
            let further = report.second_writes.as_ref();
            let [third, fourth] =
                [further.and_then(|writes| writes.third), further.and_then(|writes| writes.fourth)];
            let share =
                |count: Option<u64>| 100.0 * count.unwrap_or(0) as f64 / report.host_pages_written as f64;
            format!(
                "{} / {} / {}; {:.0}%, {:.1}%, {:.1}%",
                change(report.erases as f64, plain.erases as f64),
                change(report.erases_in_second_half as f64, plain.erases_in_second_half as f64),
                change(mean_response(report), mean_response(plain)),
                share(further.map(|writes| writes.written)),
                share(third),
                share(fourth),
            )
        })
        .collect();
    println!("| {name}, {over_provisioning} | {} |", cells.join(" | "));
}

fn mean_response(report: &Report) -> f64 {
    report.latency_ns.write.as_ref().map_or(f64::NAN, |write| write.mean)
}
