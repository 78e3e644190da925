//! Windows of polling. They are private to the server, so their file is compiled here once more.

use std::time::{Duration, Instant};

#[path = "../src/polling.rs"]
mod windows;

use windows::{FULL, Polling};

#[test]
fn windows_become_shorter_while_nothing_comes_and_full_when_something_does() {
    let mut polling = Polling::new(2);
    let mut now = Instant::now();
    let mut looked = Duration::ZERO;
    for _ in 0..20 {
        looked += polling.window();
        polling.sleeps(now);
        now += FULL * 3;
        polling.woken(now);
    }
    assert!(looked < FULL * 2, "{looked:?}");
    assert_eq!(polling.window(), Duration::ZERO);
    polling.sleeps(now);
    polling.woken(now + FULL / 2);
    assert_eq!(polling.window(), FULL);
    polling.sleeps(now);
    polling.found();
    assert_eq!(polling.window(), FULL);
}

#[test]
fn a_single_processor_is_left_to_the_guest() {
    assert_eq!(Polling::new(1).window(), Duration::ZERO);
}
