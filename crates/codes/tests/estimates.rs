//! Estimates with their intervals.

use rewear_codes::measure::{Mean, Proportion};

#[test]
fn wilson_interval_has_its_published_values() {
    // Wilson 1927 by hand: 0 of 10 gives 0 to 0.2775, 8 of 10 gives 0.4902 to 0.9433.
    let none = Proportion::new(0, 10);
    assert!(none.low == 0.0 && (none.high - 0.2775).abs() < 1e-4);
    let most = Proportion::new(8, 10);
    assert!((most.low - 0.4902).abs() < 1e-4 && (most.high - 0.9433).abs() < 1e-4);
    // Half of the trials: symmetric.
    let half = Proportion::new(5, 10);
    assert!((half.low - 0.236_59).abs() < 1e-4 && (half.low + half.high - 1.0).abs() < 1e-12);
    assert!(Proportion::new(0, 0).contains(0.5));
}

#[test]
fn mean_of_equal_samples_is_certain() {
    assert_eq!(Mean::new(&[3.0; 5]), Mean { samples: 5, mean: 3.0, half_width: 0.0 });
    assert_eq!(Mean::new(&[]).mean, 0.0);
    assert!((Mean::new(&[1.0, 3.0]).half_width - 1.959_963_984_540_054).abs() < 1e-12);
}
