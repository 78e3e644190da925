//! One request in the guest's memory: a header, data, and a byte for the status (VIRTIO 1.2,
//! 5.2.6). They may be cut into pieces in any way.

use std::collections::VecDeque;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use rewear_live::{LiveDrive, LiveError};
use virtio_bindings::virtio_blk::{
    VIRTIO_BLK_ID_BYTES, VIRTIO_BLK_S_IOERR, VIRTIO_BLK_S_OK, VIRTIO_BLK_S_UNSUPP, VIRTIO_BLK_T_DISCARD,
    VIRTIO_BLK_T_FLUSH, VIRTIO_BLK_T_GET_ID, VIRTIO_BLK_T_IN, VIRTIO_BLK_T_OUT, VIRTIO_BLK_T_WRITE_ZEROES,
    VIRTIO_BLK_WRITE_ZEROES_FLAG_UNMAP,
};
use virtio_queue::DescriptorChain;
use vm_memory::{Bytes, GuestMemoryBackend, GuestMemoryMmap, VolatileSlice};

use crate::config::{RANGE_SECTORS, RANGES, SECTOR_BYTES};

const HEADER_BYTES: usize = 16;
const RANGE_BYTES: usize = 16;
/// Data that lie in several pieces go through a buffer of this size.
const BUFFER_BYTES: usize = 1 << 20;

/// What is kept between requests, so that serving one takes no memory.
#[derive(Debug)]
pub(crate) struct Buffers {
    gathered: Vec<u8>,
    id: [u8; VIRTIO_BLK_ID_BYTES as usize],
}

impl Buffers {
    /// `name` is what a guest calls the disk's serial number; its first 20 bytes count.
    pub(crate) fn new(name: &str) -> Buffers {
        let mut id = [0; VIRTIO_BLK_ID_BYTES as usize];
        for (into, byte) in id.iter_mut().zip(name.bytes()) {
            *into = byte;
        }
        Buffers { gathered: vec![0; BUFFER_BYTES], id }
    }
}

/// What became of a request.
pub(crate) enum Outcome {
    /// It was answered, with so many bytes of guest memory written.
    Answered(u32),
    /// The drive is closed: the request stays in the queue for the next server.
    Left,
}

/// Why a request is not carried out.
enum Refusal {
    Failed,
    Unsupported,
    Closed,
}

impl From<LiveError> for Refusal {
    fn from(error: LiveError) -> Refusal {
        match error {
            LiveError::Closed => Refusal::Closed,
            _ => Refusal::Failed,
        }
    }
}

/// Pieces of guest memory that together are one buffer. Empty pieces are left out.
pub(crate) type Pieces<'a> = VecDeque<VolatileSlice<'a>>;

/// The two buffers of a request; what they hold is replaced by each.
#[derive(Default)]
pub(crate) struct Request<'a> {
    /// From the guest.
    readable: Pieces<'a>,
    /// For the guest.
    writable: Pieces<'a>,
}

impl<'a> Request<'a> {
    /// Carries out what a chain of descriptors asks for, and writes the status.
    pub(crate) fn serve(
        &mut self,
        memory: &'a GuestMemoryMmap,
        chain: DescriptorChain<&'a GuestMemoryMmap>,
        drive: &LiveDrive,
        durable: bool,
        buffers: &mut Buffers,
    ) -> Outcome {
        if !self.gather(memory, chain) {
            // Without a place for the status the guest can be told nothing.
            return Outcome::Answered(0);
        }
        let Some(status) = take_last(&mut self.writable) else { return Outcome::Answered(0) };
        let room: usize = length(&self.writable);
        let act = || self.act(drive, durable, buffers);
        // A fault of the drive fails this request and, since the drive knows of it, all that follow.
        let (code, written) = match catch_unwind(AssertUnwindSafe(act)).unwrap_or(Err(Refusal::Failed)) {
            Ok(written) => (VIRTIO_BLK_S_OK, written),
            Err(Refusal::Failed) => (VIRTIO_BLK_S_IOERR, 0),
            Err(Refusal::Unsupported) => (VIRTIO_BLK_S_UNSUPP, 0),
            Err(Refusal::Closed) => return Outcome::Left,
        };
        // The piece has one byte.
        let _ = status.write_obj(code as u8, 0);
        // The used length counts from the start of what is writable: with the status all of it.
        let answered = if written == room { room + 1 } else { written };
        Outcome::Answered(u32::try_from(answered).unwrap_or(u32::MAX))
    }

    /// Finds the pieces in the guest's memory; whether all lie in it.
    fn gather(&mut self, memory: &'a GuestMemoryMmap, chain: DescriptorChain<&'a GuestMemoryMmap>) -> bool {
        self.readable.clear();
        self.writable.clear();
        for descriptor in chain {
            let into = if descriptor.is_write_only() { &mut self.writable } else { &mut self.readable };
            for piece in GuestMemoryBackend::get_slices(memory, descriptor.addr(), descriptor.len() as usize)
            {
                match piece {
                    Ok(piece) if piece.is_empty() => {}
                    Ok(piece) => into.push_back(piece),
                    Err(_) => return false,
                }
            }
        }
        true
    }

    /// Acts, and returns the bytes written for the guest.
    fn act(&mut self, drive: &LiveDrive, durable: bool, buffers: &mut Buffers) -> Result<usize, Refusal> {
        let mut header = [0; HEADER_BYTES];
        take(&mut self.readable, &mut header)?;
        let (kind, sector) = (number(&header[..4]) as u32, number(&header[8..]));
        match kind {
            VIRTIO_BLK_T_OUT => self.write(drive, sector, durable, buffers).map(|()| 0),
            VIRTIO_BLK_T_IN => self.read(drive, sector, buffers),
            VIRTIO_BLK_T_FLUSH => Ok(drive.flush().map(|()| 0)?),
            VIRTIO_BLK_T_GET_ID => put(&mut self.writable, &buffers.id),
            VIRTIO_BLK_T_DISCARD | VIRTIO_BLK_T_WRITE_ZEROES => {
                self.ranges(drive, kind == VIRTIO_BLK_T_DISCARD, durable).map(|()| 0)
            }
            _ => Err(Refusal::Unsupported),
        }
    }

    fn write(
        &mut self,
        drive: &LiveDrive,
        sector: u64,
        durable: bool,
        buffers: &mut Buffers,
    ) -> Result<(), Refusal> {
        let mut bytes = range(sector, length(&self.readable))?;
        if let [piece] = self.readable.make_contiguous() {
            return Ok(drive.write(bytes.start, shared(piece), durable)?);
        }
        while bytes.start < bytes.end {
            let part = (bytes.end - bytes.start).min(BUFFER_BYTES as u64) as usize;
            take(&mut self.readable, &mut buffers.gathered[..part])?;
            drive.write(bytes.start, &buffers.gathered[..part], durable)?;
            bytes.start += part as u64;
        }
        Ok(())
    }

    fn read(&mut self, drive: &LiveDrive, sector: u64, buffers: &mut Buffers) -> Result<usize, Refusal> {
        let mut bytes = range(sector, length(&self.writable))?;
        let whole = (bytes.end - bytes.start) as usize;
        if let [piece] = self.writable.make_contiguous() {
            drive.read(bytes.start, shared_mut(piece))?;
            return Ok(whole);
        }
        while bytes.start < bytes.end {
            let part = (bytes.end - bytes.start).min(BUFFER_BYTES as u64) as usize;
            drive.read(bytes.start, &mut buffers.gathered[..part])?;
            put(&mut self.writable, &buffers.gathered[..part])?;
            bytes.start += part as u64;
        }
        Ok(whole)
    }

    fn ranges(&mut self, drive: &LiveDrive, discard: bool, durable: bool) -> Result<(), Refusal> {
        let bytes = length(&self.readable);
        if bytes == 0 || !bytes.is_multiple_of(RANGE_BYTES) || bytes / RANGE_BYTES > RANGES as usize {
            return Err(Refusal::Failed);
        }
        for _ in 0..bytes / RANGE_BYTES {
            let mut entry = [0; RANGE_BYTES];
            take(&mut self.readable, &mut entry)?;
            let [sector, sectors, flags] = [number(&entry[..8]), number(&entry[8..12]), number(&entry[12..])];
            // A discard has no flags, a write of zeros one (VIRTIO 1.2, 5.2.6.2).
            let known = if discard { 0 } else { u64::from(VIRTIO_BLK_WRITE_ZEROES_FLAG_UNMAP) };
            if flags & !known != 0 {
                return Err(Refusal::Unsupported);
            }
            if sectors > u64::from(RANGE_SECTORS) {
                return Err(Refusal::Failed);
            }
            let at = sector.checked_mul(SECTOR_BYTES).ok_or(Refusal::Failed)?;
            let length = sectors * SECTOR_BYTES;
            if discard {
                drive.trim(at, length, durable)?;
            } else {
                drive.zero(at, length, flags != 0, durable)?;
            }
        }
        Ok(())
    }
}

/// The bytes of the device from a sector on.
fn range(sector: u64, length: usize) -> Result<Range<u64>, Refusal> {
    let begin = sector.checked_mul(SECTOR_BYTES).ok_or(Refusal::Failed)?;
    let end = begin.checked_add(length as u64).ok_or(Refusal::Failed)?;
    // Nothing is done of a request that cannot be done whole; the drive checks the end.
    if (length as u64).is_multiple_of(SECTOR_BYTES) { Ok(begin..end) } else { Err(Refusal::Failed) }
}

fn number(little_endian: &[u8]) -> u64 {
    little_endian.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
}

fn length(pieces: &Pieces<'_>) -> usize {
    pieces.iter().map(VolatileSlice::len).sum()
}

/// Cuts the last byte off.
fn take_last<'a>(pieces: &mut Pieces<'a>) -> Option<VolatileSlice<'a>> {
    let last = pieces.pop_back()?;
    let before = last.len() - 1;
    if before > 0 {
        pieces.push_back(last.subslice(0, before).ok()?);
    }
    last.offset(before).ok()
}

/// Takes bytes from the front; refused if there are too few.
fn take(pieces: &mut Pieces<'_>, into: &mut [u8]) -> Result<(), Refusal> {
    let mut done = 0;
    while done < into.len() {
        let piece = pieces.front_mut().ok_or(Refusal::Failed)?;
        let part = piece.len().min(into.len() - done);
        piece.copy_to(&mut into[done..done + part]);
        done += part;
        forget_front(pieces, part)?;
    }
    Ok(())
}

/// Puts bytes at the front, as many as fit, and returns how many those were.
fn put(pieces: &mut Pieces<'_>, from: &[u8]) -> Result<usize, Refusal> {
    let mut done = 0;
    while done < from.len()
        && let Some(piece) = pieces.front_mut()
    {
        let part = piece.len().min(from.len() - done);
        piece.copy_from(&from[done..done + part]);
        done += part;
        forget_front(pieces, part)?;
    }
    Ok(done)
}

fn forget_front(pieces: &mut Pieces<'_>, bytes: usize) -> Result<(), Refusal> {
    let Some(piece) = pieces.pop_front() else { return Ok(()) };
    if bytes < piece.len() {
        pieces.push_front(piece.offset(bytes).map_err(|_| Refusal::Failed)?);
    }
    Ok(())
}

/// A piece as the drive takes it, without a copy.
fn shared<'p>(piece: &'p VolatileSlice<'_>) -> &'p [u8] {
    // SAFETY: the piece lies in a mapping that lives as long as the guard of guest memory from which
    // it was got, which outlives the request. A driver must not touch a buffer while the device has
    // it (VIRTIO 1.2, 2.7.13). The drive reads it as bytes, of which every value is valid, and no
    // index or length comes from them: what a guest that breaks this rule can harm is its own data.
    unsafe { std::slice::from_raw_parts(piece.ptr_guard().as_ptr(), piece.len()) }
}

/// A piece for the drive to fill, without a copy.
fn shared_mut<'p>(piece: &'p mut VolatileSlice<'_>) -> &'p mut [u8] {
    // SAFETY: as above. The drive only writes here. A second slice of these bytes, of another thread's
    // queue, exists only where a guest puts one buffer into two requests, which is to touch it.
    unsafe { std::slice::from_raw_parts_mut(piece.ptr_guard_mut().as_ptr(), piece.len()) }
}
