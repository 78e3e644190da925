//! Flexible data placement (TP4146): identifiers of writes, status and events of reclaim unit
//! handles. There is one reclaim group, so an identifier is the number of a handle.

use crate::drive::Placement;
use crate::page::Page;
use crate::subsystem::Subsystem;
use crate::wire::Status;
use crate::wire::command::Command;

/// The directive type of data placement.
const DATA_PLACEMENT: u32 = 2;
/// Management operations: the status of handles, and their update.
const HANDLE_STATUS: u32 = 1;
/// Types of events that the drive has: an identifier that no handle has.
pub(crate) const INVALID_IDENTIFIER: u8 = 3;

/// Offset of Identify in opcode terms: directive receive returns what there is (Base 8.7.2).
const DIRECTIVE_BYTES: usize = 4096;

/// The stream of a write: the handle of its placement identifier. A recording keeps identifiers of
/// eight bits; no handle has a larger one, so those are all written as 255.
pub(crate) fn stream(subsystem: &Subsystem, command: &Command) -> Result<u8, Status> {
    let identifier = (command.dword(13) >> 16) as u16;
    match (command.dword(12) >> 20 & 0xf, subsystem.identity.placement) {
        (0, _) => Ok(0),
        (DATA_PLACEMENT, Some(placement)) => {
            if identifier >= placement.handles.into() {
                subsystem.note(INVALID_IDENTIFIER, identifier);
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

/// I/O management send: a host cannot move handles to fresh units, since units end with their last
/// page.
pub(crate) fn send(subsystem: &Subsystem, _: &Command) -> Result<(), Status> {
    subsystem.identity.placement.ok_or(Status::FDP_DISABLED)?;
    Err(Status::INVALID_FIELD)
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
