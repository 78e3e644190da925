//! A live drive, given any requests that a client of a network block device may send.

use rewear_live::{LiveDrive, LiveError, LiveOptions};

use crate::input::Input;

/// A drive of 96 KiB, on which cleaning begins after a few dozen writes, by scheme.
const FLASH: &str = r#"
name = "fuzzed"
[flash]
channels = 1
dies_per_channel = 1
planes_per_die = 2
blocks_per_plane = 12
pages_per_block = 8
page_bytes = 512
bits_per_cell = 2
medium = "stored"
[flash.timing]
read_ns = [50_000]
program_ns = [600_000]
erase_ns = 2_000_000
channel_mb_per_s = 400
[ftl]
over_provisioning = 1.0
"#;

const SCHEMES: [&[(&str, &str)]; 6] = [
    &[],
    &[("ftl.recovery.scheme", "log"), ("ftl.over_provisioning", "2.0")],
    &[
        ("ftl.write_buffer.scheme", "lru"),
        ("ftl.write_buffer.pages", "4"),
        ("ftl.write_buffer.survives_power_loss", "false"),
    ],
    &[("reuse.scheme", "wom-v"), ("reuse.data_bits", "2"), ("flash.bits_per_cell", "4")],
    &[("recycle.scheme", "lx")],
    &[("effort.scheme", "differentiated-ecc")],
];

/// Longer requests are refused by nbdkit, and take longer than all else here.
const LONGEST_BYTES: u64 = 64 << 10;

/// Requests as they come over the wire, on any of the schemes: what is answered is what plain
/// memory answers, what reaches beyond the device is refused and changes nothing.
pub fn live_requests(input: &[u8]) {
    let mut input = Input(input);
    let Some((live, size)) = open(&mut input) else { return };
    let half = if live.options().overwrite_bit { size / 2 } else { size };
    let mut memory = vec![0; half as usize];
    while !input.0.is_empty() {
        request(&live, size, &mut memory, &mut input);
    }
    let mut read = vec![0; memory.len()];
    live.read(0, &mut read).expect("the whole device can be read");
    assert!(read == memory, "the drive holds what nobody wrote");
    live.with_served(|ftl, _| ftl.audit().expect("the translation layer agrees with itself"))
        .expect("it serves");
    live.finish().expect("it can be closed");
    assert!(matches!(live.write(0, &[1], false), Err(LiveError::Closed)), "a closed drive takes no write");
}

fn open(input: &mut Input<'_>) -> Option<(LiveDrive, u64)> {
    let settings: Vec<(String, String)> = SCHEMES[input.below(SCHEMES.len())]
        .iter()
        .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
        .collect();
    let drive =
        rewear_sim::Drive::from_toml(FLASH, "fuzzed", &settings).expect("the schemes' drives are sound");
    let mut options = LiveOptions::new(drive.configuration().clone());
    options.overwrite_bit = input.byte() & 1 == 1;
    options.lazy_memory = true;
    options.queue_depth = u32::from(input.byte()).max(1);
    let live = LiveDrive::open(options).ok()?;
    let size = live.size_bytes();
    Some((live, size))
}

/// A place that a client may name: mostly in the device, now and then at its end, or anywhere at
/// all.
fn place(size: u64, input: &mut Input<'_>) -> (u64, u64) {
    let kind = input.byte();
    let offset = match kind & 7 {
        0 => input.u64(),
        1 => size.wrapping_sub(u64::from(input.byte())),
        2 => u64::from(input.byte()) * 512 % size,
        _ => (u64::from(input.byte()) << 16 | u64::from(input.byte()) << 8 | u64::from(input.byte())) % size,
    };
    let length = match kind >> 3 & 3 {
        0 => u64::from(input.byte()),
        1 => u64::from(input.byte()) * 64,
        2 => 512 * u64::from(input.byte() & 15),
        _ => u64::from(input.byte()) << (kind >> 5) << 6,
    };
    (offset, length.min(LONGEST_BYTES))
}

fn request(live: &LiveDrive, size: u64, memory: &mut [u8], input: &mut Input<'_>) {
    let kind = input.byte();
    let durable = kind & 0x80 != 0;
    let (offset, length) = place(size, input);
    let is_inside = offset.checked_add(length).is_some_and(|end| end <= size);
    // Both halves of a device with an overwrite bit are the drive.
    let bytes = || (0..length).map(|at| ((offset + at) % memory.len() as u64) as usize);
    let answer = match kind & 7 {
        0..=2 => {
            let data: Vec<u8> = match input.byte() {
                0 => vec![0; length as usize],
                seed => (0..length).map(|at| (at as u8).wrapping_mul(seed) ^ seed).collect(),
            };
            let answer = live.write(offset, &data, durable);
            if answer.is_ok() {
                let places: Vec<usize> = bytes().collect();
                places.into_iter().zip(data).for_each(|(at, byte)| memory[at] = byte);
            }
            answer
        }
        3 => {
            let mut read = vec![0xaa; length as usize];
            let answer = live.read(offset, &mut read);
            if answer.is_ok() {
                assert!(bytes().map(|at| memory[at]).eq(read), "a read of {length} at {offset}");
            }
            answer
        }
        4 => {
            let page = u64::from(live.page_bytes());
            let answer = live.trim(offset, length, durable);
            if answer.is_ok() {
                for half in parts(offset, length, memory.len() as u64) {
                    let (first, stop) = (half.start.div_ceil(page) * page, half.end / page * page);
                    (first..stop).for_each(|at| memory[at as usize] = 0);
                }
            }
            answer
        }
        5 => {
            let answer = live.zero(offset, length, kind & 8 != 0, durable);
            if answer.is_ok() {
                let places: Vec<usize> = bytes().collect();
                places.into_iter().for_each(|at| memory[at] = 0);
            }
            answer
        }
        6 => extents(live, memory, (offset, length), is_inside),
        _ => return live.flush().expect("a flush reaches no place"),
    };
    match answer {
        Ok(()) => assert!(is_inside, "{length} bytes at {offset} of {size} were served"),
        Err(LiveError::Beyond { .. }) => {
            assert!(!is_inside, "{length} bytes at {offset} of {size} were refused")
        }
        Err(error) => panic!("{length} bytes at {offset}: {error}"),
    }
}

/// A range in both halves of a device, as ranges of the drive.
fn parts(offset: u64, length: u64, half: u64) -> [std::ops::Range<u64>; 2] {
    let end = offset + length;
    let lower = offset.min(half)..end.min(half);
    [lower, offset.max(half) - half..end.max(half) - half]
}

fn extents(
    live: &LiveDrive,
    memory: &[u8],
    (offset, length): (u64, u64),
    is_inside: bool,
) -> Result<(), LiveError> {
    let mut next = offset;
    live.extents(offset, length, &mut |extent| {
        assert_eq!(extent.offset_bytes, next, "extents follow one another");
        assert!(extent.length_bytes > 0, "no extent is empty");
        next += extent.length_bytes;
        let mut bytes = (extent.offset_bytes..next).map(|at| memory[(at % memory.len() as u64) as usize]);
        assert!(extent.holds_data || bytes.all(|byte| byte == 0), "a hole reads as zeros");
        true
    })?;
    assert!(!is_inside || next == offset + length, "extents cover the range");
    Ok(())
}
