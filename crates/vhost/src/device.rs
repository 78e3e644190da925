//! The device of one client: its queues, and the threads that serve them.
//!
//! Queue `q` belongs to thread `q mod n` of `n`, which serves its queues in turn. A drive under one
//! lock has one thread, since more would wait for each other; a drive in parts has as many as there
//! are processors and parts. A queue is served in its order, so what was answered is always a
//! beginning of it. That is why a client that meets a new server after the old one died can go on
//! from the number of answers in its own memory.

use std::io::Result;
use std::num::NonZero;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::available_parallelism;
use std::time::Instant;

use rewear_live::LiveDrive;
use vhost::vhost_user::VhostUserProtocolFeatures;
use vhost_user_backend::{ShutdownHandle, VhostUserBackend, VringMutex, VringT};
use virtio_queue::QueueT;
use vm_memory::{GuestAddressSpace, GuestMemoryMmap};
use vmm_sys_util::epoll::EventSet;
use vmm_sys_util::event::{EventConsumer, EventFlag, EventNotifier, new_event_consumer_and_notifier};
use vmm_sys_util::eventfd::{EFD_CLOEXEC, EFD_NONBLOCK, EventFd};

use crate::config::{self, QUEUE_SIZE, QUEUES};
use crate::guest_memory::{self, Access};
use crate::polling::Polling;
use crate::request::{Buffers, Outcome, Request};

pub use crate::guest_memory::Memory;

/// The event that a queue was left with work: behind those of queues and of the end.
pub(crate) const LEFT: u64 = QUEUES as u64 + 1;
/// Requests that a queue is served before others get their turn.
const TURN: usize = 256;
/// Requests after which the guest is told at the latest, so that it works while the device does.
const TELL_EVERY: usize = 8;
/// Times that queues are served before other events get their turn.
const ROUNDS: usize = 256;
/// Looks at the queues between two looks at the clock.
const LOOKS: usize = 8;

/// The device as one client sees it.
#[derive(Debug)]
pub struct Device {
    drive: Arc<LiveDrive>,
    memory: Memory,
    /// The memory as the client announced it last.
    announced: Mutex<Option<Arc<GuestMemoryMmap>>>,
    /// Whether a part of the memory turned out not to be there: nothing is served any more.
    is_gone: AtomicBool,
    connection: Mutex<Connection>,
    config: Vec<u8>,
    /// Whether a write must be in the cells before it is answered.
    durable: AtomicBool,
    workers: Vec<Worker>,
    /// Whether it was said that further queues gain nothing.
    has_said_why: AtomicBool,
}

/// What a thread keeps for itself. Its queues are numbered within it.
#[derive(Debug)]
struct Worker {
    /// Locked by its thread alone, as is `polling`.
    buffers: Mutex<Buffers>,
    polling: Mutex<Polling>,
    /// Queues that were left with work, a bit each.
    left: AtomicU64,
    left_event: EventFd,
    /// vhost-user-backend 0.24 lets go of this descriptor without closing it.
    end_event: Mutex<Option<OwnedFd>>,
}

impl Worker {
    fn new(name: &str, processors: usize) -> Result<Worker> {
        Ok(Worker {
            buffers: Mutex::new(Buffers::new(name)),
            polling: Mutex::new(Polling::new(processors)),
            left: AtomicU64::new(0),
            left_event: EventFd::new(EFD_NONBLOCK | EFD_CLOEXEC)?,
            end_event: Mutex::new(None),
        })
    }
}

/// What ends the connection, and why it was ended.
#[derive(Default)]
struct Connection {
    end: Option<ShutdownHandle>,
    problem: Option<String>,
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Connection").field("problem", &self.problem).finish_non_exhaustive()
    }
}

impl Device {
    /// A device for one client.
    ///
    /// # Errors
    /// No file descriptor is left.
    pub fn new(drive: Arc<LiveDrive>, memory: Memory) -> Result<Device> {
        let processors = available_parallelism().map_or(1, NonZero::get);
        let threads = drive.parts().min(processors).min(QUEUES);
        let workers = (0..threads).map(|_| Worker::new(drive.drive().name(), processors));
        Ok(Device {
            config: config::space(&drive),
            workers: workers.collect::<Result<_>>()?,
            memory,
            announced: Mutex::new(None),
            is_gone: AtomicBool::new(false),
            connection: Mutex::default(),
            durable: AtomicBool::new(true),
            has_said_why: AtomicBool::new(false),
            drive,
        })
    }

    /// The connection has begun; this ends it.
    pub(crate) fn connected(&self, end: Option<ShutdownHandle>) {
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        connection.end = end;
        if let (Some(end), Some(_)) = (&connection.end, &connection.problem) {
            end.shutdown();
        }
    }

    /// Ends the connection for a reason, of which the first counts.
    fn disconnect(&self, problem: String) {
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        connection.problem.get_or_insert(problem);
        if let Some(end) = &connection.end {
            end.shutdown();
        }
    }

    /// Why the connection was ended from here, if it was.
    pub(crate) fn problem(&self) -> Option<String> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner).problem.take()
    }

    /// The memory, for the time of some accesses.
    fn access(&self) -> Access<'_> {
        Access::new(&self.memory, &self.is_gone)
    }

    fn is_gone(&self) -> bool {
        self.is_gone.load(Ordering::Relaxed)
    }

    /// By thread: readable when a queue was left with work; the number of the event is [`LEFT`].
    pub(crate) fn left_events(&self) -> impl Iterator<Item = &EventFd> {
        self.workers.iter().map(|worker| &worker.left_event)
    }

    /// Serves what waits in a queue, or as much as is its turn. Meanwhile and afterwards its driver
    /// need not tell of requests.
    fn serve(
        &self,
        worker: &Worker,
        vring: &VringMutex,
    ) -> std::result::Result<Service, virtio_queue::Error> {
        let memory = self.access();
        let memory: &GuestMemoryMmap = &memory;
        let mut buffers = worker.buffers.lock().unwrap_or_else(PoisonError::into_inner);
        let mut request = Request::default();
        let durable = self.durable.load(Ordering::Relaxed);
        // Held for the whole turn: a client that stops the queue waits for it.
        let mut vring = vring.get_mut();
        if !vring.get_queue().ready() || !vring.is_enabled() || self.is_gone() {
            return Ok(Service::Stopped);
        }
        let (mut served, mut untold) = (0, 0);
        vring.get_queue_mut().disable_notification(memory)?;
        while served < TURN
            && let Some(chain) = vring.get_queue_mut().pop_descriptor_chain(memory)
        {
            let head = chain.head_index();
            let outcome = request.serve(memory, chain, &self.drive, durable, &mut buffers);
            if self.is_gone() {
                return Ok(Service::Stopped);
            }
            match outcome {
                Outcome::Answered(written) => vring.get_queue_mut().add_used(memory, head, written)?,
                Outcome::Left => {
                    let queue = vring.get_queue_mut();
                    queue.set_next_avail(queue.next_avail().wrapping_sub(1));
                    return Ok(Service::Stopped);
                }
            }
            served += 1;
            untold += 1;
            if untold >= TELL_EVERY {
                untold = 0;
                tell(&mut vring, memory)?;
            }
        }
        if untold > 0 {
            tell(&mut vring, memory)?;
        }
        Ok(if served < TURN { Service::Emptied } else { Service::Interrupted })
    }

    /// Serves queues of a thread as long as there is work in one of them, and has their drivers tell
    /// of requests again. Queues are numbered by the bits of `queues`.
    fn serve_all(&self, thread: usize, mut queues: u64, vrings: &[VringMutex]) {
        let worker = &self.workers[thread];
        let in_device = |index: usize| index * self.workers.len() + thread;
        let mut polling = worker.polling.lock().unwrap_or_else(PoisonError::into_inner);
        polling.woken(Instant::now());
        let (mut emptied, mut interrupted) = (0, 0);
        for _ in 0..ROUNDS {
            for (index, vring) in each(queues, vrings) {
                match guarded(in_device(index), self.serve(worker, vring)) {
                    Some(Service::Emptied) => emptied |= 1 << index,
                    Some(Service::Interrupted) => interrupted |= 1 << index,
                    Some(Service::Stopped) | None => emptied &= !(1 << index),
                }
            }
            if interrupted != 0 {
                break;
            }
            queues = self.look(emptied, vrings, &polling);
            if queues == 0 {
                break;
            }
            polling.found();
        }
        for (index, vring) in each(emptied & !interrupted, vrings) {
            if guarded(in_device(index), self.sleep(vring)) == Some(true) {
                interrupted |= 1 << index;
            }
        }
        if self.is_gone() {
            return self.disconnect(guest_memory::GONE.to_owned());
        }
        if interrupted == 0 {
            polling.sleeps(Instant::now());
        } else {
            worker.left.fetch_or(interrupted, Ordering::Relaxed);
            // A counter of 64 bits does not overflow.
            let _ = worker.left_event.write(1);
        }
    }

    /// Says once to whoever uses several queues that one thread serves them, and why.
    fn say_why_one_thread(&self) {
        if let Some(because) = self.drive.one_state_because()
            && !self.has_said_why.swap(true, Ordering::Relaxed)
        {
            eprintln!("one thread serves all queues, since the drive is one state ({because})");
        }
    }

    /// Looks at queues until one of them has work or the window has ended; which have.
    fn look(&self, queues: u64, vrings: &[VringMutex], polling: &Polling) -> u64 {
        let (memory, window) = (self.access(), polling.window());
        let memory: &GuestMemoryMmap = &memory;
        if window.is_zero() {
            return 0;
        }
        let began = Instant::now();
        while began.elapsed() < window {
            for _ in 0..LOOKS {
                let found = each(queues, vrings)
                    .filter(|(_, vring)| has_work(&vring.get_ref(), memory))
                    .fold(0, |found, (index, _)| found | 1 << index);
                if found != 0 {
                    return found;
                }
                std::hint::spin_loop();
            }
        }
        0
    }

    /// Has the driver of a queue tell of requests; whether some have come meanwhile.
    fn sleep(&self, vring: &VringMutex) -> std::result::Result<bool, virtio_queue::Error> {
        let memory = self.access();
        let memory: &GuestMemoryMmap = &memory;
        let mut vring = vring.get_mut();
        if !vring.get_queue().ready() || !vring.is_enabled() {
            return Ok(false);
        }
        Ok(vring.get_queue_mut().enable_notification(memory)? && has_work(&vring, memory))
    }
}

/// What became of a queue's turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Service {
    /// Nothing waits in it.
    Emptied,
    /// The turn is over, and more may wait.
    Interrupted,
    /// The queue is not to be served, or the drive is closed.
    Stopped,
}

/// The queues whose bits are set.
fn each(queues: u64, vrings: &[VringMutex]) -> impl Iterator<Item = (usize, &VringMutex)> {
    vrings.iter().enumerate().filter(move |(index, _)| queues & 1 << index != 0)
}

/// An error returned to the event loop would end the thread, and with it the client's other queues.
fn guarded<T>(index: usize, outcome: std::result::Result<T, virtio_queue::Error>) -> Option<T> {
    outcome
        .inspect_err(|error| {
            eprintln!("queue {index} of the client is damaged and is not served: {error}");
        })
        .ok()
}

/// Whether a request waits. A queue that promises more than it has entries is damaged.
fn has_work(vring: &vhost_user_backend::VringState<Memory>, memory: &GuestMemoryMmap) -> bool {
    let queue = vring.get_queue();
    let waiting = |promised: std::num::Wrapping<u16>| promised.0.wrapping_sub(queue.next_avail());
    queue.ready()
        && vring.is_enabled()
        && queue
            .avail_idx(memory, Ordering::Acquire)
            .is_ok_and(|promised| (1..=queue.size()).contains(&waiting(promised)))
}

/// Tells the guest of answers if it wants to be told.
fn tell(
    vring: &mut vhost_user_backend::VringState<Memory>,
    memory: &GuestMemoryMmap,
) -> std::result::Result<(), virtio_queue::Error> {
    if vring.get_queue_mut().needs_notification(memory)? {
        // A client that has gone does not hear it.
        let _ = vring.signal_used_queue();
    }
    Ok(())
}

impl VhostUserBackend for Device {
    type Bitmap = ();
    type Vring = VringMutex;

    fn num_queues(&self) -> usize {
        QUEUES
    }

    fn max_queue_size(&self) -> usize {
        QUEUE_SIZE
    }

    fn features(&self) -> u64 {
        config::features()
    }

    fn acked_features(&self, features: u64) {
        self.durable.store(!config::knows_flush(features), Ordering::Relaxed);
    }

    fn protocol_features(&self) -> VhostUserProtocolFeatures {
        config::protocol_features()
    }

    /// The queues know of it themselves.
    fn set_event_idx(&self, _enabled: bool) {}

    /// Fields beyond what this device has are zero.
    fn get_config(&self, offset: u32, size: u32) -> Vec<u8> {
        self.config
            .iter()
            .copied()
            .chain(std::iter::repeat(0))
            .skip(offset as usize)
            .take(size as usize)
            .collect()
    }

    /// Called by the thread of the protocol, which looks into rings itself.
    fn update_memory(&self, memory: Memory) -> Result<()> {
        let memory = memory.memory().into_inner();
        let checked = guest_memory::check(&memory);
        // SAFETY: the memory is kept until the next announcement, by the same thread; that thread holds
        // this device until it ends.
        unsafe { guest_memory::watch(Arc::as_ptr(&memory), &raw const self.is_gone) };
        *self.announced.lock().unwrap_or_else(PoisonError::into_inner) = Some(memory);
        checked.map_err(|problem| {
            self.is_gone.store(true, Ordering::Relaxed);
            self.disconnect(problem.clone());
            std::io::Error::other(problem)
        })
    }

    fn queues_per_thread(&self) -> Vec<u64> {
        let threads = self.workers.len();
        (0..threads)
            .map(|thread| (thread..QUEUES).step_by(threads).fold(0, |all, queue| all | 1 << queue))
            .collect()
    }

    fn exit_event(&self, thread: usize) -> Option<(EventConsumer, EventNotifier)> {
        let (consumer, notifier) =
            new_event_consumer_and_notifier(EventFlag::NONBLOCK | EventFlag::CLOEXEC).ok()?;
        // SAFETY: the caller turns the consumer into a bare number and does not close it.
        let descriptor = unsafe { OwnedFd::from_raw_fd(consumer.as_raw_fd()) };
        *self.workers[thread].end_event.lock().unwrap_or_else(PoisonError::into_inner) = Some(descriptor);
        Some((consumer, notifier))
    }

    fn handle_event(&self, event: u16, _set: EventSet, vrings: &[VringMutex], thread: usize) -> Result<()> {
        let worker = &self.workers[thread];
        let queues = if u64::from(event) == LEFT {
            let _ = worker.left_event.read();
            worker.left.swap(0, Ordering::Relaxed)
        } else {
            if event > 0 {
                self.say_why_one_thread();
            }
            1 << event
        };
        self.serve_all(thread, queues, vrings);
        Ok(())
    }
}
