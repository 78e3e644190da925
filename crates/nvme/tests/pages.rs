//! Identify and log pages: fields at the offsets of the specifications.

use rewear_nvme::wire::Status;
use rewear_nvme::wire::pdu::Digests;
use rewear_nvme::{Counters, logs};

use crate::common::*;

fn number(bytes: &[u8]) -> u128 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u128::from(byte))
}

#[test]
fn identify_tells_what_linux_asks_for() {
    let (subsystem, memory) = subsystem();
    memory.counters.lock().unwrap().bytes_held = 1 << 20;
    let (mut host, id) = admin(&subsystem, Digests::default());
    let mut identify =
        |structure: u32, namespace: u32| host.run(asks(6, namespace, &[structure], 4096), &[], true);
    let page = identify(1, 0).data;
    assert!(page[4..].starts_with(b"a serial            a model  "));
    assert_eq!((page[77], number(&page[78..80]), page[111]), (7, u128::from(id), 1));
    assert_eq!(number(&page[96..100]) >> 19 & 1, 1, "flexible data placement");
    assert!(number(&page[320..322]) > 0, "keep alive");
    assert_eq!((page[512], page[513], page[516]), (0x66, 0x44, 1));
    assert_eq!(number(&page[1792..1796]), (64 + 16_384) / 16, "capsules hold 16 KiB");
    assert_eq!(number(&page[536..540]) & 3, 1, "SGLs");
    assert!(page[768..].starts_with(NAME.as_bytes()));
    let page = identify(0, 1).data;
    assert_eq!((number(&page[..8]), number(&page[16..24])), (8192, 2048), "size and use");
    assert_eq!((page[25], page[130], page[64], page[68]), (0, 9, 7, 7), "one format; pages of 8 blocks");
    assert_eq!(identify(0, 2).data, vec![0; 4096], "a namespace that there is not");
    assert_eq!(identify(0, 0).status, code(Status::INVALID_NAMESPACE));
    assert_eq!((number(&identify(2, 0).data[..8]), number(&identify(2, 1).data[..4])), (1, 0));
    assert_eq!(identify(2, u32::MAX).status, code(Status::INVALID_NAMESPACE));
    assert_eq!(identify(3, 1).data[..2], [2, 16]);
    assert_eq!(identify(8, 1).data[14], 1, "ready");
    assert_eq!(identify(0x17, 0).data[48..50], [0xc1, 0x94], "the UUID of OCP");
    assert_eq!(identify(0x19, 0).data[..4], [1, 0, 1, 0]);
    assert_eq!(identify(0x99, 0).status, code(Status::INVALID_FIELD));
}

#[test]
fn log_pages_show_the_counters() {
    let counters = Counters {
        reads: 5,
        bytes_read: 512_001,
        writes: 7,
        bytes_written: 1_024_000,
        media_bytes_read: 11 << 20,
        media_bytes_written: 13 << 20,
        media_bytes_erased: 17 << 20,
        erases_most: 19,
        erases_least: 3,
        erases_mean: 8,
        percentage_used: 300,
        endurance_bytes: 5_000_000_001,
        is_read_only: true,
        spare_percent: 42,
        free_percent: 21,
        bad_blocks: 2,
        blocks: 64,
        uncorrectable: 6,
        bits_corrected: 1000,
        bytes_held: 1 << 20,
        powered_ns: 7_300_000_000_000,
        dies: 4,
    };
    let (subsystem, memory) = subsystem();
    *memory.counters.lock().unwrap() = counters;
    let (mut host, _) = admin(&subsystem, Digests::default());
    let mut log = |id: u32, bytes: u32| {
        let reply = host.run(asks(2, 0, &[id | (bytes / 4 - 1) << 16, 1 << 16], bytes), &[], true);
        assert_eq!(reply.status, 0, "log page {id:#x}");
        reply.data
    };
    let page = log(2, 512);
    assert_eq!(page, logs::smart(&counters));
    assert_eq!((page[0], number(&page[1..3]), page[3], page[4], page[5]), (8, 303, 42, 10, 255));
    assert_eq!((number(&page[32..48]), number(&page[48..64])), (2, 2), "begun thousands of 512 bytes");
    assert_eq!((number(&page[64..80]), number(&page[80..96])), (5, 7));
    assert_eq!((number(&page[128..144]), number(&page[160..176])), (2, 6), "hours, media errors");
    let page = log(9, 512);
    assert_eq!((page[1], page[3], number(&page[32..48]), number(&page[80..96])), (1, 42, 6, 1));
    let page = log(0x22, 64);
    assert_eq!(page, logs::placement_statistics(&counters));
    assert_eq!(
        (number(&page[..16]), number(&page[16..32]), number(&page[32..48])),
        (1_024_000, 13 << 20, 17 << 20)
    );
    let page = log(0xc0, 512);
    assert_eq!((number(&page[..16]), number(&page[16..32]), number(&page[32..38])), (13 << 20, 11 << 20, 2));
    assert_eq!((page[38], number(&page[88..92]), number(&page[92..96]), page[120]), (96, 19, 3, 21));
    assert_eq!((number(&page[224..232]), number(&page[152..160])), (8, 2048));
    assert_eq!(page[496..500], [0xc5, 0xaf, 0x10, 0x28], "the identifier of the page");
    let page = log(0x20, 96 + 16);
    assert_eq!((page[0], page[4], page[18], page[24], page[26]), (0, 96, 0x80, 4, 3));
    assert_eq!((number(&page[32..40]), page[80], page[92]), (1 << 20, 2, 2), "persistently isolated");
    let page = log(0x21, 40);
    assert_eq!((page[0], page[8], page[32]), (4, 1, 1));
    assert_eq!(log(5, 4096)[1024 + 4], 0b11, "writes change blocks");
    assert_eq!(log(3, 512)[..13], *b"\x01\0\0\0\0\0\0\x001.2.3");
}

#[test]
fn log_pages_are_read_in_parts() {
    let (subsystem, _) = subsystem();
    let (mut host, _) = admin(&subsystem, Digests::default());
    let whole = host.run(asks(2, 0, &[2 | 127 << 16], 512), &[], true).data;
    let part = host.run(asks(2, 0, &[2 | 3 << 16, 0, 112], 16), &[], true).data;
    assert_eq!(part, whole[112..128]);
    let beyond = host.run(asks(2, 0, &[2 | 3 << 16, 0, 508], 16), &[], true).data;
    assert_eq!(beyond, [0; 16], "zeros behind the end");
    for offset in [516, 2, u32::MAX] {
        let reply = host.run(asks(2, 0, &[2 | 3 << 16, 0, offset], 16), &[], true);
        assert_eq!(reply.status, code(Status::INVALID_FIELD), "from {offset} on");
    }
    let all = host.run(asks(2, 0, &[2 | 0xffff << 16, 0xffff], u32::MAX), &[], true);
    assert_eq!(all.status, code(Status::INVALID_FIELD), "more than a command moves");
    let unknown = host.run(asks(2, 0, &[0xee], 4), &[], true);
    assert_eq!(unknown.status, code(Status::INVALID_LOG_PAGE));
}
