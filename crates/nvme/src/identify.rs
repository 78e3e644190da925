//! Identify (Base 5.17, NVM 4.1.5).

use crate::admin::MOST_EVENT_REQUESTS;
use crate::fabrics::VERSION;
use crate::io::{ALL_NAMESPACES, NAMESPACE};
use crate::logs;
use crate::page::{PAGE_BYTES, Page};
use crate::queue::MOST_ENTRIES;
use crate::subsystem::{Controller, DISCOVERY, Subsystem};
use crate::wire::Status;
use crate::wire::command::{COMMAND_BYTES, Command};
use crate::wire::pdu::CAPSULE_DATA_BYTES;

/// The most data of a command: 2^7 pages.
const MOST_DATA_LOG2: u8 = 7;
/// Controller attributes (Base 5.17.2.1, CTRATT): host identifiers of 16 bytes, endurance groups, a
/// list of UUIDs, and flexible data placement.
const ATTRIBUTES: u32 = 1 | 1 << 4 | 1 << 9;
const PLACEMENT_ATTRIBUTE: u32 = 1 << 19;
/// Optional commands (ONCS): compare, dataset management, write zeroes, verify.
const COMMANDS: u16 = 1 | 1 << 2 | 1 << 3 | 1 << 7;
/// The UUID under which vendors' log pages are those of OCP (OCP 4.8.2).
const OCP_UUID: u128 = 0xc194_d55b_e094_4794_a21d_2999_8f56_be6f;

/// The structure that a command asks for.
pub(crate) fn execute(
    subsystem: &Subsystem,
    controller: &Controller,
    command: &Command,
) -> Result<Vec<u8>, Status> {
    let (structure, command_set) = (command.dword(10) as u8, command.dword(11) >> 24);
    let namespace = command.namespace.get();
    if controller.is_discovery && structure != 1 {
        return Err(Status::INVALID_FIELD);
    }
    let of_namespace = |page: Page| match namespace {
        NAMESPACE => Ok(page),
        // Properties of all namespaces; and of one that there is not.
        ALL_NAMESPACES if structure == 0 => Ok(page),
        0 | ALL_NAMESPACES => Err(Status::INVALID_NAMESPACE),
        _ => Ok(Page::new(PAGE_BYTES)),
    };
    // Lists begin behind a namespace.
    let list = || match namespace {
        0xffff_fffe | ALL_NAMESPACES => Err(Status::INVALID_NAMESPACE),
        _ => Ok(list(u32::from(namespace == 0))),
    };
    let is_nvm = if command_set == 0 { Ok(()) } else { Err(Status::INVALID_FIELD) };
    let page = match structure {
        0x00 | 0x11 => of_namespace(namespace_page(subsystem))?,
        0x01 if controller.is_discovery => discovery_controller(subsystem, controller),
        0x01 => controller_page(subsystem, controller),
        0x02 | 0x10 => list()?,
        0x03 if namespace == NAMESPACE => descriptors(subsystem),
        0x03 => return Err(Status::INVALID_NAMESPACE),
        // The NVM command set has no more to say of its formats.
        0x05 => is_nvm.and_then(|()| of_namespace(Page::new(PAGE_BYTES)))?,
        0x06 => is_nvm.map(|()| command_set_page())?,
        0x07 => is_nvm.and_then(|()| list())?,
        0x08 => of_namespace(independent_page())?,
        0x17 => uuids(),
        0x19 => endurance_groups(command.dword(11) as u16),
        // One combination of command sets: NVM alone.
        0x1c => {
            let mut page = Page::new(PAGE_BYTES);
            page.u64(0, 1);
            page
        }
        _ => return Err(Status::INVALID_FIELD),
    };
    Ok(page.done())
}

/// A list of as many numbers from 1 on.
fn list(count: u32) -> Page {
    let mut page = Page::new(PAGE_BYTES);
    (0..count).for_each(|index| {
        page.u32(4 * index as usize, index + 1);
    });
    page
}

/// Identification of any controller over TCP.
fn any_controller(subsystem: &Subsystem, controller: &Controller, name: &str) -> Page {
    let identity = &subsystem.identity;
    let mut page = Page::new(PAGE_BYTES);
    page.text(4, 20, &identity.serial).text(24, 40, &identity.model).text(64, 8, &identity.firmware);
    page.u8(77, MOST_DATA_LOG2).u16(78, controller.id).u32(80, VERSION);
    // Log pages: effects of commands, offsets.
    page.u8(261, 1 << 1 | 1 << 2);
    page.u8(259, MOST_EVENT_REQUESTS as u8 - 1);
    // Keep-alive in units of 100 ms; the most commands of a queue.
    page.u16(320, 1).u16(514, MOST_ENTRIES);
    // SGLs without alignment, offsets in capsules, and those of transports.
    page.u32(536, 1 | 1 << 20 | 1 << 21);
    page.string(768, 256, name);
    // Capsules in units of 16 bytes; data begin right behind the command; one descriptor.
    page.u32(1792, ((COMMAND_BYTES + CAPSULE_DATA_BYTES) / 16) as u32).u32(1796, 1).u8(1803, 1);
    page
}

fn discovery_controller(subsystem: &Subsystem, controller: &Controller) -> Page {
    let mut page = any_controller(subsystem, controller, DISCOVERY);
    page.u8(111, 2);
    page
}

fn controller_page(subsystem: &Subsystem, controller: &Controller) -> Page {
    let identity = &subsystem.identity;
    let mut page = any_controller(subsystem, controller, &identity.subsystem);
    let placed = if identity.placement.is_some() { PLACEMENT_ATTRIBUTE } else { 0 };
    // Several controllers; an I/O controller; its GUID is the namespace's identifier.
    page.u8(76, 1 << 1).u32(96, ATTRIBUTES | placed).u8(111, 1).put(112, &identity.uuid);
    // Directives; aborts at a time less one; firmware in one slot that cannot be changed.
    page.u16(256, 1 << 5).u8(258, 3).u8(260, 1 << 1 | 1);
    page.u16(266, 0x0157).u16(268, 0x016b);
    page.u128(280, identity.capacity_bytes.into());
    page.u16(340, 1); // endurance groups
    // Entries of 64 and 16 bytes; namespaces; commands; a volatile write cache, and flushes of all.
    page.u8(512, 0x66).u8(513, 0x44).u32(516, 1).u16(520, COMMANDS).u8(525, 0b111).u32(540, 1);
    // Disconnect of a single I/O queue; one power state of 0 W, as the model has none.
    page.u16(1804, 1);
    page
}

fn namespace_page(subsystem: &Subsystem) -> Page {
    let identity = &subsystem.identity;
    let blocks = subsystem.blocks();
    let held = subsystem
        .drive
        .counters()
        .map_or(blocks, |counters| counters.bytes_held.div_ceil(identity.block_bytes.into()).min(blocks));
    // Of the drive's page in blocks, counted from 0: writes and deallocations that need no read.
    let page_blocks = (identity.page_bytes / identity.block_bytes).max(1) as u16 - 1;
    let mut page = Page::new(PAGE_BYTES);
    page.u64(0, blocks).u64(8, blocks).u64(16, held);
    // Deallocated blocks are counted as unused, and the preferred sizes below are given.
    page.u8(24, 1 | 1 << 4);
    // Shared by controllers; read as zeros once deallocated, by write zeroes, too.
    page.u8(30, 1).u8(33, 0b1001);
    page.u128(48, identity.capacity_bytes.into());
    page.u16(64, page_blocks).u16(66, page_blocks).u16(68, page_blocks).u16(70, page_blocks);
    page.u16(102, 1); // endurance group
    // The globally unique identifier, and the only format: its block's logarithm.
    page.put(104, &identity.uuid).u8(130, identity.block_bytes.ilog2() as u8);
    page
}

/// Namespace identification descriptors: GUID, UUID, command set (Base 5.17.2.3).
fn descriptors(subsystem: &Subsystem) -> Page {
    let mut page = Page::new(PAGE_BYTES);
    let uuid = &subsystem.identity.uuid;
    page.u8(0, 2).u8(1, 16).put(4, uuid);
    page.u8(20, 3).u8(21, 16).put(24, uuid);
    page.u8(40, 4).u8(41, 1);
    page
}

/// Limits of the NVM command set (NVM 4.1.5.4): none but the ranges of dataset management.
fn command_set_page() -> Page {
    let mut page = Page::new(PAGE_BYTES);
    page.u8(3, 255);
    page
}

/// Properties of namespaces of all command sets (Base 5.17.2.8): shared, group 1, ready.
fn independent_page() -> Page {
    let mut page = Page::new(PAGE_BYTES);
    page.u8(1, 1).u16(12, 1).u8(14, 1);
    page
}

fn uuids() -> Page {
    let mut page = Page::new(PAGE_BYTES);
    page.put(32 + 16, &OCP_UUID.to_be_bytes());
    page
}

/// Endurance groups from a number on: the only one has number 1.
fn endurance_groups(from: u16) -> Page {
    let mut page = Page::new(PAGE_BYTES);
    if from <= logs::GROUP {
        page.u16(0, 1).u16(2, logs::GROUP);
    }
    page
}
