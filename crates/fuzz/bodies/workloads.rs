//! Specifications of workloads, and what they generate.

use rewear_trace::stand_in::Profile;
use rewear_trace::{Batch, COMMON_PARAMETERS, Defaults, GENERATORS, Source as _, workload};

use crate::edits::edited;
use crate::input::Input;

const VALUES: [&str; 24] = [
    "0",
    "1",
    "2",
    "7",
    "512",
    "4096",
    "100000",
    "4KiB",
    "64KiB*3/512",
    "1e6",
    "1e18",
    "18446744073709551615",
    "9223372036854775807TiB",
    "0.5",
    "0.99",
    "50%",
    "-1",
    "nan",
    "inf",
    "1e-300",
    "true",
    "closed",
    "locality",
    "poisson",
];

/// A specification of parts that exist, or any text.
pub fn workload_spec(input: &[u8]) {
    let mut input = Input(input);
    let spec = match input.byte() {
        0..=31 => String::from_utf8_lossy(input.0).into_owned(),
        _ => (0..1 + input.below(2)).map(|_| phase(&mut input)).collect::<Vec<_>>().join(";"),
    };
    // No paths: a profile could name any file of the machine.
    if spec.contains('/') && spec.contains("profile") {
        return;
    }
    let defaults = Defaults { pages: 1 << 10, requests: 200, ..Defaults::default() };
    let mut source = match workload(&spec, &defaults) {
        Ok(source) => source,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let mut batch = Batch::with_limit(50);
    for _ in 0..3 {
        let count = source.fill(&mut batch).expect("a checked workload does not fail");
        assert_eq!(count, batch.requests.len());
        for request in &batch.requests {
            assert!(
                request.offset_bytes.checked_add(request.length_bytes).is_some(),
                "{request:?} has no end"
            );
        }
    }
    let first = batch.requests.clone();
    source.rewind().expect("a workload begins again");
    for _ in 0..3 {
        source.fill(&mut batch).expect("a checked workload does not fail");
    }
    assert_eq!(first, batch.requests, "{spec} differs after a rewind");
    let _ = (source.description(), source.progress());
}

/// The profiles of stand-ins that come along.
static PROFILES: [&str; 2] = [
    include_str!("../../../experiments/workloads/differentiated-ecc/hm1.toml"),
    include_str!("../../../experiments/workloads/wom-v/Alibaba-746.toml"),
];

/// Reads any text, or an edited profile, as the profile of a stand-in.
pub fn stand_in_profile(input: &[u8]) {
    let mut input = Input(input);
    let content = match input.below(8) {
        0 => input.0.to_vec(),
        _ => {
            let profile = PROFILES[input.below(PROFILES.len())];
            edited(profile.as_bytes(), &mut input)
        }
    };
    match Profile::from_toml(&String::from_utf8_lossy(&content), "profile.toml") {
        Err(error) => assert!(!error.to_string().is_empty()),
        Ok(profile) => assert!(profile.requests > 0 && profile.space_pages > 0),
    }
}

fn phase(input: &mut Input<'_>) -> String {
    let generator = &GENERATORS[input.below(GENERATORS.len())];
    let parameters: Vec<&str> =
        generator.parameters.iter().chain(COMMON_PARAMETERS).map(|parameter| parameter.name).collect();
    let settings: Vec<String> = (0..input.below(5))
        .map(|_| {
            let key = parameters[input.below(parameters.len())];
            match input.byte() {
                0..=63 => {
                    let length = input.below(12);
                    format!("{key}={}", String::from_utf8_lossy(&input.bytes(length)))
                }
                choice => format!("{key}={}", VALUES[usize::from(choice) % VALUES.len()]),
            }
        })
        .collect();
    format!("{}:{}", generator.name, settings.join(","))
}
