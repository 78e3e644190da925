//! The client's memory, which may end before its announcement does.
//!
//! A region is a file of the client that is mapped here. An access beyond the end of the file is no
//! error that a function could return: the kernel sends SIGBUS, which ends the process, and with it
//! the drive of every other client. [`check`] refuses regions that are longer than their files. The
//! client can cut the file later, and a sparse file may find no room for a page. So a handler of
//! SIGBUS puts zeros in the place of the region, notes that the memory is gone, and lets the access
//! go on. The connection is closed after the request; what the client has lost is its own.
//!
//! Decided against: to demand that the file be sealed against shrinking (`F_SEAL_SHRINK`). Memory in
//! a file of /dev/shm or hugetlbfs, as emulators offer it, has no seals, and a seal does not help
//! where the file system is full. And copies by `process_vm_readv`, which returns an error: rings are
//! accessed by atomic loads and stores, and data go to the drive without a copy.

use std::cell::Cell;
use std::ops::Deref;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use vm_memory::{
    GuestAddressSpace, GuestMemoryAtomic, GuestMemoryBackend, GuestMemoryLoadGuard, GuestMemoryMmap,
    GuestMemoryRegion,
};

/// The guest's memory, which the client maps and unmaps.
pub type Memory = GuestMemoryAtomic<GuestMemoryMmap>;

/// What a client is told whose memory has gone.
pub(crate) const GONE: &str =
    "its memory is gone: the file behind it was cut, or its file system has no room for it";

/// Refuses memory that ends before its announcement; what is wrong with it.
pub(crate) fn check(memory: &GuestMemoryMmap) -> Result<(), String> {
    for region in memory.iter() {
        let Some(file) = region.file_offset() else { continue };
        let found =
            file.file().metadata().map_err(|error| format!("its memory cannot be looked at: {error}"))?;
        let end = u128::from(file.start()) + u128::from(region.len());
        // Devices have no length.
        if found.is_file() && end > u128::from(found.len()) {
            let (at, length) = (region.start_addr().0, found.len());
            return Err(format!(
                "its memory at {at:#x} would end at byte {end} of a file of {length} bytes; announce memory that is there"
            ));
        }
    }
    Ok(())
}

/// The memory as long as this thread accesses it.
pub(crate) struct Access<'d> {
    memory: GuestMemoryLoadGuard<GuestMemoryMmap>,
    earlier: Option<Watch>,
    _gone: std::marker::PhantomData<&'d AtomicBool>,
}

impl<'d> Access<'d> {
    /// `gone` is set if a part of the memory turns out not to be there.
    pub(crate) fn new(memory: &Memory, gone: &'d AtomicBool) -> Access<'d> {
        let memory = memory.memory();
        let earlier = WATCHED.replace(Some(Watch { memory: &raw const *memory, gone }));
        Access { memory, earlier, _gone: std::marker::PhantomData }
    }
}

impl Deref for Access<'_> {
    type Target = GuestMemoryMmap;

    fn deref(&self) -> &GuestMemoryMmap {
        &self.memory
    }
}

impl Drop for Access<'_> {
    fn drop(&mut self) {
        WATCHED.set(self.earlier);
    }
}

/// Watches over accesses to the memory by this thread that others make, until it ends.
///
/// # Safety
/// Both outlive the thread, or are replaced by another call before they end.
pub(crate) unsafe fn watch(memory: *const GuestMemoryMmap, gone: *const AtomicBool) {
    WATCHED.set(Some(Watch { memory, gone }));
}

/// Memory that a thread accesses.
#[derive(Clone, Copy)]
struct Watch {
    memory: *const GuestMemoryMmap,
    gone: *const AtomicBool,
}

thread_local! {
    // Without an initialiser or a destructor, so that a signal handler may look at it.
    static WATCHED: Cell<Option<Watch>> = const { Cell::new(None) };
}

/// What was done at SIGBUS before.
static EARLIER: OnceLock<libc::sigaction> = OnceLock::new();

/// Survives SIGBUS in watched memory from now on.
///
/// # Errors
/// What the system says.
pub(crate) fn survive() -> std::io::Result<()> {
    // SAFETY: the first call writes the structure that is read; the second is given a valid one, whose
    // handler calls nothing but `mmap` and `sigaction`.
    unsafe {
        let mut earlier = std::mem::zeroed::<libc::sigaction>();
        if libc::sigaction(libc::SIGBUS, std::ptr::null(), &raw mut earlier) != 0 {
            return Err(std::io::Error::last_os_error());
        }
        if EARLIER.set(earlier).is_err() {
            return Ok(());
        }
        let mut action = std::mem::zeroed::<libc::sigaction>();
        action.sa_sigaction = on_bus_error as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        libc::sigemptyset(&raw mut action.sa_mask);
        if libc::sigaction(libc::SIGBUS, &raw const action, std::ptr::null_mut()) != 0 {
            return Err(std::io::Error::last_os_error());
        }
    }
    Ok(())
}

/// Runs in the thread whose access failed, in place of the access. The access is repeated when this
/// returns.
extern "C" fn on_bus_error(signal: libc::c_int, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
    // SAFETY: the kernel passes where the access failed. What is watched is alive, and this thread does
    // not change it: it is in the middle of an access to what it maps.
    unsafe {
        let at = (*info).si_addr();
        if !WATCHED.get().is_some_and(|watch| replace(watch, at)) {
            // Somebody else's: the repeated access ends as it would have without this handler.
            let earlier = EARLIER.get().map_or(std::ptr::null(), |action| &raw const *action);
            libc::sigaction(signal, earlier, std::ptr::null_mut());
        }
    }
}

/// Puts zeros in the place of the region that holds an address; whether there is one.
///
/// # Safety
/// What is watched is alive.
unsafe fn replace(watch: Watch, at: *const libc::c_void) -> bool {
    // SAFETY: see above.
    let (memory, gone) = unsafe { (&*watch.memory, &*watch.gone) };
    let holds = |begin: usize, bytes: usize| (begin..begin.saturating_add(bytes)).contains(&at.addr());
    let found = memory.iter().find(|region| holds(region.as_ptr().addr(), region.size()));
    let Some(region) = found else { return false };
    gone.store(true, Ordering::Relaxed);
    // SAFETY: the mapping is the region's alone, and stays one of the same place, length and rights.
    let zeros = unsafe {
        libc::mmap(
            region.as_ptr().cast(),
            region.size(),
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_FIXED | libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        )
    };
    zeros != libc::MAP_FAILED
}
