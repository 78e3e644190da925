//! How physical page numbers lie over the array.
//!
//! An erase unit is one block of each plane of a pool (`width` planes). Its pages are numbered
//! round the planes, so that consecutive pages are programmed in parallel. A slot is what one
//! logical page occupies: `slot_pages` consecutive pages of a unit. A PPN is the number of a slot,
//! counted unit by unit.

use rewear_flash::{Address, ConfigError, Geometry};
use strength_reduce::StrengthReducedU32;

use crate::address::{Pool, Ppn, Slot, SlotAddress, Unit};
use crate::config::choices::EraseUnit;

/// The most flash pages a logical page can occupy: N/g of WOM-v(k, N) with N up to 6, or those of
/// an indirection unit.
pub(crate) const MAX_SLOT_PAGES: usize = 12;

/// The checked layout of a drive.
#[derive(Debug, Clone)]
pub struct Layout {
    /// Pools: groups of planes that allocate and clean on their own.
    pub pools: u32,
    /// Planes in each pool, and blocks in each erase unit.
    pub width: u32,
    /// Erase units in each pool.
    pub units_per_pool: u32,
    /// Flash pages that one logical page occupies.
    pub slot_pages: u32,
    /// Slots in each erase unit.
    pub slots_per_unit: u32,
    /// Flash pages at the end of each erase unit that hold its summary: one a block, or none.
    pub summary_pages: u32,
    /// Bytes of a logical page.
    pub logical_page_bytes: u32,
    /// Logical pages that the host may use.
    pub exported_pages: u32,
    width_divisor: StrengthReducedU32,
    slots_divisor: StrengthReducedU32,
    pool_divisor: StrengthReducedU32,
}

/// What a code asks of the layout: the flash pages and the data bytes of one logical page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SlotShape {
    /// Flash pages that one logical page occupies.
    pub pages: u32,
    /// Data bytes of a logical page.
    pub logical_page_bytes: u32,
}

/// What a configuration says of how the flash is divided; see
/// [`FtlConfig`](crate::config::ftl::FtlConfig).
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(missing_docs)]
pub struct Division {
    pub over_provisioning: f64,
    pub erase_unit: EraseUnit,
    pub summary_pages: bool,
}

impl SlotShape {
    /// A logical page is a flash page.
    pub fn single(page_bytes: u32) -> SlotShape {
        SlotShape { pages: 1, logical_page_bytes: page_bytes }
    }
}

impl Layout {
    /// Bytes of a table with a bit for every slot, in which units begin with a word of their own.
    pub(crate) fn bytes_of_bit_a_slot(&self) -> u64 {
        u64::from(self.units()) * u64::from(self.slots_per_unit.div_ceil(64)) * 8
    }

    /// Lays slots over an array and exports `physical / (1 + over_provisioning)` of them.
    ///
    /// # Errors
    /// An erase unit too small for one slot; over-provisioning so small or so large that nothing is
    /// left.
    pub fn new(geometry: &Geometry, division: &Division, slot: SlotShape) -> Result<Layout, ConfigError> {
        let over_provisioning = division.over_provisioning;
        let width = match division.erase_unit {
            EraseUnit::Block => 1,
            EraseUnit::Die => geometry.planes_per_die,
            EraseUnit::Drive => geometry.planes(),
        };
        let summary_pages = if division.summary_pages { width } else { 0 };
        let slots_per_unit = (width * geometry.pages_per_block - summary_pages) / slot.pages;
        if slots_per_unit == 0 {
            return Err(ConfigError::new(
                "flash.pages_per_block",
                format!(
                    "an erase unit of {} pages cannot hold one logical page of {} pages",
                    width * geometry.pages_per_block,
                    slot.pages
                ),
                "give more pages per block or a larger ftl.erase_unit",
            ));
        }
        let (pools, units_per_pool) = (geometry.planes() / width, geometry.blocks_per_plane);
        let slots = f64::from(pools) * f64::from(units_per_pool) * f64::from(slots_per_unit);
        let exported_pages = (slots / (1.0 + over_provisioning)).floor() as u32;
        if exported_pages == 0 {
            return Err(ConfigError::new(
                "ftl.over_provisioning",
                format!("{over_provisioning} leaves no capacity to export"),
                "give a smaller over-provisioning or more blocks",
            ));
        }
        Ok(Layout {
            pools,
            width,
            units_per_pool,
            slot_pages: slot.pages,
            slots_per_unit,
            summary_pages,
            logical_page_bytes: slot.logical_page_bytes,
            exported_pages,
            width_divisor: StrengthReducedU32::new(width),
            slots_divisor: StrengthReducedU32::new(slots_per_unit),
            pool_divisor: StrengthReducedU32::new(units_per_pool),
        })
    }

    /// Erase units of the drive.
    pub fn units(&self) -> u32 {
        self.pools * self.units_per_pool
    }

    /// Slots of the drive.
    pub fn slots(&self) -> u32 {
        self.units() * self.slots_per_unit
    }

    /// Bytes that the host may use.
    pub fn exported_bytes(&self) -> u64 {
        u64::from(self.exported_pages) * u64::from(self.logical_page_bytes)
    }

    /// The unit of a PPN and the slot within it.
    #[inline]
    pub fn slot_address(&self, ppn: Ppn) -> SlotAddress {
        let unit = ppn.0 / self.slots_divisor;
        SlotAddress { unit: Unit(unit), slot: Slot(ppn.0 - unit * self.slots_per_unit) }
    }

    /// The PPN of a slot.
    #[inline]
    pub fn ppn(&self, unit: Unit, slot: Slot) -> Ppn {
        Ppn(unit.0 * self.slots_per_unit + slot.0)
    }

    /// The pool of a unit.
    #[inline]
    pub fn pool_of(&self, unit: Unit) -> Pool {
        Pool(unit.0 / self.pool_divisor)
    }

    /// The flash address of page `page` of a unit, counted round the unit's planes.
    #[inline]
    pub fn address(&self, unit: Unit, page: u32) -> Address {
        if self.width == 1 {
            // A pool is a plane: units are blocks in the array's own numbering.
            return Address { plane: self.pool_of(unit).0, block: unit.0, page };
        }
        let row = page / self.width_divisor;
        self.block_of(unit, page - row * self.width).page(row)
    }

    /// The unit of a block of the array.
    pub fn unit_of_block(&self, block: u32) -> Unit {
        let plane = block / self.units_per_pool;
        Unit(plane / self.width * self.units_per_pool + block % self.units_per_pool)
    }

    /// Block `index` (`0..width`) of a unit.
    #[inline]
    pub fn block_of(&self, unit: Unit, index: u32) -> BlockAddress {
        let pool = self.pool_of(unit).0;
        let plane = pool * self.width + index;
        BlockAddress { plane, block: plane * self.units_per_pool + (unit.0 - pool * self.units_per_pool) }
    }
}

/// A block and its plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockAddress {
    /// Plane, counted over the whole array.
    pub plane: u32,
    /// Block, counted over the whole array.
    pub block: u32,
}

impl BlockAddress {
    /// A page of this block.
    #[inline]
    pub fn page(self, page: u32) -> Address {
        Address { plane: self.plane, block: self.block, page }
    }
}
