//! Sockets and threads: one thread a connection.

use std::io::{ErrorKind, Read, Result, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::connection::Connection;
use crate::subsystem::Subsystem;
use crate::wire::pdu::LONGEST_BYTES;

/// Connections at a time; further ones are closed at once.
const MOST_CONNECTIONS: usize = 256;
/// How often a connection is looked after on which nothing comes.
const TICK: Duration = Duration::from_millis(200);
/// How long a host may take to connect its queue, and to take an answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// Bytes held of a connection: several of the longest units.
const HELD_BYTES: usize = 2 * LONGEST_BYTES;
/// Bytes received at a time. It is less than a full queue of commands, so that a host learns of
/// the first ones and sends others while the rest is carried out.
const RECEIVED_BYTES: usize = 64 << 10;

/// Serves hosts without an end.
///
/// # Errors
/// A socket that no longer listens.
pub fn serve(listener: &TcpListener, subsystem: &Arc<Subsystem>) -> Result<()> {
    let connections = Arc::new(AtomicUsize::new(0));
    loop {
        let stream = match listener.accept() {
            Ok((stream, _)) => stream,
            // A host that has gone before it was accepted; descriptors that are used up for a while.
            Err(error) if error.kind() == ErrorKind::InvalidInput => return Err(error),
            Err(_) => {
                std::thread::sleep(TICK);
                continue;
            }
        };
        if connections.fetch_add(1, Ordering::Relaxed) >= MOST_CONNECTIONS {
            connections.fetch_sub(1, Ordering::Relaxed);
            continue;
        }
        let (subsystem, counted) = (Arc::clone(subsystem), Counted(Arc::clone(&connections)));
        let talk = move || {
            let _counted = counted;
            // A host that hangs up or breaks the protocol loses its connection, and nobody else's.
            let _ = talk(stream, subsystem);
        };
        // Without a thread the stream is dropped, which closes it.
        let _ = std::thread::Builder::new().name("rewear-nvme".to_owned()).spawn(talk);
    }
}

/// A connection that is counted until its thread ends, however it does.
struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Talks with one host until it or the controller ends the connection.
fn talk(mut stream: TcpStream, subsystem: Arc<Subsystem>) -> Result<()> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(TICK))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut connection = Connection::new(subsystem, stream.local_addr()?);
    let mut input = vec![0; HELD_BYTES];
    let (mut begin, mut end) = (0, 0);
    let mut out = Vec::new();
    let mut heard = Instant::now();
    loop {
        let taken = connection.receive(&input[begin..end], &mut out);
        let outcome = taken.and_then(|taken| {
            begin += taken;
            connection.tick(heard.elapsed(), &mut out).map(|()| taken)
        });
        let is_more = !out.is_empty() && outcome.is_ok_and(|taken| taken > 0) && begin < end;
        if !out.is_empty() {
            stream.write_all(&out)?;
            out.clear();
        }
        if outcome.is_err() || (!connection.is_connected() && heard.elapsed() > PATIENCE) {
            return Ok(());
        }
        if is_more {
            continue;
        }
        if begin == end {
            (begin, end) = (0, 0);
        } else if input.len() - begin < LONGEST_BYTES {
            input.copy_within(begin..end, 0);
            (begin, end) = (0, end - begin);
        }
        let most = input.len().min(end + RECEIVED_BYTES);
        match stream.read(&mut input[end..most]) {
            Ok(0) => return Ok(()),
            Ok(bytes) => {
                end += bytes;
                heard = Instant::now();
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
