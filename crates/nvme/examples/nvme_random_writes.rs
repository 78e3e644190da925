//! `nvme_random_writes ADDRESS SUBSYSTEM SECONDS [DEPTH]`: 4 KiB random writes over NVMe/TCP, `DEPTH` in
//! flight on one queue. Prints the writes of a second as a line of JSON.
#![allow(clippy::unwrap_used)]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Instant;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_nvme::wire::pdu::{CommonHeader, Digests, Initialize, kind};
use rewear_nvme::wire::{Command, Completion, Sgl, pdu};
use zerocopy::little_endian::{U16, U32};
use zerocopy::{FromBytes, IntoBytes};

const BYTES: usize = 4096;
/// Bytes of a response capsule.
const RESPONSE_BYTES: usize = 24;

fn unit(stream: &mut TcpStream) -> Vec<u8> {
    let mut head = [0; 8];
    stream.read_exact(&mut head).unwrap();
    let header = CommonHeader::read_from_bytes(&head).unwrap();
    let mut body = vec![0; header.bytes.get() as usize - 8];
    stream.read_exact(&mut body).unwrap();
    body
}

fn open(address: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_nodelay(true).unwrap();
    let mut out = Vec::new();
    let hello = Initialize::new(0, Digests::default(), 0);
    pdu::append(&mut out, kind::INITIALIZE_REQUEST, &hello, Digests::default());
    stream.write_all(&out).unwrap();
    unit(&mut stream);
    stream
}

fn append(out: &mut Vec<u8>, mut command: Command, data: &[u8]) {
    if !data.is_empty() {
        command.sgl = Sgl::new(Sgl::IN_CAPSULE, data.len() as u32);
    }
    let data_offset = if data.is_empty() { 0 } else { 72 };
    let bytes = U32::new(72 + data.len() as u32);
    let header = CommonHeader { kind: kind::COMMAND, flags: 0, header_bytes: 72, data_offset, bytes };
    out.extend_from_slice(header.as_bytes());
    out.extend_from_slice(command.as_bytes());
    out.extend_from_slice(data);
}

/// Runs a command of a queue on which nothing else is in flight; dwords 0 and 1 of its completion.
fn run(stream: &mut TcpStream, command: Command, data: &[u8]) -> u64 {
    let mut out = Vec::new();
    append(&mut out, command, data);
    stream.write_all(&out).unwrap();
    let body = unit(stream);
    let completion = Completion::read_from_bytes(&body[body.len() - 16..]).unwrap();
    assert_eq!(completion.status.get(), 0, "a command failed");
    completion.result.get()
}

fn connect(stream: &mut TcpStream, subsystem: &str, queue: u16, controller: u16) -> u16 {
    let mut command = Command::new(0x7f, 0);
    command.namespace = U32::new(1);
    command.dwords[0] = U32::new(u32::from(queue) << 16);
    command.dwords[1] = U32::new(127);
    let mut data = vec![0; 1024];
    data[..16].fill(1);
    data[16..18].copy_from_slice(&controller.to_le_bytes());
    data[256..256 + subsystem.len()].copy_from_slice(subsystem.as_bytes());
    data[512..522].copy_from_slice(b"nqn.a:host");
    run(stream, command, &data) as u16
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let seconds: f64 = words.get(3).map_or(4.0, |word| word.parse().unwrap());
    let depth: u16 = words.get(4).map_or(32, |word| word.parse().unwrap());
    let mut admin = open(&words[1]);
    let controller = connect(&mut admin, &words[2], 0, 0xffff);
    let mut enable = Command::new(0x7f, 0);
    (enable.dwords[1], enable.dwords[2]) = (U32::new(0x14), U32::new(0x46_0001));
    run(&mut admin, enable, &[]);
    let mut io = open(&words[1]);
    connect(&mut io, &words[2], 1, controller);
    // Identify: the namespace's size in blocks, and their logarithm. The data come before the completion.
    let mut identify = Command::new(6, 0);
    identify.namespace = U32::new(1);
    identify.sgl = Sgl::new(Sgl::TRANSPORT, 4096);
    let mut out = Vec::new();
    append(&mut out, identify, &[]);
    admin.write_all(&out).unwrap();
    let page = unit(&mut admin)[16..].to_vec();
    unit(&mut admin);
    let blocks_a_write = (BYTES >> page[130]) as u64;
    let places = u64::from_le_bytes(page[..8].try_into().unwrap()) / blocks_a_write;

    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut data = vec![0; BYTES];
    rng.fill_bytes(&mut data);
    let mut submit = |out: &mut Vec<u8>, id: u16| {
        let mut command = Command::new(1, id);
        let block = rng.next_u64() % places * blocks_a_write;
        command.namespace = U32::new(1);
        command.dwords[0] = U32::new(block as u32);
        command.dwords[1] = U32::new((block >> 32) as u32);
        command.dwords[2] = U32::new(blocks_a_write as u32 - 1);
        // Other content than before, at little cost to the client.
        data[..8].copy_from_slice(&rng.next_u64().to_le_bytes());
        append(out, command, &data);
    };
    out.clear();
    (0..depth).for_each(|id| submit(&mut out, id));
    let (began, mut writes) = (Instant::now(), 0u64);
    let (mut input, mut end) = (vec![0; 1 << 16], 0);
    while began.elapsed().as_secs_f64() < seconds {
        io.write_all(&out).unwrap();
        out.clear();
        end += io.read(&mut input[end..]).unwrap();
        let whole = end / RESPONSE_BYTES * RESPONSE_BYTES;
        for response in input[..whole].chunks_exact(RESPONSE_BYTES) {
            let completion = Completion::read_from_bytes(&response[8..]).unwrap();
            assert_eq!(completion.status, U16::ZERO, "a write failed");
            submit(&mut out, completion.id.get());
            writes += 1;
        }
        input.copy_within(whole..end, 0);
        end -= whole;
    }
    let a_second = writes as f64 / began.elapsed().as_secs_f64();
    println!("{{\"writes\":{writes},\"writes_a_second\":{a_second:.0},\"depth\":{depth}}}");
}
