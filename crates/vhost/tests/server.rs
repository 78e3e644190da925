//! The server as a program: sockets that cannot be, the end, a server that is killed.
#![allow(clippy::unwrap_used, missing_docs)]

use std::os::unix::net::UnixListener;
use std::path::Path;

use crate::common::driver::{Disk, Guest, Request, SLOTS};
use crate::common::program::Server;

const ALL: u64 = u64::MAX;
#[test]
fn a_guest_goes_on_with_a_new_server_after_one_was_killed() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("disk");
    let mut guest = Guest::new(1);
    for round in 0..4u8 {
        let mut server = Server::start(folder.path(), &socket).ready();
        let mut disk = Disk::attach(&socket, guest, ALL);
        for slot in 0..SLOTS {
            let page = disk.read(0, u64::from(slot) * 8, 4096);
            assert!(page.iter().all(|&byte| byte == round), "slot {slot} in round {round}");
        }
        for slot in 0..SLOTS {
            disk.guest.data(0, slot)[..4096].fill(round + 1);
            disk.submit(0, slot, &Request::new(1, u64::from(slot) * 8, 4096));
        }
        disk.kick(0);
        // One answer, and the server is no more. What it answered is on the flash; the rest is still
        // in the queue.
        assert_eq!(disk.wait(0), (0, 0));
        server.process.kill().unwrap();
        server.process.wait().unwrap();
        let _again = Server::start(folder.path(), &socket).ready();
        let mut disk = Disk::attach(&socket, disk.detach(), ALL);
        for slot in 1..SLOTS {
            assert_eq!(disk.wait(0), (slot, 0));
        }
        guest = disk.detach();
    }
}

/// What one queue was answered is durable once a flush on another one is: the drive holds writes in
/// a buffer until then.
#[test]
fn a_flush_on_one_queue_covers_what_the_others_were_answered() {
    const QUEUES: usize = 3;
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("disk");
    let settings = [
        ("ftl.write_buffer.scheme", "lru"),
        ("ftl.write_buffer.pages", "64"),
        ("ftl.write_buffer.survives_power_loss", "false"),
    ];
    let start = || {
        let options = serde_json::json!({ "image": folder.path().join("image") });
        Server::start_with(folder.path(), &socket, &settings, options).ready()
    };
    for flushes in [false, true] {
        let mut server = start();
        let mut disk = Disk::attach(&socket, Guest::new(QUEUES), ALL);
        let content = 1 + u8::from(flushes);
        for queue in 0..QUEUES {
            assert_eq!(disk.write(queue, queue as u64 * 8, &[content; 4096]), 0);
        }
        if flushes {
            assert_eq!(disk.ask(2, &Request::new(4, 0, 0)), 0);
        }
        let stats = server.ask("stats");
        assert!(stats.contains("\"parts\":1") && stats.contains("ftl.striping"), "{stats}");
        server.process.kill().unwrap();
        server.process.wait().unwrap();
        assert!(
            server
                .said()
                .contains("one thread serves all queues, since the drive is one state (ftl.striping")
        );
        let _again = start();
        let mut disk = Disk::attach(&socket, Guest::new(1), ALL);
        for queue in 0..QUEUES {
            // Without a flush they were in the buffer, or the test shows nothing.
            let expected = if flushes { content } else { 0 };
            assert_eq!(disk.read(0, queue as u64 * 8, 4096), [expected; 4096], "queue {queue}, {flushes}");
        }
    }
}

#[test]
fn an_orderly_end_leaves_what_it_did_not_answer_in_the_queue() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("disk");
    let mut server = Server::start(folder.path(), &socket).ready();
    let mut disk = Disk::attach(&socket, Guest::new(1), ALL);
    assert_eq!(disk.write(0, 8, &[5; 4096]), 0);
    assert!(server.ask("stats").contains("\"host_bytes_written\":4096"));
    assert_eq!(server.ask("stop").trim(), "{\"stopped\":true}");
    assert!(server.process.wait().unwrap().success());
    assert!(!socket.exists());
    disk.submit(0, 3, &Request::new(0, 8, 4096));
    let _again = Server::start(folder.path(), &socket).ready();
    let mut disk = Disk::attach(&socket, disk.detach(), ALL);
    assert_eq!(disk.wait(0), (3, 0));
    assert_eq!(disk.guest.data(0, 3)[..4096], [5; 4096]);
}

#[test]
fn clients_that_leave_take_their_files_along() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("disk");
    let server = Server::start(folder.path(), &socket).ready();
    let files = format!("/proc/{}/fd", server.process.id());
    let mut counts = Vec::new();
    for _ in 0..40 {
        let mut disk = Disk::attach(&socket, Guest::new(2), ALL);
        // Served, so the client before it is wholly gone.
        disk.read(0, 0, 4096);
        counts.push(std::fs::read_dir(&files).unwrap().count());
    }
    // A file that each client left would be there 39 times; some are open or not as a client comes or goes.
    assert!(counts[39] < counts[0] + 10, "{counts:?}");
}

#[test]
fn sockets_that_cannot_be_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |socket: &Path| {
        let mut server = Server::start(folder.path(), socket);
        assert_eq!(server.process.wait().unwrap().code(), Some(2));
        server.said()
    };
    let file = folder.path().join("file");
    std::fs::write(&file, "precious").unwrap();
    assert!(refused(&file).contains("is no socket"));
    assert_eq!(std::fs::read(&file).unwrap(), b"precious");
    let used = folder.path().join("used");
    let _listener = UnixListener::bind(&used).unwrap();
    assert!(refused(&used).contains("in use"));
    assert!(refused(&folder.path().join("no/folder")).contains("Check the folder"));
    assert!(refused(&folder.path().join("x".repeat(200))).contains("too long"));
    // One that a dead server has left is replaced.
    let left = folder.path().join("left");
    drop(UnixListener::bind(&left).unwrap());
    let _server = Server::start(folder.path(), &left).ready();
    Disk::attach(&left, Guest::new(1), ALL);
}
