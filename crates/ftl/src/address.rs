//! Numbers of pages, slots, units and pools: each a type of its own, so that none can be taken for
//! another.
//!
//! All compile to the integer. [`NONE`](Lpn::NONE) stands for "none" in tables, where an `Option`
//! would take twice the memory.

use std::fmt;
use std::num::TryFromIntError;
use std::ops::{Add, AddAssign, Range, Sub};

macro_rules! number {
    ($(#[$meta:meta])* $name:ident) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        #[repr(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// None of them.
            pub const NONE: $name = $name(u32::MAX);

            /// Whether this is [`NONE`](Self::NONE).
            #[inline(always)]
            pub const fn is_none(self) -> bool {
                self.0 == u32::MAX
            }

            /// Whether this is one.
            #[inline(always)]
            pub const fn is_some(self) -> bool {
                self.0 != u32::MAX
            }

            /// As an index of a table.
            #[inline(always)]
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// The first `count` of them.
            #[inline(always)]
            pub fn all(count: u32) -> impl DoubleEndedIterator<Item = $name> + ExactSizeIterator + Clone {
                (0..count).map($name)
            }

            /// Those of a range.
            #[inline(always)]
            pub fn each(range: Range<$name>) -> impl DoubleEndedIterator<Item = $name> + ExactSizeIterator + Clone {
                (range.start.0..range.end.0).map($name)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl From<$name> for u64 {
            #[inline(always)]
            fn from(number: $name) -> u64 {
                number.0.into()
            }
        }

        impl TryFrom<u64> for $name {
            type Error = TryFromIntError;

            fn try_from(number: u64) -> Result<$name, TryFromIntError> {
                u32::try_from(number).map($name)
            }
        }

        impl Add<u32> for $name {
            type Output = $name;

            #[inline(always)]
            fn add(self, steps: u32) -> $name {
                $name(self.0 + steps)
            }
        }

        impl AddAssign<u32> for $name {
            #[inline(always)]
            fn add_assign(&mut self, steps: u32) {
                self.0 += steps;
            }
        }

        impl Sub for $name {
            type Output = u32;

            #[inline(always)]
            fn sub(self, other: $name) -> u32 {
                self.0 - other.0
            }
        }
    };
}

number! {
    /// Logical page number: what the host addresses, in units of the drive's logical page.
    Lpn
}
number! {
    /// Physical page number: a slot of the drive, the place of one logical page (one flash page, or
    /// several where a code needs them).
    Ppn
}
number! {
    /// A pool: planes that allocate and clean on their own.
    Pool
}
number! {
    /// An erase unit of the drive.
    Unit
}
number! {
    /// A slot within its erase unit.
    Slot
}

impl Slot {
    /// The slot of a bit of a unit's row of bits.
    #[inline(always)]
    pub const fn of_bit(word: u32, bit: u32) -> Slot {
        Slot(word * 64 + bit)
    }
}

/// Where a slot lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SlotAddress {
    /// Its erase unit.
    pub unit: Unit,
    /// Its number in the unit.
    pub slot: Slot,
}

impl SlotAddress {
    /// A slot of a unit.
    #[inline(always)]
    pub const fn new(unit: Unit, slot: Slot) -> SlotAddress {
        SlotAddress { unit, slot }
    }
}
