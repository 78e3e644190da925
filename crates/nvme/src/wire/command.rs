//! Submission and completion queue entries (Base 3.3.3).

use zerocopy::little_endian::{U16, U32, U64};
use zerocopy::{FromBytes, FromZeros, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::status::Status;

/// A submission queue entry.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Command {
    /// The operation. Its two low bits say which way data flows.
    pub opcode: u8,
    /// Fused operations (bits 1:0) and the kind of data pointer (bits 7:6).
    pub flags: u8,
    /// The host's name for the command.
    pub id: U16,
    /// Namespace; the type of a Fabrics command in its first byte.
    pub namespace: U32,
    /// Dwords 2 and 3.
    pub dwords_2_3: [U32; 2],
    /// Metadata pointer.
    pub metadata: U64,
    /// Where the data are.
    pub sgl: Sgl,
    /// Dwords 10 to 15.
    pub dwords: [U32; 6],
}

/// An SGL descriptor (Base 4.1.2).
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Sgl {
    /// An offset in the capsule.
    pub address: U64,
    /// Bytes.
    pub length: U32,
    reserved: [u8; 3],
    /// Type (bits 7:4) and subtype (bits 3:0).
    pub kind: u8,
}

impl Sgl {
    /// A data block in the capsule: "offset".
    pub const IN_CAPSULE: u8 = 0x01;
    /// A data block that the transport moves: "transport SGL data block".
    pub const TRANSPORT: u8 = 0x5a;

    /// A descriptor of data that are in the capsule or come later.
    pub fn new(kind: u8, length: u32) -> Sgl {
        Sgl { address: U64::ZERO, length: U32::new(length), reserved: [0; 3], kind }
    }
}

/// Which way data flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// There are none.
    None,
    /// From the host.
    In,
    /// To the host.
    Out,
}

/// The opcode of all Fabrics commands (Base 6).
pub const FABRICS: u8 = 0x7f;
/// Bytes of a submission queue entry.
pub const COMMAND_BYTES: usize = size_of::<Command>();

impl Command {
    /// A command without data or arguments.
    pub fn new(opcode: u8, id: u16) -> Command {
        let mut command = Command::new_zeroed();
        (command.opcode, command.flags, command.id) = (opcode, 0x40, U16::new(id));
        command
    }

    /// Dword `index`, 10 to 15.
    pub fn dword(&self, index: usize) -> u32 {
        self.dwords[index - 10].get()
    }

    /// The type of a Fabrics command.
    pub fn fabrics_type(&self) -> u8 {
        self.namespace.get() as u8
    }

    /// Which way its data flow: the low bits of the opcode, or of the type of a Fabrics command.
    pub fn direction(&self) -> Direction {
        let code = if self.opcode == FABRICS { self.fabrics_type() } else { self.opcode };
        match code & 3 {
            1 => Direction::In,
            2 => Direction::Out,
            _ => Direction::None,
        }
    }
}

/// A completion queue entry.
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Completion {
    /// Dwords 0 and 1.
    pub result: U64,
    /// How far the submission queue was taken.
    pub queue_head: U16,
    queue: U16,
    /// Whose completion it is.
    pub id: U16,
    /// The status and, in bit 0, the phase, which transports do not use.
    pub status: U16,
}

impl Completion {
    /// The completion of a command.
    pub fn new(id: u16, queue_head: u16, status: Status, result: u64) -> Completion {
        Completion {
            result: U64::new(result),
            queue_head: U16::new(queue_head),
            queue: U16::ZERO,
            id: U16::new(id),
            status: U16::new(status.field()),
        }
    }
}
