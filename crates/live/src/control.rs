//! Statistics and the end over a Unix socket: a line with a request in, a line of JSON out, and the
//! connection is closed.
//!
//! `stats` gives the statistics. `stop` closes the drive, ends the recording and answers whether
//! that succeeded; then the server ends. The folder of the
//! socket decides who may use it.

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

/// What a client asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Request {
    Stats,
    Stop,
    Unknown,
}

/// Answers on a thread of its own until the process ends. `stopped` is called once the drive was
/// closed for a client.
///
/// # Errors
/// A socket that cannot be made.
pub fn listen(
    path: &Path,
    drive: Arc<LiveDrive>,
    mut stopped: impl FnMut() + Send + 'static,
) -> Result<(), LiveError> {
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
                if let Ok(Request::Stop) = answer(client, &drive) {
                    stopped();
                }
            }
        })
        .map(drop)
        .map_err(failed)
}

fn answer(client: UnixStream, drive: &LiveDrive) -> std::io::Result<Request> {
    client.set_read_timeout(Some(PATIENCE))?;
    client.set_write_timeout(Some(PATIENCE))?;
    let mut request = Vec::new();
    BufReader::new(&client).take(LONGEST_REQUEST_BYTES).read_until(b'\n', &mut request)?;
    let request = match request.trim_ascii() {
        b"stats" => Request::Stats,
        b"stop" => Request::Stop,
        _ => Request::Unknown,
    };
    let mut text = reply(request, drive);
    text.push('\n');
    let told = (&client).write_all(text.as_bytes());
    // A client's end takes effect, even if the client did not wait for the answer.
    if request == Request::Stop { Ok(request) } else { told.map(|()| request) }
}

fn reply(request: Request, drive: &LiveDrive) -> String {
    let refused = |error: String| json!({ "error": error }).to_string();
    match request {
        Request::Unknown => refused("the request is unknown; send the line stats or stop".to_owned()),
        Request::Stop => drive
            .finish()
            .map_or_else(|error| refused(error.to_string()), |()| json!({ "stopped": true }).to_string()),
        Request::Stats => match drive.snapshot() {
            Ok(snapshot) => {
                serde_json::to_string(&snapshot).unwrap_or_else(|error| refused(error.to_string()))
            }
            Err(error) => refused(error.to_string()),
        },
    }
}
