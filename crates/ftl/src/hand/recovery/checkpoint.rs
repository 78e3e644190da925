//! A checkpoint: map, wear and bad units at a point in the sequence of programs.

use rewear_flash::medium::record::{MOST_ERASES, MOST_PROGRAMS};

use crate::address::{Lpn, Ppn, Unit};
use crate::shape::layout::Layout;
use crate::state::State;

/// What a checkpoint says of a unit beside its wear.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct UnitFlags {
    /// A program failed on it.
    pub(crate) condemned: bool,
    /// It is out of service.
    pub(crate) retired: bool,
    /// Pages of it were programmed since its erase.
    pub(crate) in_use: bool,
    /// Nothing more is written to it before it is cleaned.
    pub(crate) closed: bool,
}

/// The state of a drive at `sequence`. What happened up to there is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Snapshot {
    pub(crate) sequence: u64,
    pub(crate) map: Vec<Ppn>,
    pub(crate) block_erases: Vec<u32>,
    pub(crate) passes: Vec<u32>,
    pub(crate) flags: Vec<UnitFlags>,
}

impl Snapshot {
    /// A drive to which nothing has happened.
    pub(super) fn of_nothing(layout: &Layout) -> Snapshot {
        let units = layout.units() as usize;
        Snapshot {
            sequence: 0,
            map: vec![Ppn::NONE; layout.exported_pages as usize],
            block_erases: vec![0; units * layout.width as usize],
            passes: vec![0; units],
            flags: vec![UnitFlags::default(); units],
        }
    }

    /// The present state of a drive.
    pub(super) fn of(state: &State) -> Snapshot {
        let units = Unit::all(state.layout.units());
        let flags = |unit| UnitFlags {
            condemned: state.condemned.contains(&unit),
            retired: state.units.is_retired(unit),
            in_use: !state.units.is_free(unit),
            closed: state.units.is_closed(unit),
        };
        Snapshot {
            sequence: state.sequence,
            map: Lpn::all(state.layout.exported_pages).map(|lpn| state.map.find(lpn)).collect(),
            block_erases: state.array.wear().erases().to_vec(),
            passes: units.clone().map(|unit| state.units.wear(Unit(unit.0))).collect(),
            flags: units.map(flags).collect(),
        }
    }

    pub(super) fn bytes(layout: &Layout) -> usize {
        let units = layout.units() as usize;
        8 + 4 * layout.exported_pages as usize + 4 * units * layout.width as usize + 5 * units
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let flags = |flags: &UnitFlags| {
            u8::from(flags.condemned)
                | u8::from(flags.retired) << 1
                | u8::from(flags.in_use) << 2
                | u8::from(flags.closed) << 3
        };
        let map = self.map.iter().map(|ppn| ppn.0);
        let counts = self.block_erases.iter().chain(&self.passes).copied();
        let mut bytes =
            Vec::with_capacity(8 + 4 * (self.map.len() + self.block_erases.len()) + 5 * self.flags.len());
        bytes.extend(self.sequence.to_le_bytes());
        map.chain(counts).for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
        bytes.extend(self.flags.iter().map(flags));
        bytes
    }

    /// `None` if the bytes are not those of a checkpoint of such a drive.
    pub(super) fn from_bytes(bytes: &[u8], layout: &Layout) -> Option<Snapshot> {
        if bytes.len() < Snapshot::bytes(layout) {
            return None;
        }
        let (sequence, rest) = bytes.split_first_chunk()?;
        let units = layout.units() as usize;
        let (words, _) = rest.as_chunks::<4>();
        let mut words = words.iter().map(|&word| u32::from_le_bytes(word));
        let map = words.by_ref().take(layout.exported_pages as usize).map(Ppn).collect();
        let block_erases: Vec<u32> = words.by_ref().take(units * layout.width as usize).collect();
        let passes: Vec<u32> = words.take(units).collect();
        let sequence = u64::from_le_bytes(*sequence);
        if sequence > MOST_PROGRAMS || block_erases.iter().chain(&passes).any(|&count| count > MOST_ERASES) {
            return None;
        }
        let flags = |&byte: &u8| UnitFlags {
            condemned: byte & 1 != 0,
            retired: byte & 2 != 0,
            in_use: byte & 4 != 0,
            closed: byte & 8 != 0,
        };
        let flags = bytes[Snapshot::bytes(layout) - units..][..units].iter().map(flags).collect();
        Some(Snapshot { sequence, map, block_erases, passes, flags })
    }
}
