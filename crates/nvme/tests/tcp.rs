//! The server on a socket of the loopback interface.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rewear_nvme::Subsystem;
use rewear_nvme::wire::pdu::{CommonHeader, Digests, Initialize, kind};
use rewear_nvme::wire::{Completion, Sgl, pdu};
use zerocopy::little_endian::U16;
use zerocopy::{FromBytes, IntoBytes};

use crate::common::*;

fn serve() -> (SocketAddr, Arc<Subsystem>, Arc<Memory>) {
    let (subsystem, memory) = subsystem();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let served = Arc::clone(&subsystem);
    std::thread::spawn(move || rewear_nvme::serve(&listener, &served));
    (address, subsystem, memory)
}

fn unit(stream: &mut TcpStream) -> (CommonHeader, Vec<u8>) {
    let mut head = [0; 8];
    stream.read_exact(&mut head).unwrap();
    let header = CommonHeader::read_from_bytes(&head).unwrap();
    let mut body = vec![0; header.bytes.get() as usize - 8];
    stream.read_exact(&mut body).unwrap();
    (header, body)
}

fn open(address: SocketAddr) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    let mut out = Vec::new();
    let request = Initialize::new(0, Digests::default(), 0);
    pdu::append(&mut out, kind::INITIALIZE_REQUEST, &request, Digests::default());
    stream.write_all(&out).unwrap();
    assert_eq!(unit(&mut stream).0.kind, kind::INITIALIZE_RESPONSE);
    stream
}

fn command(mut command: rewear_nvme::wire::Command, id: u16, data: &[u8]) -> Vec<u8> {
    command.id = U16::new(id);
    if !data.is_empty() {
        command.sgl = Sgl::new(Sgl::IN_CAPSULE, data.len() as u32);
    }
    let header = CommonHeader {
        kind: kind::COMMAND,
        flags: 0,
        header_bytes: 72,
        data_offset: if data.is_empty() { 0 } else { 72 },
        bytes: zerocopy::little_endian::U32::new(72 + data.len() as u32),
    };
    [header.as_bytes(), command.as_bytes(), data].concat()
}

fn completion(stream: &mut TcpStream) -> Completion {
    let (header, body) = unit(stream);
    assert_eq!(header.kind, kind::RESPONSE);
    Completion::read_from_bytes(&body).unwrap()
}

/// A controller and its I/O queue over TCP.
fn attach(address: SocketAddr) -> (TcpStream, TcpStream) {
    let mut admin = open(address);
    let (connecting, data) = connect(0, 32, 0xffff, NAME);
    admin.write_all(&command(connecting, 1, &data)).unwrap();
    let id = completion(&mut admin).result.get() as u16;
    admin.write_all(&command(property_set(0x46_0001), 2, &[])).unwrap();
    assert_eq!(completion(&mut admin).status.get(), 0);
    let mut io = open(address);
    let (connecting, data) = connect(1, 64, id, NAME);
    io.write_all(&command(connecting, 1, &data)).unwrap();
    assert_eq!(completion(&mut io).status.get(), 0);
    (admin, io)
}

#[test]
fn a_queue_full_of_writes_is_read_back() {
    let (address, _, _) = serve();
    let (_admin, mut io) = attach(address);
    let mut all = Vec::new();
    for id in 0..32u16 {
        all.extend(command(blocks(1, u64::from(id) * 8, 8), id, &[id as u8; 4096]));
    }
    io.write_all(&all).unwrap();
    for id in 0..32 {
        let done = completion(&mut io);
        assert_eq!((done.id.get(), done.status.get()), (id, 0));
    }
    for id in 0..32u16 {
        io.write_all(&command(blocks(2, u64::from(id) * 8, 8), id, &[])).unwrap();
        let (header, body) = unit(&mut io);
        assert_eq!(header.kind, kind::CONTROLLER_DATA);
        assert_eq!(body[16..], [id as u8; 4096]);
        assert_eq!(completion(&mut io).status.get(), 0);
    }
}

/// Clients leave with writes in flight; the server serves the next as if nothing had been, and
/// keeps no controller of theirs.
#[test]
fn clients_that_hang_up() {
    let (address, subsystem, _) = serve();
    let times: u32 = std::env::var("REWEAR_NVME_HANG_UPS").map_or(200, |text| text.parse().unwrap());
    for round in 0..times {
        let (admin, mut io) = attach(address);
        let mut all = Vec::new();
        for id in 0..16u16 {
            all.extend(command(blocks(1, u64::from(id) * 8, 8), id, &[round as u8; 4096]));
        }
        let cut = all.len() - (round as usize * 97) % (all.len() - 1);
        io.write_all(&all[..cut]).unwrap();
        drop(if round % 2 == 0 { (admin, io) } else { (io, admin) });
    }
    // State and not time: connections that were closed are noticed one by one.
    while subsystem.controllers() > 0 {
        std::thread::yield_now();
    }
    let (_admin, mut io) = attach(address);
    io.write_all(&command(blocks(2, 0, 1), 9, &[])).unwrap();
    assert_eq!(unit(&mut io).1.len(), 16 + 512);
    assert_eq!(completion(&mut io).status.get(), 0);
}

#[test]
fn a_host_that_breaks_the_protocol_is_told_and_closed() {
    let (address, _, _) = serve();
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(&[0xff; 64]).unwrap();
    let (header, _) = unit(&mut stream);
    assert_eq!(header.kind, kind::CONTROLLER_TERMINATE);
    assert_eq!(stream.read(&mut [0]).unwrap_or(0), 0, "closed");
}

#[test]
fn the_end_of_the_admin_queue_closes_the_others() {
    let (address, _, _) = serve();
    let (admin, mut io) = attach(address);
    drop(admin);
    assert_eq!(io.read(&mut [0]).unwrap_or(0), 0, "closed");
}

/// Bytes of a unit that never becomes whole: what asks for a connection, without its last byte.
fn slow_bytes() -> Vec<u8> {
    let mut out = Vec::new();
    pdu::append(
        &mut out,
        kind::INITIALIZE_REQUEST,
        &Initialize::new(0, Digests::default(), 0),
        Digests::default(),
    );
    out.pop();
    out
}

#[test]
fn a_host_is_served_beside_slow_connections() {
    let (address, _, _) = serve();
    let mut slow: Vec<TcpStream> = (0..254).map(|_| TcpStream::connect(address).unwrap()).collect();
    for byte in &slow_bytes()[..8] {
        for stream in &mut slow {
            // Those that lost their place are closed.
            let _ = stream.write_all(&[*byte]);
        }
    }
    let mut hosts: Vec<(TcpStream, TcpStream)> = (0..20).map(|_| attach(address)).collect();
    for (number, (_, io)) in hosts.iter_mut().enumerate() {
        io.write_all(&command(blocks(1, number as u64 * 8, 8), 7, &[number as u8; 4096])).unwrap();
        assert_eq!(completion(io).status.get(), 0);
    }
    drop(slow);
}

/// A byte now and then is no reason to wait on: the deadline is for the whole of a connect.
#[test]
fn a_connect_that_trickles_is_ended() {
    let (address, _, _) = serve();
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_millis(500))).unwrap();
    let began = Instant::now();
    for byte in slow_bytes() {
        if stream.write_all(&[byte]).is_err() || matches!(stream.read(&mut [0]), Ok(0)) {
            break;
        }
    }
    // All bytes would take more than a minute, each a new reason for patience.
    assert!(began.elapsed() < Duration::from_secs(60), "still connected after {:?}", began.elapsed());
}
