//! A connection as a machine over bytes: what a host sent in, what it is to be sent out.
//!
//! It opens no socket and reads no clock, so a test or a fuzzer drives it as a server does.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use crate::queue::{Answer, Queue};
use crate::subsystem::Subsystem;
use crate::wire::Status;
use crate::wire::command::{Command, Completion, Direction, Sgl};
use crate::wire::pdu::{
    self, CAPSULE_DATA_BYTES, DataUnit, Digests, Fault, FaultStatus, FromHost, Initialize, MOST_DATA_BYTES,
    Transfer, flag, kind, parse,
};

/// The most data of a command: 512 KiB, which Identify gives as 2^7 pages.
pub const MOST_COMMAND_BYTES: usize = 4096 << 7;
/// Transfers that a connection has under way. Further commands wait: that bounds its memory.
const TRANSFERS: usize = 8;
/// Answers that are collected before they must be sent.
const FULL_BYTES: usize = 1 << 20;

/// Why nothing more is to be read from a connection. What was put out before is still to be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended;

/// One connection: at first without, then with a queue.
#[derive(Debug)]
pub struct Connection {
    queue: Queue,
    is_initialized: bool,
    digests: Digests,
    /// Alignment in bytes of data to the host.
    alignment: usize,
    transfers: Vec<Incoming>,
    /// Commands whose data are not asked for yet.
    waiting: Vec<Command>,
    next_tag: u16,
}

/// A command whose data are coming.
#[derive(Debug)]
struct Incoming {
    command: Command,
    tag: u16,
    length: usize,
    data: Vec<u8>,
    is_right: bool,
}

impl Connection {
    /// A connection of a host that reached the server at `local`.
    pub fn new(subsystem: Arc<Subsystem>, local: SocketAddr) -> Connection {
        Connection {
            queue: Queue::new(subsystem, local),
            is_initialized: false,
            digests: Digests::default(),
            alignment: 4,
            transfers: Vec::new(),
            waiting: Vec::new(),
            next_tag: 0,
        }
    }

    /// The same, of a peer: it may have a part of all controllers.
    #[must_use]
    pub fn from_peer(mut self, peer: IpAddr) -> Connection {
        self.queue.peer = Some(peer);
        self
    }

    /// Takes whole units from `input` and appends answers to `out`; the bytes taken. With fewer than
    /// one whole unit, or when `out` is full, it returns.
    ///
    /// # Errors
    /// The connection is to be closed, once `out` was sent.
    pub fn receive(&mut self, input: &[u8], out: &mut Vec<u8>) -> Result<usize, Ended> {
        let mut taken = 0;
        while out.len() < FULL_BYTES {
            if self.queue.is_ended() {
                return Err(Ended);
            }
            let unit = parse(&input[taken..], self.digests).and_then(|unit| match unit {
                None => Ok(0),
                Some((FromHost::Terminate, _)) => Ok(usize::MAX),
                Some((unit, bytes)) => self.take(unit, out).map(|()| bytes),
            });
            match unit {
                Ok(0) => break,
                Ok(usize::MAX) => return Err(Ended),
                Ok(bytes) => taken += bytes,
                Err(fault) => {
                    pdu::append_terminate(out, fault);
                    return Err(Ended);
                }
            }
        }
        Ok(taken)
    }

    /// Whether it has a queue.
    pub fn is_connected(&self) -> bool {
        self.queue.connected.is_some()
    }

    /// Events by time: those that a host asked to be told of, and the end of a controller whose
    /// host has been silent for `silence`.
    ///
    /// # Errors
    /// The connection is to be closed.
    pub fn tick(&mut self, silence: Duration, out: &mut Vec<u8>) -> Result<(), Ended> {
        if self.queue.is_ended() || self.queue.keep_alive().is_some_and(|limit| silence > limit) {
            return Err(Ended);
        }
        while let Some((command, answer)) = self.queue.event() {
            self.respond(command, answer, out);
        }
        Ok(())
    }

    fn take(&mut self, unit: FromHost<'_>, out: &mut Vec<u8>) -> Result<(), Fault> {
        match unit {
            FromHost::Initialize(request) if !self.is_initialized => self.initialize(request, out),
            FromHost::Command(command, data, is_right) if self.is_initialized => {
                self.command(command, data, is_right, out)
            }
            FromHost::Data(transfer, data, is_right, is_last) if self.is_initialized => {
                self.data(transfer, data, (is_right, is_last), out)
            }
            _ => Err(Fault::of(FaultStatus::SequenceError)),
        }
    }

    /// TCP 3.1: version, alignment and digests are agreed on.
    fn initialize(&mut self, request: &Initialize, out: &mut Vec<u8>) -> Result<(), Fault> {
        if request.version.get() != 0 {
            return Err(Fault { status: FaultStatus::Unsupported, field: 8 });
        }
        if request.alignment > 31 {
            return Err(Fault::header(10));
        }
        self.alignment = 4 * (usize::from(request.alignment) + 1);
        let digests = Digests { header: request.digests & 1 != 0, data: request.digests & 2 != 0 };
        let response = Initialize::new(0, digests, MOST_DATA_BYTES as u32);
        pdu::append(out, kind::INITIALIZE_RESPONSE, &response, Digests::default());
        (self.is_initialized, self.digests) = (true, digests);
        Ok(())
    }

    fn command(
        &mut self,
        command: &Command,
        data: &[u8],
        is_right: bool,
        out: &mut Vec<u8>,
    ) -> Result<(), Fault> {
        if self.transfers.len() + self.waiting.len() >= self.queue.entries() {
            // More commands than the queue has entries.
            return Err(Fault::of(FaultStatus::SequenceError));
        }
        let is_pending = |id| {
            self.waiting.iter().any(|command| command.id == id)
                || self.transfers.iter().any(|transfer| transfer.command.id == id)
        };
        let status = if is_pending(command.id) {
            Status::ID_CONFLICT
        } else if !is_right {
            Status::TRANSIENT_TRANSPORT_ERROR
        } else {
            match inline_data(command, data) {
                Ok(Some(data)) => {
                    self.execute(command, data, out);
                    return Ok(());
                }
                Ok(None) => {
                    self.waiting.push(*command);
                    self.ask(out);
                    return Ok(());
                }
                Err(status) => status,
            }
        };
        self.respond(command.id.get(), Answer::of(status, 0), out);
        Ok(())
    }

    /// Asks for data of commands that wait (TCP 3.3.2: R2T), as many as there is room for.
    fn ask(&mut self, out: &mut Vec<u8>) {
        while self.transfers.len() < TRANSFERS && !self.waiting.is_empty() {
            let command = self.waiting.remove(0);
            let length = command.sgl.length.get() as usize;
            let tag = self.next_tag;
            self.next_tag = self.next_tag.wrapping_add(1);
            let transfer = Transfer::new(command.id.get(), tag, 0, length as u32);
            pdu::append(out, kind::READY_TO_TRANSFER, &transfer, self.digests);
            let data = Vec::with_capacity(length);
            self.transfers.push(Incoming { command, tag, length, data, is_right: true });
        }
    }

    fn data(
        &mut self,
        header: &Transfer,
        data: &[u8],
        (is_right, is_last): (bool, bool),
        out: &mut Vec<u8>,
    ) -> Result<(), Fault> {
        let index = self.transfers.iter().position(|transfer| transfer.tag == header.tag.get());
        let index = index.ok_or(Fault::header(10))?;
        let transfer = &mut self.transfers[index];
        if transfer.command.id != header.command {
            return Err(Fault::header(8));
        }
        let end = transfer.data.len() + data.len();
        if header.offset.get() as usize != transfer.data.len() || end > transfer.length {
            return Err(Fault { status: FaultStatus::OutOfRange, field: 12 });
        }
        if header.length.get() as usize != data.len() || data.is_empty() {
            return Err(Fault::header(16));
        }
        if is_last != (end == transfer.length) {
            return Err(Fault::header(1));
        }
        transfer.is_right &= is_right;
        transfer.data.extend_from_slice(data);
        if is_last {
            let Incoming { command, data, is_right, .. } = self.transfers.remove(index);
            if is_right {
                self.execute(&command, &data, out);
            } else {
                self.respond(command.id.get(), Answer::of(Status::TRANSIENT_TRANSPORT_ERROR, 0), out);
            }
            self.ask(out);
        }
        Ok(())
    }

    /// Has the queue carry out a command, with room for its data in front of its completion.
    fn execute(&mut self, command: &Command, data: &[u8], out: &mut Vec<u8>) {
        if command.direction() != Direction::Out {
            // Without an answer it is an asynchronous event request, which waits.
            if let Some(answer) = self.queue.execute(command, data, &mut Vec::new()) {
                self.respond(command.id.get(), answer, out);
            }
            return;
        }
        let unit = DataUnit::begin(out, self.alignment, self.digests);
        let answer = self.queue.execute(command, &[], out).unwrap_or(Answer::of(Status::INTERNAL_ERROR, 0));
        let length = unit.length(out);
        let room = command.sgl.length.get() as usize;
        if length == 0 || answer.status != Status::SUCCESS {
            unit.cancel(out);
            return self.respond(command.id.get(), answer, out);
        }
        if length > room {
            unit.cancel(out);
            return self.respond(command.id.get(), Answer::of(Status::SGL_LENGTH_INVALID, 0), out);
        }
        // TCP 3.3.2: without flow control a unit of data may stand for its completion, too.
        let is_all = self.queue.knows_no_flow_control() && answer.result == 0;
        unit.end(out, command.id.get(), if is_all { flag::SUCCESS } else { 0 }, self.digests);
        if is_all {
            self.queue.take_entry();
        } else {
            self.respond(command.id.get(), answer, out);
        }
    }

    fn respond(&mut self, id: u16, answer: Answer, out: &mut Vec<u8>) {
        let head = self.queue.take_entry();
        let completion = Completion::new(id, head, answer.status, answer.result);
        pdu::append_response(out, &completion, self.digests);
    }
}

/// The data of a command, if they are in its capsule or if it has none; `None` if they come later.
fn inline_data<'a>(command: &Command, data: &'a [u8]) -> Result<Option<&'a [u8]>, Status> {
    if command.direction() != Direction::In {
        return Ok(Some(&[]));
    }
    let (sgl, length) = (&command.sgl, command.sgl.length.get() as usize);
    match sgl.kind {
        _ if length == 0 => Ok(Some(&[])),
        Sgl::IN_CAPSULE => {
            let begin = usize::try_from(sgl.address.get()).ok().filter(|&begin| begin <= CAPSULE_DATA_BYTES);
            let range = begin.and_then(|begin| data.get(begin..begin + length));
            range.map(Some).ok_or(Status::SGL_OFFSET_INVALID)
        }
        Sgl::TRANSPORT if length <= MOST_COMMAND_BYTES => Ok(None),
        Sgl::TRANSPORT => Err(Status::INVALID_FIELD),
        _ => Err(Status::SGL_TYPE_INVALID),
    }
}
