//! One queue: which command goes where.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use crate::subsystem::{Controller, Subsystem};
use crate::wire::Status;
use crate::wire::command::{Command, FABRICS};
use crate::{admin, fabrics, io};

/// Entries of a queue at most (CAP.MQES is one less).
pub(crate) const MOST_ENTRIES: u16 = 128;
/// I/O queues of a controller at most.
pub(crate) const MOST_QUEUES: u16 = 64;

/// How long the host of a discovery controller without a keep-alive time may be silent.
const DISCOVERY_SILENCE_MS: u32 = 120_000;

/// The end of a command.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Answer {
    pub(crate) status: Status,
    /// Dwords 0 and 1 of the completion.
    pub(crate) result: u64,
}

impl Answer {
    pub(crate) fn of(status: Status, result: u64) -> Answer {
        Answer { status, result }
    }
}

impl From<Result<u64, Status>> for Answer {
    fn from(result: Result<u64, Status>) -> Answer {
        match result {
            Ok(result) => Answer::of(Status::SUCCESS, result),
            Err(status) => Answer::of(status, 0),
        }
    }
}

/// The queue pair of a connection; before Connect it belongs to no controller.
pub(crate) struct Queue {
    pub(crate) subsystem: Arc<Subsystem>,
    /// Where the host reached the server, which is what discovery tells others.
    pub(crate) local: SocketAddr,
    pub(crate) connected: Option<Connected>,
    /// Who asks, where controllers are limited by peer.
    pub(crate) peer: Option<IpAddr>,
    head: u16,
    scratch: Vec<u8>,
}

/// A queue of a controller.
pub(crate) struct Connected {
    pub(crate) controller: Arc<Controller>,
    pub(crate) id: u16,
    pub(crate) entries: u16,
    pub(crate) has_flow_control: bool,
}

impl Queue {
    pub(crate) fn new(subsystem: Arc<Subsystem>, local: SocketAddr) -> Queue {
        Queue { subsystem, local, connected: None, peer: None, head: 0, scratch: Vec::new() }
    }

    /// Carries out a command. Data for the host are appended to `out`. `None`: it ends later.
    pub(crate) fn execute(&mut self, command: &Command, data: &[u8], out: &mut Vec<u8>) -> Option<Answer> {
        if command.flags & 3 != 0 {
            // Fused operations are not offered.
            return Some(Answer::of(Status::INVALID_FIELD, 0));
        }
        if command.opcode == FABRICS {
            return Some(fabrics::execute(self, command, data));
        }
        let Some(connected) = &self.connected else {
            return Some(Answer::of(Status::SEQUENCE_ERROR, 0));
        };
        if !connected.controller.is_ready() {
            return Some(Answer::of(Status::SEQUENCE_ERROR, 0));
        }
        if connected.id == 0 {
            return admin::execute(self, &Arc::clone(&connected.controller), command, data, out);
        }
        let result = io::execute(&self.subsystem, command, data, (out, &mut self.scratch));
        Some(result.map(|()| 0).into())
    }

    pub(crate) fn is_ended(&self) -> bool {
        self.connected.as_ref().is_some_and(|connected| connected.controller.is_ended())
    }

    pub(crate) fn entries(&self) -> usize {
        usize::from(self.connected.as_ref().map_or(1, |connected| connected.entries))
    }

    pub(crate) fn knows_no_flow_control(&self) -> bool {
        self.connected.as_ref().is_some_and(|connected| !connected.has_flow_control)
    }

    /// How long the host of an admin queue may be silent; twice its own time, since a message may
    /// be under way.
    pub(crate) fn keep_alive(&self) -> Option<Duration> {
        let connected = self.connected.as_ref().filter(|connected| connected.id == 0)?;
        let limit_ms = match connected.controller.state().keep_alive_ms {
            // Who discovers and goes on needs to say so; two minutes are what specifications give others.
            0 if connected.controller.is_discovery => DISCOVERY_SILENCE_MS / 2,
            limit_ms => limit_ms,
        };
        (limit_ms > 0).then(|| 2 * Duration::from_millis(limit_ms.into()))
    }

    /// An asynchronous event request that ends now, and its answer.
    pub(crate) fn event(&mut self) -> Option<(u16, Answer)> {
        let connected = self.connected.as_ref().filter(|connected| connected.id == 0)?;
        admin::event(&self.subsystem, &connected.controller)
    }

    /// Takes an entry of the submission queue; its new head.
    pub(crate) fn take_entry(&mut self) -> u16 {
        self.head = (self.head + 1) % self.entries() as u16;
        // Without flow control the field says nothing (TCP 3.3.1).
        if self.knows_no_flow_control() { u16::MAX } else { self.head }
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        let Some(Connected { controller, id, .. }) = &self.connected else { return };
        // A controller ends with its admin queue (Base 3.3).
        if *id == 0 {
            self.subsystem.end(controller);
        } else {
            controller.leave_queue(*id);
        }
    }
}

impl std::fmt::Debug for Queue {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let id = self.connected.as_ref().map(|connected| (connected.controller.id, connected.id));
        formatter.debug_struct("Queue").field("id", &id).finish_non_exhaustive()
    }
}
