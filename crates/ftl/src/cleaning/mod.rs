//! The cleaner: has room where a page is to go.
//!
//! It chooses victims and streams, moves pages, folds the cache and levels wear, as policies and the
//! reuse scheme decide. Flash, map and counters it reaches through the [`Hand`] alone, and of the
//! host it knows nothing.
//!
//! [`place`] gives a slot. Where there is none [`make_room`] cleans: [`clean`] takes a victim,
//! [`moves`] moves its pages to units that [`open`] has open. A move may need room elsewhere
//! ([`nested`]), so these three call each other; nothing else in the layer does.

mod clean;
mod fold;
mod idle;
mod make_room;
mod moves;
mod nested;
mod open;
mod place;
mod read_ahead;

use crate::address::{Lpn, Slot};
use crate::cleaning::nested::Collecting;
use crate::cleaning::read_ahead::ReadAhead;
use crate::config::choices::MovedTo;
use crate::config::ftl::FtlConfig;
use crate::policies::background::Background;
use crate::policies::slc_cache::SlcCache;
use crate::policies::streams::Streams;
use crate::policies::victim::VictimPolicy;
use crate::policies::victim::policy::DriveFacts;
use crate::state::State;

/// See the module's page.
#[derive(Debug, Clone)]
pub(crate) struct Cleaner {
    victim: VictimPolicy,
    streams: Streams,
    slc_cache: Option<SlcCache>,
    /// See [`crate::policies::wear_levelling`]: the spread of wear that is tolerated.
    spread_passes: Option<u32>,
    background: Option<Background>,
    read_ahead: ReadAhead,
    /// Work space: the valid pages of a victim with their owners.
    leaving: Vec<(Slot, Lpn)>,
    collecting: Collecting,
}

impl Cleaner {
    /// The cleaner of a drive, with the expected number of emptyings of a unit between two erases,
    /// and of its erases.
    pub(crate) fn new(
        config: &FtlConfig,
        state: &State,
        (passes_per_erase, of_drive): (f64, DriveFacts),
        slc_cache: Option<SlcCache>,
    ) -> Cleaner {
        let layout = &state.layout;
        let mut streams = Streams::new(&config.streams);
        streams.prepare(config.moved_pages, layout);
        Cleaner {
            victim: VictimPolicy::new(&config.victim, of_drive),
            streams,
            slc_cache,
            spread_passes: config.wear_levelling.spread_passes(passes_per_erase),
            background: Background::new(&config.background, layout),
            read_ahead: ReadAhead::new(layout, state.groups.is_some()),
            leaving: Vec::new(),
            collecting: match config.moved_to {
                MovedTo::DriveNested => Collecting::new(layout.pools),
                MovedTo::Pool | MovedTo::Drive => Collecting::default(),
            },
        }
    }

    /// Through whose open units pages go.
    #[inline(always)]
    pub(crate) fn streams(&self) -> &Streams {
        &self.streams
    }

    #[inline(always)]
    pub(crate) fn streams_mut(&mut self) -> &mut Streams {
        &mut self.streams
    }

    /// Whether host writes go first to cells that hold one bit each.
    #[inline(always)]
    pub(crate) fn has_slc_cache(&self) -> bool {
        self.slc_cache.is_some()
    }
}
