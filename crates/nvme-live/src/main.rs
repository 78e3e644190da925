//! `rewear-nvme-tcp OPTIONS.json ADDRESS NAME BLOCK_BYTES ADDRESS_FILE [insecure]`: serves a live
//! drive as an NVMe drive over TCP until it is told to stop, and writes the address that it listens
//! on. `rewear serve --transport nvme-tcp` writes the options.

use std::process::ExitCode;

#[cfg(unix)]
fn main() -> ExitCode {
    match unix::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

#[cfg(not(unix))]
fn main() -> ExitCode {
    eprintln!("serving a drive needs Linux or another Unix");
    ExitCode::from(2)
}

#[cfg(unix)]
mod unix {
    use std::error::Error;
    use std::net::{TcpListener, ToSocketAddrs};
    use std::path::PathBuf;
    use std::sync::Arc;

    use rewear_live::{LiveDrive, front};
    use rewear_nvme::Subsystem;
    use rewear_nvme_live::{Namespace, identity};

    const USAGE: &str =
        "usage: rewear-nvme-tcp OPTIONS.json ADDRESS NAME BLOCK_BYTES ADDRESS_FILE [insecure]";

    pub(crate) fn run() -> Result<(), Box<dyn Error>> {
        let words: Vec<String> = std::env::args().skip(1).collect();
        let (words, is_insecure) = match words.as_slice() {
            [words @ .., last] if last == "insecure" => (words, true),
            words => (words, false),
        };
        let [options, address, name, block_bytes, file] = words else { return Err(USAGE.into()) };
        let block_bytes = block_bytes.parse().map_err(|_| USAGE)?;
        let (options, file) = (PathBuf::from(options), PathBuf::from(file));
        let path = file.clone();
        // Its folder may be gone, which harms nobody.
        let clean_up = move || drop(std::fs::remove_file(&file));
        let listen = |drive: &LiveDrive| {
            let identity = identity(drive, name, block_bytes)?;
            let listener = bind(address, is_insecure)?;
            std::fs::write(&path, listener.local_addr()?.to_string())?;
            Ok((identity, listener))
        };
        front::run(&options, listen, clean_up, |(identity, listener), drive| {
            let namespace = Namespace::new(Arc::clone(drive))?;
            let subsystem = Arc::new(Subsystem::new(Arc::new(namespace), identity));
            Ok(rewear_nvme::serve(&listener, &subsystem)?)
        })
    }

    /// Hosts are not asked who they are, so nobody but this machine's users may reach the server
    /// unless its starter says so.
    fn bind(address: &str, is_insecure: bool) -> Result<TcpListener, Box<dyn Error>> {
        let failed = |error: &dyn std::fmt::Display| {
            format!("{address}: {error}. Give another address, as 127.0.0.1:4420")
        };
        let resolved: Vec<_> = address.to_socket_addrs().map_err(|error| failed(&error))?.collect();
        if !is_insecure && resolved.iter().any(|found| !found.ip().is_loopback()) {
            return Err(format!(
                "{address} can be reached from other machines, and any client can read and write the drive. \
                 Listen on 127.0.0.1, or say --insecure"
            )
            .into());
        }
        Ok(TcpListener::bind(resolved.as_slice()).map_err(|error| failed(&error))?)
    }
}
