//! Fabrics commands: Connect, properties, Disconnect (Base 6).

use std::sync::Arc;

use crate::page::number;
use crate::queue::{Answer, Connected, MOST_ENTRIES, MOST_QUEUES, Queue};
use crate::subsystem::{Controller, DISCOVERY, Host, bits};
use crate::wire::Status;
use crate::wire::command::Command;

const PROPERTY_SET: u8 = 0x00;
const CONNECT: u8 = 0x01;
const PROPERTY_GET: u8 = 0x04;
const DISCONNECT: u8 = 0x08;

/// Bytes of Connect's data (Base 6.3).
const CONNECT_BYTES: usize = 1024;
/// The controller of a host that asks for a new one.
const ANY_CONTROLLER: u16 = 0xffff;

/// Offsets of properties (Base 3.1.3).
mod property {
    pub(super) const CAPABILITIES: u32 = 0x00;
    pub(super) const VERSION: u32 = 0x08;
    pub(super) const CONFIGURATION: u32 = 0x14;
    pub(super) const STATUS: u32 = 0x1c;
    pub(super) const SUBSYSTEM_RESET: u32 = 0x20;
    pub(super) const READY_TIMEOUTS: u32 = 0x68;
}

/// NVM Express 2.0.
pub(crate) const VERSION: u32 = 0x0002_0000;
/// Half seconds that enabling may take.
const TIMEOUT: u64 = 20;

pub(crate) fn execute(queue: &mut Queue, command: &Command, data: &[u8]) -> Answer {
    if command.fabrics_type() == CONNECT {
        return connect(queue, command, data);
    }
    let Some(connected) = &queue.connected else { return Answer::of(Status::SEQUENCE_ERROR, 0) };
    let controller = Arc::clone(&connected.controller);
    let is_admin = connected.id == 0;
    match command.fabrics_type() {
        PROPERTY_GET if is_admin => get(&controller, command).into(),
        PROPERTY_SET if is_admin => set(queue, &controller, command).into(),
        // Then the host closes the connection.
        DISCONNECT if !is_admin => Answer::of(Status::SUCCESS, 0),
        _ => Answer::of(Status::INVALID_OPCODE, 0),
    }
}

/// Where a parameter of Connect is wrong: in the command (0) or its data (1), and at which offset.
fn wrong(in_data: bool, offset: u16) -> Answer {
    let result = u64::from(in_data) << 16 | u64::from(offset);
    Answer::of(Status::CONNECT_INVALID_PARAMETERS, result)
}

fn connect(queue: &mut Queue, command: &Command, data: &[u8]) -> Answer {
    if queue.connected.is_some() {
        return Answer::of(Status::SEQUENCE_ERROR, 0);
    }
    let (format, id) = (command.dword(10) as u16, (command.dword(10) >> 16) as u16);
    let (size, attributes, keep_alive_ms) =
        (command.dword(11) as u16, (command.dword(11) >> 16) as u8, command.dword(12));
    if format != 0 {
        return Answer::of(Status::CONNECT_INCOMPATIBLE_FORMAT, 0);
    }
    if data.len() != CONNECT_BYTES {
        return Answer::of(Status::SGL_LENGTH_INVALID, 0);
    }
    if size == 0 || size >= MOST_ENTRIES {
        return wrong(false, 44);
    }
    let Some(name) = text(&data[512..768]) else { return wrong(true, 512) };
    let mut host = Host { id: [0; 16], name };
    host.id.copy_from_slice(&data[..16]);
    let is_discovery = match text(&data[256..512]).as_deref() {
        Some(DISCOVERY) => true,
        Some(name) if name == queue.subsystem.identity.subsystem => false,
        _ => return wrong(true, 256),
    };
    let controller_id = number(&data[16..18]) as u16;
    let found = if id == 0 {
        if controller_id != ANY_CONTROLLER {
            return wrong(true, 16);
        }
        queue.subsystem.create(host, is_discovery, keep_alive_ms, queue.peer)
    } else {
        let known = queue.subsystem.find(controller_id);
        let Some(controller) = known.filter(|known| known.host == host && !known.is_discovery) else {
            return wrong(true, 16);
        };
        if id > MOST_QUEUES || !controller.is_ready() || !controller.take_queue(id) {
            return wrong(false, 42);
        }
        Ok(controller)
    };
    match found {
        Ok(controller) => {
            let result = u64::from(controller.id);
            let has_flow_control = attributes & 4 == 0;
            queue.connected = Some(Connected { controller, id, entries: size + 1, has_flow_control });
            Answer::of(Status::SUCCESS, result)
        }
        Err(status) => Answer::of(status, 0),
    }
}

/// A name that ends with a zero.
fn text(field: &[u8]) -> Option<String> {
    let length = field.iter().position(|&byte| byte == 0)?;
    let text = std::str::from_utf8(&field[..length]).ok()?;
    (!text.is_empty()).then(|| text.to_owned())
}

fn get(controller: &Controller, command: &Command) -> Result<u64, Status> {
    let state = controller.state();
    let (value, is_wide) = match command.dword(11) {
        property::CAPABILITIES => (capabilities(), true),
        property::VERSION => (u64::from(VERSION), false),
        property::CONFIGURATION => (u64::from(state.configuration), false),
        property::STATUS => (u64::from(state.status), false),
        property::SUBSYSTEM_RESET => (0, false),
        property::READY_TIMEOUTS => (TIMEOUT << 16 | TIMEOUT, false),
        _ => return Err(Status::INVALID_FIELD),
    };
    if (command.dword(10) & 7 == 1) == is_wide { Ok(value) } else { Err(Status::INVALID_FIELD) }
}

/// CAP: queue entries, contiguous queues, time, the NVM command set, ready with media (Base 3.1.3.1).
fn capabilities() -> u64 {
    u64::from(MOST_ENTRIES - 1) | 1 << 16 | TIMEOUT << 24 | 1 << 37 | 1 << 59
}

fn set(queue: &Queue, controller: &Controller, command: &Command) -> Result<u64, Status> {
    if command.dword(10) & 7 != 0 || command.dword(11) != property::CONFIGURATION {
        return Err(Status::INVALID_FIELD);
    }
    let to = command.dword(12);
    let before = std::mem::replace(&mut controller.state().configuration, to);
    let turned_on = |bits: u32| to & bits != 0 && before & bits == 0;
    if turned_on(bits::SHUTDOWN) {
        queue.subsystem.drive.flush().map_err(|error| error.status(false))?;
        let mut state = controller.state();
        state.status = bits::SHUTDOWN_DONE | state.status & bits::READY;
    }
    let mut state = controller.state();
    if turned_on(bits::ENABLE) {
        // The memory page size and the command set are the only ones that there are.
        let is_known = to & 0x7f0 == 0 && (to >> 16 & 0xf, to >> 20 & 0xf) == (6, 4);
        if !is_known && !controller.is_discovery {
            state.configuration = before;
            return Err(Status::INVALID_FIELD);
        }
        state.status = bits::READY;
    } else if to & bits::ENABLE == 0 && before & bits::ENABLE != 0 {
        // A reset: what the host has set is forgotten.
        state.status &= !bits::READY;
        state.features = Default::default();
        state.event_requests.clear();
        state.aborted.clear();
    }
    Ok(0)
}
