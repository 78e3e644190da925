//! `random_writes SOCKET SECONDS [DEPTH [QUEUES]]`: 4 KiB random writes to a served drive, as a guest
//! that polls issues them, so many in flight on each queue. Prints the writes of a second as a line
//! of JSON.
#![allow(clippy::unwrap_used)]

#[cfg(target_os = "linux")]
#[path = "../tests/common/driver.rs"]
mod driver;

#[cfg(target_os = "linux")]
fn main() {
    use driver::{Disk, Guest, Request};
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};
    use std::time::Instant;

    let words: Vec<String> = std::env::args().collect();
    let seconds: f64 = words.get(2).map_or(4.0, |word| word.parse().unwrap());
    let depth: u16 = words.get(3).map_or(32, |word| word.parse().unwrap());
    let queues: usize = words.get(4).map_or(1, |word| word.parse().unwrap());
    let mut disk = Disk::attach(words[1].as_ref(), Guest::new(queues), u64::MAX);
    let sectors = u64::from_le_bytes(disk.config(8).try_into().unwrap());
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for queue in 0..queues {
        for slot in 0..depth {
            rng.fill_bytes(&mut disk.guest.data(queue, slot)[..4096]);
            disk.submit(queue, slot, &Request::new(1, rng.next_u64() % (sectors / 8) * 8, 4096));
        }
        disk.kick(queue);
    }
    let (began, mut writes, mut looked_at) = (Instant::now(), 0u64, 0u64);
    loop {
        let mut answers = 0u64;
        for queue in 0..queues {
            let before = answers;
            while let Some((slot, status)) = disk.poll(queue) {
                assert_eq!(status, 0, "a write failed");
                // Other content than before, at little cost to the client.
                disk.guest.data(queue, slot)[..8].copy_from_slice(&rng.next_u64().to_le_bytes());
                disk.submit(queue, slot, &Request::new(1, rng.next_u64() % (sectors / 8) * 8, 4096));
                answers += 1;
            }
            if answers > before {
                disk.kick(queue);
            }
        }
        if answers == 0 {
            // The server may have more threads than there are processors besides this one.
            std::thread::yield_now();
        }
        writes += answers;
        if answers == 0 || writes >= looked_at + 64 {
            looked_at = writes;
            if began.elapsed().as_secs_f64() >= seconds {
                break;
            }
        }
    }
    let a_second = writes as f64 / began.elapsed().as_secs_f64();
    println!(
        "{{\"writes\":{writes},\"writes_a_second\":{a_second:.0},\"depth\":{depth},\"queues\":{queues}}}"
    );
}

#[cfg(not(target_os = "linux"))]
fn main() {}
