//! Sockets and threads: one thread a connection.

use std::io::{ErrorKind, Read, Result, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::connection::Connection;
use crate::door::{Door, Place};
use crate::subsystem::Subsystem;
use crate::wire::pdu::LONGEST_BYTES;

/// How often a connection is looked after on which nothing comes.
const TICK: Duration = Duration::from_millis(200);
/// How long a host may take to connect its queue, however it sends what that takes.
const CONNECT_WITHIN: Duration = Duration::from_secs(10);
/// How long a host may take to take an answer.
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
    let door = Arc::new(Door::default());
    loop {
        let entered =
            listener.accept().and_then(|(stream, from)| Ok((door.enter(&stream, from.ip())?, stream)));
        let (place, stream) = match entered {
            Ok(entered) => entered,
            Err(error) if error.kind() == ErrorKind::InvalidInput => return Err(error),
            // A host that has gone before it was accepted; descriptors that are used up for a while.
            Err(_) => {
                std::thread::sleep(TICK);
                continue;
            }
        };
        let subsystem = Arc::clone(subsystem);
        // A host that hangs up or breaks the protocol loses its connection, and nobody else's.
        let talk = move || drop(talk(stream, place, subsystem));
        // Without a thread the stream is dropped, which closes it.
        let _ = std::thread::Builder::new().name("rewear-nvme".to_owned()).spawn(talk);
    }
}

/// Talks with one host until it or the controller ends the connection.
fn talk(mut stream: TcpStream, mut place: Place, subsystem: Arc<Subsystem>) -> Result<()> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(TICK))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut connection = Connection::new(subsystem, stream.local_addr()?).from_peer(place.peer());
    let mut input = vec![0; HELD_BYTES];
    let (mut begin, mut end) = (0, 0);
    let mut out = Vec::new();
    let began = Instant::now();
    let mut heard = began;
    loop {
        let taken = connection.receive(&input[begin..end], &mut out);
        let outcome = taken.and_then(|taken| {
            begin += taken;
            connection.tick(heard.elapsed(), &mut out).map(|()| taken)
        });
        let is_more = !out.is_empty() && outcome.is_ok_and(|taken| taken > 0) && begin < end;
        if connection.is_connected() && !place.connect() {
            return Ok(());
        }
        if !out.is_empty() {
            stream.write_all(&out)?;
            out.clear();
        }
        if outcome.is_err() || (!connection.is_connected() && began.elapsed() > CONNECT_WITHIN) {
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
