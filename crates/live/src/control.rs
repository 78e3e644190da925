//! Statistics over a Unix socket: a line with a request in, a line of JSON out, and the connection is closed.
//!
//! The only request is `stats`. Whoever may use the socket is decided by the folder that it lies in.

use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use crate::drive::LiveDrive;
use crate::error::LiveError;

/// The longest request that is read.
const LONGEST_REQUEST_BYTES: u64 = 64;
/// How long a client may take to ask or to listen.
const PATIENCE: Duration = Duration::from_secs(2);

/// Answers on a thread of its own until the process ends.
///
/// # Errors
/// A socket that cannot be made.
pub fn listen(path: &Path, drive: Arc<LiveDrive>) -> Result<(), LiveError> {
    let failed = |source| LiveError::File { path: path.to_owned(), source };
    if UnixStream::connect(path).is_err_and(|error| error.kind() == ErrorKind::ConnectionRefused) {
        // A server that was killed has left it, and nobody listens.
        std::fs::remove_file(path).map_err(failed)?;
    }
    let listener = UnixListener::bind(path).map_err(failed)?;
    std::thread::Builder::new()
        .name("rewear-control".to_owned())
        .spawn(move || {
            for client in listener.incoming().flatten() {
                // A client that goes away misses its answer, which harms nobody else.
                let _ = answer(client, &drive);
            }
        })
        .map(drop)
        .map_err(failed)
}

fn answer(client: UnixStream, drive: &LiveDrive) -> std::io::Result<()> {
    client.set_read_timeout(Some(PATIENCE))?;
    client.set_write_timeout(Some(PATIENCE))?;
    let mut request = Vec::new();
    BufReader::new(&client).take(LONGEST_REQUEST_BYTES).read_until(b'\n', &mut request)?;
    let mut text = reply(request.trim_ascii(), drive);
    text.push('\n');
    (&client).write_all(text.as_bytes())
}

fn reply(request: &[u8], drive: &LiveDrive) -> String {
    let refused = |error: String| json!({ "error": error }).to_string();
    if request != b"stats" {
        return refused("the request is unknown; send the line stats".to_owned());
    }
    match drive.snapshot() {
        Ok(snapshot) => serde_json::to_string(&snapshot).unwrap_or_else(|error| refused(error.to_string())),
        Err(error) => refused(error.to_string()),
    }
}
