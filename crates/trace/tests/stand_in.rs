//! Stand-ins: a profile measured from a workload gives a workload of the same properties; published
//! figures come out.

#![allow(clippy::unwrap_used)] // a test may stop where it stands

use rewear_trace::stand_in::{self, Profile};
use rewear_trace::{Batch, Defaults, Description, Operation, Request, Source, TraceError, info, workload};

fn value(source: &mut dyn Source) -> serde_json::Value {
    let figures = info(source).unwrap();
    source.rewind().unwrap();
    serde_json::to_value(&figures).unwrap()
}

fn number(value: &serde_json::Value, path: &str) -> f64 {
    value.pointer(path).and_then(serde_json::Value::as_f64).unwrap_or_else(|| panic!("{path} in {value}"))
}

fn made(profile: &Profile, name: &str) -> Box<dyn Source> {
    let file = std::env::temp_dir().join(format!("rewear-{name}-{}.toml", std::process::id()));
    std::fs::write(&file, profile.to_toml()).unwrap();
    let made = workload(&format!("stand-in:profile={}", file.display()), &Defaults::default()).unwrap();
    std::fs::remove_file(file).unwrap();
    made
}

fn agree(real: &serde_json::Value, made: &serde_json::Value, path: &str, tolerance: f64) {
    let (real, made) = (number(real, path), number(made, path));
    assert!((made / real - 1.0).abs() <= tolerance, "{path}: {real} against {made}");
}

#[test]
fn a_stand_in_has_the_requests_and_the_footprint_of_what_it_was_fitted_to() {
    let spec = "roles:pages=300000,requests=30000,read=0.4,arrival=poisson,rate=500";
    let mut original = workload(spec, &Defaults::default()).unwrap();
    let profile = stand_in::measure(&mut *original).unwrap();
    assert_eq!(Profile::from_toml(&profile.to_toml(), "again").unwrap(), profile);
    let mut stand_in = made(&profile, "roles");
    let (real, made) = (value(&mut *original), value(&mut *stand_in));
    for path in ["/read/requests", "/write/requests", "/last_ns"] {
        agree(&real, &made, path, 0.02);
    }
    for path in ["/read/pages", "/write/pages", "/write/distinct_pages", "/distinct_pages_touched"] {
        agree(&real, &made, path, 0.2);
    }
}

#[test]
fn a_stand_in_is_the_same_every_time() {
    let mut original = workload("zipf:pages=5000,requests=4000,read=0.3", &Defaults::default()).unwrap();
    let profile = stand_in::measure(&mut *original).unwrap();
    let draw = || {
        let mut source = made(&profile, "same");
        let mut batch = Batch::default();
        source.fill(&mut batch).unwrap();
        batch.requests.clone()
    };
    assert_eq!(draw(), draw());
}

#[test]
fn rewrites_in_a_fixed_order_stay_in_order() {
    // Passes over the same pages in the same random order: every page dies behind the one that was
    // written before it.
    let spec = "refill:order=fixed-permutation,pages=2000,requests=8000";
    let mut original = workload(spec, &Defaults::default()).unwrap();
    let profile = stand_in::measure(&mut *original).unwrap();
    let mut stand_in = made(&profile, "order");
    let mut batch = Batch::default();
    let mut pages = Vec::new();
    while stand_in.fill(&mut batch).unwrap() > 0 {
        pages.extend(batch.requests.iter().map(|request| request.offset_bytes / 4096));
    }
    let next: std::collections::HashMap<u64, u64> = pages.windows(2).map(|pair| (pair[0], pair[1])).collect();
    let late = &pages[pages.len() - 2000..];
    let kept = late.windows(2).filter(|pair| next.get(&pair[0]) == Some(&pair[1])).count();
    assert!(kept > 1900, "{kept} of 1999 pages are followed by the same page in the end");
}

/// Files lie apart, as on a file system that is not full.
const FILE_STRIDE_BYTES: u64 = 1024 * 4096;

/// Files of 64 pages are written, overwritten and deleted again, the oldest first.
struct Files {
    at: u64,
}

impl Source for Files {
    fn fill(&mut self, batch: &mut Batch) -> Result<usize, TraceError> {
        batch.clear();
        let end = (self.at + 1000).min(12_000);
        for at in self.at..end {
            let (file, step) = (at / 3, at % 3);
            // A file is written and written again, and the one that was written thirty files ago
            // goes.
            let (operation, number) =
                if step < 2 { (Operation::Write, file) } else { (Operation::Trim, file.saturating_sub(30)) };
            batch.push(Request::new(at * 1000, operation, number % 50 * FILE_STRIDE_BYTES, 64 * 4096));
        }
        let filled = (end - self.at) as usize;
        self.at = end;
        Ok(filled)
    }

    fn rewind(&mut self) -> Result<(), TraceError> {
        self.at = 0;
        Ok(())
    }

    fn description(&self) -> Description {
        workload("zipf:pages=5000,requests=1", &Defaults::default()).unwrap().description()
    }

    fn progress(&self) -> Option<(u64, u64)> {
        None
    }
}

/// Pages that hold data at the end, and pages written and trimmed.
fn live_written_trimmed(source: &mut dyn Source) -> (f64, f64, f64) {
    let mut batch = Batch::default();
    let (mut live, mut written, mut trimmed) = (std::collections::BTreeSet::new(), 0.0, 0.0);
    source.rewind().unwrap();
    while source.fill(&mut batch).unwrap() > 0 {
        for request in &batch.requests {
            let pages = request.pages(4096);
            match request.operation {
                Operation::Trim => {
                    trimmed += pages.clone().count() as f64;
                    pages.for_each(|page| _ = live.remove(&page));
                }
                _ => {
                    written += pages.clone().count() as f64;
                    live.extend(pages);
                }
            }
        }
    }
    (live.len() as f64, written, trimmed)
}

#[test]
fn what_is_trimmed_in_a_trace_is_trimmed_in_its_stand_in() {
    let mut files = Files { at: 0 };
    let profile = stand_in::measure(&mut files).unwrap();
    assert_eq!(Profile::from_toml(&profile.to_toml(), "again").unwrap(), profile);
    let (real, mut stand_in) = (live_written_trimmed(&mut files), made(&profile, "trims"));
    let made = live_written_trimmed(&mut *stand_in);
    let near = |real: f64, made: f64, tolerance: f64| (made / real - 1.0).abs() <= tolerance;
    assert!(near(real.1, made.1, 0.02) && near(real.2, made.2, 0.02), "{real:?} against {made:?}");
    assert!(near(real.0, made.0, 0.25), "{real:?} against {made:?}");
}

#[test]
fn rewrites_of_one_large_stretch_are_as_large_in_the_stand_in() {
    // A stretch that was filled page by page in any order is written as a whole again: no site of
    // the fill is as large.
    let mut requests = Vec::new();
    for _ in 0..4 {
        for at in 0..2000u64 {
            requests.push((at * 7 % 2000 * 4096, 4096));
        }
        requests.extend((0..20).map(|part| (part * 100 * 4096, 100 * 4096)));
    }
    let lines: Vec<String> = requests
        .iter()
        .enumerate()
        .map(|(at, (offset, bytes))| {
            format!("{},host,0,Write,{offset},{bytes},1", 128166372000000000u64 + at as u64 * 1000)
        })
        .collect();
    let file = std::env::temp_dir().join(format!("rewear-stretch-{}.csv", std::process::id()));
    std::fs::write(&file, lines.join("\n") + "\n").unwrap();
    let mut original = rewear_trace::open(&file, &rewear_trace::OpenOptions::default()).unwrap();
    let profile = stand_in::measure(&mut original).unwrap();
    let mut stand_in = made(&profile, "stretch");
    let (real, made) = (value(&mut original), value(&mut *stand_in));
    std::fs::remove_file(file).unwrap();
    agree(&real, &made, "/write/pages", 0.1);
    agree(&real, &made, "/write/distinct_pages", 0.1);
}

#[test]
fn every_parameter_file_comes_to_what_it_states() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments/workloads");
    let mut files = 0;
    for paper in std::fs::read_dir(folder).unwrap() {
        for file in std::fs::read_dir(paper.unwrap().path()).unwrap() {
            let path = file.unwrap().path().display().to_string();
            let profile = Profile::load(&path).unwrap();
            let text: toml::Table = std::fs::read_to_string(&path).unwrap().parse().unwrap();
            let stated = &text["published"];
            let spec = format!("stand-in:profile={path},requests=20000");
            let mut source = workload(&spec, &Defaults::default()).unwrap();
            let figures = value(&mut *source);
            let reads = figures.pointer("/read/requests").and_then(|n| n.as_f64()).unwrap_or(0.0) / 20_000.0;
            let read = stated["read"].as_float().unwrap();
            assert!((reads - read).abs() < 0.01, "{path}: {reads} of the requests read, not {read}");
            assert!(profile.requests == stated["requests"].as_integer().unwrap() as u64, "{path}");
            if reads < 0.99 {
                let bytes = number(&figures, "/write/bytes") / number(&figures, "/write/requests");
                let size = stated["write_bytes"].as_integer().unwrap() as f64;
                assert!((bytes / size - 1.0).abs() < 0.35, "{path}: writes of {bytes} bytes, not {size}");
            }
            files += 1;
        }
    }
    assert!(files > 40, "{files} files");
}

#[test]
fn what_is_no_profile_is_refused_with_its_place() {
    let wrong = Profile::from_toml("name = \"x\"\nspeed = 3\n", "x.toml").unwrap_err().to_string();
    assert!(wrong.contains("x.toml"), "{wrong}");
    let text = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../experiments/workloads/lx/mail.toml"
    ))
    .unwrap();
    let lines: Vec<String> = text
        .lines()
        .map(|line| if line.starts_with("read =") { "read = 1.5".into() } else { line.into() })
        .collect();
    let wrong = Profile::from_toml(&lines.join("\n"), "mail.toml").unwrap_err().to_string();
    assert!(wrong.contains("mail.toml: published.read lies outside 0 to 1"), "{wrong}");
}
