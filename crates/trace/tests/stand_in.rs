//! Stand-ins: published figures come out.

#![allow(clippy::unwrap_used)] // a test may stop where it stands

use rewear_trace::stand_in::Profile;
use rewear_trace::{Batch, Defaults, Source, info, workload};

fn value(source: &mut dyn Source) -> serde_json::Value {
    let figures = info(source).unwrap();
    source.rewind().unwrap();
    serde_json::to_value(&figures).unwrap()
}

fn number(value: &serde_json::Value, path: &str) -> f64 {
    value.pointer(path).and_then(serde_json::Value::as_f64).unwrap_or_else(|| panic!("{path} in {value}"))
}

#[test]
fn a_stand_in_is_the_same_every_time() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments/workloads/second-write/hm_0.toml");
    let draw = || {
        let spec = format!("stand-in:profile={file},requests=5000");
        let mut source = workload(&spec, &Defaults::default()).unwrap();
        let mut batch = Batch::default();
        source.fill(&mut batch).unwrap();
        batch.requests.clone()
    };
    assert_eq!(draw(), draw());
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
    let one =
        |line: &str| if line.starts_with("requests =") { "requests = 1".into() } else { line.to_owned() };
    let few: Vec<String> = text.lines().map(one).collect();
    let wrong = Profile::from_toml(&few.join("\n"), "mail.toml").unwrap_err().to_string();
    assert!(wrong.contains("mail.toml: published.requests are too few"), "{wrong}");
}
