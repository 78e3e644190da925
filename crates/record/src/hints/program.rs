//! The program that runs at the tracepoint, in the instructions of the kernel's virtual machine.
//! Linux, Documentation/bpf/standardization/instruction-set.rst; include/uapi/linux/bpf.h.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use crate::hints::kernel_types::Offsets;
use crate::hints::ring::ISSUED_BYTES;

/// Of requests that are handed to a driver; its one argument is the request.
const TRACEPOINT: &CStr = c"block_rq_issue";
/// The functions that the program calls are for programs under a licence that goes with the GPL.
const LICENCE: &CStr = c"Dual MIT/GPL";

const PROGRAM_LOAD: libc::c_int = 5;
const RAW_TRACEPOINT_OPEN: libc::c_int = 17;
const RAW_TRACEPOINT: u32 = 17;
const PROBE_READ_KERNEL: i32 = 113;
const RING_OUTPUT: i32 = 130;

/// Offsets from the frame: the record of `ring`, and a word for pointers on the way.
const RECORD: i16 = -(ISSUED_BYTES as i16);
const POINTER: i16 = RECORD - 8;

/// `opcode`, registers (destination low, source high), offset, immediate.
fn instruction(opcode: u8, destination: u8, source: u8, offset: i16, immediate: i32) -> u64 {
    let [low, high] = offset.to_le_bytes();
    let [a, b, c, d] = immediate.to_le_bytes();
    u64::from_le_bytes([opcode, destination | source << 4, low, high, a, b, c, d])
}

fn copy(to: u8, from: u8) -> u64 {
    instruction(0xbf, to, from, 0, 0)
}

fn set(to: u8, value: i32) -> u64 {
    instruction(0xb7, to, 0, 0, value)
}

fn add(to: u8, value: i32) -> u64 {
    instruction(0x07, to, 0, 0, value)
}

fn load(to: u8, base: u8, offset: i16) -> u64 {
    instruction(0x79, to, base, offset, 0)
}

fn load_word(to: u8, base: u8, offset: i16) -> u64 {
    instruction(0x61, to, base, offset, 0)
}

fn clear(offset: i16) -> u64 {
    instruction(0x7a, 10, 0, offset, 0)
}

fn call(function: i32) -> u64 {
    instruction(0x85, 0, 0, 0, function)
}

/// Copies bytes of the kernel's, `field` behind the address in a register, to an offset of the frame.
fn read(to: i16, bytes: i32, base: u8, field: u32) -> [u64; 6] {
    let field = field as i32;
    [copy(1, 10), add(1, to.into()), set(2, bytes), copy(3, base), add(3, field), call(PROBE_READ_KERNEL)]
}

/// A request of the device `number` becomes a record in the ring `map`.
pub(super) fn code(offsets: &Offsets, map: RawFd, number: u32) -> Vec<u64> {
    let (request, bio, device) = (7, 8, 9);
    let mut code =
        vec![load(request, 1, 0), clear(RECORD), clear(RECORD + 8), clear(RECORD + 16), clear(POINTER)];
    let mut ends = Vec::new();
    // A jump to the end, whose distance is known later: if a register is 0, or another device's.
    let mut end_if = |code: &mut Vec<u64>, opcode: u8, register: u8, value: u32| {
        ends.push(code.len());
        code.push(instruction(opcode, register, 0, 0, value as i32));
    };
    code.extend(read(POINTER, 8, request, offsets.request_bio));
    code.push(load(bio, 10, POINTER));
    end_if(&mut code, 0x15, bio, 0);
    code.push(clear(POINTER));
    code.extend(read(POINTER, 8, bio, offsets.bio_device));
    code.push(load(device, 10, POINTER));
    end_if(&mut code, 0x15, device, 0);
    code.push(clear(POINTER));
    code.extend(read(POINTER, 4, device, offsets.device_number));
    code.push(load_word(1, 10, POINTER));
    end_if(&mut code, 0x56, 1, number);
    code.extend(read(RECORD, 8, request, offsets.request_sector));
    code.extend(read(RECORD + 8, 4, request, offsets.request_bytes));
    code.extend(read(RECORD + 12, 4, request, offsets.request_flags));
    code.extend(read(RECORD + 16, 1, bio, offsets.bio_hint));
    if let Some(stream) = offsets.bio_stream {
        code.extend(read(RECORD + 17, 1, bio, stream));
    }
    // The map's address takes two instructions; source 1 says that it is named by its descriptor.
    code.extend([instruction(0x18, 1, 1, 0, map), 0]);
    code.extend([
        copy(2, 10),
        add(2, RECORD.into()),
        set(3, ISSUED_BYTES as i32),
        set(4, 0),
        call(RING_OUTPUT),
    ]);
    for at in ends {
        let distance = (code.len() - at - 1) as u64;
        code[at] |= distance << 16;
    }
    code.extend([set(0, 0), instruction(0x95, 0, 0, 0, 0)]);
    code
}

/// Loads a program and has it run at the tracepoint until the descriptor is closed.
pub(super) fn attach(code: &[u64]) -> io::Result<OwnedFd> {
    let mut log = vec![0u8; 1 << 16];
    let mut load = [0u64; 16];
    load[0] = u64::from(RAW_TRACEPOINT) | (code.len() as u64) << 32;
    load[1] = code.as_ptr() as u64;
    load[2] = LICENCE.as_ptr() as u64;
    load[3] = 1 | (log.len() as u64) << 32;
    load[4] = log.as_mut_ptr() as u64;
    let program = bpf(PROGRAM_LOAD, &load).map_err(|error| {
        let said = String::from_utf8_lossy(&log);
        let last = said
            .trim_end_matches('\0')
            .lines()
            .rev()
            .find(|line| !line.is_empty() && !line.starts_with("processed"));
        io::Error::new(
            error.kind(),
            format!(
                "the kernel takes no program: {error}{}",
                match last {
                    Some(line) => format!(" ({line})"),
                    None => String::new(),
                }
            ),
        )
    })?;
    let open = [TRACEPOINT.as_ptr() as u64, program.as_raw_fd() as u64];
    bpf(RAW_TRACEPOINT_OPEN, &open).map_err(|error| {
        io::Error::new(error.kind(), format!("no program can run at block_rq_issue: {error}"))
    })
}

/// A call of the kernel that gives a descriptor; `words` are its attributes.
pub(super) fn bpf(command: libc::c_int, words: &[u64]) -> io::Result<OwnedFd> {
    // SAFETY: the attributes are readable in their whole length, and what they point at outlives
    // the call.
    let descriptor =
        unsafe { libc::syscall(libc::SYS_bpf, command, words.as_ptr(), std::mem::size_of_val(words)) };
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just given this descriptor, and nobody else knows it.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor as RawFd) })
}
