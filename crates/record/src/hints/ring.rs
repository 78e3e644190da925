//! Messages of the program, from a ring buffer that the kernel and we share.
//! Linux, Documentation/bpf/ringbuf.rst.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr::{self, NonNull};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::hints::program::bpf;

const MAP_CREATE: libc::c_int = 0;
const RING: u64 = 27;
/// Room for some thousand requests. No more are under way on a loop device, and whoever records a
/// write empties the ring.
const DATA_BYTES: usize = 1 << 17;
/// A record in the ring, and the two words before it.
pub(super) const ISSUED_BYTES: usize = 24;
const HEAD_BYTES: u64 = 8;
const BUSY: u32 = 1 << 31;
const DISCARDED: u32 = 1 << 30;
const WRITE: u32 = 1;

/// A request that was issued, as the program lays it out.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct Issued {
    pub(super) sector: u64,
    pub(super) bytes: u32,
    flags: u32,
    hint: u8,
    stream: u8,
    unused: [u8; 6],
}

impl Issued {
    pub(super) fn identifier(&self) -> u8 {
        match (self.flags & 0xff == WRITE, self.stream) {
            (false, _) => 0,
            (true, 0) => self.hint,
            (true, stream) => stream,
        }
    }
}

/// A ring buffer of the kernel.
pub(super) struct Ring {
    map: OwnedFd,
    /// How far we have read, which we write.
    consumer: Mapping,
    /// How far the kernel has written, and behind that page the data, twice, so that no record is
    /// torn.
    producer: Mapping,
}

// SAFETY: the mappings belong to the ring and stay where they are; `drain` takes it mutably.
unsafe impl Send for Ring {}

impl Ring {
    pub(super) fn new() -> io::Result<Ring> {
        let failed = |error: io::Error| {
            io::Error::new(error.kind(), format!("the kernel gives no ring buffer: {error}"))
        };
        let map = bpf(MAP_CREATE, &[RING, (DATA_BYTES as u64) << 32, 0, 0]).map_err(failed)?;
        let page = page_bytes();
        let consumer = Mapping::new(&map, page, 0, libc::PROT_READ | libc::PROT_WRITE).map_err(failed)?;
        let producer = Mapping::new(&map, page + 2 * DATA_BYTES, page, libc::PROT_READ).map_err(failed)?;
        Ok(Ring { map, consumer, producer })
    }

    pub(super) fn map(&self) -> &OwnedFd {
        &self.map
    }

    /// Hands over every record that has come.
    pub(super) fn drain(&mut self, mut take: impl FnMut(&Issued)) {
        // SAFETY: the positions are the first words of their pages, which are mapped and aligned.
        let (consumer, producer) = unsafe {
            (self.consumer.at.cast::<AtomicU64>().as_ref(), self.producer.at.cast::<AtomicU64>().as_ref())
        };
        let mut position = consumer.load(Ordering::Relaxed);
        let end = producer.load(Ordering::Acquire);
        while position < end {
            let offset = page_bytes() + (position as usize & (DATA_BYTES - 1));
            // SAFETY: a head of 8 bytes begins at every position up to `end`, aligned to 8; behind it
            // lie so many bytes as it says, and the data are mapped twice in a row.
            let (length, issued) = unsafe {
                let head = self.producer.at.add(offset);
                let length = head.cast::<AtomicU32>().as_ref();
                (length, head.add(HEAD_BYTES as usize).cast::<Issued>())
            };
            let mut said = length.load(Ordering::Acquire);
            while said & BUSY != 0 {
                // Another processor is about to end a record that it began before.
                std::hint::spin_loop();
                said = length.load(Ordering::Acquire);
            }
            let bytes = said & !(BUSY | DISCARDED);
            if said & DISCARDED == 0 && bytes as usize >= ISSUED_BYTES {
                // SAFETY: the record is whole and has the program's layout.
                take(&unsafe { issued.read() });
            }
            position += HEAD_BYTES + u64::from(bytes).next_multiple_of(8);
            consumer.store(position, Ordering::Release);
        }
    }
}

fn page_bytes() -> usize {
    // SAFETY: always succeeds and touches no memory.
    unsafe { libc::sysconf(libc::_SC_PAGESIZE) as usize }
}

/// Memory that the kernel shares.
struct Mapping {
    at: NonNull<u8>,
    bytes: usize,
}

impl Mapping {
    fn new(map: &OwnedFd, bytes: usize, offset: usize, protection: libc::c_int) -> io::Result<Mapping> {
        let descriptor = map.as_raw_fd();
        // SAFETY: a new mapping at a place of the kernel's choice.
        let at = unsafe {
            libc::mmap(
                ptr::null_mut(),
                bytes,
                protection,
                libc::MAP_SHARED,
                descriptor,
                offset as libc::off_t,
            )
        };
        if at == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        NonNull::new(at.cast())
            .map(|at| Mapping { at, bytes })
            .ok_or_else(|| io::ErrorKind::OutOfMemory.into())
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and nothing refers to it any more.
        unsafe { libc::munmap(self.at.as_ptr().cast(), self.bytes) };
    }
}
