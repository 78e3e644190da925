//! Where an ext4 keeps what it has no inode for: superblocks, descriptors of groups, bitmaps, tables
//! of inodes. Offsets are those of `struct ext4_super_block` and `struct ext4_group_desc`
//! (Documentation/filesystems/ext4 of Linux).

use super::bytes::{u16_at, u32_at};

/// Bytes of a block; `mke2fs -b 4096` makes no other.
pub(super) const BLOCK: u64 = 4096;

/// As many as a bitmap of one block has bits.
const MOST_PER_GROUP: u64 = 8 * BLOCK;
pub(super) const DAMAGED: &str = "its superblock or its groups are damaged";

const MAGIC: u16 = 0xef53;
const HAS_JOURNAL: u32 = 4;
const META_BG: u32 = 0x10;
const INCOMPAT_64BIT: u32 = 0x80;
const BIGALLOC: u32 = 0x200;
const SPARSE_SUPER: u32 = 1;

/// The figures of a superblock.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) blocks: u64,
    pub(super) inode_bytes: u64,
    pub(super) journal_inode: u32,
    inodes_per_group: u32,
    blocks_per_group: u64,
    descriptor_bytes: u64,
    reserved: u64,
    sparse: bool,
}

/// The tables of one group.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    /// First block of the table of inodes, and how many it has.
    pub(super) table: (u64, u64),
    /// Bitmaps of blocks and of inodes.
    pub(super) bitmaps: [u64; 2],
}

impl Layout {
    /// The layout that the superblock in the device's first block says.
    ///
    /// # Errors
    /// What the file system is or has that cannot be followed.
    pub(super) fn of(first_block: &[u8], device_blocks: u64) -> Result<Self, &'static str> {
        let sb = first_block.get(1024..2048).ok_or("the device is too small")?;
        if u16_at(sb, 0x38) != MAGIC {
            return Err("there is no ext4 on the device");
        }
        let (compat, incompat, ro_compat) = (u32_at(sb, 0x5c), u32_at(sb, 0x60), u32_at(sb, 0x64));
        let is_wide = incompat & INCOMPAT_64BIT != 0;
        let layout = Self {
            blocks: u64::from(u32_at(sb, 4)) | if is_wide { u64::from(u32_at(sb, 0x150)) << 32 } else { 0 },
            inode_bytes: u64::from(u16_at(sb, 0x58)),
            journal_inode: u32_at(sb, 0xe0),
            inodes_per_group: u32_at(sb, 0x28),
            blocks_per_group: u64::from(u32_at(sb, 0x20)),
            descriptor_bytes: if is_wide { u64::from(u16_at(sb, 0xfe)) } else { 32 },
            reserved: u64::from(u16_at(sb, 0xce)),
            sparse: ro_compat & SPARSE_SUPER != 0,
        };
        if u32_at(sb, 0x18) != 2
            || layout.inode_bytes < 128
            || !BLOCK.is_multiple_of(layout.inode_bytes.max(1))
        {
            return Err("its blocks or inodes have an unusual size");
        }
        if compat & HAS_JOURNAL == 0 {
            return Err("it has no journal");
        }
        if incompat & META_BG != 0 || ro_compat & BIGALLOC != 0 {
            return Err("it has clusters or descriptors in every group");
        }
        let is_whole = (1..=device_blocks).contains(&layout.blocks)
            && (256..=MOST_PER_GROUP).contains(&layout.blocks_per_group)
            && (1..=MOST_PER_GROUP).contains(&u64::from(layout.inodes_per_group))
            && (32..=1024).contains(&layout.descriptor_bytes)
            && layout.reserved <= 1024;
        if !is_whole {
            return Err(DAMAGED);
        }
        Ok(layout)
    }

    pub(super) fn groups(&self) -> u64 {
        self.blocks.div_ceil(self.blocks_per_group)
    }

    /// Block and offset of a group's descriptor.
    pub(super) fn descriptor(&self, group: u64) -> (u64, usize) {
        let at = group * self.descriptor_bytes;
        (1 + at / BLOCK, (at % BLOCK) as usize)
    }

    /// The group whose descriptor begins at `bytes`.
    ///
    /// # Errors
    /// Tables outside of the file system.
    pub(super) fn group(&self, bytes: &[u8]) -> Result<Group, &'static str> {
        let wide = |low: usize, high: usize| {
            u64::from(u32_at(bytes, low))
                | if self.descriptor_bytes >= 64 { u64::from(u32_at(bytes, high)) << 32 } else { 0 }
        };
        let table_blocks = (u64::from(self.inodes_per_group) * self.inode_bytes).div_ceil(BLOCK);
        let group = Group { table: (wide(8, 0x28), table_blocks), bitmaps: [wide(0, 0x20), wide(4, 0x24)] };
        let ends = [group.table.0.saturating_add(table_blocks), group.bitmaps[0], group.bitmaps[1]];
        if ends.iter().all(|&end| end <= self.blocks) { Ok(group) } else { Err(DAMAGED) }
    }

    /// First block and number of blocks of a group's superblock and of the descriptors behind it, if
    /// it has them.
    pub(super) fn superblock(&self, group: u64) -> Option<(u64, u64)> {
        let power_of = |base: u64| {
            let mut power = base;
            while power < group {
                power *= base;
            }
            power == group
        };
        let has = !self.sparse || group <= 1 || [3, 5, 7].into_iter().any(power_of);
        let descriptors = (self.groups() * self.descriptor_bytes).div_ceil(BLOCK);
        has.then_some((group * self.blocks_per_group, 1 + descriptors + self.reserved))
    }

    /// Number of the first inode in the table block `index` of a group.
    pub(super) fn first_inode(&self, group: u64, index: u64) -> u32 {
        (group * u64::from(self.inodes_per_group) + index * (BLOCK / self.inode_bytes) + 1) as u32
    }

    /// Table block of an inode, as group and index in its table, and the offset in the block.
    pub(super) fn place_of_inode(&self, inode: u32) -> (u64, u64, usize) {
        let (group, index) = ((inode - 1) / self.inodes_per_group, (inode - 1) % self.inodes_per_group);
        let at = u64::from(index) * self.inode_bytes;
        (u64::from(group), at / BLOCK, (at % BLOCK) as usize)
    }
}
