//! Connecting: Connect, properties, discovery, and what ends a controller.

use std::time::Duration;

use rewear_nvme::subsystem::DISCOVERY;
use rewear_nvme::wire::pdu::{Digests, kind};
use rewear_nvme::wire::{Command, Status};
use zerocopy::IntoBytes;
use zerocopy::little_endian::U32;

use crate::common::*;

const NONE: Digests = Digests { header: false, data: false };

#[test]
fn a_host_connects_enables_and_learns_the_capabilities() {
    let (subsystem, memory) = subsystem();
    let (mut host, id) = admin(&subsystem, NONE);
    assert_eq!((id, subsystem.controllers()), (1, 1));
    let capabilities = host.run(property_get(0, true), &[], true).result;
    assert_eq!(capabilities & 0xffff, 127, "entries of a queue, counted from 0");
    assert_eq!(capabilities >> 37 & 1, 1, "the NVM command set");
    assert_eq!(host.run(property_get(8, false), &[], true).result, 0x2_0000);
    assert_eq!(host.run(property_get(8, true), &[], true).status, code(Status::INVALID_FIELD), "of 8 bytes");
    // A shutdown flushes; the status says when it is over.
    assert_eq!(host.run(property_set(0x46_4001), &[], true).status, 0);
    assert_eq!(host.run(property_get(0x1c, false), &[], true).result >> 2 & 3, 2);
    assert_eq!(memory.noted(), ["flush"]);
    // A reset, after which commands are refused.
    assert_eq!(host.run(property_set(0), &[], true).status, 0);
    assert_eq!(host.run(property_get(0x1c, false), &[], true).result & 1, 0);
    assert_eq!(host.run(asks(6, 0, &[1], 4096), &[], true).status, code(Status::SEQUENCE_ERROR));
}

#[test]
fn a_wrong_connect_names_the_field() {
    let (subsystem, _) = subsystem();
    let (_admin, id) = admin(&subsystem, NONE);
    let refused = |queue, entries, controller, name: &str| {
        let mut host = Host::open(&subsystem, NONE, 0);
        let (command, data) = connect(queue, entries, controller, name);
        let reply = host.run(command, &data, true);
        assert_eq!(reply.status, code(Status::CONNECT_INVALID_PARAMETERS));
        reply.result
    };
    const DATA: u64 = 1 << 16;
    assert_eq!(refused(0, 32, 0xffff, "nqn.2014-08.org:another"), DATA | 256, "subsystem");
    assert_eq!(refused(0, 32, 5, NAME), DATA | 16, "a controller of the host's choice");
    assert_eq!(refused(1, 32, id + 1, NAME), DATA | 16, "a controller that there is not");
    assert_eq!(refused(0, 129, 0xffff, NAME), 44, "too many entries");
    assert_eq!(refused(65, 32, id, NAME), 42, "a queue beyond the last");
    let _io = io_queue(&subsystem, id, 1, NONE);
    assert_eq!(refused(1, 32, id, NAME), 42, "a queue that is taken");
    let mut host = Host::open(&subsystem, NONE, 0);
    let (command, mut data) = connect(1, 32, id, NAME);
    data[0] ^= 1;
    assert_eq!(host.run(command, &data, true).result, DATA | 16, "another host's controller");
    let (command, data) = connect(0, 32, 0xffff, NAME);
    assert_eq!(host.run(command, &data[..1000], true).status, code(Status::SGL_LENGTH_INVALID));
    assert_eq!(host.run(Command::new(0, 0), &[], true).status, code(Status::SEQUENCE_ERROR), "no queue yet");
}

#[test]
fn a_controller_ends_with_its_admin_queue() {
    let (subsystem, _) = subsystem();
    let (admin, mut io) = connected(&subsystem);
    assert_eq!(io.run(blocks(2, 0, 1), &[], true).status, 0);
    drop(admin);
    assert_eq!(subsystem.controllers(), 0);
    assert!(io.connection.receive(&[], &mut Vec::new()).is_err(), "the I/O queue ends, too");
}

#[test]
fn a_queue_that_was_left_can_be_taken_again() {
    let (subsystem, _) = subsystem();
    let (_admin, id) = admin(&subsystem, NONE);
    drop(io_queue(&subsystem, id, 1, NONE));
    let mut io = io_queue(&subsystem, id, 1, NONE);
    assert_eq!(io.run(blocks(2, 0, 1), &[], true).status, 0);
}

#[test]
fn a_silent_host_loses_its_controller() {
    let (subsystem, _) = subsystem();
    let (mut host, _) = admin(&subsystem, NONE);
    let mut out = Vec::new();
    host.connection.tick(Duration::from_secs(29), &mut out).unwrap();
    assert!(host.connection.tick(Duration::from_secs(31), &mut out).is_err(), "twice 15 seconds");
}

#[test]
fn discovery_names_the_subsystem_at_the_address_that_was_reached() {
    let (subsystem, _) = subsystem();
    let mut host = discovery(&subsystem);
    let page = host.run(asks(6, 0, &[1], 4096), &[], true).data;
    assert_eq!(page[111], 2, "a discovery controller");
    assert_eq!(
        host.run(asks(6, 1, &[0], 4096), &[], true).status,
        code(Status::INVALID_FIELD),
        "no namespaces"
    );
    let log = host.run(asks(2, 0, &[0x70 | 511 << 16], 2048), &[], true).data;
    assert_eq!(log[8], 1, "one record");
    assert_eq!(log[1024..1027], [3, 1, 2], "TCP, IPv4, an NVM subsystem");
    assert!(log[1056..].starts_with(b"4420    "));
    assert!(log[1280..].starts_with(format!("{NAME}\0").as_bytes()));
    assert!(log[1536..].starts_with(b"127.0.0.1   "));
    assert_eq!(host.run(asks(2, 0, &[2 | 127 << 16], 512), &[], true).status, code(Status::INVALID_LOG_PAGE));
    assert_eq!(host.run(Command::new(0x18, 0), &[], true).status, 0, "keep alive");
    assert_eq!(host.run(Command::new(0x08, 0), &[], true).status, code(Status::INVALID_OPCODE));
}

#[test]
fn features_are_kept_until_a_reset() {
    let (subsystem, _) = subsystem();
    let (mut host, _) = admin(&subsystem, NONE);
    let set = |id: u32, value: u32| asks(9, 0, &[id, value], 0);
    assert_eq!(host.run(set(7, 3 << 16 | 3), &[], true).result, 63 << 16 | 63, "queues that there are");
    assert_eq!(host.run(set(7, 0xffff), &[], true).status, code(Status::INVALID_FIELD));
    assert_eq!(host.run(set(0x0b, 1), &[], true).status, 0);
    assert_eq!(host.run(asks(10, 0, &[0x0b], 0), &[], true).result, 1);
    assert_eq!(host.run(asks(10, 0, &[0x0b | 1 << 8], 0), &[], true).result, 0, "the default");
    assert_eq!(host.run(asks(10, 0, &[0x0b | 3 << 8], 0), &[], true).result, 4, "it can be changed");
    assert_eq!(host.run(asks(10, 0, &[6], 0), &[], true).result, 1, "a write cache");
    assert_eq!(host.run(set(6, 0), &[], true).status, code(Status::FEATURE_NOT_CHANGEABLE));
    assert_eq!(host.run(set(1 << 31 | 0x0b, 1), &[], true).status, code(Status::FEATURE_NOT_SAVEABLE));
    let id = host.run(asks(10, 0, &[0x81, 1], 16), &[], true).data;
    assert_eq!(id, [7; 16]);
    let mut behavior = vec![0; 512];
    behavior[0] = 1;
    let mut command = set(0x16, 0);
    command.opcode = 9;
    assert_eq!(host.run(command, &behavior, true).status, 0);
    assert_eq!(host.run(asks(10, 0, &[0x16], 512), &[], true).data, behavior);
    host.run(property_set(0), &[], true);
    host.run(property_set(0x46_0001), &[], true);
    assert_eq!(host.run(asks(10, 0, &[0x0b], 0), &[], true).result, 0);
}

#[test]
fn a_warning_answers_an_event_request_once() {
    let (subsystem, memory) = subsystem();
    let (mut host, _) = admin(&subsystem, NONE);
    host.run(asks(9, 0, &[0x0b, 1], 0), &[], true);
    let mut request = Command::new(0x0c, 77);
    request.namespace = U32::new(0);
    let unit = host.unit(kind::COMMAND, request.as_bytes(), &[], 0);
    host.send(&unit);
    host.connection.tick(Duration::ZERO, &mut host.inbox).unwrap();
    assert!(host.inbox.is_empty(), "all is well");
    memory.counters.lock().unwrap().spare_percent = 9;
    host.connection.tick(Duration::ZERO, &mut host.inbox).unwrap();
    let reply = host.finish(77, &[]);
    assert_eq!((reply.status, reply.result), (0, 0x02_0201), "spare below its threshold; log page 2");
    host.send(&unit);
    host.connection.tick(Duration::ZERO, &mut host.inbox).unwrap();
    assert!(host.inbox.is_empty(), "the host was told and has not looked");
    assert_eq!(host.run(asks(2, 1, &[2 | 127 << 16], 512), &[], true).data[0], 1);
    host.connection.tick(Duration::ZERO, &mut host.inbox).unwrap();
    assert_eq!(host.finish(77, &[]).status, 0, "told again");
    for id in 100..104 {
        let unit = host.unit(kind::COMMAND, Command::new(0x0c, id).as_bytes(), &[], 0);
        host.send(&unit);
    }
    assert!(host.inbox.is_empty());
    assert_eq!(host.run(Command::new(0x0c, 0), &[], true).status, code(Status::AER_LIMIT_EXCEEDED));
    // An abort ends a request that waits on the admin queue, once, and makes room for another.
    assert_eq!(host.run(asks(8, 0, &[101 << 16 | 1], 0), &[], true).result, 1, "of another queue");
    assert_eq!(host.run(asks(8, 0, &[99 << 16], 0), &[], true).result, 1, "no such request");
    assert_eq!(host.run(asks(8, 0, &[101 << 16], 0), &[], true).result, 0);
    host.connection.tick(Duration::ZERO, &mut host.inbox).unwrap();
    assert_eq!(host.finish(101, &[]).status, code(Status::ABORTED));
    assert_eq!(host.run(asks(8, 0, &[101 << 16], 0), &[], true).result, 1, "it has ended");
    let again = host.unit(kind::COMMAND, Command::new(0x0c, 104).as_bytes(), &[], 0);
    host.send(&again);
    host.connection.tick(Duration::ZERO, &mut host.inbox).unwrap();
    assert!(host.inbox.is_empty(), "it waits");
}

#[test]
fn discovery_takes_no_place_of_hosts() {
    let (subsystem, _) = subsystem();
    let discovers = |_| {
        let mut host = Host::open(&subsystem, Digests::default(), 0);
        let (mut command, data) = connect(0, 32, 0xffff, DISCOVERY);
        command.dwords[2] = U32::new(0);
        assert_eq!(host.run(command, &data, true).status, 0);
        host
    };
    let mut asking: Vec<Host> = (0..100).map(discovers).collect();
    assert_eq!(subsystem.controllers(), 16, "the oldest made room");
    let (_admin, controller) = admin(&subsystem, Digests::default());
    let _io = io_queue(&subsystem, controller, 1, Digests::default());
    let two_minutes = Duration::from_secs(120);
    let ended = |host: &mut Host, silence| host.connection.tick(silence, &mut Vec::new()).is_err();
    assert!(ended(&mut asking[0], Duration::ZERO));
    assert!(!ended(&mut asking[99], two_minutes));
    assert!(ended(&mut asking[99], two_minutes + Duration::from_millis(1)), "without a keep-alive");
    drop(asking);
    assert_eq!(subsystem.controllers(), 1);
}

#[test]
fn one_peer_leaves_controllers_to_others() {
    let (subsystem, _) = subsystem();
    let peer = |last: u8| std::net::IpAddr::from([10, 0, 0, last]);
    let mut hosts = Vec::new();
    let mut create = |peer| {
        let mut host = Host::open(&subsystem, Digests::default(), 0);
        host.connection = host.connection.from_peer(peer);
        let (command, data) = connect(0, 32, 0xffff, NAME);
        let status = host.run(command, &data, true).status;
        hosts.push(host);
        status
    };
    let made = (0..64).filter(|_| create(peer(1)) == 0).count();
    assert_eq!(made, 48);
    assert_eq!(create(peer(1)), code(Status::CONTROLLER_BUSY));
    assert_eq!(create(peer(2)), 0);
}
