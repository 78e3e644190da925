//! Features that a host gets and sets (Base 5.27.1).

use crate::placement::EventKind;
use crate::queue::MOST_QUEUES;
use crate::subsystem::{Controller, Subsystem};
use crate::wire::Status;
use crate::wire::command::Command;

/// Identifiers.
mod id {
    pub(super) const ARBITRATION: u8 = 0x01;
    pub(super) const POWER: u8 = 0x02;
    pub(super) const TEMPERATURE: u8 = 0x04;
    pub(super) const ERROR_RECOVERY: u8 = 0x05;
    pub(super) const WRITE_CACHE: u8 = 0x06;
    pub(super) const QUEUES: u8 = 0x07;
    pub(super) const ATOMICITY: u8 = 0x0a;
    pub(super) const EVENTS: u8 = 0x0b;
    pub(super) const KEEP_ALIVE: u8 = 0x0f;
    pub(super) const HOST_BEHAVIOR: u8 = 0x16;
    pub(super) const PLACEMENT: u8 = 0x1d;
    pub(super) const PLACEMENT_EVENTS: u8 = 0x1e;
    pub(super) const HOST_ID: u8 = 0x81;
}

/// Kelvin at which a host wants to be warned; the model has no temperature.
const WARNING_KELVIN: u32 = 0x0157;
/// Bytes of the host behavior support structure.
const BEHAVIOR_BYTES: usize = 512;
/// The endurance group of flexible data placement.
const GROUP: u32 = 1;

/// Values that a host set.
#[derive(Debug, Clone)]
pub(crate) struct Features {
    arbitration: u32,
    temperature: u32,
    error_recovery: u32,
    atomicity: u32,
    /// Asynchronous events that it wants; the low byte of critical warnings.
    pub(crate) events: u32,
    behavior: [u8; 3],
}

impl Default for Features {
    fn default() -> Features {
        Features {
            arbitration: 0,
            temperature: WARNING_KELVIN,
            error_recovery: 0,
            atomicity: 0,
            events: 0,
            behavior: [0; 3],
        }
    }
}

/// The value that Select asks for (Base 5.15).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Select {
    Current,
    Default,
    Capabilities,
}

pub(crate) fn get(
    subsystem: &Subsystem,
    controller: &Controller,
    command: &Command,
    out: &mut Vec<u8>,
) -> Result<u64, Status> {
    let id = command.dword(10) as u8;
    let select = match command.dword(10) >> 8 & 7 {
        0 => Select::Current,
        // Nothing is saved, so what was saved is the default.
        1 | 2 => Select::Default,
        3 => Select::Capabilities,
        _ => return Err(Status::INVALID_FIELD),
    };
    let state = controller.state();
    let defaults = Features::default();
    let features = if select == Select::Current { &state.features } else { &defaults };
    let value = match id {
        id::ARBITRATION => features.arbitration,
        id::POWER => 0,
        // Sensors other than the composite one there are none.
        id::TEMPERATURE if command.dword(11) >> 20 & 1 == 0 => features.temperature,
        id::TEMPERATURE => 0,
        id::ERROR_RECOVERY => features.error_recovery,
        id::WRITE_CACHE => 1,
        id::QUEUES => queues(),
        id::ATOMICITY => features.atomicity,
        id::EVENTS => features.events,
        id::KEEP_ALIVE => state.keep_alive_ms,
        id::HOST_BEHAVIOR => {
            if select != Select::Capabilities {
                out.extend(features.behavior);
                out.resize(out.len() + BEHAVIOR_BYTES - features.behavior.len(), 0);
            }
            0
        }
        id::PLACEMENT => u32::from(subsystem.identity.placement.is_some()),
        id::PLACEMENT_EVENTS => {
            subsystem.identity.placement.ok_or(Status::FDP_DISABLED)?;
            // Dword 11: a handle, and how many types of events there is room for.
            let (handle, room) = (command.dword(11) as u16, (command.dword(11) >> 16 & 0xff) as usize);
            let wanted = subsystem.wanted_events(handle).ok_or(Status::INVALID_FIELD)?;
            let wanted = if select == Select::Current { wanted } else { EventKind::ALL_BITS };
            if select != Select::Capabilities {
                for kind in EventKind::ALL.into_iter().take(room) {
                    out.extend([kind as u8, u8::from(wanted & kind.bit() != 0)]);
                }
            }
            EventKind::ALL.len() as u32
        }
        id::HOST_ID => {
            // Fabrics hosts have 16 bytes of it.
            if select != Select::Capabilities {
                out.extend(controller.host.id);
            }
            0
        }
        _ => return Err(Status::INVALID_FIELD),
    };
    let is_changeable = !matches!(id, id::WRITE_CACHE | id::HOST_ID | id::PLACEMENT);
    let is_of_namespace = matches!(id, id::ERROR_RECOVERY | id::PLACEMENT_EVENTS);
    Ok(u64::from(match select {
        Select::Capabilities => u32::from(is_changeable) << 2 | u32::from(is_of_namespace) << 1,
        _ => value,
    }))
}

/// I/O submission and completion queues, each counted from 0.
fn queues() -> u32 {
    let most = u32::from(MOST_QUEUES) - 1;
    most << 16 | most
}

pub(crate) fn set(
    subsystem: &Subsystem,
    controller: &Controller,
    command: &Command,
    data: &[u8],
) -> Result<u64, Status> {
    if command.dword(10) >> 31 != 0 {
        return Err(Status::FEATURE_NOT_SAVEABLE);
    }
    let (id, value) = (command.dword(10) as u8, command.dword(11));
    let mut state = controller.state();
    let features = &mut state.features;
    match id {
        id::ARBITRATION => features.arbitration = value,
        id::POWER if value & 0x1f == 0 => {}
        id::TEMPERATURE if value >> 20 & 1 == 0 => features.temperature = value,
        id::TEMPERATURE => {}
        id::ERROR_RECOVERY => features.error_recovery = value,
        id::ATOMICITY => features.atomicity = value & 1,
        id::EVENTS => features.events = value,
        id::QUEUES => {
            // 65,535 is the one count that is none (Base 5.27.1.5).
            let is_wrong = value & 0xffff == 0xffff || value >> 16 == 0xffff;
            return if is_wrong { Err(Status::INVALID_FIELD) } else { Ok(u64::from(queues())) };
        }
        id::KEEP_ALIVE => state.keep_alive_ms = value,
        id::HOST_BEHAVIOR => {
            features.behavior.copy_from_slice(data.get(..3).ok_or(Status::SGL_LENGTH_INVALID)?);
        }
        id::PLACEMENT_EVENTS => {
            subsystem.identity.placement.ok_or(Status::FDP_DISABLED)?;
            let (handle, count) = (value as u16, (value >> 16 & 0xff) as usize);
            let listed = data.get(..count).ok_or(Status::SGL_LENGTH_INVALID)?;
            subsystem.wanted_events(handle).ok_or(Status::INVALID_FIELD)?;
            let known = EventKind::ALL.into_iter().filter(|&kind| listed.contains(&(kind as u8)));
            let kinds = known.fold(0, |bits, kind| bits | kind.bit());
            subsystem.want_events(handle, kinds, command.dword(12) & 1 != 0);
        }
        // Features that follow from the drive's configuration stay.
        id::PLACEMENT if value & 0xffff == GROUP => return Err(Status::FEATURE_NOT_CHANGEABLE),
        id::WRITE_CACHE if value & 1 == 1 => {}
        id::WRITE_CACHE | id::HOST_ID => return Err(Status::FEATURE_NOT_CHANGEABLE),
        _ => return Err(Status::INVALID_FIELD),
    }
    Ok(0)
}
