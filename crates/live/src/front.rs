//! What a server program does beside speaking its protocol: options, signals, the control socket, and
//! the end with the process that started it.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use crate::drive::LiveDrive;
use crate::error::LiveError;
use crate::options::LiveOptions;
use crate::{control, parent};

/// Opens the drive of an options file, lets `listen` take the address, and `serve` serve until the
/// program is told to stop: by SIGTERM, SIGINT, the control socket or the end of its parent. Then the
/// drive is closed, `clean_up` called, and the process ends.
///
/// # Errors
/// Options, a drive or an address that cannot be; what `serve` ended with.
pub fn run<L>(
    options: &Path,
    listen: impl FnOnce(&LiveDrive) -> Result<L, Box<dyn Error>>,
    clean_up: impl Fn() + Clone + Send + 'static,
    serve: impl FnOnce(L, &Arc<LiveDrive>) -> Result<(), Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let text = std::fs::read_to_string(options)
        .map_err(|source| LiveError::File { path: options.to_owned(), source })?;
    let options = LiveOptions::from_json(&text)?;
    // Before the first thread, so that all of them leave these signals to one.
    let signals = Signals::block()?;
    let drive = Arc::new(LiveDrive::open(options)?);
    let listening = listen(&drive)?;
    // A request that is under way stays unanswered.
    let end = move |status| {
        clean_up();
        std::process::exit(status);
    };
    drive.begin()?;
    signals.end_with(Arc::clone(&drive), end.clone())?;
    if let Some(process) = drive.options().parent {
        let end = end.clone();
        parent::watch(process, Arc::clone(&drive), move || end(0))?;
    }
    // Heard last: a client that gets an answer there finds the address.
    if let Some(path) = &drive.options().control {
        control::listen(path, Arc::clone(&drive), move || end(0))?;
    }
    serve(listening, &drive)
}

/// SIGTERM and SIGINT as an orderly end.
struct Signals(libc::sigset_t);

impl Signals {
    fn block() -> Result<Signals, std::io::Error> {
        // SAFETY: the set is written by `sigemptyset` before it is read.
        unsafe {
            let mut set = std::mem::MaybeUninit::uninit();
            libc::sigemptyset(set.as_mut_ptr());
            let mut set = set.assume_init();
            libc::sigaddset(&raw mut set, libc::SIGTERM);
            libc::sigaddset(&raw mut set, libc::SIGINT);
            match libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut()) {
                0 => Ok(Signals(set)),
                error => Err(std::io::Error::from_raw_os_error(error)),
            }
        }
    }

    fn end_with(
        self,
        drive: Arc<LiveDrive>,
        end: impl Fn(i32) + Send + 'static,
    ) -> Result<(), std::io::Error> {
        let wait = move || {
            let mut signal = 0;
            // SAFETY: the set is valid, and all threads block its signals.
            while unsafe { libc::sigwait(&raw const self.0, &raw mut signal) } != 0 {}
            match drive.finish() {
                Ok(()) => end(0),
                Err(error) => {
                    eprintln!("{error}");
                    end(2);
                }
            }
        };
        std::thread::Builder::new().name("rewear-signals".to_owned()).spawn(wait).map(drop)
    }
}
