//! How the server ends in seconds, whatever its clients do.
//!
//! nbdkit waits for every client to hang up before it unloads a plugin. Here the drive is closed
//! first, so that nothing is lost, and then nbdkit has a moment to end by itself.

use std::sync::Arc;
use std::time::Duration;

use rewear_live::{LiveDrive, LiveError, parent};

/// How long nbdkit may take to end by itself.
const GRACE: Duration = Duration::from_secs(1);
/// Ends the process, whose drive was closed: at once if no client is attached, else after a moment.
pub(crate) fn soon() {
    // SAFETY: a signal to the own process; nbdkit handles it.
    unsafe { libc::kill(libc::getpid(), libc::SIGTERM) };
    std::thread::sleep(GRACE);
    // SAFETY: ends the process without running others' handlers, which may wait for
    // clients.
    unsafe { libc::_exit(0) };
}

/// Closes the drive and ends the process when its parent has ended. Called on nbdkit's main thread.
///
/// # Errors
/// A thread that cannot be started.
pub(crate) fn with_parent(process: u32, drive: Arc<LiveDrive>) -> Result<(), LiveError> {
    // nbdkit in the foreground asks for a signal when the thread that started it ends, which may be
    // long before the process.
    #[cfg(target_os = "linux")]
    // SAFETY: changes an attribute of the calling thread, which is nbdkit's main one.
    unsafe {
        libc::prctl(libc::PR_SET_PDEATHSIG, 0);
    }
    parent::watch(process, drive, soon)
}
