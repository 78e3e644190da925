//! Admin commands (Base 5).

use crate::page::PAGE_BYTES;
use crate::queue::{Answer, Queue};
use crate::subsystem::{Controller, Subsystem};
use crate::wire::Status;
use crate::wire::command::Command;
use crate::{features, identify, logs, placement};

/// Opcodes (Base 5).
pub(crate) mod opcode {
    pub(crate) const GET_LOG_PAGE: u8 = 0x02;
    pub(crate) const IDENTIFY: u8 = 0x06;
    pub(crate) const ABORT: u8 = 0x08;
    pub(crate) const SET_FEATURES: u8 = 0x09;
    pub(crate) const GET_FEATURES: u8 = 0x0a;
    pub(crate) const ASYNCHRONOUS_EVENT: u8 = 0x0c;
    pub(crate) const KEEP_ALIVE: u8 = 0x18;
    pub(crate) const DIRECTIVE_SEND: u8 = 0x19;
    pub(crate) const DIRECTIVE_RECEIVE: u8 = 0x1a;
}

/// Asynchronous event requests at a time.
pub(crate) const MOST_EVENT_REQUESTS: usize = 4;
/// Not aborted (Base 5.1).
const NOT_ABORTED: u64 = 1;

/// Carries out a command of an admin queue; `None` if it ends later.
pub(crate) fn execute(
    queue: &mut Queue,
    controller: &Controller,
    command: &Command,
    data: &[u8],
    out: &mut Vec<u8>,
) -> Option<Answer> {
    let subsystem = &queue.subsystem;
    // Of a discovery controller (Base 3.1.2.3).
    let is_known = !controller.is_discovery
        || [
            opcode::GET_LOG_PAGE,
            opcode::IDENTIFY,
            opcode::KEEP_ALIVE,
            opcode::SET_FEATURES,
            opcode::GET_FEATURES,
        ]
        .contains(&command.opcode)
        || command.opcode == opcode::ASYNCHRONOUS_EVENT;
    if !is_known {
        return Some(Answer::of(Status::INVALID_OPCODE, 0));
    }
    let result = match command.opcode {
        opcode::IDENTIFY => identify::execute(subsystem, controller, command).map(|page| {
            debug_assert_eq!(page.len(), PAGE_BYTES);
            out.extend(page);
            0
        }),
        opcode::GET_LOG_PAGE => logs::execute(subsystem, controller, queue.local, command, out),
        opcode::SET_FEATURES => features::set(subsystem, controller, command, data),
        opcode::GET_FEATURES => features::get(subsystem, controller, command, out),
        opcode::ASYNCHRONOUS_EVENT => {
            let mut state = controller.state();
            if state.event_requests.len() < MOST_EVENT_REQUESTS {
                state.event_requests.push_back(command.id.get());
                return None;
            }
            Err(Status::AER_LIMIT_EXCEEDED)
        }
        opcode::ABORT => Ok(abort(controller, command)),
        opcode::KEEP_ALIVE => Ok(0),
        opcode::DIRECTIVE_RECEIVE => placement::directives(subsystem, command, out),
        // Directives are enabled by what the drive is.
        opcode::DIRECTIVE_SEND => Err(Status::INVALID_FIELD),
        _ => Err(Status::INVALID_OPCODE),
    };
    Some(result.into())
}

/// Aborts an asynchronous event request. No other command waits: all are carried out as they come,
/// except for those whose data are missing, which a host that aborts still has to send.
fn abort(controller: &Controller, command: &Command) -> u64 {
    let (queue, id) = (command.dword(10) as u16, (command.dword(10) >> 16) as u16);
    let mut state = controller.state();
    let waiting = state.event_requests.iter().position(|&request| queue == 0 && request == id);
    let aborted = waiting.and_then(|index| state.event_requests.remove(index));
    state.aborted.extend(aborted);
    if aborted.is_some() { 0 } else { NOT_ABORTED }
}

/// Of an event: the type SMART (1), what is wrong, and the log page that tells more (Base 5.2).
fn smart_event(warning: u8) -> u64 {
    let what = if warning & 1 != 0 { 2 } else { 0 };
    1 | what << 8 | u64::from(logs::id::SMART) << 16
}

/// A request that ends now: one that was aborted, or one for an event that the host wants to
/// know and does not know yet.
pub(crate) fn event(subsystem: &Subsystem, controller: &Controller) -> Option<(u16, Answer)> {
    let (wanted, told) = {
        let mut state = controller.state();
        if let Some(id) = state.aborted.pop_front() {
            return Some((id, Answer::of(Status::ABORTED, 0)));
        }
        if state.event_requests.is_empty() {
            return None;
        }
        (state.features.events as u8, state.warned)
    };
    if controller.is_discovery || wanted == told {
        return None;
    }
    let new = logs::critical_warning(&subsystem.counters().ok()?) & wanted & !told;
    if new == 0 {
        return None;
    }
    let mut state = controller.state();
    state.warned |= new;
    state.event_requests.pop_front().map(|id| (id, Answer::of(Status::SUCCESS, smart_event(new))))
}
