//! What mounting a drive from an image takes, by the size of its map.
//!
//! `mount_cost make IMAGE PAGE_BYTES BLOCKS PAGES [kill]` makes a sparse image of a plain drive of
//! 256 planes with BLOCKS blocks of 1,536 pages each and writes PAGES logical pages at random places
//! (all of them in order, and as many at random, where PAGES is all there are), and closes it, unless
//! it is to end as if killed. `mount_cost mount IMAGE PAGE_BYTES BLOCKS` mounts it. Both print a line
//! of JSON with seconds of processor and the most memory that the process had.
#![allow(clippy::unwrap_used)]

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_live::{LiveDrive, LiveOptions};
use rewear_sim::Drive;
use std::time::Instant;

const DRIVE: &str = r#"
name = "large"
[flash]
channels = 16
dies_per_channel = 4
planes_per_die = 4
blocks_per_plane = 16
pages_per_block = 1536
page_bytes = 16384
bits_per_cell = 3
[flash.timing]
read_ns = [50_000]
program_ns = [600_000]
erase_ns = 3_000_000
channel_mb_per_s = 1200
[ftl]
over_provisioning = 0.14
erase_unit = "drive"
[ftl.recovery]
scheme = "log"
"#;

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let [_, act, image, page_bytes, blocks, rest @ ..] = &words[..] else {
        panic!("see the head of the source")
    };
    let began = Instant::now();
    let live = open(image, page_bytes, blocks);
    let took = began.elapsed();
    let page = u64::from(live.page_bytes());
    let pages = live.size_bytes() / page;
    if act == "make" {
        let wanted: u64 = rest[0].parse().unwrap();
        write(&live, page, pages, wanted);
        if rest.get(1).is_none() {
            live.finish().unwrap();
        }
    }
    let mounted = live.mounted();
    println!(
        r#"{{"act": "{act}", "bytes": {}, "pages": {pages}, "opened_s": {:.2}, "mounted_s": {:.2}, "processor_s": {:.2}, "memory_mib": {}, "log_pages_read": {}, "records_read": {}}}"#,
        pages * page,
        took.as_secs_f64(),
        mounted.map_or(0.0, |mounted| mounted.took_ns as f64 / 1e9),
        processor_s(),
        peak_mib(),
        mounted.map_or(0, |mounted| mounted.log_pages_read),
        mounted.map_or(0, |mounted| mounted.records_read),
    );
    // As a process that is killed: nothing is closed.
    std::process::exit(0);
}

fn open(image: &str, page_bytes: &str, blocks: &str) -> LiveDrive {
    let settings = [("flash.page_bytes", page_bytes), ("flash.blocks_per_plane", blocks)];
    let settings = settings.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let drive = Drive::from_toml(DRIVE, "large", &settings).unwrap();
    let options = LiveOptions {
        image: Some(image.into()),
        lazy_memory: true,
        ..LiveOptions::new(drive.configuration().clone())
    };
    LiveDrive::open(options).unwrap()
}

fn write(live: &LiveDrive, page: u64, pages: u64, wanted: u64) {
    let mut data = vec![7; page as usize];
    let mut put = |number: u64, round: u64| {
        data[..8].copy_from_slice(&number.to_le_bytes());
        data[8..16].copy_from_slice(&round.to_le_bytes());
        live.write(number * page, &data, false).unwrap();
    };
    if wanted >= pages {
        (0..pages).for_each(|number| put(number, 0));
    }
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    (0..wanted.min(pages)).for_each(|round| put(rng.next_u64() % pages, 1 + round));
}

fn processor_s() -> f64 {
    // SAFETY: writes the structure that it is given.
    let usage = unsafe {
        let mut usage = std::mem::zeroed::<libc::rusage>();
        libc::getrusage(libc::RUSAGE_SELF, &raw mut usage);
        usage
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

/// Memory of its own at most: the pages of the image, which the kernel keeps anyway, are not counted.
fn peak_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let field = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
    };
    (field("VmHWM") - field("RssFile").min(field("VmHWM"))) / 1024
}
