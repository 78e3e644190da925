//! Cells that are misread: invisible up to what the code corrects, reported beyond it, never taken
//! for data.
#![allow(clippy::unwrap_used, missing_docs)]

use crate::common::{SCHEMES, Scheme, config, fill};
use rewear_flash::bit_errors::{BitErrors, BitErrorsConfig, PARITY};
use rewear_ftl::FtlError;
use rewear_live::{LiveDrive, LiveError, LiveOptions};

/// Writes everything some times over and reads it back: pages that came back, and pages that were
/// reported.
fn write_and_read(live: &LiveDrive, name: &str) -> (u32, u32) {
    let mut memory = vec![0; live.size_bytes() as usize];
    let page = live.page_bytes() as usize;
    for round in 0..4 {
        for (index, part) in memory.chunks_mut(page).enumerate() {
            let mut new = part.to_vec();
            fill(round << 32 | index as u64, &mut new);
            live.write((index * page) as u64, &new, false).unwrap_or_else(|error| panic!("{name}: {error}"));
            part.copy_from_slice(&new);
        }
    }
    let (mut read, mut reported) = (0, 0);
    for (index, part) in memory.chunks(page).enumerate() {
        let mut found = vec![0; part.len()];
        match live.read((index * page) as u64, &mut found) {
            Ok(()) => {
                assert!(found == part, "{name}: page {index} came back wrong");
                read += 1;
            }
            Err(error @ LiveError::Drive(FtlError::Uncorrectable { .. })) => {
                assert_eq!(error.kind(), std::io::ErrorKind::Other);
                reported += 1;
            }
            Err(error) => panic!("{name}: {error}"),
        }
    }
    (read, reported)
}

/// A drive whose cells, erased a few times, are misread this much of what the code corrects on the
/// average.
fn misreading(scheme: Scheme, load: f64) -> LiveDrive {
    const BYTES: usize = 2048;
    // As many levels as its cells have, as far from each other as those of the published cell.
    let levels = (1 << config(scheme, &[]).flash.bits_per_cell) - 1;
    let verify_v: Vec<f64> = (0..levels).map(|level| 2.55 + 0.6 * f64::from(level)).collect();
    let verify_v = format!("{verify_v:?}");
    let cells = ("flash.cells.verify_v", verify_v.as_str());
    let flash = config(scheme, &[cells]).flash;
    let errors = BitErrors::new(&BitErrorsConfig::default(), &flash, BYTES).unwrap();
    let bits = BYTES as f64 * 8.0 * (1.0 + PARITY);
    let scale = load * errors.correctable_bits() as f64 / bits / errors.rate(2);
    let scale = scale.to_string();
    let more = [cells, ("flash.bit_errors.scale", scale.as_str()), ("ftl.recovery.scheme", "log")];
    LiveDrive::open(LiveOptions::new(config(scheme, &more))).unwrap()
}

#[test]
fn errors_within_the_codes_capability_are_invisible() {
    for &scheme in SCHEMES {
        let live = misreading(scheme, 0.4);
        let (read, reported) = write_and_read(&live, scheme.0);
        let figures = live.snapshot().unwrap().live;
        let beyond = figures.pages_uncorrectable;
        assert!(reported == 0 && beyond == 0, "{}: {reported} of {read}, {beyond} reads", scheme.0);
        assert!(figures.bits_corrected > 1000, "{}: {} bits", scheme.0, figures.bits_corrected);
    }
}

#[test]
fn errors_beyond_it_are_reported_and_never_taken_for_data() {
    for &scheme in SCHEMES {
        let live = misreading(scheme, 0.85);
        let (read, reported) = write_and_read(&live, scheme.0);
        assert!(read > 0 && reported > 0, "{}: {reported} reported, {read} read", scheme.0);
        assert!(live.snapshot().unwrap().live.pages_uncorrectable >= u64::from(reported));
    }
}
