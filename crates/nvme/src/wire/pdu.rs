//! Protocol data units of the TCP transport (TCP 3.6).
//!
//! [`parse`] takes one unit of a host from the beginning of what a connection delivered. It copies
//! nothing.

use zerocopy::little_endian::{U16, U32};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use super::command::{Command, Completion};

/// The most data of one H2CData PDU that a host may send (MAXH2CDATA).
pub const MOST_DATA_BYTES: usize = 128 << 10;
/// The most data in a command capsule.
pub const CAPSULE_DATA_BYTES: usize = 16 << 10;
/// A longer PDU is a fault, so a buffer of this size holds every PDU.
pub const LONGEST_BYTES: usize = MOST_DATA_BYTES + 256;
/// Bytes of a digest (TCP 3.3.1).
const DIGEST_BYTES: usize = 4;

/// The first eight bytes of each unit (TCP 3.6.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct CommonHeader {
    /// Which unit it is.
    pub kind: u8,
    /// [`flag`]s.
    pub flags: u8,
    /// Bytes of the header, without digest.
    pub header_bytes: u8,
    /// Where the data begin; 0 where there are none.
    pub data_offset: u8,
    /// All bytes.
    pub bytes: U32,
}

/// Types of units.
#[allow(missing_docs)] // The names are those of the specification.
pub mod kind {
    pub const INITIALIZE_REQUEST: u8 = 0;
    pub const INITIALIZE_RESPONSE: u8 = 1;
    pub const HOST_TERMINATE: u8 = 2;
    pub const CONTROLLER_TERMINATE: u8 = 3;
    pub const COMMAND: u8 = 4;
    pub const RESPONSE: u8 = 5;
    pub const HOST_DATA: u8 = 6;
    pub const CONTROLLER_DATA: u8 = 7;
    pub const READY_TO_TRANSFER: u8 = 9;
}

/// Flags of units.
#[allow(missing_docs)] // The names are those of the specification.
pub mod flag {
    pub const HEADER_DIGEST: u8 = 1;
    pub const DATA_DIGEST: u8 = 2;
    pub const LAST: u8 = 4;
    pub const SUCCESS: u8 = 8;
}

/// The body of ICReq and ICResp (TCP 3.6.2.2, 3.6.2.3).
#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Initialize {
    /// Version of the format: 0.
    pub version: U16,
    /// The receiver's alignment of data in dwords, counted from 0.
    pub alignment: u8,
    /// Digests: bit 0 of headers, bit 1 of data.
    pub digests: u8,
    /// ICReq: R2Ts of a command at a time, counted from 0. ICResp: the most data of an H2CData PDU.
    pub most: U32,
    reserved: [u8; 112],
}

impl Initialize {
    /// With reserved bytes of zero.
    pub fn new(alignment: u8, digests: Digests, most: u32) -> Initialize {
        let digests = u8::from(digests.header) | u8::from(digests.data) << 1;
        Initialize { version: U16::ZERO, alignment, digests, most: U32::new(most), reserved: [0; 112] }
    }
}

/// The body of data units and of R2T (TCP 3.6.2.8 to 3.6.2.10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct Transfer {
    /// Whose data.
    pub command: U16,
    /// The controller's name for the transfer.
    pub tag: U16,
    /// First byte in the command's data.
    pub offset: U32,
    /// Bytes.
    pub length: U32,
    reserved: [u8; 4],
}

impl Transfer {
    /// With reserved bytes of zero.
    pub fn new(command: u16, tag: u16, offset: u32, length: u32) -> Transfer {
        let (command, tag) = (U16::new(command), U16::new(tag));
        Transfer { command, tag, offset: U32::new(offset), length: U32::new(length), reserved: [0; 4] }
    }
}

/// The digests that a connection uses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Digests {
    /// Of headers.
    pub header: bool,
    /// Of data.
    pub data: bool,
}

/// Why a connection ends: what a C2HTermReq tells (TCP 3.6.2.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// Fatal error status.
    pub status: FaultStatus,
    /// Offset of the wrong field, or 0.
    pub field: u32,
}

/// Fatal error status (TCP 3.6.2.4).
#[allow(missing_docs)] // The names are those of the specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub enum FaultStatus {
    InvalidHeader = 1,
    SequenceError = 2,
    HeaderDigest = 3,
    OutOfRange = 4,
    LimitExceeded = 5,
    Unsupported = 6,
}

impl Fault {
    /// A wrong field of a header.
    pub fn header(field: u32) -> Fault {
        Fault { status: FaultStatus::InvalidHeader, field }
    }

    /// A fault without a field.
    pub fn of(status: FaultStatus) -> Fault {
        Fault { status, field: 0 }
    }
}

/// A unit that a host sends.
#[derive(Debug)]
pub enum FromHost<'a> {
    /// ICReq.
    Initialize(&'a Initialize),
    /// CapsuleCmd, with its data; whether their digest is right.
    Command(&'a Command, &'a [u8], bool),
    /// H2CData; whether the digest is right, and whether it is the last of its transfer.
    Data(&'a Transfer, &'a [u8], bool, bool),
    /// H2CTermReq.
    Terminate,
}

/// The first unit in `bytes` and its length; `None` if it has not arrived whole.
///
/// # Errors
/// Units that a host may not send with these digests.
pub fn parse(bytes: &[u8], digests: Digests) -> Result<Option<(FromHost<'_>, usize)>, Fault> {
    let Ok((header, _)) = CommonHeader::ref_from_prefix(bytes) else { return Ok(None) };
    let parts = Parts::of(header, digests)?;
    if bytes.len() < parts.bytes {
        return Ok(None);
    }
    let (head, body) = (&bytes[..parts.header], &bytes[size_of::<CommonHeader>()..parts.header]);
    if parts.header_digest && digest(head) != bytes[parts.header..parts.header + DIGEST_BYTES] {
        return Err(Fault::of(FaultStatus::HeaderDigest));
    }
    let data = &bytes[parts.data..parts.data_end];
    let is_right = parts.data_end == parts.bytes || digest(data) == bytes[parts.data_end..parts.bytes];
    let wrong = Fault::header(2);
    let unit = match header.kind {
        kind::INITIALIZE_REQUEST => {
            FromHost::Initialize(Initialize::ref_from_bytes(body).map_err(|_| wrong)?)
        }
        kind::COMMAND => FromHost::Command(Command::ref_from_bytes(body).map_err(|_| wrong)?, data, is_right),
        kind::HOST_DATA => {
            let transfer = Transfer::ref_from_bytes(body).map_err(|_| wrong)?;
            FromHost::Data(transfer, data, is_right, header.flags & flag::LAST != 0)
        }
        _ => FromHost::Terminate,
    };
    Ok(Some((unit, parts.bytes)))
}

/// Where the parts of a unit lie.
struct Parts {
    header: usize,
    header_digest: bool,
    data: usize,
    data_end: usize,
    bytes: usize,
}

impl Parts {
    fn of(header: &CommonHeader, digests: Digests) -> Result<Parts, Fault> {
        let bytes = header.bytes.get() as usize;
        let (expected, has_digests, carries_data) = match header.kind {
            kind::INITIALIZE_REQUEST => (128, false, false),
            kind::HOST_TERMINATE => (24, false, false),
            kind::COMMAND => (72, true, true),
            kind::HOST_DATA => (24, true, true),
            _ => return Err(Fault::header(0)),
        };
        if usize::from(header.header_bytes) != expected {
            return Err(Fault::header(2));
        }
        if header.kind == kind::HOST_TERMINATE {
            // The header that was wrong follows, and says nothing that the controller needs.
            let is_sane = (expected..=expected + 128).contains(&bytes);
            let parts = Parts { header: expected, header_digest: false, data: bytes, data_end: bytes, bytes };
            return if is_sane { Ok(parts) } else { Err(Fault::header(4)) };
        }
        let digests = if has_digests { digests } else { Digests::default() };
        if (header.flags & flag::HEADER_DIGEST != 0) != digests.header {
            return Err(Fault::header(1));
        }
        let begin = expected + if digests.header { DIGEST_BYTES } else { 0 };
        if bytes <= begin || !carries_data {
            let parts = Parts {
                header: expected,
                header_digest: digests.header,
                data: bytes,
                data_end: bytes,
                bytes,
            };
            return if bytes == begin { Ok(parts) } else { Err(Fault::header(4)) };
        }
        // Data: after padding, followed by their digest.
        let data = usize::from(header.data_offset);
        let tail = if digests.data { DIGEST_BYTES } else { 0 };
        if (header.flags & flag::DATA_DIGEST != 0) != digests.data {
            return Err(Fault::header(1));
        }
        if data < begin || !data.is_multiple_of(4) || data + tail >= bytes {
            return Err(Fault::header(3));
        }
        let most = if header.kind == kind::COMMAND { CAPSULE_DATA_BYTES } else { MOST_DATA_BYTES };
        let data_end = bytes - tail;
        if data_end - data > most {
            return Err(Fault { status: FaultStatus::LimitExceeded, field: 4 });
        }
        Ok(Parts { header: expected, header_digest: digests.header, data, data_end, bytes })
    }
}

/// The digest of bytes as it lies behind them (TCP 3.3.1.1).
pub fn digest(bytes: &[u8]) -> [u8; DIGEST_BYTES] {
    crc32c::crc32c(bytes).to_le_bytes()
}

/// Appends a unit without data.
pub fn append(out: &mut Vec<u8>, kind: u8, body: &(impl IntoBytes + Immutable), digests: Digests) {
    let begin = out.len();
    let header_bytes = size_of::<CommonHeader>() + size_of_val(body);
    let all = header_bytes + if digests.header { DIGEST_BYTES } else { 0 };
    let flags = if digests.header { flag::HEADER_DIGEST } else { 0 };
    put_header(out, kind, (flags, header_bytes as u8, 0, all as u32));
    out.extend(body.as_bytes());
    if digests.header {
        out.extend(digest(&out[begin..]));
    }
}

fn put_header(out: &mut Vec<u8>, kind: u8, (flags, header_bytes, data_offset, bytes): (u8, u8, u8, u32)) {
    let header = CommonHeader { kind, flags, header_bytes, data_offset, bytes: U32::new(bytes) };
    out.extend(header.as_bytes());
}

/// A response capsule.
pub fn append_response(out: &mut Vec<u8>, completion: &Completion, digests: Digests) {
    append(out, kind::RESPONSE, completion, digests);
}

/// A C2HTermReq, which quotes nothing of the wrong header.
pub fn append_terminate(out: &mut Vec<u8>, fault: Fault) {
    let mut body = [0u8; 16];
    body[..2].copy_from_slice(&(fault.status as u16).to_le_bytes());
    body[2..6].copy_from_slice(&fault.field.to_le_bytes());
    append(out, kind::CONTROLLER_TERMINATE, &body, Digests::default());
}

/// A data unit to the host whose data are appended to `out` before its length is known.
#[derive(Debug)]
pub struct DataUnit {
    begin: usize,
    data: usize,
}

impl DataUnit {
    /// Leaves room for the header; the data begin at a multiple of `alignment` bytes.
    pub fn begin(out: &mut Vec<u8>, alignment: usize, digests: Digests) -> DataUnit {
        let begin = out.len();
        let header = 24 + if digests.header { DIGEST_BYTES } else { 0 };
        out.resize(begin + header.next_multiple_of(alignment), 0);
        DataUnit { begin, data: out.len() }
    }

    /// Bytes appended since.
    pub fn length(&self, out: &[u8]) -> usize {
        out.len() - self.data
    }

    /// Takes the unit and its data back.
    pub fn cancel(self, out: &mut Vec<u8>) {
        out.truncate(self.begin);
    }

    /// Writes the header, and the digests.
    pub fn end(self, out: &mut Vec<u8>, command: u16, flags: u8, digests: Digests) {
        let length = self.length(out);
        if digests.data {
            out.extend(digest(&out[self.data..]));
        }
        let digest_flags =
            u8::from(digests.header) * flag::HEADER_DIGEST + u8::from(digests.data) * flag::DATA_DIGEST;
        let mut header = Vec::with_capacity(28);
        let (offset, all) = ((self.data - self.begin) as u8, (out.len() - self.begin) as u32);
        put_header(&mut header, kind::CONTROLLER_DATA, (flag::LAST | flags | digest_flags, 24, offset, all));
        header.extend(Transfer::new(command, 0, 0, length as u32).as_bytes());
        if digests.header {
            header.extend(digest(&header));
        }
        out[self.begin..self.begin + header.len()].copy_from_slice(&header);
    }
}
