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
    use std::path::PathBuf;

    use rewear_live::front;

    pub(crate) fn run() -> Result<(), Box<dyn Error>> {
        let mut words = std::env::args_os().skip(1).map(PathBuf::from);
        let (Some(options), Some(socket), None) = (words.next(), words.next(), words.next()) else {
            return Err("usage: rewear-vhost-user-blk OPTIONS.json SOCKET".into());
        };
        let path = socket.clone();
        // Its folder may be gone, which harms nobody.
        let clean_up = move || drop(std::fs::remove_file(&socket));
        front::run(
            &options,
            |_| Ok(rewear_vhost::bind(&path)?),
            clean_up,
            |listener, drive| Ok(rewear_vhost::serve(listener, drive)?),
        )
    }
}
