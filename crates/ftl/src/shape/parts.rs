//! The erase units of a part of a drive, which has some of its dies.

use std::ops::Range;

use rewear_flash::PartOf;

use crate::address::Unit;
use crate::shape::layout::Layout;

/// Units of a die, by their numbers in the whole drive and in the part.
pub(crate) struct UnitsOfPart {
    first: u32,
    own: Range<u32>,
}

impl UnitsOfPart {
    /// Those of each die of a part with this layout.
    pub(crate) fn of_dies(layout: &Layout, of: PartOf) -> impl Iterator<Item = UnitsOfPart> {
        let units = layout.drawn_together.units;
        (0..layout.units() / units).map(move |die| UnitsOfPart {
            first: of.number(die) * units,
            own: die * units..(die + 1) * units,
        })
    }

    /// Each unit of the whole drive, and what it is in the part.
    pub(crate) fn each(&self) -> impl Iterator<Item = (Unit, Unit)> + use<> {
        (self.first..).zip(self.own.clone()).map(|(unit, own)| (Unit(unit), Unit(own)))
    }
}
