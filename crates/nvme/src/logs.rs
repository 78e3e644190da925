//! Log pages (Base 5.16.1, TP4146, OCP 4.8): what the drive counted.
//!
//! The pages of counts are functions of [`Counters`] and [`Identity`] alone: the counters
//! of a replay are enough for its pages.

use std::net::SocketAddr;

use crate::admin;
use crate::drive::{Counters, Identity, Placement};
use crate::io;
use crate::page::{PAGE_BYTES, Page};
use crate::subsystem::{Controller, Event, Subsystem};
use crate::wire::Status;
use crate::wire::command::Command;

/// Log page identifiers.
#[allow(missing_docs)] // The names are those of the specifications.
pub mod id {
    pub const ERROR: u8 = 0x01;
    pub const SMART: u8 = 0x02;
    pub const FIRMWARE: u8 = 0x03;
    pub const EFFECTS: u8 = 0x05;
    pub const ENDURANCE_GROUP: u8 = 0x09;
    pub const PLACEMENT_CONFIGURATIONS: u8 = 0x20;
    pub const HANDLE_USAGE: u8 = 0x21;
    pub const PLACEMENT_STATISTICS: u8 = 0x22;
    pub const PLACEMENT_EVENTS: u8 = 0x23;
    pub const DISCOVERY: u8 = 0x70;
    pub const OCP_SMART: u8 = 0xc0;
}

/// The endurance group of the drive.
pub(crate) const GROUP: u16 = 1;
/// Spare flash in percent below which a host is warned.
const SPARE_THRESHOLD: u8 = 10;
/// Temperature in kelvin: the model has none, and says 30 degrees Celsius.
const KELVIN: u16 = 303;
const NS_PER_HOUR: u64 = 3_600_000_000_000;
/// SMART counts data in thousands of 512 bytes, begun ones included.
const DATA_UNIT_BYTES: u64 = 512_000;
/// Endurance groups count data in 10^9 bytes.
const GROUP_UNIT_BYTES: u64 = 1_000_000_000;

/// Appends the part of a log page that a command asks for.
pub(crate) fn execute(
    subsystem: &Subsystem,
    controller: &Controller,
    local: SocketAddr,
    command: &Command,
    out: &mut Vec<u8>,
) -> Result<u64, Status> {
    let log = command.dword(10) as u8;
    let group = (command.dword(11) >> 16) as u16;
    let dwords = u64::from(command.dword(10) >> 16) | u64::from(command.dword(11) & 0xffff) << 16;
    let offset = u64::from(command.dword(13)) << 32 | u64::from(command.dword(12));
    let identity = &subsystem.identity;
    let placement = || {
        // TP4146: of the endurance group that a command names.
        if group != GROUP {
            return Err(Status::INVALID_FIELD);
        }
        identity.placement.ok_or(Status::FDP_DISABLED)
    };
    let page = match log {
        id::DISCOVERY if controller.is_discovery => discovery(&identity.subsystem, local),
        _ if controller.is_discovery => return Err(Status::INVALID_LOG_PAGE),
        id::SMART => {
            // The host reads of what it was told; the next warning is news again.
            controller.state().warned = 0;
            smart(&subsystem.counters()?)
        }
        // No entry: a command's status says all that there is to say of it.
        id::ERROR => vec![0; 64],
        id::FIRMWARE => firmware(identity),
        id::EFFECTS => effects(identity),
        id::ENDURANCE_GROUP if group == GROUP => endurance_group(&subsystem.counters()?, identity),
        id::PLACEMENT_CONFIGURATIONS => configurations(placement()?),
        id::HANDLE_USAGE => handle_usage(placement()?),
        id::PLACEMENT_STATISTICS => {
            placement().and_then(|_| subsystem.counters()).map(|c| placement_statistics(&c))?
        }
        id::PLACEMENT_EVENTS => {
            placement()?;
            // Bit 0 of the log's own field: events of the host, not of the controller.
            let is_hosts = command.dword(10) >> 8 & 1 != 0;
            events(&if is_hosts { subsystem.events() } else { Vec::new() })
        }
        id::OCP_SMART => ocp_smart(&subsystem.counters()?, identity),
        _ => return Err(Status::INVALID_LOG_PAGE),
    };
    let begin = usize::try_from(offset).ok().filter(|&begin| begin <= page.len() && begin.is_multiple_of(4));
    let rest = &page[begin.ok_or(Status::INVALID_FIELD)?..];
    // Beyond its end a log page is zeros, as far as the host has room for them.
    let wanted = usize::try_from((dwords + 1) * 4).unwrap_or(usize::MAX);
    if wanted > crate::connection::MOST_COMMAND_BYTES {
        return Err(Status::INVALID_FIELD);
    }
    let end = out.len() + wanted;
    out.extend(&rest[..wanted.min(rest.len())]);
    out.resize(end, 0);
    Ok(0)
}

/// Critical warnings (Base 5.16.1.3): spare flash below its threshold, a drive that is read-only.
pub(crate) fn critical_warning(counters: &Counters) -> u8 {
    u8::from(counters.spare_percent < SPARE_THRESHOLD) | u8::from(counters.is_read_only) << 3
}

/// SMART / health information (Base 5.16.1.3).
pub fn smart(counters: &Counters) -> Vec<u8> {
    let mut page = Page::new(512);
    let warning = critical_warning(counters);
    page.u8(0, warning).u16(1, KELVIN).u8(3, counters.spare_percent).u8(4, SPARE_THRESHOLD);
    page.u8(5, counters.percentage_used.min(255) as u8).u8(6, warning);
    page.u128(32, units(counters.bytes_read, DATA_UNIT_BYTES));
    page.u128(48, units(counters.bytes_written, DATA_UNIT_BYTES));
    page.u128(64, counters.reads.into()).u128(80, counters.writes.into());
    // Of controller busy time, power cycles and unsafe shutdowns the drive knows one: this power-up.
    page.u128(112, 1).u128(128, (counters.powered_ns / NS_PER_HOUR).into());
    page.u128(160, counters.uncorrectable.into());
    page.done()
}

/// Endurance group information (Base 5.16.1.10).
pub fn endurance_group(counters: &Counters, identity: &Identity) -> Vec<u8> {
    let mut page = Page::new(512);
    let placed = u8::from(identity.placement.is_some());
    page.u8(0, critical_warning(counters)).u8(1, placed).u8(3, counters.spare_percent).u8(4, SPARE_THRESHOLD);
    page.u8(5, counters.percentage_used.min(255) as u8);
    page.u128(32, units(counters.endurance_bytes, GROUP_UNIT_BYTES));
    page.u128(48, units(counters.bytes_read, GROUP_UNIT_BYTES));
    page.u128(64, units(counters.bytes_written, GROUP_UNIT_BYTES));
    page.u128(80, units(counters.media_bytes_written, GROUP_UNIT_BYTES));
    page.u128(96, counters.reads.into()).u128(112, counters.writes.into());
    page.u128(128, counters.uncorrectable.into());
    page.u128(160, identity.capacity_bytes.into());
    page.done()
}

fn units(bytes: u64, unit_bytes: u64) -> u128 {
    bytes.div_ceil(unit_bytes).into()
}

/// Flexible data placement statistics (TP4146): bytes of the host, programmed and erased.
pub fn placement_statistics(counters: &Counters) -> Vec<u8> {
    let mut page = Page::new(64);
    page.u128(0, counters.bytes_written.into());
    page.u128(16, counters.media_bytes_written.into());
    page.u128(32, counters.media_bytes_erased.into());
    page.done()
}

/// SMART / health information extended (OCP 4.8.3, log page C0h). Fields of what the drive does not
/// have, such as links and thermal throttling, are 0.
pub fn ocp_smart(counters: &Counters, identity: &Identity) -> Vec<u8> {
    /// The identifier of this log page, as it lies in it.
    const GUID: u128 = 0xafd5_14c9_7c6f_4f9c_a4f2_bfea_2810_afc5;
    let mut page = Page::new(512);
    page.u128(0, counters.media_bytes_written.into()).u128(16, counters.media_bytes_read.into());
    // Bad blocks of users: how many, and in percent how many are not bad.
    let good = 100 - (counters.bad_blocks * 100).div_ceil(counters.blocks.max(1)).min(100);
    page.put(32, &counters.bad_blocks.to_le_bytes()[..6]).u16(38, good as u16).u16(46, 100);
    page.u64(56, counters.uncorrectable).u64(64, counters.bits_corrected);
    page.u8(80, counters.percentage_used.min(255) as u8);
    page.u32(88, counters.erases_most).u32(92, counters.erases_least);
    // Version 2.0 of the specification.
    page.u8(103, 2);
    // A capacitor of full health: what the model has acknowledged survives.
    page.u8(120, counters.free_percent).u16(128, 100);
    page.u64(152, counters.bytes_held.div_ceil(identity.block_bytes.into()));
    page.u128(176, units(counters.endurance_bytes, GROUP_UNIT_BYTES));
    page.u16(216, counters.dies).u64(224, counters.erases_mean);
    page.u16(494, 3).u128(496, GUID);
    page.done()
}

/// Firmware slot information (Base 5.16.1.4): one slot, active.
fn firmware(identity: &Identity) -> Vec<u8> {
    let mut page = Page::new(512);
    page.u8(0, 1).text(8, 8, &identity.firmware);
    page.done()
}

/// Commands supported and their effects (Base 5.16.1.6).
fn effects(identity: &Identity) -> Vec<u8> {
    use admin::opcode as of_admin;
    use io::opcode as of_io;
    const SUPPORTED: u32 = 1;
    const CHANGES_BLOCKS: u32 = 1 << 1;
    let admin = [
        of_admin::GET_LOG_PAGE,
        of_admin::IDENTIFY,
        of_admin::ABORT,
        of_admin::SET_FEATURES,
        of_admin::GET_FEATURES,
        of_admin::ASYNCHRONOUS_EVENT,
        of_admin::KEEP_ALIVE,
        of_admin::DIRECTIVE_RECEIVE,
    ];
    let mut page = Page::new(PAGE_BYTES);
    for opcode in admin {
        page.u32(4 * usize::from(opcode), SUPPORTED);
    }
    for opcode in [of_io::FLUSH, of_io::READ, of_io::COMPARE, of_io::VERIFY] {
        page.u32(1024 + 4 * usize::from(opcode), SUPPORTED);
    }
    for opcode in [of_io::WRITE, of_io::WRITE_ZEROES, of_io::DATASET_MANAGEMENT] {
        page.u32(1024 + 4 * usize::from(opcode), SUPPORTED | CHANGES_BLOCKS);
    }
    if identity.placement.is_some() {
        page.u32(1024 + 4 * usize::from(of_io::MANAGEMENT_RECEIVE), SUPPORTED);
        page.u32(1024 + 4 * usize::from(of_io::MANAGEMENT_SEND), SUPPORTED);
    }
    page.done()
}

/// Flexible data placement configurations (TP4146): the one that is enabled.
fn configurations(placement: Placement) -> Vec<u8> {
    let handles = usize::from(placement.handles);
    let size = (64 + 4 * handles).next_multiple_of(8);
    let mut page = Page::new(16 + size);
    // Configurations less one; version 0; bytes of the page.
    page.u32(4, (16 + size) as u32);
    page.u16(16, size as u16);
    // Valid, no bits of a reclaim group in identifiers; one group; handles; identifiers less one;
    // one namespace; bytes of a unit; no time limit.
    page.u8(18, 1 << 7)
        .u32(20, 1)
        .u16(24, placement.handles.into())
        .u16(26, u16::from(placement.handles) - 1);
    page.u32(28, 1).u64(32, placement.unit_bytes);
    for handle in 0..handles {
        page.u8(16 + 64 + 4 * handle, 1 + u8::from(placement.is_persistent));
    }
    page.done()
}

/// Reclaim unit handle usage (TP4146): all handles are the namespace's.
fn handle_usage(placement: Placement) -> Vec<u8> {
    let mut page = Page::new(8 + 8 * usize::from(placement.handles));
    page.u16(0, placement.handles.into());
    for handle in 0..usize::from(placement.handles) {
        page.u8(8 + 8 * handle, 1);
    }
    page.done()
}

/// Flexible data placement events (TP4146).
fn events(events: &[Event]) -> Vec<u8> {
    let mut page = Page::new(64 + 64 * events.len());
    page.u32(0, events.len() as u32);
    for (index, event) in events.iter().enumerate() {
        let at = 64 + 64 * index;
        // The identifier and the namespace are valid; milliseconds since power-up, in six bytes.
        page.u8(at, event.kind as u8).u8(at + 1, 0b11).u16(at + 2, event.identifier);
        page.put(at + 4, &event.at_ms.to_le_bytes()[..6]).u32(at + 12, io::NAMESPACE);
    }
    page.done()
}

/// Discovery (Base 5.16.1.23): the subsystem, at the address where the host has reached the server.
fn discovery(subsystem: &str, local: SocketAddr) -> Vec<u8> {
    let mut page = Page::new(2048);
    page.u64(8, 1);
    // TCP, IPv4 or IPv6, an NVM subsystem, no secure channel, any controller, queue entries.
    let family = if local.is_ipv4() { 1 } else { 2 };
    page.u8(1024, 3).u8(1025, family).u8(1026, 2).u16(1030, 0xffff).u16(1032, 32);
    page.text(1056, 32, &local.port().to_string()).string(1280, 256, subsystem);
    page.text(1536, 256, &local.ip().to_string());
    page.done()
}
