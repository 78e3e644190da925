//! `rewear-vhost-user-blk OPTIONS.json SOCKET`: serves a live drive as the disk of a virtual
//! machine until it is told to stop. `rewear serve --transport vhost-user` writes the options.

use std::process::ExitCode;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    match linux::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    eprintln!("vhost-user needs Linux");
    ExitCode::from(2)
}

#[cfg(target_os = "linux")]
mod linux {
    use std::error::Error;
    use std::path::{Path, PathBuf};
    use std::sync::Arc;

    use rewear_live::{LiveDrive, LiveError, LiveOptions, control, parent};

    pub(crate) fn run() -> Result<(), Box<dyn Error>> {
        let mut words = std::env::args_os().skip(1).map(PathBuf::from);
        let (Some(options), Some(socket), None) = (words.next(), words.next(), words.next()) else {
            return Err("usage: rewear-vhost-user-blk OPTIONS.json SOCKET".into());
        };
        let text = std::fs::read_to_string(&options)
            .map_err(|source| LiveError::File { path: options.clone(), source })?;
        let options = LiveOptions::from_json(&text)?;
        // Before the first thread, so that all of them leave these signals to one.
        let signals = Signals::block()?;
        let drive = Arc::new(LiveDrive::open(options)?);
        let listener = rewear_vhost::bind(&socket)?;
        drive.begin()?;
        signals.end_with(Arc::clone(&drive), &socket)?;
        if let Some(process) = drive.options().parent {
            let ended = end(&socket);
            parent::watch(process, Arc::clone(&drive), move || ended(0))?;
        }
        // Heard last: whoever gets an answer there finds the socket.
        if let Some(path) = &drive.options().control {
            let ended = end(&socket);
            control::listen(path, Arc::clone(&drive), move || ended(0))?;
        }
        Ok(rewear_vhost::serve(listener, &drive)?)
    }

    /// Removes the socket and ends the process. The drive was closed; a request that is under way
    /// stays unanswered in its client's queue.
    fn end(socket: &Path) -> impl Fn(i32) + Send + 'static {
        let socket = socket.to_owned();
        move |status| {
            // Its folder may be gone, which harms nobody.
            let _ = std::fs::remove_file(&socket);
            std::process::exit(status);
        }
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

        fn end_with(self, drive: Arc<LiveDrive>, socket: &Path) -> Result<(), std::io::Error> {
            let ended = end(socket);
            let wait = move || {
                let mut signal = 0;
                // SAFETY: the set is valid, and all threads block its signals.
                while unsafe { libc::sigwait(&raw const self.0, &raw mut signal) } != 0 {}
                match drive.finish() {
                    Ok(()) => ended(0),
                    Err(error) => {
                        eprintln!("{error}");
                        ended(2);
                    }
                }
            };
            std::thread::Builder::new().name("rewear-signals".to_owned()).spawn(wait).map(drop)
        }
    }
}
