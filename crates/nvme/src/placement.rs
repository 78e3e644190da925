//! Flexible data placement (TP4146): identifiers of writes, status and events of reclaim unit
//! handles. There is one reclaim group, so an identifier is the number of a handle.

use crate::drive::Placement;
use crate::page::{Page, number};
use crate::subsystem::Subsystem;
use crate::wire::Status;
use crate::wire::command::Command;

/// The directive type of data placement.
const DATA_PLACEMENT: u32 = 2;
/// Management operations: receive has the status of handles, send their update.
const HANDLE_STATUS: u32 = 1;
const HANDLE_UPDATE: u32 = 1;
/// Bytes of a placement identifier in the list of an update.
const IDENTIFIER_BYTES: usize = 2;

/// The data of a directive receive (Base 8.7.2.1).
const DIRECTIVE_BYTES: usize = 4096;

/// A type of event of flexible data placement that the drive has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum EventKind {
    /// A handle was moved to a fresh unit before the former one was full.
    UnitNotFull = 0,
    /// A write came with an identifier that no handle has.
    InvalidIdentifier = 3,
}

impl EventKind {
    /// All of them.
    pub(crate) const ALL: [EventKind; 2] = [EventKind::UnitNotFull, EventKind::InvalidIdentifier];
    /// Their bits.
    pub(crate) const ALL_BITS: u8 = EventKind::UnitNotFull.bit() | EventKind::InvalidIdentifier.bit();

    /// The bit of a type in a set of them.
    pub(crate) const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// The stream of a write: the handle of its placement identifier. A recording keeps identifiers of
/// eight bits; no handle has a larger one, so those are all written as 255.
pub(crate) fn stream(subsystem: &Subsystem, command: &Command) -> Result<u8, Status> {
    let identifier = (command.dword(13) >> 16) as u16;
    match (command.dword(12) >> 20 & 0xf, subsystem.identity.placement) {
        (0, _) => Ok(0),
        (DATA_PLACEMENT, Some(placement)) => {
            if identifier >= placement.handles.into() {
                subsystem.note(EventKind::InvalidIdentifier, identifier);
            }
            Ok(u8::try_from(identifier).unwrap_or(u8::MAX))
        }
        _ => Err(Status::INVALID_FIELD),
    }
}

/// I/O management receive: the handles' status.
pub(crate) fn receive(subsystem: &Subsystem, command: &Command, out: &mut Vec<u8>) -> Result<(), Status> {
    let Placement { handles, .. } = subsystem.identity.placement.ok_or(Status::FDP_DISABLED)?;
    if command.dword(10) & 0xff != HANDLE_STATUS {
        return Err(Status::INVALID_FIELD);
    }
    let mut page = Page::new(16 + 32 * usize::from(handles));
    page.u16(14, handles.into());
    for handle in 0..handles {
        let at = 16 + 32 * usize::from(handle);
        page.u16(at, handle.into()).u16(at + 2, handle.into());
        // Time and writes that are left of the unit: the drive gives no estimate (0).
    }
    let wanted = (command.dword(11) as usize).saturating_add(1).saturating_mul(4);
    let page = page.done();
    out.extend(&page[..wanted.min(page.len())]);
    Ok(())
}

/// I/O management send: moves the handles of a list of identifiers to fresh units. A list with
/// a wrong one does nothing.
pub(crate) fn send(subsystem: &Subsystem, command: &Command, data: &[u8]) -> Result<(), Status> {
    let Placement { handles, .. } = subsystem.identity.placement.ok_or(Status::FDP_DISABLED)?;
    if command.dword(10) & 0xff != HANDLE_UPDATE {
        return Err(Status::INVALID_FIELD);
    }
    let count = (command.dword(10) >> 16) as usize + 1;
    let list = data.get(..count * IDENTIFIER_BYTES).ok_or(Status::SGL_LENGTH_INVALID)?;
    let identifiers = || list.chunks_exact(IDENTIFIER_BYTES).map(|bytes| number(bytes) as u16);
    if count > handles.into() || identifiers().any(|identifier| identifier >= handles.into()) {
        return Err(Status::INVALID_FIELD);
    }
    for identifier in identifiers() {
        let is_unfilled = subsystem.drive.update_handle(identifier as u8);
        if is_unfilled.map_err(|error| error.status(false))? {
            subsystem.note(EventKind::UnitNotFull, identifier);
        }
    }
    Ok(())
}

/// Directive receive: which directives there are (Base 8.7.2.1).
pub(crate) fn directives(subsystem: &Subsystem, command: &Command, out: &mut Vec<u8>) -> Result<u64, Status> {
    // Of the type Identify (0) the operation that returns parameters (1).
    if command.dword(11) & 0xffff != 1 {
        return Err(Status::INVALID_FIELD);
    }
    let placed = u8::from(subsystem.identity.placement.is_some()) << DATA_PLACEMENT;
    let mut page = Page::new(DIRECTIVE_BYTES);
    // Supported, enabled, and kept over resets.
    page.u8(0, 1 | placed).u8(32, 1 | placed).u8(64, placed);
    let wanted = (command.dword(10) as usize).saturating_add(1).saturating_mul(4);
    out.extend(&page.done()[..wanted.min(DIRECTIVE_BYTES)]);
    Ok(0)
}
