//! Write-life hints and write streams of the requests on a block device, from the kernel.
//!
//! FUSE does not pass them on, and neither do loop devices, NBD and the tracepoints' fields. The
//! kernel has them in the request itself. So a small program for its virtual machine (BPF) runs at
//! the tracepoint `block_rq_issue` and copies them out. A request is issued before the loop device
//! writes to the file under it, so its hint is here before the write is recorded.
//!
//! Read in this order: `kernel_types` (where the fields lie in this kernel), `program` (what runs
//! there), `ring` (how its words come here).

mod kernel_types;
mod program;
mod ring;

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use crate::hints::kernel_types::Offsets;
use crate::hints::ring::Ring;

const PAGE_BYTES: u64 = 4096;
const SECTOR_BYTES: u64 = 512;

/// The identifier that each page of a device was last written with.
pub(crate) struct Hints {
    ring: Ring,
    of_page: Vec<u8>,
    /// Held, since the program is detached when it is closed.
    _attached: OwnedFd,
}

impl Hints {
    /// Hears of the writes to the block device of a number (`stat`'s `st_rdev`, as major and minor)
    /// from now on.
    ///
    /// # Errors
    /// A kernel without types of its own (BTF) or hints in its requests; no right to load programs.
    pub(crate) fn of_device(major: u32, minor: u32, size_bytes: u64) -> io::Result<Hints> {
        let offsets = Offsets::of_this_kernel()?;
        let ring = Ring::new()?;
        let code = program::code(&offsets, ring.map().as_raw_fd(), major << 20 | minor);
        let attached = program::attach(&code)?;
        Ok(Hints { ring, of_page: vec![0; size_bytes.div_ceil(PAGE_BYTES) as usize], _attached: attached })
    }

    /// The identifier of a write that is under way: its stream, or its write-life hint (`RWH_WRITE_LIFE_*`
    /// of fcntl: 2 short to 5 extreme), or 0.
    pub(crate) fn of(&mut self, offset_bytes: u64) -> u8 {
        let of_page = &mut self.of_page;
        self.ring.drain(|issued| {
            let first = issued.sector * SECTOR_BYTES / PAGE_BYTES;
            let end = (issued.sector * SECTOR_BYTES + u64::from(issued.bytes)).div_ceil(PAGE_BYTES);
            let end = end.min(of_page.len() as u64);
            if first < end {
                of_page[first as usize..end as usize].fill(issued.identifier());
            }
        });
        of_page.get((offset_bytes / PAGE_BYTES) as usize).copied().unwrap_or(0)
    }
}
