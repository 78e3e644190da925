//! `random_writes SOCKET SECONDS [DEPTH]`: 4 KiB random writes to a served drive, as a guest that
//! polls issues them. Prints the writes of a second as a line of JSON.
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
    let mut disk = Disk::attach(words[1].as_ref(), Guest::new(1), u64::MAX);
    let sectors = u64::from_le_bytes(disk.config(8).try_into().unwrap());
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for slot in 0..depth {
        rng.fill_bytes(&mut disk.guest.data(0, slot)[..4096]);
        disk.submit(0, slot, &Request::new(1, rng.next_u64() % (sectors / 8) * 8, 4096));
    }
    disk.kick(0);
    let (began, mut writes) = (Instant::now(), 0u64);
    loop {
        let mut answers = 0u64;
        while let Some((slot, status)) = disk.poll(0) {
            assert_eq!(status, 0, "a write failed");
            // Other content than before, at little cost to the client.
            disk.guest.data(0, slot)[..8].copy_from_slice(&rng.next_u64().to_le_bytes());
            disk.submit(0, slot, &Request::new(1, rng.next_u64() % (sectors / 8) * 8, 4096));
            answers += 1;
        }
        if answers > 0 {
            disk.kick(0);
        } else {
            std::hint::spin_loop();
        }
        writes += answers;
        if (answers > 0 && writes.is_multiple_of(64) || answers == 0)
            && began.elapsed().as_secs_f64() >= seconds
        {
            break;
        }
    }
    let a_second = writes as f64 / began.elapsed().as_secs_f64();
    println!("{{\"writes\":{writes},\"writes_a_second\":{a_second:.0},\"depth\":{depth}}}");
}

#[cfg(not(target_os = "linux"))]
fn main() {}
