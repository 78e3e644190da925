//! Timing by the fastest of many passes, which is what the machine does when nothing else runs on
//! it.

use std::time::{Duration, Instant};

/// Runs `prepare` untimed and then `work` timed, `passes` times over, and returns the fastest pass.
pub(crate) fn fastest<S>(
    state: &mut S,
    passes: u32,
    mut prepare: impl FnMut(&mut S),
    mut work: impl FnMut(&mut S),
) -> Duration {
    (0..passes)
        .map(|_| {
            prepare(state);
            let start = Instant::now();
            work(state);
            start.elapsed()
        })
        .min()
        .unwrap_or_default()
}

/// Gigabytes a second.
pub(crate) fn gb_per_s(bytes: usize, time: Duration) -> f64 {
    bytes as f64 / time.as_secs_f64() / 1e9
}

/// Prints a throughput `gb_per_s` beside that of a copy, whose buffers `copied` names.
pub(crate) fn print_throughput(name: &str, gb_per_s: f64, unit: &str, copied: &str, copy_gb_per_s: f64) {
    println!(
        r#"{{"name": "{name}", "value": {gb_per_s:.3}, "unit": "{unit}", "compared_with": "memcpy of {copied} ({copy_gb_per_s:.1} GB/s)", "ratio": {:.4}}}"#,
        gb_per_s / copy_gb_per_s
    );
}
