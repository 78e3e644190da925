//! Clients whose memory is not where they say: they lose their connection, the others nothing.
#![allow(clippy::unwrap_used, missing_docs)]

use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::Path;

use crate::common::driver::{Disk, FIRST, Guest, RINGS, Request};
use crate::common::program::Server;
use vhost::VhostUserMemoryRegionInfo;

const ALL: u64 = u64::MAX;
const WRITE: u32 = 1;
const ANNOUNCED_BYTES: u64 = 64 << 20;

fn read_by_another(socket: &Path) {
    assert_eq!(Disk::attach(socket, Guest::new(1), ALL).read(0, 0, 4096), [7; 4096]);
}

#[test]
fn memory_that_is_not_there_ends_its_client_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (socket, trace) = (folder.path().join("disk"), folder.path().join("live.rwt"));
    let options = serde_json::json!({ "record": trace });
    let mut server = Server::start_with(folder.path(), &socket, &[], options).ready();
    assert_eq!(Disk::attach(&socket, Guest::new(1), ALL).write(0, 0, &[7; 4096]), 0);

    // Announced longer than the file, or beyond its end.
    let file = |bytes: u64| -> File {
        let file = tempfile::tempfile().unwrap();
        file.set_len(bytes).unwrap();
        file
    };
    let (empty, short) = (file(0), file(1 << 20));
    let announcements: [&dyn Fn(&mut VhostUserMemoryRegionInfo); 3] = [
        &|info| (info.memory_size, info.mmap_handle) = (ANNOUNCED_BYTES, empty.as_raw_fd()),
        &|info| (info.memory_size, info.mmap_handle) = (ANNOUNCED_BYTES, short.as_raw_fd()),
        &|info| info.mmap_offset = 1 << 40,
    ];
    for announce in announcements {
        if let Ok(mut disk) = Disk::attach_with(&socket, Guest::new(1), ALL, announce) {
            disk.ring(0);
            disk.wait_for_the_end();
        }
        read_by_another(&socket);
    }

    // Cut while it is in use: before the device looks into the rings, while it fetches data, and before
    // the thread of the protocol looks.
    let cuts: [fn(&mut Disk); 3] = [
        |disk| disk.guest.cut(0),
        |disk| {
            // Before the request is there: a device that polls would have fetched the data.
            disk.guest.cut(FIRST + RINGS + 0x1000);
            disk.submit(0, 0, &Request::new(WRITE, 8, 4096));
        },
        |disk| {
            disk.guest.cut(0);
            disk.announce_rings(0);
        },
    ];
    for cut in cuts {
        let mut disk = Disk::attach(&socket, Guest::new(1), ALL);
        assert_eq!(disk.read(0, 0, 4096), [7; 4096]);
        cut(&mut disk);
        disk.ring(0);
        disk.wait_for_the_end();
        read_by_another(&socket);
    }

    assert_eq!(server.ask("stop").trim(), "{\"stopped\":true}");
    assert!(server.process.wait().unwrap().success());
    assert!(trace.exists(), "the recording is whole");
    let said = server.said();
    assert_eq!(said.matches("a client was disconnected: its memory at").count(), 3, "{said}");
    assert_eq!(said.matches("a client was disconnected: its memory is gone").count(), 3, "{said}");
    assert_eq!(said.lines().count(), 6, "{said}");
}

#[test]
fn a_worn_out_drive_is_read_only_and_says_so_once() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("disk");
    let settings = [("flash.endurance_cycles", "3"), ("ftl.over_provisioning", "2.5")];
    let mut server = Server::start_with(folder.path(), &socket, &settings, serde_json::json!({})).ready();
    let mut disk = Disk::attach(&socket, Guest::new(1), ALL);
    let sectors = disk.config(8).iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte));
    let pages = sectors / 8;
    let written =
        (0..).find(|&number| disk.write(0, number % pages * 8, &[(number / pages) as u8 + 1; 4096]) != 0);
    let written = written.unwrap();
    assert!(written > pages);
    for number in 0..pages {
        assert_eq!(disk.write(0, number * 8, &[0xee; 4096]), 1, "a write succeeded after one that failed");
        if number != written % pages {
            let expected = ((written - 1 - number) / pages) as u8 + 1;
            assert_eq!(disk.read(0, number * 8, 4096), [expected; 4096], "page {number}");
        }
    }
    assert_eq!(disk.ask(0, &Request::new(4, 0, 0)), 0, "there is nothing to flush");
    assert!(server.ask("stats").contains("\"read_only\":true"));
    assert_eq!(server.ask("stop").trim(), "{\"stopped\":true}");
    let said = server.said();
    assert!(said.lines().count() == 1 && said.contains("read-only from now on"), "{said}");
}
