//! Reads, writes and the other commands of I/O queues.

use rewear_nvme::Placement;
use rewear_nvme::wire::pdu::Digests;
use rewear_nvme::wire::{Command, Sgl, Status};
use zerocopy::little_endian::U32;

use crate::common::*;

fn pattern(bytes: usize, seed: u8) -> Vec<u8> {
    (0..bytes).map(|at| (at / 512) as u8 ^ (at as u8).wrapping_mul(31) ^ seed).collect()
}

#[test]
fn data_come_in_the_capsule_or_when_asked_for_under_all_digests() {
    for digests in [(false, false), (true, false), (false, true), (true, true)] {
        let digests = Digests { header: digests.0, data: digests.1 };
        for alignment in [0, 31] {
            let (subsystem, memory) = subsystem();
            let (_admin, id) = admin(&subsystem, digests);
            let mut host = io_queue(&subsystem, id, 1, digests);
            host = {
                drop(host);
                let mut aligned = Host::open(&subsystem, digests, alignment);
                let (command, data) = connect(1, 64, id, NAME);
                assert_eq!(aligned.run(command, &data, false).status, 0, "Connect by a transfer");
                aligned
            };
            for (count, in_capsule) in [(1, true), (32, true), (8, false), (1024, false)] {
                let data = pattern(count as usize * 512, count as u8);
                assert_eq!(host.run(blocks(1, 5, count), &data, in_capsule).status, 0);
                let read = host.run(blocks(2, 5, count), &[], true);
                assert!(read.status == 0 && read.data == data, "{count} blocks, {digests:?}");
            }
            assert_eq!(memory.noted().len(), 4);
        }
    }
}

#[test]
fn places_beyond_the_end_and_wrong_lengths_are_refused() {
    let (subsystem, memory) = subsystem();
    let (_admin, mut host) = connected(&subsystem);
    let last = BYTES as u64 / 512;
    let out_of_range = code(Status::LBA_OUT_OF_RANGE);
    assert_eq!(host.run(blocks(2, last - 1, 1), &[], true).status, 0);
    for (first, count) in [(last, 1), (last - 1, 2), (u64::MAX, 1), (u64::MAX - 3, 8)] {
        assert_eq!(host.run(blocks(2, first, count), &[], true).status, out_of_range);
        let data = vec![1; count as usize * 512];
        assert_eq!(host.run(blocks(1, first, count), &data, true).status, out_of_range);
    }
    assert_eq!(host.run(blocks(2, 0, 1025), &[], true).status, code(Status::INVALID_FIELD), "more than MDTS");
    assert_eq!(host.run(blocks(1, 0, 2), &[1; 512], true).status, code(Status::SGL_LENGTH_INVALID));
    let mut short = blocks(2, 0, 2);
    short.sgl = Sgl::new(Sgl::TRANSPORT, 512);
    assert_eq!(host.run(short, &[], true).status, code(Status::SGL_LENGTH_INVALID));
    let mut elsewhere = blocks(2, 0, 1);
    elsewhere.namespace = U32::new(2);
    assert_eq!(host.run(elsewhere, &[], true).status, code(Status::INVALID_NAMESPACE));
    assert_eq!(host.run(Command { namespace: U32::new(1), ..Command::new(0x70, 0) }, &[], true).status, 1);
    let mut fused = blocks(2, 0, 1);
    fused.flags |= 1;
    assert_eq!(host.run(fused, &[], true).status, code(Status::INVALID_FIELD));
    assert_eq!(memory.noted(), Vec::<String>::new(), "nothing was written");
}

#[test]
fn every_command_reaches_the_drive() {
    let (subsystem, memory) = subsystem();
    let (_admin, mut host) = connected(&subsystem);
    let data = pattern(4096, 3);
    let mut durable = blocks(1, 8, 8);
    durable.dwords[2] = U32::new(7 | 1 << 30);
    assert_eq!(host.run(durable, &data, true).status, 0);
    assert_eq!(host.run(blocks(5, 8, 8), &data, true).status, 0, "compare");
    let mut other = data.clone();
    other[4095] ^= 1;
    assert_eq!(host.run(blocks(5, 8, 8), &other, true).status, code(Status::COMPARE_FAILURE));
    assert_eq!(host.run(blocks(0x0c, 0, 4096), &[], true).status, 0, "verify");
    assert_eq!(host.run(asks(0, u32::MAX, &[], 0), &[], true).status, 0, "flush");
    assert_eq!(host.run(blocks(8, 8, 2), &[], true).status, 0, "write zeroes");
    let mut forgotten = blocks(8, 10, 2);
    forgotten.dwords[2] = U32::new(1 | 1 << 25);
    assert_eq!(host.run(forgotten, &[], true).status, 0);
    let mut ranges = vec![0; 32];
    ranges[4..16].copy_from_slice(&[4, 0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0]);
    ranges[20..32].copy_from_slice(&[8, 0, 0, 0, 64, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(host.run(asks(9, 1, &[1, 4], 0), &ranges, true).status, 0, "deallocate");
    assert_eq!(host.run(asks(9, 1, &[1, 1], 0), &ranges, true).status, 0, "a hint");
    assert_eq!(host.run(asks(9, 1, &[2, 4], 0), &ranges, true).status, code(Status::SGL_LENGTH_INVALID));
    ranges[24..32].fill(0xff);
    assert_eq!(host.run(asks(9, 1, &[1, 4], 0), &ranges, true).status, code(Status::LBA_OUT_OF_RANGE));
    assert_eq!(
        memory.noted(),
        [
            "write 4096 4096 stream 0 durable true",
            "flush",
            "zero 4096 1024 may_forget false durable false",
            "zero 5120 1024 may_forget true durable false",
            "deallocate 6144 2048",
            "deallocate 32768 4096",
        ]
    );
}

#[test]
fn blocks_of_4096_bytes() {
    let (subsystem, memory) = subsystem_with(4096, None);
    let (mut admin, mut host) = connected(&subsystem);
    let page = admin.run(asks(6, 1, &[0], 4096), &[], true).data;
    assert_eq!((page[130], page[0..8].to_vec()), (12, (BYTES as u64 / 4096).to_le_bytes().to_vec()));
    assert_eq!(host.run(asks(1, 1, &[3, 0, 0], 0), &pattern(4096, 0), true).status, 0);
    assert_eq!(memory.noted(), ["write 12288 4096 stream 0 durable false"]);
    assert_eq!(host.run(asks(2, 1, &[3, 0, 0], 4096), &[], true).data, pattern(4096, 0));
}

#[test]
fn placement_identifiers_are_streams() {
    let (subsystem, memory) = subsystem();
    let (mut admin, mut host) = connected(&subsystem);
    let placed = |directive: u32, identifier: u32| {
        let mut command = blocks(1, 0, 1);
        command.dwords[2] = U32::new(directive << 20);
        command.dwords[3] = U32::new(identifier << 16);
        command
    };
    for identifier in [0, 3, 4, 300] {
        assert_eq!(host.run(placed(2, identifier), &[1; 512], true).status, 0);
    }
    assert_eq!(
        host.run(placed(1, 3), &[1; 512], true).status,
        code(Status::INVALID_FIELD),
        "no such directive"
    );
    let streams: Vec<_> =
        memory.noted().iter().map(|text| text.split(' ').nth(4).unwrap().to_owned()).collect();
    assert_eq!(streams, ["0", "3", "4", "255"]);
    let events = admin.run(asks(2, 0, &[0x23 | 1 << 8 | 63 << 16, 1 << 16], 256), &[], true).data;
    assert_eq!(events[0], 2, "two identifiers that no handle has");
    assert_eq!(
        (events[64], events[66..68].to_vec(), events[128 + 2..128 + 4].to_vec()),
        (3, vec![4, 0], vec![44, 1])
    );
    let status = host.run(asks(0x12, 1, &[1, 35], 144), &[], true).data;
    assert_eq!((status[14], status[16 + 32 * 3], status[16 + 32 * 3 + 2]), (4, 3, 3), "four handles");
    let (plain, _) = subsystem_with(512, None);
    let (mut admin, mut host) = connected(&plain);
    assert_eq!(host.run(placed(2, 0), &[1; 512], true).status, code(Status::INVALID_FIELD), "no placement");
    assert_eq!(host.run(asks(0x12, 1, &[1, 35], 144), &[], true).status, code(Status::FDP_DISABLED));
    let log = asks(2, 0, &[0x22 | 15 << 16, 1 << 16], 64);
    assert_eq!(admin.run(log, &[], true).status, code(Status::FDP_DISABLED));
    let _ = Placement { handles: 1, is_persistent: false, unit_bytes: 0 };
}

#[test]
fn handles_move_to_fresh_units() {
    let (subsystem, memory) = subsystem();
    let (mut admin, mut host) = connected(&subsystem);
    let mut update = |identifiers: &[u16], operation: u32| {
        let list: Vec<u8> = identifiers.iter().flat_map(|identifier| identifier.to_le_bytes()).collect();
        let dword = operation | (identifiers.len() as u32 - 1) << 16;
        host.run(asks(0x1d, 1, &[dword], 0), &list, true).status
    };
    assert_eq!((update(&[3, 0], 1), update(&[1], 1)), (0, 0));
    assert_eq!(memory.noted(), ["update handle 3", "update handle 0", "update handle 1"]);
    assert_eq!(update(&[0, 4], 1), code(Status::INVALID_FIELD), "a handle that there is not");
    assert_eq!(update(&[0; 5], 1), code(Status::INVALID_FIELD), "more than there are");
    assert_eq!(update(&[0], 0), code(Status::INVALID_FIELD), "no such operation");
    assert_eq!(memory.noted(), [""; 0], "of a wrong list nothing is done");
    let short = host.run(asks(0x1d, 1, &[1 | 1 << 16], 0), &[0, 0], true);
    assert_eq!(short.status, code(Status::SGL_LENGTH_INVALID));
    let events = admin.run(asks(2, 0, &[0x23 | 1 << 8 | 63 << 16, 1 << 16], 256), &[], true).data;
    assert_eq!((events[0], events[64], events[66]), (1, 0, 0), "unit of handle 0 was not full");
    let (plain, _) = subsystem_with(512, None);
    let (_admin, mut host) = connected(&plain);
    assert_eq!(host.run(asks(0x1d, 1, &[1], 0), &[0, 0], true).status, code(Status::FDP_DISABLED));
}

#[test]
fn events_are_those_that_the_host_wants() {
    let (subsystem, _) = subsystem();
    let (mut admin, mut host) = connected(&subsystem);
    let events = |admin: &mut Host| {
        let page = admin.run(asks(2, 0, &[0x23 | 1 << 8 | 127 << 16, 1 << 16], 512), &[], true).data;
        (0..usize::from(page[0])).map(|index| page[64 + 64 * index]).collect::<Vec<_>>()
    };
    let wanted = |admin: &mut Host, handle: u32, select: u32| {
        let reply = admin.run(asks(0x0a, 1, &[0x1e | select << 8, handle | 2 << 16], 4), &[], true);
        assert_eq!((reply.status, reply.result), (0, 2));
        reply.data
    };
    let want = |admin: &mut Host, handle: u32, kinds: &[u8], is_wanted: u32| {
        let count = kinds.len() as u32;
        admin.run(asks(0x09, 1, &[0x1e, handle | count << 16, is_wanted], 0), kinds, true).status
    };
    let mut cause = || {
        assert_eq!(host.run(asks(0x1d, 1, &[1], 0), &[0, 0], true).status, 0);
        let mut placed = blocks(1, 0, 1);
        (placed.dwords[2], placed.dwords[3]) = (U32::new(2 << 20), U32::new(77 << 16));
        assert_eq!(host.run(placed, &[1; 512], true).status, 0);
    };
    cause();
    assert_eq!((events(&mut admin), wanted(&mut admin, 0, 0)), (vec![0, 3], vec![0, 1, 3, 1]));
    assert_eq!(want(&mut admin, 0, &[3], 0), 0);
    cause();
    assert_eq!((events(&mut admin), wanted(&mut admin, 0, 0)), (vec![0, 3, 0], vec![0, 1, 3, 0]));
    assert_eq!(wanted(&mut admin, 1, 0), [0, 1, 3, 1], "handle 1 is as it was");
    assert_eq!(wanted(&mut admin, 0, 1), [0, 1, 3, 1], "the default");
    assert_eq!((want(&mut admin, 0, &[0], 0), want(&mut admin, 0, &[3], 1)), (0, 0));
    cause();
    assert_eq!(events(&mut admin), [0, 3, 0, 3]);
    assert_eq!(want(&mut admin, 4, &[0], 0), code(Status::INVALID_FIELD), "a handle that there is not");
    let unknown = admin.run(asks(0x0a, 1, &[0x1e, 4 | 2 << 16], 4), &[], true);
    assert_eq!(unknown.status, code(Status::INVALID_FIELD));
}

#[test]
fn without_flow_control_data_stand_for_the_completion() {
    let (subsystem, _) = subsystem();
    let (_admin, id) = admin(&subsystem, Digests::default());
    let mut host = Host::open(&subsystem, Digests::default(), 0);
    let (mut command, data) = connect(1, 64, id, NAME);
    command.dwords[1] = U32::new(63 | 4 << 16);
    assert_eq!(host.run(command, &data, true).head, u16::MAX);
    let read = host.run(blocks(2, 0, 8), &[], true);
    assert_eq!((read.status, read.head, read.data.len()), (0, u16::MAX, 4096));
    assert!(host.inbox.is_empty(), "no completion follows");
}

#[test]
fn the_head_of_the_queue_goes_round() {
    let (subsystem, _) = subsystem();
    let (_admin, mut host) = connected(&subsystem);
    let heads: Vec<u16> = (0..70).map(|_| host.run(blocks(2, 0, 1), &[], true).head).collect();
    let expected: Vec<u16> = (2..72).map(|head| head % 64).collect();
    assert_eq!(heads, expected);
}
