//! I/O commands (NVM 3.2, TP4146).

use std::ops::Range;

use crate::connection::MOST_COMMAND_BYTES;
use crate::drive::Identity;
use crate::page::number;
use crate::placement;
use crate::subsystem::Subsystem;
use crate::wire::Status;
use crate::wire::command::Command;

/// Opcodes (NVM 3.2, Base 7).
pub(crate) mod opcode {
    pub(crate) const FLUSH: u8 = 0x00;
    pub(crate) const WRITE: u8 = 0x01;
    pub(crate) const READ: u8 = 0x02;
    pub(crate) const COMPARE: u8 = 0x05;
    pub(crate) const WRITE_ZEROES: u8 = 0x08;
    pub(crate) const DATASET_MANAGEMENT: u8 = 0x09;
    pub(crate) const VERIFY: u8 = 0x0c;
    pub(crate) const MANAGEMENT_RECEIVE: u8 = 0x12;
    pub(crate) const MANAGEMENT_SEND: u8 = 0x1d;
}

/// The only namespace.
pub(crate) const NAMESPACE: u32 = 1;
/// All namespaces.
pub(crate) const ALL_NAMESPACES: u32 = u32::MAX;
/// Dword 12: force unit access, and deallocate for write zeroes.
const DURABLE: u32 = 1 << 30;
const DEALLOCATE_ZEROES: u32 = 1 << 25;
/// Dword 11 of dataset management.
const DEALLOCATE: u32 = 1 << 2;
/// Bytes of a range of dataset management.
const RANGE_BYTES: usize = 16;

/// Carries out a command. Data for the host are appended to `out`.
pub(crate) fn execute(
    subsystem: &Subsystem,
    command: &Command,
    data: &[u8],
    (out, scratch): (&mut Vec<u8>, &mut Vec<u8>),
) -> Result<(), Status> {
    let namespace = command.namespace.get();
    if namespace != NAMESPACE && !(command.opcode == opcode::FLUSH && namespace == ALL_NAMESPACES) {
        return Err(Status::INVALID_NAMESPACE);
    }
    let (drive, identity) = (&subsystem.drive, &subsystem.identity);
    let durable = command.dword(12) & DURABLE != 0;
    match command.opcode {
        opcode::FLUSH => drive.flush().map_err(|error| error.status(false)),
        opcode::WRITE => {
            let bytes = transferred(identity, command)?;
            if data.len() as u64 != bytes.end - bytes.start {
                return Err(Status::SGL_LENGTH_INVALID);
            }
            let stream = placement::stream(subsystem, command)?;
            drive.write(bytes.start, data, stream, durable).map_err(|error| error.status(false))
        }
        opcode::READ => {
            let bytes = transferred(identity, command)?;
            let begin = out.len();
            out.resize(begin + (bytes.end - bytes.start) as usize, 0);
            drive.read(bytes.start, &mut out[begin..]).map_err(|error| error.status(true))
        }
        opcode::COMPARE => {
            let bytes = transferred(identity, command)?;
            if data.len() as u64 != bytes.end - bytes.start {
                return Err(Status::SGL_LENGTH_INVALID);
            }
            scratch.resize(data.len(), 0);
            drive.read(bytes.start, scratch).map_err(|error| error.status(true))?;
            if scratch == data { Ok(()) } else { Err(Status::COMPARE_FAILURE) }
        }
        opcode::VERIFY => verify(subsystem, &named(identity, command)?, scratch),
        opcode::WRITE_ZEROES => {
            let bytes = named(identity, command)?;
            let may_forget = command.dword(12) & DEALLOCATE_ZEROES != 0;
            let zeroed = drive.zero(bytes.start, bytes.end - bytes.start, may_forget, durable);
            zeroed.map_err(|error| error.status(false))
        }
        opcode::DATASET_MANAGEMENT => manage_dataset(subsystem, command, data),
        opcode::MANAGEMENT_RECEIVE => placement::receive(subsystem, command, out),
        opcode::MANAGEMENT_SEND => placement::send(subsystem, command, data),
        _ => Err(Status::INVALID_OPCODE),
    }
}

/// The bytes of blocks that lie in the namespace.
fn bytes(identity: &Identity, first: u64, blocks: u64) -> Result<Range<u64>, Status> {
    let block_bytes = u64::from(identity.block_bytes);
    match first.checked_add(blocks) {
        Some(end) if end <= identity.capacity_bytes / block_bytes => {
            Ok(first * block_bytes..end * block_bytes)
        }
        _ => Err(Status::LBA_OUT_OF_RANGE),
    }
}

/// The bytes that a command names: first block in dwords 10 and 11, blocks less one in dword 12.
fn named(identity: &Identity, command: &Command) -> Result<Range<u64>, Status> {
    let first = u64::from(command.dword(11)) << 32 | u64::from(command.dword(10));
    bytes(identity, first, u64::from(command.dword(12) & 0xffff) + 1)
}

/// The same of a command that moves them: at most as many as Identify gives (MDTS).
fn transferred(identity: &Identity, command: &Command) -> Result<Range<u64>, Status> {
    let blocks = u64::from(command.dword(12) & 0xffff) + 1;
    if blocks * u64::from(identity.block_bytes) > MOST_COMMAND_BYTES as u64 {
        return Err(Status::INVALID_FIELD);
    }
    named(identity, command)
}

fn verify(subsystem: &Subsystem, bytes: &Range<u64>, scratch: &mut Vec<u8>) -> Result<(), Status> {
    let mut at = bytes.start;
    while at < bytes.end {
        let part = (bytes.end - at).min(MOST_COMMAND_BYTES as u64);
        scratch.resize(part as usize, 0);
        subsystem.drive.read(at, scratch).map_err(|error| error.status(true))?;
        at += part;
    }
    Ok(())
}

/// Deallocates ranges; the other attributes are hints (NVM 3.2.3).
fn manage_dataset(subsystem: &Subsystem, command: &Command, data: &[u8]) -> Result<(), Status> {
    let count = (command.dword(10) & 0xff) as usize + 1;
    if data.len() < count * RANGE_BYTES {
        return Err(Status::SGL_LENGTH_INVALID);
    }
    let ranges = || data[..count * RANGE_BYTES].chunks_exact(RANGE_BYTES);
    let range = |entry: &[u8]| bytes(&subsystem.identity, number(&entry[8..16]), number(&entry[4..8]));
    // A command with a wrong range does nothing.
    ranges().try_for_each(|entry| range(entry).map(drop))?;
    if command.dword(11) & DEALLOCATE == 0 {
        return Ok(());
    }
    ranges().try_for_each(|entry| {
        let bytes = range(entry)?;
        let forgotten = subsystem.drive.deallocate(bytes.start, bytes.end - bytes.start);
        forgotten.map_err(|error| error.status(false))
    })
}
