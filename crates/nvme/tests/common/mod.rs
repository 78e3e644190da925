//! A drive in memory, and a host that talks to a controller without sockets.
#![allow(dead_code, unreachable_pub)] // Each test file uses its own part.

use std::sync::{Arc, Mutex};

use rewear_nvme::subsystem::DISCOVERY;
use rewear_nvme::wire::pdu::{CommonHeader, Digests, Initialize, Transfer, flag, kind};
use rewear_nvme::wire::{Command, Completion, Sgl, Status, pdu};
use rewear_nvme::{Connection, Counters, Drive, DriveError, Identity, Placement, Subsystem};
use zerocopy::little_endian::{U16, U32};
use zerocopy::{FromBytes, IntoBytes};

pub const NAME: &str = "nqn.2026-11.local.rewear:test";
pub const BYTES: usize = 4 << 20;

/// Bytes, and what was asked of them.
#[derive(Default)]
pub struct Memory {
    pub bytes: Mutex<Vec<u8>>,
    pub log: Mutex<Vec<String>>,
    pub counters: Mutex<Counters>,
}

impl Memory {
    fn note(&self, text: String) {
        self.log.lock().unwrap().push(text);
    }

    pub fn noted(&self) -> Vec<String> {
        std::mem::take(&mut *self.log.lock().unwrap())
    }
}

impl Drive for Memory {
    fn read(&self, offset: u64, into: &mut [u8]) -> Result<(), DriveError> {
        let bytes = self.bytes.lock().unwrap();
        into.copy_from_slice(&bytes[offset as usize..offset as usize + into.len()]);
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8], stream: u8, durable: bool) -> Result<(), DriveError> {
        self.note(format!("write {offset} {} stream {stream} durable {durable}", data.len()));
        self.bytes.lock().unwrap()[offset as usize..offset as usize + data.len()].copy_from_slice(data);
        Ok(())
    }

    fn deallocate(&self, offset: u64, length: u64) -> Result<(), DriveError> {
        self.note(format!("deallocate {offset} {length}"));
        self.bytes.lock().unwrap()[offset as usize..(offset + length) as usize].fill(0);
        Ok(())
    }

    fn zero(&self, offset: u64, length: u64, may_forget: bool, durable: bool) -> Result<(), DriveError> {
        self.note(format!("zero {offset} {length} may_forget {may_forget} durable {durable}"));
        self.bytes.lock().unwrap()[offset as usize..(offset + length) as usize].fill(0);
        Ok(())
    }

    fn flush(&self) -> Result<(), DriveError> {
        self.note("flush".to_owned());
        Ok(())
    }

    fn update_handle(&self, handle: u8) -> Result<bool, DriveError> {
        self.note(format!("update handle {handle}"));
        // As if the units of all handles but the first were full.
        Ok(handle == 0)
    }

    fn counters(&self) -> Result<Counters, DriveError> {
        Ok(*self.counters.lock().unwrap())
    }
}

pub fn subsystem_with(block_bytes: u32, placement: Option<Placement>) -> (Arc<Subsystem>, Arc<Memory>) {
    let memory = Arc::new(Memory::default());
    memory.bytes.lock().unwrap().resize(BYTES, 0);
    memory.counters.lock().unwrap().spare_percent = 100;
    let identity = Identity {
        subsystem: NAME.to_owned(),
        model: "a model".to_owned(),
        serial: "a serial".to_owned(),
        firmware: "1.2.3".to_owned(),
        uuid: *b"sixteen letters.",
        capacity_bytes: BYTES as u64,
        block_bytes,
        page_bytes: 4096,
        placement,
    };
    (Arc::new(Subsystem::new(Arc::clone(&memory) as Arc<dyn Drive>, identity)), memory)
}

pub fn subsystem() -> (Arc<Subsystem>, Arc<Memory>) {
    subsystem_with(512, Some(Placement { handles: 4, is_persistent: true, unit_bytes: 1 << 20 }))
}

/// An answer to a command: its completion, and its data.
pub struct Reply {
    pub status: u16,
    pub result: u64,
    pub head: u16,
    pub data: Vec<u8>,
}

/// A host's side of one connection.
pub struct Host {
    pub connection: Connection,
    pub digests: Digests,
    /// Bytes received and not looked at.
    pub inbox: Vec<u8>,
    next_id: u16,
}

impl Host {
    /// A connection on which digests are agreed.
    pub fn open(subsystem: &Arc<Subsystem>, digests: Digests, alignment: u8) -> Host {
        let connection = Connection::new(Arc::clone(subsystem), "127.0.0.1:4420".parse().unwrap());
        let mut host = Host { connection, digests: Digests::default(), inbox: Vec::new(), next_id: 1 };
        let mut out = Vec::new();
        pdu::append(
            &mut out,
            kind::INITIALIZE_REQUEST,
            &Initialize::new(alignment, digests, 0),
            Digests::default(),
        );
        host.send(&out);
        let (header, body) = host.next_unit().unwrap();
        assert_eq!(header.kind, kind::INITIALIZE_RESPONSE);
        assert_eq!(body.len(), 120);
        host.digests = digests;
        host
    }

    pub fn send(&mut self, bytes: &[u8]) {
        let mut rest = bytes.to_vec();
        loop {
            let taken = self.connection.receive(&rest, &mut self.inbox).unwrap();
            rest.drain(..taken);
            if taken == 0 {
                break;
            }
        }
        assert!(rest.is_empty(), "{} bytes were not taken", rest.len());
    }

    /// The next unit: its header and what follows, without digests and padding.
    pub fn next_unit(&mut self) -> Option<(CommonHeader, Vec<u8>)> {
        let (header, _) = CommonHeader::read_from_prefix(&self.inbox).ok()?;
        let unit: Vec<u8> = self.inbox.drain(..header.bytes.get() as usize).collect();
        let end = usize::from(header.header_bytes);
        if header.flags & flag::HEADER_DIGEST != 0 {
            assert_eq!(pdu::digest(&unit[..end]), unit[end..end + 4], "digest of a header");
        }
        let mut body = unit[8..end].to_vec();
        if header.data_offset > 0 {
            let tail = if header.flags & flag::DATA_DIGEST != 0 { 4 } else { 0 };
            let data = &unit[usize::from(header.data_offset)..unit.len() - tail];
            assert!(tail == 0 || pdu::digest(data) == unit[unit.len() - 4..], "digest of data");
            body.extend_from_slice(data);
        }
        Some((header, body))
    }

    /// A unit with data.
    pub fn unit(&self, kind: u8, body: &[u8], data: &[u8], flags: u8) -> Vec<u8> {
        let begin = 8 + body.len() + if self.digests.header { 4 } else { 0 };
        let (has_data, tail) = (!data.is_empty(), if self.digests.data && !data.is_empty() { 4 } else { 0 });
        let header = CommonHeader {
            kind,
            flags: flags | u8::from(self.digests.header) | if tail > 0 { flag::DATA_DIGEST } else { 0 },
            header_bytes: 8 + body.len() as u8,
            data_offset: if has_data { begin as u8 } else { 0 },
            bytes: U32::new((begin + data.len() + tail) as u32),
        };
        let mut unit = header.as_bytes().to_vec();
        unit.extend_from_slice(body);
        if self.digests.header {
            unit.extend(pdu::digest(&unit));
        }
        unit.extend_from_slice(data);
        if tail > 0 {
            unit.extend(pdu::digest(data));
        }
        unit
    }

    /// Runs a command to its end: with data in the capsule, or as the controller asks for them.
    pub fn run(&mut self, mut command: Command, data: &[u8], in_capsule: bool) -> Reply {
        command.id = U16::new(self.next_id);
        self.next_id += 1;
        let kind_of_sgl = if in_capsule { Sgl::IN_CAPSULE } else { Sgl::TRANSPORT };
        if !data.is_empty() {
            command.sgl = Sgl::new(kind_of_sgl, data.len() as u32);
        }
        let inline = if in_capsule { data } else { &[] };
        let unit = self.unit(kind::COMMAND, command.as_bytes(), inline, 0);
        self.send(&unit);
        self.finish(command.id.get(), data)
    }

    /// Answers what the controller asks for until a command has ended.
    pub fn finish(&mut self, id: u16, data: &[u8]) -> Reply {
        let mut received = Vec::new();
        loop {
            let (header, body) = self.next_unit().expect("a command ends");
            match header.kind {
                kind::READY_TO_TRANSFER => {
                    let asked = Transfer::read_from_bytes(&body).unwrap();
                    assert_eq!(asked.command.get(), id);
                    self.transfer(&asked, data, 100_000);
                }
                kind::CONTROLLER_DATA => {
                    let transfer = Transfer::read_from_bytes(&body[..16]).unwrap();
                    assert_eq!(
                        (transfer.command.get(), transfer.length.get() as usize),
                        (id, body.len() - 16)
                    );
                    received.extend_from_slice(&body[16..]);
                    if header.flags & flag::SUCCESS != 0 {
                        return Reply { status: 0, result: 0, head: u16::MAX, data: received };
                    }
                }
                kind::RESPONSE => {
                    let completion = Completion::read_from_bytes(&body).unwrap();
                    assert_eq!(completion.id.get(), id);
                    return Reply {
                        status: completion.status.get() >> 1 & 0x7ff,
                        result: completion.result.get(),
                        head: completion.queue_head.get(),
                        data: received,
                    };
                }
                other => panic!("a unit of type {other}: {body:?}"),
            }
        }
    }

    /// Sends what was asked for, in units of at most so many bytes.
    pub fn transfer(&mut self, asked: &Transfer, data: &[u8], most: usize) {
        let (begin, length) = (asked.offset.get() as usize, asked.length.get() as usize);
        let data = &data[begin..begin + length];
        for (index, part) in data.chunks(most).enumerate() {
            let at = index * most;
            let last = if at + part.len() == length { flag::LAST } else { 0 };
            let body =
                Transfer::new(asked.command.get(), asked.tag.get(), (begin + at) as u32, part.len() as u32);
            let unit = self.unit(kind::HOST_DATA, body.as_bytes(), part, last);
            self.send(&unit);
        }
    }
}

/// Connect's command and data.
pub fn connect(queue: u16, entries: u16, controller: u16, name: &str) -> (Command, Vec<u8>) {
    let mut command = Command::new(0x7f, 0);
    command.namespace = U32::new(1);
    command.dwords[0] = U32::new(u32::from(queue) << 16);
    command.dwords[1] = U32::new(u32::from(entries - 1));
    command.dwords[2] = U32::new(if queue == 0 { 15_000 } else { 0 });
    let mut data = vec![0; 1024];
    data[..16].copy_from_slice(&[7; 16]);
    data[16..18].copy_from_slice(&controller.to_le_bytes());
    data[256..256 + name.len()].copy_from_slice(name.as_bytes());
    data[512..516].copy_from_slice(b"host");
    (command, data)
}

pub fn property_set(value: u32) -> Command {
    let mut command = Command::new(0x7f, 0);
    command.dwords[1] = U32::new(0x14);
    command.dwords[2] = U32::new(value);
    command
}

pub fn property_get(offset: u32, is_wide: bool) -> Command {
    let mut command = Command::new(0x7f, 0);
    command.namespace = U32::new(4);
    command.dwords[0] = U32::new(u32::from(is_wide));
    command.dwords[1] = U32::new(offset);
    command
}

/// A command that reads data, with its dwords from 10 on.
pub fn asks(opcode: u8, namespace: u32, dwords: &[u32], bytes: u32) -> Command {
    let mut command = Command::new(opcode, 0);
    command.namespace = U32::new(namespace);
    for (to, &dword) in command.dwords.iter_mut().zip(dwords) {
        *to = U32::new(dword);
    }
    command.sgl = Sgl::new(Sgl::TRANSPORT, bytes);
    command
}

/// A controller that is enabled, and its number.
pub fn admin(subsystem: &Arc<Subsystem>, digests: Digests) -> (Host, u16) {
    let mut host = Host::open(subsystem, digests, 0);
    let (command, data) = connect(0, 32, 0xffff, NAME);
    let reply = host.run(command, &data, true);
    assert_eq!(reply.status, 0);
    assert_eq!(host.run(property_set(0x46_0001), &[], true).status, 0);
    assert_eq!(host.run(property_get(0x1c, false), &[], true).result, 1);
    (host, reply.result as u16)
}

pub fn discovery(subsystem: &Arc<Subsystem>) -> Host {
    let mut host = Host::open(subsystem, Digests::default(), 0);
    let (command, data) = connect(0, 32, 0xffff, DISCOVERY);
    assert_eq!(host.run(command, &data, true).status, 0);
    assert_eq!(host.run(property_set(1), &[], true).status, 0);
    host
}

/// An I/O queue of a controller.
pub fn io_queue(subsystem: &Arc<Subsystem>, controller: u16, queue: u16, digests: Digests) -> Host {
    let mut host = Host::open(subsystem, digests, 0);
    let (command, data) = connect(queue, 64, controller, NAME);
    assert_eq!(host.run(command, &data, true).status, 0);
    host
}

/// A controller and its first I/O queue.
pub fn connected(subsystem: &Arc<Subsystem>) -> (Host, Host) {
    let (admin, controller) = admin(subsystem, Digests::default());
    let io = io_queue(subsystem, controller, 1, Digests::default());
    (admin, io)
}

/// An I/O command on blocks.
pub fn blocks(opcode: u8, first: u64, count: u32) -> Command {
    asks(opcode, 1, &[first as u32, (first >> 32) as u32, count - 1], count * 512)
}

pub fn code(status: Status) -> u16 {
    status.code()
}
