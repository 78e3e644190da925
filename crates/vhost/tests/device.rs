//! The disk as a driver sees it: data, requests that are refused, clients that hang up.
#![allow(clippy::unwrap_used, missing_docs)]

use std::io::Write;
use std::os::unix::net::UnixStream;

use crate::common::driver::{Disk, Guest, Request, SECTOR, SLOTS};
use crate::common::served;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

const READ: u32 = 0;
const WRITE: u32 = 1;
const FLUSH: u32 = 4;
const ID: u32 = 8;
const DISCARD: u32 = 11;
const ZEROS: u32 = 13;
const ALL: u64 = u64::MAX;

fn below(rng: &mut Xoshiro256PlusPlus, count: u64) -> u64 {
    rng.next_u64() % count
}

/// One range of a discard or a write of zeros, in the data of slot 0.
fn range(disk: &Disk, queue: usize, sector: u64, sectors: u32, flags: u32) {
    entry(&mut disk.guest.data(queue, 0)[..16], sector, sectors, flags);
}

fn entry(entry: &mut [u8], sector: u64, sectors: u32, flags: u32) {
    entry[..8].copy_from_slice(&sector.to_le_bytes());
    entry[8..12].copy_from_slice(&sectors.to_le_bytes());
    entry[12..].copy_from_slice(&flags.to_le_bytes());
}

#[test]
fn what_was_written_is_read_whatever_the_requests_look_like() {
    const EVENT_IDX: u64 = 1 << 29;
    for (settings, wanted) in [
        (&[][..], ALL),
        (&[][..], ALL & !EVENT_IDX),
        (&[("reuse.scheme", "wom-v"), ("reuse.data_bits", "2")][..], ALL),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let (socket, drive) = served(folder.path(), settings);
        let mut disk = Disk::attach(&socket, Guest::new(2), wanted);
        let sectors = drive.size_bytes() / SECTOR;
        let mut memory = vec![0; drive.size_bytes() as usize];
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
        for step in 0..3000 {
            let queue = below(&mut rng, 2) as usize;
            let count = 1 + below(&mut rng, 40).min(below(&mut rng, 40)) * 8;
            let sector = below(&mut rng, sectors - count);
            let (begin, bytes) = ((sector * SECTOR) as usize, (count * SECTOR) as usize);
            let kind = [WRITE, WRITE, WRITE, READ, FLUSH, ZEROS, DISCARD][below(&mut rng, 7) as usize];
            let mut request = Request::new(kind, sector, bytes);
            request.pieces = 1 + below(&mut rng, 5) as u16;
            request.indirect = below(&mut rng, 3) == 0;
            match kind {
                WRITE => {
                    rng.fill_bytes(&mut memory[begin..begin + bytes]);
                    disk.guest.data(queue, 0)[..bytes].copy_from_slice(&memory[begin..begin + bytes]);
                }
                ZEROS => {
                    range(&disk, queue, sector, count as u32, below(&mut rng, 2) as u32);
                    request.bytes = 16;
                    memory[begin..begin + bytes].fill(0);
                }
                DISCARD => {
                    range(&disk, queue, sector, count as u32, 0);
                    request.bytes = 16;
                    let page = drive.page_bytes() as usize;
                    let (first, stop) = (begin.div_ceil(page) * page, (begin + bytes) / page * page);
                    if first < stop {
                        memory[first..stop].fill(0);
                    }
                }
                FLUSH => request.bytes = 0,
                _ => disk.guest.data(queue, 0)[..bytes].fill(0xee),
            }
            assert_eq!(disk.ask(queue, &request), 0, "step {step}: {request:?}");
            if kind == READ {
                assert!(disk.guest.data(queue, 0)[..bytes] == memory[begin..begin + bytes], "step {step}");
            }
        }
        assert!(drive.snapshot().unwrap().report.cleaning.erases > 0);
        for begin in (0..memory.len()).step_by(1 << 16) {
            let end = (begin + (1 << 16)).min(memory.len());
            assert!(disk.read(0, begin as u64 / SECTOR, end - begin) == memory[begin..end], "{begin}");
        }
    }
}

/// In two parts, each with a lock.
const APART: &[(&str, &str)] = &[("ftl.striping", "static-die")];

/// Queues that are served at the same time, each with a quarter of the drive, of which requests
/// cover pages of both parts.
#[test]
fn queues_served_at_once_are_read_as_a_shadow_says() {
    const QUEUES: usize = 4;
    let folder = tempfile::tempdir().unwrap();
    let (socket, drive) = served(folder.path(), APART);
    assert_eq!((drive.parts(), drive.one_state_because()), (2, None));
    let mut disk = Disk::attach(&socket, Guest::new(QUEUES), ALL);
    let page = u64::from(drive.page_bytes());
    let pages_of_queue = drive.size_bytes() / page / QUEUES as u64;
    let mut shadow = vec![0; drive.size_bytes() as usize];
    let (mut rng, mut writes, mut bytes_written) = (Xoshiro256PlusPlus::seed_from_u64(7), 0, 0);
    for round in 0..60 {
        for queue in 0..QUEUES {
            for slot in 0..SLOTS {
                let pages = 1 + below(&mut rng, 6);
                let first = queue as u64 * pages_of_queue + below(&mut rng, pages_of_queue - pages);
                let (begin, bytes) = ((first * page) as usize, (pages * page) as usize);
                let kind = [WRITE, WRITE, WRITE, WRITE, FLUSH, ZEROS, DISCARD][below(&mut rng, 7) as usize];
                let mut request = Request::new(kind, first * page / SECTOR, bytes);
                let data = disk.guest.data(queue, slot);
                match kind {
                    WRITE => {
                        rng.fill_bytes(&mut data[..bytes]);
                        shadow[begin..begin + bytes].copy_from_slice(&data[..bytes]);
                        (writes, bytes_written) = (writes + 1, bytes_written + bytes as u64);
                    }
                    FLUSH => request.bytes = 0,
                    _ => {
                        let sectors = (bytes as u64 / SECTOR) as u32;
                        entry(&mut data[..16], first * page / SECTOR, sectors, u32::from(kind == ZEROS));
                        request.bytes = 16;
                        shadow[begin..begin + bytes].fill(0);
                    }
                }
                disk.submit(queue, slot, &request);
            }
            disk.kick(queue);
        }
        for queue in 0..QUEUES {
            for slot in 0..SLOTS {
                assert_eq!(disk.wait(queue), (slot, 0), "queue {queue} in round {round}");
            }
        }
    }
    for begin in (0..shadow.len()).step_by(1 << 16) {
        let end = (begin + (1 << 16)).min(shadow.len());
        assert!(
            disk.read(begin >> 16 & 3, begin as u64 / SECTOR, end - begin) == shadow[begin..end],
            "{begin}"
        );
    }
    drive.audit().unwrap();
    let report = drive.snapshot().unwrap().report;
    assert!(report.cleaning.erases > 0);
    assert_eq!((report.host.requests.write, report.host.host_bytes_written), (writes, bytes_written));
    assert_eq!(report.host.host_pages_written, bytes_written / page);
}

#[test]
fn many_requests_in_flight_are_all_answered() {
    for settings in [&[][..], APART] {
        many_in_flight(settings);
    }
}

fn many_in_flight(settings: &[(&str, &str)]) {
    let folder = tempfile::tempdir().unwrap();
    let (socket, drive) = served(folder.path(), settings);
    let mut disk = Disk::attach(&socket, Guest::new(4), ALL);
    let pages = drive.size_bytes() / 4096;
    for round in 0..100u64 {
        for queue in 0..4 {
            for slot in 0..SLOTS {
                let page = (round * 4 + queue as u64) * u64::from(SLOTS) + u64::from(slot);
                disk.guest.data(queue, slot)[..4096].fill(page as u8);
                disk.submit(queue, slot, &Request::new(WRITE, page % pages * 8, 4096));
            }
            disk.kick(queue);
        }
        for queue in 0..4 {
            for slot in 0..SLOTS {
                // In the order of the queue, on which a new server relies.
                assert_eq!(disk.wait(queue), (slot, 0));
            }
        }
    }
    let written = 100 * 4 * u64::from(SLOTS);
    for page in written.saturating_sub(pages)..written {
        assert!(disk.read(1, page % pages * 8, 4096).iter().all(|&byte| byte == page as u8), "page {page}");
    }
}

#[test]
fn the_disk_says_what_it_is_and_refuses_what_it_cannot() {
    let folder = tempfile::tempdir().unwrap();
    let (socket, drive) = served(folder.path(), &[]);
    let mut disk = Disk::attach(&socket, Guest::new(1), ALL);
    let space = disk.config(60);
    let sectors = drive.size_bytes() / SECTOR;
    assert_eq!(space[..8], sectors.to_le_bytes());
    assert_eq!(space[20..26], [0, 2, 0, 0, 3, 0]);
    assert_eq!(space[56], 1);
    assert_eq!(disk.ask(0, &Request::new(ID, 0, 20)), 0);
    assert_eq!(&disk.guest.data(0, 0)[..20], b"a drive with a name ");
    let (failed, unsupported) = (1, 2);
    assert_eq!(disk.write(0, sectors, &[1; 512]), failed);
    assert_eq!(disk.write(0, sectors - 1, &[1; 1024]), failed);
    assert_eq!(disk.write(0, u64::MAX, &[1; 512]), failed);
    assert_eq!(disk.write(0, 0, &[1; 100]), failed);
    assert_eq!(disk.ask(0, &Request::new(99, 0, 0)), unsupported);
    for (kind, sector, count, flags, status) in [
        (DISCARD, sectors, 8, 0, failed),
        (DISCARD, 0, 8, 1, unsupported),
        (DISCARD, 0, u32::MAX, 0, failed),
        (ZEROS, 0, 8, 2, unsupported),
        (ZEROS, u64::MAX, 8, 1, failed),
    ] {
        range(&disk, 0, sector, count, flags);
        assert_eq!(disk.ask(0, &Request::new(kind, 0, 16)), status, "{kind} {sector} {count} {flags}");
    }
    assert_eq!(disk.ask(0, &Request::new(DISCARD, 0, 15)), failed);
    assert!(disk.read(0, 0, 4096).iter().all(|&byte| byte == 0));
}

/// Clients that leave with writes in flight, and strangers between them; what was answered stays.
fn hang_up(rounds: u32, settings: &[(&str, &str)]) {
    let folder = tempfile::tempdir().unwrap();
    let (socket, drive) = served(folder.path(), settings);
    let mut guest = Guest::new(2);
    for round in 0..rounds {
        let content = round as u8;
        let mut disk = Disk::attach(&socket, guest, ALL);
        if round > 0 {
            assert_eq!(disk.read(0, 0, 4096), [content.wrapping_sub(1); 4096], "round {round}");
        }
        assert_eq!(disk.write(0, 0, &[content; 4096]), 0);
        // Goes while these are under way. Whether they were carried out is not known to it.
        for slot in 1..SLOTS {
            disk.guest.data(1, slot)[..4096].fill(content);
            disk.submit(1, slot, &Request::new(WRITE, 8 + u64::from(slot) * 8, 4096));
        }
        disk.kick(1);
        drop(disk);
        guest = Guest::new(2);
        let mut stranger = UnixStream::connect(&socket).unwrap();
        let _ = stranger.write_all(&[content; 100]);
        drop(stranger);
    }
    let mut disk = Disk::attach(&socket, guest, ALL);
    for slot in 0..u64::from(SLOTS) {
        let page = disk.read(0, 8 + slot * 8, 4096);
        assert!(page.iter().all(|&byte| byte == page[0]), "a write is whole or is not there");
    }
    drive.audit().unwrap();
}

#[test]
fn clients_that_hang_up_lose_nothing_and_take_nothing() {
    hang_up(40, &[]);
    hang_up(40, APART);
}

/// The count of docs/notebook/live.md: `cargo test -p rewear-vhost --test all hang_up -- --ignored
/// --nocapture`.
#[test]
#[ignore = "takes minutes"]
fn twenty_thousand_clients_that_hang_up_lose_nothing_and_take_nothing() {
    let began = std::time::Instant::now();
    hang_up(20_000, &[]);
    println!("20,000 clients hung up with 63 writes in flight in {:.0?}", began.elapsed());
}

#[test]
fn a_damaged_queue_harms_its_owner_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (socket, _drive) = served(folder.path(), APART);
    // A head beyond the queue, and more requests than a queue has entries.
    let damages: [fn(&mut Disk); 2] = [|disk| disk.publish(0, u16::MAX), |disk| disk.promise(0, 1 << 14)];
    for damage in damages {
        let mut disk = Disk::attach(&socket, Guest::new(2), ALL);
        damage(&mut disk);
        disk.kick(0);
        assert_eq!(disk.write(1, 0, &[7; 4096]), 0);
        assert_eq!(disk.read(1, 0, 4096), [7; 4096]);
        drop(disk);
    }
    let mut disk = Disk::attach(&socket, Guest::new(1), ALL);
    assert_eq!(disk.read(0, 0, 4096), [7; 4096]);
}
