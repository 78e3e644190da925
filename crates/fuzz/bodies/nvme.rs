//! Units of hosts that are at different points of the protocol, mostly right and in any order.

use rewear_nvme::wire::pdu::{CommonHeader, Digests, flag, kind};
use zerocopy::FromBytes;

use crate::input::Input;
use crate::nvme_host::{Host, admin, io_queue, subsystem};

/// Opcodes that mean something to one of the queues.
const OPCODES: [u8; 16] = [0, 1, 2, 5, 6, 8, 9, 10, 12, 0x0c, 0x12, 0x18, 0x19, 0x1a, 0x1d, 0x7f];

/// Whatever a host sends, each answer is a whole unit of a type that controllers send, and answers
/// are bounded. Returns how many units were sent.
pub fn nvme_units(input: &[u8]) -> u64 {
    let mut input = Input(input);
    let (subsystem, _) = subsystem();
    let stage = input.byte();
    let digests = Digests { header: stage & 4 != 0, data: stage & 8 != 0 };
    let (mut host, _admin) = match stage & 3 {
        0 => (Host::open(&subsystem, digests, stage >> 4), None),
        1 => (admin(&subsystem, digests).0, None),
        _ => {
            let (admin, id) = admin(&subsystem, digests);
            (io_queue(&subsystem, id, 1, digests), Some(admin))
        }
    };
    let mut units = 0;
    while !input.0.is_empty() {
        let unit = unit(&mut input, &host);
        units += 1;
        let mut out = Vec::new();
        let taken = host.connection.receive(&unit, &mut out);
        check(&out);
        if taken.map_or(true, |taken| taken < unit.len()) {
            break;
        }
    }
    units
}

/// A unit that is mostly right.
fn unit(input: &mut Input<'_>, host: &Host) -> Vec<u8> {
    let shape = input.byte();
    if shape == 0 {
        let length = usize::from(input.byte());
        return input.bytes(length);
    }
    let mut command = [0; 64];
    command[0] = OPCODES[input.below(OPCODES.len())];
    command[2] = input.byte() & 3;
    command[4] = input.byte() % 9;
    // The descriptor: its length, and where the data are.
    command[33..36].copy_from_slice(&[input.byte() & 0x3f, 0, 0]);
    command[39] = [1, 1, 0x5a, 0x5a, 0][input.below(5)];
    let (from, until) = if shape & 2 == 0 { (40, 52) } else { (24, 64) };
    let fields = input.bytes(until - from);
    let descriptor = command[32..40].to_vec();
    command[from..until].copy_from_slice(&fields);
    command[32..40].copy_from_slice(&descriptor);
    if shape & 4 == 0 {
        command[42..48].fill(0);
        command[50..52].fill(0);
    }
    let data = vec![shape; usize::from(command[33]) * 256];
    let mut unit = match shape >> 3 & 7 {
        0 => host.unit(kind::HOST_DATA, &command[48..64], &data, flag::LAST),
        1 => host.unit(kind::COMMAND, &command, &[], 0),
        _ => host.unit(kind::COMMAND, &command, &data, 0),
    };
    if shape & 0xc0 == 0xc0 {
        let at = usize::from(input.byte()) % unit.len();
        unit[at] = input.byte();
    }
    unit
}

fn check(out: &[u8]) {
    assert!(out.len() < 2 << 20, "{} bytes of answers", out.len());
    let mut rest = out;
    while let Ok((header, _)) = CommonHeader::read_from_prefix(rest) {
        assert!(
            [
                kind::INITIALIZE_RESPONSE,
                kind::CONTROLLER_TERMINATE,
                kind::RESPONSE,
                kind::CONTROLLER_DATA,
                kind::READY_TO_TRANSFER
            ]
            .contains(&header.kind)
        );
        rest = rest.get(header.bytes.get() as usize..).expect("a unit is whole");
    }
    assert!(rest.is_empty(), "{} bytes behind the last unit", rest.len());
}
