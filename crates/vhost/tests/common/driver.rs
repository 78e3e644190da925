//! A virtio-blk driver over vhost-user, as a virtual machine has one: split queues in shared memory.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)] // Each user needs a part of it.

use std::fs::File;
use std::os::fd::FromRawFd;
use std::path::Path;
use std::sync::atomic::{AtomicU16, Ordering, fence};
use std::time::{Duration, Instant};

use vhost::vhost_user::message::VhostUserConfigFlags;
use vhost::vhost_user::{Frontend, VhostUserFrontend, VhostUserProtocolFeatures};
use vhost::{VhostBackend, VhostUserMemoryRegionInfo, VringConfigData};
use vm_memory::{FileOffset, GuestAddress, GuestMemoryBackend, GuestMemoryMmap, GuestMemoryRegion};
use vmm_sys_util::eventfd::{EFD_NONBLOCK, EventFd};

pub const SECTOR: u64 = 512;
/// Requests of a queue in flight at most.
pub const SLOTS: u16 = 64;
/// Bytes of data of a request at most.
pub const SLOT_BYTES: usize = 1 << 18;
/// Descriptors of a request at most: header, data, status.
const CHAIN: u16 = 8;
const ENTRIES: u16 = SLOTS * CHAIN;
const EVENT_IDX: u64 = 1 << 29;
/// After it a test ends with a message instead of hanging.
const PATIENCE: Duration = Duration::from_secs(120);

/// Guest-physical layout: a queue's rings, then its slots; a slot is a page for header, status and
/// indirect descriptors, and its data.
pub const RINGS: u64 = 0x10_000;
pub const FIRST: u64 = 0x10_000;
const SLOT: u64 = 0x1000 + SLOT_BYTES as u64;
const QUEUE: u64 = RINGS + SLOTS as u64 * SLOT;
const AVAILABLE: u64 = 0x8000;
const USED: u64 = 0xa000;
const STATUS_AT: u64 = 16;
const TABLE_AT: u64 = 0x100;

#[derive(Debug, Default, Clone, Copy)]
struct Ring {
    available: u16,
    used: u16,
    kicked: u16,
}

/// The memory of a virtual machine, which outlives a connection.
pub struct Guest {
    memory: GuestMemoryMmap,
    rings: Vec<Ring>,
}

impl Guest {
    pub fn new(queues: usize) -> Guest {
        let size = FIRST + queues as u64 * QUEUE;
        // SAFETY: makes a file without a name, which becomes a `File` that owns it.
        let file = unsafe { File::from_raw_fd(libc::memfd_create(c"guest".as_ptr(), 0)) };
        file.set_len(size).unwrap();
        let range = (GuestAddress(0), size as usize, Some(FileOffset::new(file, 0)));
        let memory = GuestMemoryMmap::from_ranges_with_files([range]).unwrap();
        Guest { memory, rings: vec![Ring::default(); queues] }
    }

    fn at<T>(&self, address: u64) -> *mut T {
        self.memory.get_host_address(GuestAddress(address)).unwrap().cast()
    }

    fn counter(&self, address: u64) -> &AtomicU16 {
        // SAFETY: aligned, within the mapping, and shared with the device by its standard.
        unsafe { &*self.at::<AtomicU16>(address) }
    }

    fn store<T>(&self, address: u64, value: T) {
        // SAFETY: within the mapping; the device does not look here before it is told to.
        unsafe { self.at::<T>(address).write_unaligned(value) }
    }

    fn load<T: Copy>(&self, address: u64) -> T {
        // SAFETY: within the mapping; the device has answered.
        unsafe { self.at::<T>(address).read_unaligned() }
    }

    /// Cuts the file behind the memory. Whoever looks into the rest of it is sent SIGBUS.
    pub fn cut(&self, bytes: u64) {
        let region = self.memory.iter().next().unwrap();
        region.file_offset().unwrap().file().set_len(bytes).unwrap();
    }

    #[allow(clippy::mut_from_ref)] // A slot has one owner at a time, who is not this borrow.
    pub fn data(&self, queue: usize, slot: u16) -> &mut [u8] {
        // SAFETY: a slot's data belong to whoever submits in it, until it is answered.
        unsafe { std::slice::from_raw_parts_mut(self.at(slot_at(queue, slot) + 0x1000), SLOT_BYTES) }
    }
}

fn rings_at(queue: usize) -> u64 {
    FIRST + queue as u64 * QUEUE
}

fn rings(base: u64, queue: usize) -> VringConfigData {
    VringConfigData {
        queue_max_size: ENTRIES,
        queue_size: ENTRIES,
        flags: 0,
        desc_table_addr: base + rings_at(queue),
        used_ring_addr: base + rings_at(queue) + USED,
        avail_ring_addr: base + rings_at(queue) + AVAILABLE,
        log_addr: None,
    }
}

fn slot_at(queue: usize, slot: u16) -> u64 {
    rings_at(queue) + RINGS + u64::from(slot) * SLOT
}

/// A request as the driver puts it into a queue.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    pub kind: u32,
    pub sector: u64,
    pub bytes: usize,
    /// Into how many pieces the data are cut.
    pub pieces: u16,
    pub indirect: bool,
}

impl Request {
    pub fn new(kind: u32, sector: u64, bytes: usize) -> Request {
        Request { kind, sector, bytes, pieces: 1, indirect: false }
    }

    fn writes_memory(&self) -> bool {
        matches!(self.kind, 0 | 8)
    }
}

/// A connection to the device.
pub struct Disk {
    pub guest: Guest,
    frontend: Frontend,
    kicks: Vec<EventFd>,
    /// Where the memory is announced to be.
    base: u64,
    event_idx: bool,
}

impl Disk {
    /// Attaches with the features of the device that are in `wanted`. A guest that was attached
    /// before goes on behind the last answer that its memory holds.
    pub fn attach(path: &Path, guest: Guest, wanted: u64) -> Disk {
        Disk::attach_with(path, guest, wanted, |_| {}).unwrap()
    }

    /// Attaches, but announces the memory otherwise than it is. The device may hang up.
    pub fn attach_with(
        path: &Path,
        mut guest: Guest,
        wanted: u64,
        announce: impl FnOnce(&mut VhostUserMemoryRegionInfo),
    ) -> Result<Disk, Box<dyn std::error::Error>> {
        let queues = guest.rings.len();
        let mut frontend = Frontend::connect(path, queues as u64)?;
        frontend.set_owner()?;
        let features = frontend.get_features()? & wanted;
        let protocol = frontend.get_protocol_features()?;
        frontend.set_protocol_features(protocol & !VhostUserProtocolFeatures::REPLY_ACK)?;
        frontend.set_features(features)?;
        assert!(frontend.get_queue_num()? >= queues as u64);
        let region = guest.memory.iter().next().unwrap();
        let mut info = VhostUserMemoryRegionInfo::from_guest_region(region)?;
        announce(&mut info);
        frontend.set_mem_table(&[info])?;
        let mut kicks = Vec::new();
        for queue in 0..queues {
            let answered = guest.counter(rings_at(queue) + USED + 2).load(Ordering::Acquire);
            let (call, kick) = (EventFd::new(EFD_NONBLOCK)?, EventFd::new(EFD_NONBLOCK)?);
            frontend.set_vring_num(queue, ENTRIES)?;
            frontend.set_vring_base(queue, answered)?;
            frontend.set_vring_addr(queue, &rings(info.userspace_addr, queue))?;
            frontend.set_vring_call(queue, &call)?;
            frontend.set_vring_kick(queue, &kick)?;
            frontend.set_vring_enable(queue, true)?;
            // What was submitted before has to be announced once more.
            kick.write(1)?;
            kicks.push(kick);
            let ring = &mut guest.rings[queue];
            (ring.used, ring.kicked) = (ring.used.min(answered), ring.available);
            // This driver polls, so it never wants to be told.
            guest.store(rings_at(queue) + AVAILABLE, 1u16);
        }
        let base = info.userspace_addr;
        Ok(Disk { guest, frontend, kicks, base, event_idx: features & EVENT_IDX != 0 })
    }

    /// Says again where the rings are, so that the device looks into them.
    pub fn announce_rings(&mut self, queue: usize) {
        // Whether the device has hung up is seen later.
        let _ = self.frontend.set_vring_addr(queue, &rings(self.base, queue));
    }

    /// Tells the device of work without a look at what it wants.
    pub fn ring(&self, queue: usize) {
        self.kicks[queue].write(1).unwrap();
    }

    /// Waits until the device has hung up.
    pub fn wait_for_the_end(&mut self) {
        let began = Instant::now();
        while self.frontend.get_features().is_ok() {
            assert!(began.elapsed() < PATIENCE, "the device does not hang up");
            std::thread::yield_now();
        }
    }

    /// The configuration space.
    pub fn config(&mut self, bytes: u32) -> Vec<u8> {
        let empty = vec![0; bytes as usize];
        let (_, space) = self.frontend.get_config(0, bytes, VhostUserConfigFlags::empty(), &empty).unwrap();
        space
    }

    /// Puts a request into the queue; its data are those of the slot.
    pub fn submit(&mut self, queue: usize, slot: u16, request: &Request) {
        let Request { kind, sector, bytes, pieces, indirect } = *request;
        let (rings, at) = (rings_at(queue), slot_at(queue, slot));
        self.guest.store(at, kind);
        self.guest.store(at + 4, 0u32);
        self.guest.store(at + 8, sector);
        self.guest.store(at + STATUS_AT, 0xffu8);
        let first = slot * CHAIN;
        let table = if indirect { at + TABLE_AT } else { rings + u64::from(first) * 16 };
        let origin = if indirect { 0 } else { first };
        let (next, writable) = (1u16, 2u16);
        let of_data = next | if request.writes_memory() { writable } else { 0 };
        let mut count = 0u16;
        let mut push = |address: u64, length: u32, flags: u16| {
            let entry = table + u64::from(count) * 16;
            count += 1;
            self.guest.store(entry, address);
            self.guest.store(entry + 8, length);
            self.guest.store(entry + 12, flags);
            self.guest.store(entry + 14, origin + count);
        };
        push(at, 16, next);
        let mut done = 0;
        for piece in 1..=usize::from(pieces) {
            let end = if piece == usize::from(pieces) { bytes } else { bytes * piece / usize::from(pieces) };
            if end > done {
                push(at + 0x1000 + done as u64, (end - done) as u32, of_data);
                done = end;
            }
        }
        push(at + STATUS_AT, 1, writable);
        if indirect {
            let entry = rings + u64::from(first) * 16;
            self.guest.store(entry, table);
            self.guest.store(entry + 8, u32::from(count) * 16);
            self.guest.store(entry + 12, 4u16);
        }
        self.publish(queue, first);
    }

    /// Makes a chain available, whatever it is.
    pub fn publish(&mut self, queue: usize, head: u16) {
        let (rings, ring) = (rings_at(queue), self.guest.rings[queue]);
        self.guest.store(rings + AVAILABLE + 4 + u64::from(ring.available % ENTRIES) * 2, head);
        self.guest.rings[queue].available = ring.available.wrapping_add(1);
        let counter = self.guest.counter(rings + AVAILABLE + 2);
        counter.store(ring.available.wrapping_add(1), Ordering::Release);
    }

    /// Claims that so many more chains are available than were put there.
    pub fn promise(&mut self, queue: usize, count: u16) {
        let promised = self.guest.rings[queue].available.wrapping_add(count);
        self.guest.rings[queue].available = promised;
        self.guest.counter(rings_at(queue) + AVAILABLE + 2).store(promised, Ordering::Release);
    }

    /// Tells the device of what was put into the queue, if it wants to be told.
    pub fn kick(&mut self, queue: usize) {
        fence(Ordering::SeqCst);
        let rings = rings_at(queue);
        let Ring { available, kicked, .. } = self.guest.rings[queue];
        self.guest.rings[queue].kicked = available;
        let wanted = if self.event_idx {
            let event = self.guest.counter(rings + USED + 4 + u64::from(ENTRIES) * 8).load(Ordering::Relaxed);
            available.wrapping_sub(event).wrapping_sub(1) < available.wrapping_sub(kicked)
        } else {
            self.guest.counter(rings + USED).load(Ordering::Relaxed) & 1 == 0
        };
        if wanted {
            self.kicks[queue].write(1).unwrap();
        }
    }

    /// The slot of the next answer, and its status; `None` if there is none yet.
    pub fn poll(&mut self, queue: usize) -> Option<(u16, u8)> {
        let (rings, ring) = (rings_at(queue), self.guest.rings[queue]);
        if self.guest.counter(rings + USED + 2).load(Ordering::Acquire) == ring.used {
            return None;
        }
        let head: u32 = self.guest.load(rings + USED + 4 + u64::from(ring.used % ENTRIES) * 8);
        self.guest.rings[queue].used = ring.used.wrapping_add(1);
        let slot = head as u16 / CHAIN;
        Some((slot, self.guest.load(slot_at(queue, slot) + STATUS_AT)))
    }

    /// Waits for an answer.
    pub fn wait(&mut self, queue: usize) -> (u16, u8) {
        let began = Instant::now();
        loop {
            if let Some(answer) = self.poll(queue) {
                return answer;
            }
            assert!(began.elapsed() < PATIENCE, "the device does not answer on queue {queue}");
            std::thread::yield_now();
        }
    }

    /// One request after the other: submits in slot 0 and returns the status.
    pub fn ask(&mut self, queue: usize, request: &Request) -> u8 {
        self.submit(queue, 0, request);
        self.kick(queue);
        self.wait(queue).1
    }

    /// Writes bytes.
    pub fn write(&mut self, queue: usize, sector: u64, bytes: &[u8]) -> u8 {
        self.guest.data(queue, 0)[..bytes.len()].copy_from_slice(bytes);
        self.ask(queue, &Request::new(1, sector, bytes.len()))
    }

    /// Reads bytes.
    pub fn read(&mut self, queue: usize, sector: u64, bytes: usize) -> Vec<u8> {
        self.guest.data(queue, 0)[..bytes].fill(0xee);
        assert_eq!(self.ask(queue, &Request::new(0, sector, bytes)), 0, "sector {sector}");
        self.guest.data(queue, 0)[..bytes].to_vec()
    }

    /// Hangs up; the memory stays.
    pub fn detach(self) -> Guest {
        self.guest
    }
}
