//! `passthrough DEVICE BLOCK_BYTES PAGES WORKLOAD [placed]`: the writes of a made-up workload on an NVMe
//! namespace, one at a time, by commands that Linux passes through. With `placed` they carry their
//! placement identifiers. Prints the writes and their bytes as a line of JSON.
#![allow(clippy::unwrap_used, clippy::expect_used)]

#[cfg(target_os = "linux")]
fn main() {
    linux::main();
}

#[cfg(not(target_os = "linux"))]
fn main() {
    eprintln!("commands are passed through by Linux alone");
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::File;
    use std::os::fd::AsRawFd;

    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};
    use rewear_trace::{Batch, Defaults, Operation, Source as _, workload};

    /// The most data of a command.
    const MOST_BYTES: usize = 512 << 10;
    const WRITE: u8 = 1;
    /// The directive type of data placement, in dword 12.
    const DATA_PLACEMENT: u32 = 2 << 20;

    /// `struct nvme_passthru_cmd` of linux/nvme_ioctl.h.
    #[repr(C)]
    #[derive(Default)]
    struct Passed {
        opcode: u8,
        flags: u8,
        reserved: u16,
        namespace: u32,
        dwords_2_3: [u32; 2],
        metadata: u64,
        address: u64,
        metadata_bytes: u32,
        data_bytes: u32,
        dwords: [u32; 6],
        timeout_ms: u32,
        result: u32,
    }

    /// `NVME_IOCTL_IO_CMD`: the structure is read and written, group 'N', number 0x43.
    const PASS: libc::c_ulong = 3 << 30 | (size_of::<Passed>() as libc::c_ulong) << 16 | 0x4e << 8 | 0x43;

    /// Writes blocks from `first` on, with a placement identifier or without.
    fn write(device: &File, (first, blocks): (u64, u32), data: &[u8], identifier: Option<u8>) {
        let placed = identifier.map_or(0, |_| DATA_PLACEMENT);
        let dwords = [
            first as u32,
            (first >> 32) as u32,
            (blocks - 1) | placed,
            u32::from(identifier.unwrap_or(0)) << 16,
            0,
            0,
        ];
        let mut command = Passed {
            opcode: WRITE,
            namespace: 1,
            address: data.as_ptr() as u64,
            data_bytes: data.len() as u32,
            dwords,
            ..Passed::default()
        };
        // SAFETY: the structure is the kernel's, and its data live until the call returns.
        let status = unsafe { libc::ioctl(device.as_raw_fd(), PASS, &raw mut command) };
        assert_eq!(status, 0, "a write failed: {}", std::io::Error::last_os_error());
    }

    pub(crate) fn main() {
        let words: Vec<String> = std::env::args().skip(1).collect();
        let [device, block_bytes, pages, spec, rest @ ..] = words.as_slice() else {
            panic!("usage: passthrough DEVICE BLOCK_BYTES PAGES WORKLOAD [placed]")
        };
        let device = File::options().read(true).write(true).open(device).expect("the device opens");
        let block_bytes: u64 = block_bytes.parse().expect("bytes of a block");
        let is_placed = rest.first().is_some_and(|word| word == "placed");
        let pages = pages.parse().expect("pages");
        let mut source = workload(spec, &Defaults { pages, ..Defaults::default() }).expect("a workload");
        let mut batch = Batch::default();
        let mut data = vec![0; MOST_BYTES];
        Xoshiro256PlusPlus::seed_from_u64(1).fill_bytes(&mut data);
        let (mut writes, mut bytes) = (0u64, 0u64);
        while source.fill(&mut batch).expect("requests") > 0 {
            for request in batch.requests.iter().filter(|request| request.operation == Operation::Write) {
                let identifier = is_placed.then_some(request.stream);
                let end = request.offset_bytes + request.length_bytes;
                let mut at = request.offset_bytes;
                while at < end {
                    let part = (end - at).min(MOST_BYTES as u64);
                    let blocks = (at / block_bytes, (part / block_bytes) as u32);
                    // Other content than before.
                    data[..8].copy_from_slice(&writes.to_le_bytes());
                    write(&device, blocks, &data[..part as usize], identifier);
                    (at, writes, bytes) = (at + part, writes + 1, bytes + part);
                }
            }
        }
        println!("{{\"writes\":{writes},\"bytes\":{bytes}}}");
    }
}
