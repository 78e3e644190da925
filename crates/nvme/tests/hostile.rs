//! Hosts that break the protocol: they get a termination request and lose their connection, or a
//! status; nothing panics.

use rewear_nvme::Connection;
use rewear_nvme::wire::pdu::{Digests, FaultStatus, Initialize, MOST_DATA_BYTES, Transfer, flag, kind};
use rewear_nvme::wire::{Command, Status, pdu};
use zerocopy::little_endian::U16;
use zerocopy::{FromBytes, IntoBytes};

use crate::common::*;

/// A controller's answer to a fault.
fn terminated(host: &mut Host, bytes: &[u8]) -> (u16, u32) {
    host.inbox.clear();
    assert!(host.connection.receive(bytes, &mut host.inbox).is_err(), "the connection ends");
    let (header, body) = host.next_unit().unwrap();
    assert_eq!(header.kind, kind::CONTROLLER_TERMINATE);
    (u16::from_le_bytes([body[0], body[1]]), u32::from_le_bytes(body[2..6].try_into().unwrap()))
}

const fn status(status: FaultStatus) -> u16 {
    status as u16
}

#[test]
fn headers_that_cannot_be() {
    let (subsystem, _) = subsystem();
    let (_admin, id) = admin(&subsystem, Digests::default());
    let mut queue = 0;
    let mut fault = |change: &dyn Fn(&mut Vec<u8>)| {
        queue += 1;
        let mut host = io_queue(&subsystem, id, queue, Digests::default());
        let mut unit = host.unit(kind::COMMAND, blocks(1, 0, 1).as_bytes(), &[1; 512], 0);
        change(&mut unit);
        terminated(&mut host, &unit)
    };
    let header = status(FaultStatus::InvalidHeader);
    assert_eq!(fault(&|unit| unit[0] = 0x2f), (header, 0), "type");
    assert_eq!(fault(&|unit| unit[0] = kind::RESPONSE), (header, 0), "a controller's type");
    assert_eq!(fault(&|unit| unit[1] |= flag::HEADER_DIGEST), (header, 1), "a digest that was not agreed on");
    assert_eq!(fault(&|unit| unit[1] |= flag::DATA_DIGEST), (header, 1));
    assert_eq!(fault(&|unit| unit[2] = 71), (header, 2), "header length");
    assert_eq!(fault(&|unit| unit[3] = 71), (header, 3), "data offset in the header");
    assert_eq!(fault(&|unit| unit[3] = 255), (header, 3), "data offset that is not aligned");
    assert_eq!(fault(&|unit| unit[4..8].fill(0)), (header, 4), "length");
    assert_eq!(fault(&|unit| unit[4..8].fill(0xff)), (status(FaultStatus::LimitExceeded), 4));
    assert_eq!(fault(&|unit| unit[0] = kind::INITIALIZE_REQUEST), (header, 2));
}

#[test]
fn units_out_of_sequence() {
    let (subsystem, _) = subsystem();
    let sequence = (status(FaultStatus::SequenceError), 0);
    let request = |version: u16, alignment: u8| {
        let mut request = Initialize::new(alignment, Digests::default(), 0);
        request.version = U16::new(version);
        let mut out = Vec::new();
        pdu::append(&mut out, kind::INITIALIZE_REQUEST, &request, Digests::default());
        out
    };
    let mut host = Host::open(&subsystem, Digests::default(), 0);
    assert_eq!(terminated(&mut host, &request(0, 0)), sequence, "a second ICReq");
    let fresh = || Connection::new(subsystem.clone(), "127.0.0.1:1".parse().unwrap());
    host.connection = fresh();
    let command = host.unit(kind::COMMAND, Command::new(0, 0).as_bytes(), &[], 0);
    assert_eq!(terminated(&mut host, &command), sequence, "a command before ICReq");
    host.connection = fresh();
    assert_eq!(terminated(&mut host, &request(1, 0)), (status(FaultStatus::Unsupported), 8), "version");
    host.connection = fresh();
    assert_eq!(terminated(&mut host, &request(0, 32)), (status(FaultStatus::InvalidHeader), 10), "alignment");
    host.connection = fresh();
    host.send(&request(0, 0));
    let end = host.unit(kind::HOST_TERMINATE, &[0; 16], &[], 0);
    host.inbox.clear();
    assert!(host.connection.receive(&end, &mut host.inbox).is_err() && host.inbox.is_empty());
}

#[test]
fn digests_that_are_wrong() {
    let (subsystem, memory) = subsystem();
    let digests = Digests { header: true, data: true };
    let (_admin, id) = admin(&subsystem, digests);
    let mut host = io_queue(&subsystem, id, 1, digests);
    let mut unit = host.unit(kind::COMMAND, blocks(1, 0, 1).as_bytes(), &[1; 512], 0);
    *unit.last_mut().unwrap() ^= 1;
    host.send(&unit);
    assert_eq!(host.finish(0, &[]).status, code(Status::TRANSIENT_TRANSPORT_ERROR), "data");
    assert_eq!(memory.noted(), Vec::<String>::new());
    unit[72] ^= 1;
    assert_eq!(terminated(&mut host, &unit).0, status(FaultStatus::HeaderDigest));
}

#[test]
fn transfers_that_were_not_asked_for() {
    let (subsystem, memory) = subsystem();
    let (_admin, id) = admin(&subsystem, Digests::default());
    let mut queue = 0;
    let mut fault = |data: &[u8], change: &dyn Fn(&mut [u32; 4], &mut u8)| {
        queue += 1;
        let mut host = io_queue(&subsystem, id, queue, Digests::default());
        let mut command = blocks(1, 0, 64);
        command.sgl.kind = rewear_nvme::wire::Sgl::TRANSPORT;
        let unit = host.unit(kind::COMMAND, command.as_bytes(), &[], 0);
        host.send(&unit);
        let (_, body) = host.next_unit().unwrap();
        let asked = Transfer::read_from_bytes(&body).unwrap();
        assert_eq!(asked.length.get(), 64 * 512);
        let mut fields = [0, u32::from(asked.tag.get()), 0, data.len() as u32];
        let mut flags = flag::LAST;
        change(&mut fields, &mut flags);
        let body = Transfer::new(fields[0] as u16, fields[1] as u16, fields[2], fields[3]);
        let unit = host.unit(kind::HOST_DATA, body.as_bytes(), data, flags);
        terminated(&mut host, &unit)
    };
    let whole = [1; 64 * 512];
    let header = status(FaultStatus::InvalidHeader);
    assert_eq!(fault(&whole, &|fields, _| fields[0] = 9), (header, 8), "command");
    assert_eq!(fault(&whole, &|fields, _| fields[1] ^= 1), (header, 10), "tag");
    assert_eq!(fault(&whole, &|fields, _| fields[2] = 4), (status(FaultStatus::OutOfRange), 12), "offset");
    assert_eq!(fault(&whole, &|fields, _| fields[3] = 4), (header, 16), "length");
    assert_eq!(fault(&[1; 33_280], &|_, _| {}), (status(FaultStatus::OutOfRange), 12), "too much");
    assert_eq!(fault(&whole[..512], &|_, _| {}), (header, 1), "the last one comes too early");
    assert_eq!(fault(&whole, &|_, flags| *flags = 0), (header, 1), "it does not say that it is the last");
    let too_long = vec![1; MOST_DATA_BYTES + 4];
    assert_eq!(fault(&too_long, &|_, _| {}), (status(FaultStatus::LimitExceeded), 4));
    assert_eq!(memory.noted(), Vec::<String>::new());
}

#[test]
fn more_commands_than_the_queue_has_entries() {
    let (subsystem, _) = subsystem();
    let (_admin, mut host) = connected(&subsystem);
    let command = |id: u16| {
        let mut command = blocks(1, 0, 64);
        (command.sgl.kind, command.id) = (rewear_nvme::wire::Sgl::TRANSPORT, U16::new(id));
        command
    };
    for id in 0..64 {
        let unit = host.unit(kind::COMMAND, command(id).as_bytes(), &[], 0);
        host.send(&unit);
    }
    let mut asked = 0;
    while host.next_unit().is_some() {
        asked += 1;
    }
    assert_eq!(asked, 8, "transfers at a time");
    let again = host.unit(kind::COMMAND, command(64).as_bytes(), &[], 0);
    assert_eq!(terminated(&mut host, &again).0, status(FaultStatus::SequenceError));
}

#[test]
fn an_identifier_in_use_is_refused() {
    let (subsystem, _) = subsystem();
    let (_admin, mut host) = connected(&subsystem);
    let mut command = blocks(1, 0, 64);
    (command.sgl.kind, command.id) = (rewear_nvme::wire::Sgl::TRANSPORT, U16::new(3));
    let unit = host.unit(kind::COMMAND, command.as_bytes(), &[], 0);
    host.send(&unit);
    let (_, body) = host.next_unit().unwrap();
    host.send(&unit);
    assert_eq!(host.finish(3, &[]).status, code(Status::ID_CONFLICT));
    host.transfer(&Transfer::read_from_bytes(&body).unwrap(), &[7; 64 * 512], 5000);
    assert_eq!(host.finish(3, &[]).status, 0, "the first goes on");
}

#[test]
fn answers_are_bounded() {
    let (subsystem, _) = subsystem();
    let (_admin, mut host) = connected(&subsystem);
    let unit = host.unit(kind::COMMAND, blocks(2, 0, 1024).as_bytes(), &[], 0);
    let many = unit.repeat(1000);
    let mut out = Vec::new();
    let taken = host.connection.receive(&many, &mut out).unwrap();
    assert!(out.len() < 2 << 20 && taken == 2 * unit.len(), "{} bytes for {taken} taken", out.len());
}
