//! Clients, one after the other, at a Unix socket.

use std::io::ErrorKind;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rewear_live::LiveDrive;
use vhost::vhost_user::{Error as VhostUserError, Listener};
use vhost_user_backend::{Error as BackendError, VhostUserDaemon};
use vm_memory::{GuestMemoryAtomic, GuestMemoryMmap};
use vmm_sys_util::epoll::EventSet;

use crate::device::{Device, LEFT};
use crate::guest_memory;

/// The longest path that a socket's address holds.
const LONGEST_PATH_BYTES: usize = 107;

/// Why nothing can be served. `Display` says what, where and how to mend it.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// A path longer than a socket's address holds.
    #[error(
        "{path}: {length} bytes are too long for a socket, at most {LONGEST_PATH_BYTES}. Give a shorter path"
    )]
    Long {
        /// Which.
        path: PathBuf,
        /// Its bytes.
        length: usize,
    },
    /// Something that is no socket.
    #[error("{0} exists and is no socket. Remove it, or give another path")]
    Taken(PathBuf),
    /// A socket at which somebody listens.
    #[error("{0} is in use by another server. Stop it, or give another path")]
    InUse(PathBuf),
    /// A socket that cannot be made or listened at.
    #[error("{path}: {source}. Check the folder and its permissions")]
    Socket {
        /// Which.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// Threads or descriptors are used up.
    #[error("the server cannot go on: {0}")]
    Resources(String),
}

/// Makes the socket. One that a dead server has left is replaced.
///
/// # Errors
/// A path that is too long, taken, in use, or cannot be made.
pub fn bind(path: &Path) -> Result<UnixListener, ServerError> {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::FileTypeExt;
    let failed = |source| ServerError::Socket { path: path.to_owned(), source };
    let length = path.as_os_str().as_bytes().len();
    if length > LONGEST_PATH_BYTES {
        return Err(ServerError::Long { path: path.to_owned(), length });
    }
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(failed(error)),
        Ok(found) if !found.file_type().is_socket() => return Err(ServerError::Taken(path.to_owned())),
        Ok(_) => match UnixStream::connect(path) {
            Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
                std::fs::remove_file(path).map_err(failed)?;
            }
            Err(error) => return Err(failed(error)),
            Ok(_) => return Err(ServerError::InUse(path.to_owned())),
        },
    }
    UnixListener::bind(path).map_err(failed)
}

/// Serves clients, one after the other, without an end. A client that hangs up or breaks the
/// protocol loses its connection; the drive keeps what it answered, and the next is served.
///
/// # Errors
/// A socket that no longer listens; threads or descriptors that are used up.
pub fn serve(listener: UnixListener, drive: &Arc<LiveDrive>) -> Result<(), ServerError> {
    let mut listener = Listener::from(listener);
    let resources = |error: &dyn std::fmt::Display| ServerError::Resources(error.to_string());
    guest_memory::survive().map_err(|error| resources(&error))?;
    loop {
        let memory = GuestMemoryAtomic::new(GuestMemoryMmap::new());
        let device = Device::new(Arc::clone(drive), memory.clone()).map_err(|error| resources(&error))?;
        let device = Arc::new(device);
        let mut daemon = VhostUserDaemon::new("rewear-vhost".to_owned(), Arc::clone(&device), memory)
            .map_err(|error| resources(&error))?;
        for (handler, event) in daemon.get_epoll_handlers().into_iter().zip(device.left_events()) {
            let event = std::os::fd::AsRawFd::as_raw_fd(event);
            handler.register_listener(event, EventSet::IN, LEFT).map_err(|error| resources(&error))?;
        }
        daemon.start(&mut listener).map_err(|error| resources(&error))?;
        device.connected(daemon.shutdown_handle());
        let ended = daemon.wait();
        if let Some(problem) = device.problem() {
            eprintln!("a client was disconnected: {problem}");
            continue;
        }
        match ended {
            Ok(())
            | Err(BackendError::HandleRequest(
                VhostUserError::Disconnected
                | VhostUserError::PartialMessage
                | VhostUserError::SocketBroken(_),
            )) => {}
            Err(error) => eprintln!("a client was disconnected: {error}"),
        }
    }
}
