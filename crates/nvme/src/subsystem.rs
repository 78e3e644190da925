//! The subsystem: its drive, its controllers and who is connected to them.

use std::collections::{BTreeMap, VecDeque};
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::drive::{Counters, Drive, Identity};
use crate::features::Features;
use crate::placement::EventKind;
use crate::wire::Status;

/// The name under which every subsystem offers its discovery controller (Base 3.1.2.3).
pub const DISCOVERY: &str = "nqn.2014-08.org.nvmexpress.discovery";
/// Controllers of hosts at a time.
const MOST_CONTROLLERS: usize = 64;
/// Those of one peer: others find room in any case.
const MOST_OF_PEER: usize = 48;
/// Discovery controllers at a time, which are not counted with those of hosts. A further one ends the
/// oldest: a host asks once, and leaves.
const MOST_DISCOVERIES: usize = 16;
/// Events of flexible data placement that are kept, as many as the log page holds.
const MOST_EVENTS: usize = 63;

/// A drive that hosts connect to.
pub struct Subsystem {
    pub(crate) drive: Arc<dyn Drive>,
    pub(crate) identity: Identity,
    controllers: Mutex<BTreeMap<u16, Arc<Controller>>>,
    next_id: AtomicU16,
    next_number: AtomicU64,
    events: Mutex<VecDeque<Event>>,
    /// Types of events that hosts want noted of each handle, a bit each. Set by a host for the
    /// namespace, so of all controllers.
    wanted_events: Mutex<Vec<u8>>,
    began: Instant,
}

/// An event of flexible data placement that a host caused (TP4146).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Event {
    pub(crate) kind: EventKind,
    pub(crate) identifier: u16,
    pub(crate) at_ms: u64,
}

/// A controller: what one host has made of the subsystem.
pub struct Controller {
    pub(crate) id: u16,
    pub(crate) host: Host,
    pub(crate) is_discovery: bool,
    peer: Option<IpAddr>,
    /// In the order of creation.
    number: u64,
    is_ended: AtomicBool,
    pub(crate) state: Mutex<State>,
}

/// Who a host says that it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Host {
    pub(crate) id: [u8; 16],
    pub(crate) name: String,
}

/// State of a controller that commands change.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// Controller configuration and status (Base 3.1.3.5, 3.1.3.6).
    pub(crate) configuration: u32,
    pub(crate) status: u32,
    pub(crate) features: Features,
    /// Queues that are connected, a bit each.
    pub(crate) queues: u128,
    /// Asynchronous event requests that wait, by their identifiers.
    pub(crate) event_requests: VecDeque<u16>,
    /// Aborted commands that the host does not know of yet.
    pub(crate) aborted: VecDeque<u16>,
    /// Critical warnings sent to the host, which has not read the log since.
    pub(crate) warned: u8,
    pub(crate) keep_alive_ms: u32,
}

/// Bits of the controller's configuration and status.
pub(crate) mod bits {
    pub(crate) const ENABLE: u32 = 1;
    pub(crate) const SHUTDOWN: u32 = 3 << 14;
    pub(crate) const READY: u32 = 1;
    pub(crate) const SHUTDOWN_DONE: u32 = 2 << 2;
}

impl Subsystem {
    /// A subsystem without controllers.
    pub fn new(drive: Arc<dyn Drive>, identity: Identity) -> Subsystem {
        let handles = identity.placement.map_or(0, |placement| placement.handles);
        Subsystem {
            drive,
            identity,
            controllers: Mutex::default(),
            next_id: AtomicU16::new(1),
            next_number: AtomicU64::new(0),
            events: Mutex::default(),
            wanted_events: Mutex::new(vec![EventKind::ALL_BITS; handles.into()]),
            began: Instant::now(),
        }
    }

    /// Properties of the drive.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Controllers that are there.
    pub fn controllers(&self) -> usize {
        lock(&self.controllers).len()
    }

    /// A new controller for a host.
    pub(crate) fn create(
        &self,
        host: Host,
        is_discovery: bool,
        keep_alive_ms: u32,
        peer: Option<IpAddr>,
    ) -> Result<Arc<Controller>, Status> {
        let mut controllers = lock(&self.controllers);
        let alike = || controllers.values().filter(|each| each.is_discovery == is_discovery);
        if is_discovery {
            let oldest =
                alike().min_by_key(|each| each.number).filter(|_| alike().count() >= MOST_DISCOVERIES);
            if let Some(oldest) = oldest.cloned() {
                oldest.is_ended.store(true, Ordering::Relaxed);
                controllers.remove(&oldest.id);
            }
        } else if alike().count() >= MOST_CONTROLLERS
            || peer.is_some() && alike().filter(|each| each.peer == peer).count() >= MOST_OF_PEER
        {
            return Err(Status::CONTROLLER_BUSY);
        }
        let id = loop {
            let id = self.next_id.fetch_add(1, Ordering::Relaxed);
            if (1..0xfff0).contains(&id) && !controllers.contains_key(&id) {
                break id;
            }
        };
        let state = State { keep_alive_ms, queues: 1, ..State::default() };
        let is_ended = AtomicBool::new(false);
        let number = self.next_number.fetch_add(1, Ordering::Relaxed);
        let state = Mutex::new(state);
        let controller = Arc::new(Controller { id, host, is_discovery, peer, number, is_ended, state });
        controllers.insert(id, Arc::clone(&controller));
        Ok(controller)
    }

    pub(crate) fn find(&self, id: u16) -> Option<Arc<Controller>> {
        lock(&self.controllers).get(&id).cloned()
    }

    /// Ends a controller: its other connections end as soon as they look.
    pub(crate) fn end(&self, controller: &Controller) {
        // One that made room is gone, and its identifier may be another's.
        if !controller.is_ended.swap(true, Ordering::Relaxed) {
            lock(&self.controllers).remove(&controller.id);
        }
    }

    /// The types of events that hosts want noted of a handle, a bit each.
    pub(crate) fn wanted_events(&self, handle: u16) -> Option<u8> {
        lock(&self.wanted_events).get(usize::from(handle)).copied()
    }

    /// Hosts want these types of events of a handle noted, or do not.
    pub(crate) fn want_events(&self, handle: u16, kinds: u8, is_wanted: bool) {
        if let Some(wanted) = lock(&self.wanted_events).get_mut(usize::from(handle)) {
            *wanted = if is_wanted { *wanted | kinds } else { *wanted & !kinds };
        }
    }

    /// Notes an event, if a host wants it noted of this handle; the oldest makes room. An identifier
    /// that no handle has is written through handle 0.
    pub(crate) fn note(&self, kind: EventKind, identifier: u16) {
        let wanted = self.wanted_events(identifier).or_else(|| self.wanted_events(0));
        if wanted.is_none_or(|wanted| wanted & kind.bit() == 0) {
            return;
        }
        let mut events = lock(&self.events);
        if events.len() == MOST_EVENTS {
            events.pop_front();
        }
        events.push_back(Event { kind, identifier, at_ms: self.began.elapsed().as_millis() as u64 });
    }

    pub(crate) fn events(&self) -> Vec<Event> {
        lock(&self.events).iter().copied().collect()
    }

    pub(crate) fn counters(&self) -> Result<Counters, Status> {
        self.drive.counters().map_err(|error| error.status(true))
    }

    pub(crate) fn blocks(&self) -> u64 {
        self.identity.capacity_bytes / u64::from(self.identity.block_bytes)
    }
}

impl std::fmt::Debug for Subsystem {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Subsystem").field("identity", &self.identity).finish_non_exhaustive()
    }
}

impl Controller {
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    pub(crate) fn is_ended(&self) -> bool {
        self.is_ended.load(Ordering::Relaxed)
    }

    pub(crate) fn is_ready(&self) -> bool {
        self.state().status & bits::READY != 0
    }

    /// Takes a queue for a connection; whether it was free.
    pub(crate) fn take_queue(&self, queue: u16) -> bool {
        let mut state = self.state();
        let free = state.queues & 1 << queue == 0;
        state.queues |= 1 << queue;
        free
    }

    pub(crate) fn leave_queue(&self, queue: u16) {
        self.state().queues &= !(1 << queue);
    }
}

/// None of what these locks guard is left half changed by a panic.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
