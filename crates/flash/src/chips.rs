//! Chips that do one operation of the host at a time, and whose planes are cleaned side by side.
//!
//! Each plane keeps its own first-free time. An operation of the host begins when all planes of the
//! chip are free and occupies all of them; one of cleaning waits for its own plane only. So
//! cleaning that several planes of a chip begin together costs the host the longest of them.
//! DiskSim's SSD extension charges it so for planes that are parallel units, and Yadgar, Yaakobi
//! and Schuster (FAST '15, section 6.1) have commands executed in parallel in the planes of a chip.

use std::ops::Range;

use crate::config::{FlashConfig, ServiceUnit};
use crate::{Array, Geometry};

/// The chips of an array that works like this.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chips {
    planes: u32,
    /// Whether what comes now is cleaning.
    apart: bool,
}

impl Chips {
    pub(crate) fn new(config: &FlashConfig, geometry: &Geometry) -> Option<Chips> {
        (config.service_unit == ServiceUnit::Chip)
            .then_some(Chips { planes: geometry.planes_per_die, apart: false })
    }

    /// Whether operations occupy the whole chip now.
    pub(crate) fn are_whole(self) -> bool {
        !self.apart
    }

    /// The planes of the chip of a plane.
    pub(crate) fn planes_with(self, plane: u32) -> Range<usize> {
        let first = (plane - plane % self.planes) as usize;
        first..first + self.planes as usize
    }
}

impl Array {
    /// From now on operations occupy their own plane only (`true`, cleaning), or the whole chip
    /// again. Nothing on arrays whose service unit is no chip.
    #[inline]
    pub fn work_apart(&mut self, apart: bool) {
        if let Some(chips) = &mut self.chips {
            chips.apart = apart;
        }
    }

    /// The planes that an operation on this one occupies, where that is a whole chip.
    #[inline]
    pub(crate) fn whole_chip(&self, plane: u32) -> Option<Range<usize>> {
        self.chips.filter(|chips| chips.are_whole()).map(|chips| chips.planes_with(plane))
    }

    /// An operation that occupies a whole chip waits for all of its planes.
    #[inline]
    pub(crate) fn gather_chip(&mut self, plane: u32) {
        if let Some(planes) = self.whole_chip(plane) {
            let free_at = self.free_at[planes.clone()].iter().copied().max().unwrap_or(0);
            self.free_at[planes].fill(free_at);
        }
    }

    /// ..and keeps all of them until its own is free.
    #[inline]
    pub(crate) fn occupy_chip(&mut self, plane: u32) {
        if let Some(planes) = self.whole_chip(plane) {
            let free_at = self.free_at[plane as usize];
            self.free_at[planes].fill(free_at);
        }
    }
}
