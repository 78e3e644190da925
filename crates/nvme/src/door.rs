//! Who comes in: connections that have no queue yet, and those that have one, by their peers.
//!
//! A host connects its queue within milliseconds. So connections without one are few, none of them
//! has a right to its place, and they take nothing from the connections of hosts.

use std::collections::{BTreeMap, VecDeque};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, Shutdown, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Connections without a queue at a time. A further one takes the place of the oldest one of the peer
/// that has most of them.
const MOST_WAITING: usize = 64;
/// Connections with a queue at a time.
const MOST_CONNECTED: usize = 256;
/// Those of one peer: others find room in any case.
const MOST_OF_PEER: usize = 192;

/// The door of a server.
#[derive(Debug, Default)]
pub(crate) struct Door(Mutex<Inside>);

#[derive(Debug, Default)]
struct Inside {
    /// The oldest first.
    waiting: VecDeque<Waiting>,
    connected: BTreeMap<IpAddr, usize>,
    next: u64,
}

#[derive(Debug)]
struct Waiting {
    number: u64,
    peer: IpAddr,
    /// Closes the connection when it loses its place.
    stream: TcpStream,
}

/// The place of a connection; it is free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    door: Arc<Door>,
    number: u64,
    peer: IpAddr,
    is_connected: bool,
}

impl Door {
    /// A place for a connection without a queue from an address.
    ///
    /// # Errors
    /// Descriptors are used up.
    pub(crate) fn enter(self: &Arc<Door>, stream: &TcpStream, from: IpAddr) -> std::io::Result<Place> {
        let (peer, stream) = (peer_of(from), stream.try_clone()?);
        let mut inside = self.lock();
        if inside.waiting.len() >= MOST_WAITING {
            inside.dismiss();
        }
        let number = inside.next;
        inside.next += 1;
        inside.waiting.push_back(Waiting { number, peer, stream });
        drop(inside);
        Ok(Place { door: Arc::clone(self), number, peer, is_connected: false })
    }

    /// What it guards is whole after each statement.
    fn lock(&self) -> MutexGuard<'_, Inside> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inside {
    /// Closes the oldest connection of the peer with most of those that wait.
    fn dismiss(&mut self) {
        let mut of_peer: BTreeMap<IpAddr, usize> = BTreeMap::new();
        for waiting in &self.waiting {
            *of_peer.entry(waiting.peer).or_default() += 1;
        }
        let most = of_peer.into_iter().max_by_key(|&(_, count)| count).map(|(peer, _)| peer);
        let oldest = self.waiting.iter().position(|waiting| Some(waiting.peer) == most);
        if let Some(waiting) = oldest.and_then(|oldest| self.waiting.remove(oldest)) {
            // It may have gone by itself.
            let _ = waiting.stream.shutdown(Shutdown::Both);
        }
    }
}

impl Place {
    /// The peer, as limits count it.
    pub(crate) fn peer(&self) -> IpAddr {
        self.peer
    }

    /// The connection has a queue: whether there is room for one more, of this peer and in all.
    pub(crate) fn connect(&mut self) -> bool {
        if self.is_connected {
            return true;
        }
        let mut inside = self.door.lock();
        let own = inside.connected.get(&self.peer).copied().unwrap_or_default();
        if own >= MOST_OF_PEER || inside.connected.values().sum::<usize>() >= MOST_CONNECTED {
            return false;
        }
        inside.connected.insert(self.peer, own + 1);
        inside.waiting.retain(|waiting| waiting.number != self.number);
        self.is_connected = true;
        true
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut inside = self.door.lock();
        if !self.is_connected {
            return inside.waiting.retain(|waiting| waiting.number != self.number);
        }
        let left = inside.connected.get(&self.peer).map_or(0, |count| count - 1);
        if left == 0 {
            inside.connected.remove(&self.peer);
        } else {
            inside.connected.insert(self.peer, left);
        }
    }
}

/// The addresses that one peer has at will count as one: those of this machine, and the 2^64 of a
/// network of IPv6.
fn peer_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        address if address.is_loopback() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        address => address,
    }
}
