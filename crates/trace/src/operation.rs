//! Operations of requests.

use serde::Serialize;

/// The operation of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum Operation {
    /// Data flows to the host.
    Read = 0,
    /// Data flows to the drive.
    Write = 1,
    /// A write that only raises cells already programmed, as the host promises: the
    /// overwrite command of Margaglia and Brinkmann, "Improving MLC flash performance and endurance
    /// with extended P/E cycles", section IV.
    Overwrite = 2,
    /// The host no longer needs the range (discard, unmap).
    Trim = 3,
    /// Everything completed before must be durable. Has neither offset nor length (both are 0).
    Flush = 4,
    /// The next write of a placement identifier, which is the request's stream, begins a fresh erase
    /// unit (reclaim unit handle update of TP4146). Has neither offset nor length (both are 0).
    UpdateHandle = 5,
}

impl Operation {
    /// All operations, in the order of their codes in the compact format.
    pub const ALL: [Self; 6] =
        [Self::Read, Self::Write, Self::Overwrite, Self::Trim, Self::Flush, Self::UpdateHandle];

    /// The lower-case name: `read`, `write`, `overwrite`, `trim`, `flush` or `update-handle`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Overwrite => "overwrite",
            Self::Trim => "trim",
            Self::Flush => "flush",
            Self::UpdateHandle => "update-handle",
        }
    }

    /// The most bytes that a request may have, far above what hosts send; what is longer is an
    /// error of the trace. Reads and writes: 4 GiB, because NBD and the block layer of Linux count
    /// their bytes in 32 bits. Trims: 16 TiB, 2^32 blocks of 4 KiB, the most that a SCSI or NVMe
    /// command names and that a drive here has.
    pub fn longest_bytes(self) -> u64 {
        match self {
            Self::Read | Self::Write | Self::Overwrite => 1 << 32,
            Self::Trim => 1 << 44,
            Self::Flush | Self::UpdateHandle => 0,
        }
    }

    /// Whether it names a range of bytes.
    pub fn has_range(self) -> bool {
        !matches!(self, Self::Flush | Self::UpdateHandle)
    }

    /// True for [`Operation::Write`] and [`Operation::Overwrite`].
    pub fn is_write(self) -> bool {
        matches!(self, Self::Write | Self::Overwrite)
    }
}
