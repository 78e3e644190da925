//! What the disk says of itself: features, and the configuration space (VIRTIO 1.2, 5.2.3 and
//! 5.2.4).

use rewear_live::LiveDrive;
use vhost::vhost_user::VhostUserProtocolFeatures;
use vhost::vhost_user::message::VhostUserVirtioFeatures;
use virtio_bindings::virtio_blk::{
    VIRTIO_BLK_F_BLK_SIZE, VIRTIO_BLK_F_DISCARD, VIRTIO_BLK_F_FLUSH, VIRTIO_BLK_F_MQ, VIRTIO_BLK_F_SEG_MAX,
    VIRTIO_BLK_F_TOPOLOGY, VIRTIO_BLK_F_WRITE_ZEROES,
};
use virtio_bindings::virtio_config::VIRTIO_F_VERSION_1;
use virtio_bindings::virtio_ring::{VIRTIO_RING_F_EVENT_IDX, VIRTIO_RING_F_INDIRECT_DESC};

/// The unit of offsets and lengths, whatever the block size is.
pub const SECTOR_BYTES: u64 = 512;
/// Queues at most. A virtual machine takes as many as it has processors, or fewer.
pub const QUEUES: usize = 16;
/// Entries of a queue at most.
pub const QUEUE_SIZE: usize = 1024;
/// Pieces of guest memory of one request at most, without header and status.
const SEGMENTS: u32 = 126;
/// Sectors of one range of a discard or a write of zeros: 1 GiB.
pub const RANGE_SECTORS: u32 = 1 << 21;
/// Ranges of one discard or write of zeros.
pub const RANGES: u32 = 32;

/// Feature bits that the device offers.
pub fn features() -> u64 {
    let bits = [
        VIRTIO_F_VERSION_1,
        VIRTIO_RING_F_EVENT_IDX,
        VIRTIO_RING_F_INDIRECT_DESC,
        VIRTIO_BLK_F_SEG_MAX,
        VIRTIO_BLK_F_BLK_SIZE,
        VIRTIO_BLK_F_FLUSH,
        VIRTIO_BLK_F_TOPOLOGY,
        VIRTIO_BLK_F_MQ,
        VIRTIO_BLK_F_DISCARD,
        VIRTIO_BLK_F_WRITE_ZEROES,
    ];
    bits.iter().fold(VhostUserVirtioFeatures::PROTOCOL_FEATURES.bits(), |all, bit| all | 1 << bit)
}

/// Parts of the vhost-user protocol that are served.
pub fn protocol_features() -> VhostUserProtocolFeatures {
    VhostUserProtocolFeatures::CONFIG
        | VhostUserProtocolFeatures::MQ
        | VhostUserProtocolFeatures::REPLY_ACK
        | VhostUserProtocolFeatures::CONFIGURE_MEM_SLOTS
}

/// Whether a client that took these features knows of flushes. To one that does not, a write that
/// was answered must be in the cells (VIRTIO 1.2, 5.2.5.2).
pub fn knows_flush(features: u64) -> bool {
    features & 1 << VIRTIO_BLK_F_FLUSH != 0
}

/// `struct virtio_blk_config` as it lies in memory, little-endian.
pub fn space(drive: &LiveDrive) -> Vec<u8> {
    let page_sectors = u64::from(drive.page_bytes()) / SECTOR_BYTES;
    let physical_block_exponent = page_sectors.checked_ilog2().unwrap_or(0) as u8;
    let mut space = Vec::new();
    space.extend((drive.size_bytes() / SECTOR_BYTES).to_le_bytes()); // capacity
    space.extend(0u32.to_le_bytes()); // size_max: not offered
    space.extend(SEGMENTS.to_le_bytes()); // seg_max
    space.extend([0; 4]); // geometry: not offered
    space.extend((SECTOR_BYTES as u32).to_le_bytes()); // blk_size
    space.extend([physical_block_exponent, 0]); // topology: physical_block_exp, alignment_offset
    space.extend(u16::try_from(page_sectors).unwrap_or(0).to_le_bytes()); // min_io_size
    space.extend(0u32.to_le_bytes()); // opt_io_size
    space.extend([0, 0]); // writeback: not offered; unused
    space.extend((QUEUES as u16).to_le_bytes()); // num_queues
    space.extend(RANGE_SECTORS.to_le_bytes()); // max_discard_sectors
    space.extend(RANGES.to_le_bytes()); // max_discard_seg
    space.extend(u32::try_from(page_sectors).unwrap_or(1).to_le_bytes()); // discard_sector_alignment
    space.extend(RANGE_SECTORS.to_le_bytes()); // max_write_zeroes_sectors
    space.extend(RANGES.to_le_bytes()); // max_write_zeroes_seg
    space.extend([1, 0, 0, 0]); // write_zeroes_may_unmap; unused
    space
}
