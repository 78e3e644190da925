//! A server ends with the process that started it.

use std::sync::Arc;
use std::time::Duration;

use crate::drive::LiveDrive;
use crate::error::LiveError;

/// How often it is asked whether the parent is there.
const PERIOD: Duration = Duration::from_millis(100);

/// Closes the drive when the parent has ended, and calls `ended`.
///
/// # Errors
/// A thread that cannot be started.
pub fn watch(
    parent: u32,
    drive: Arc<LiveDrive>,
    ended: impl FnOnce() + Send + 'static,
) -> Result<(), LiveError> {
    let watch = move || {
        while std::os::unix::process::parent_id() == parent {
            std::thread::sleep(PERIOD);
        }
        // Nobody is left to be told of an error.
        let _ = drive.finish();
        ended();
    };
    let started = std::thread::Builder::new().name("rewear-parent".to_owned()).spawn(watch);
    started.map(drop).map_err(|error| LiveError::Options(format!("a thread cannot be started: {error}")))
}
