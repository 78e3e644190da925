//! A new drive: everything that the layer works on, from a configuration.

use std::collections::VecDeque;

use rewear_flash::timing::ModeTiming;
use rewear_flash::{Array, ConfigError, Failures};

use crate::cleaning::Cleaner;
use crate::config::choices::MovedTo;
use crate::config::drive::DriveConfig;
use crate::effort::Effort;
use crate::front::Ftl;
use crate::front::map_journal::MapJournal;
use crate::hand::Hand;
use crate::hand::buffers::Buffers;
use crate::hand::path::Path;
use crate::hand::recovery::log;
use crate::hand::recovery::log::Log;
use crate::hand::scrambler::Scrambler;
use crate::host::write_buffer::WriteBuffer;
use crate::policies::slc_cache::SlcCache;
use crate::policies::streams::StreamsConfig;
use crate::policies::victim::policy::DriveFacts;
use crate::recycle::Recycle;
use crate::reuse::facts::{Facts, Passes};
use crate::reuse::{Reuse, ReuseConfig};
use crate::shape::layout::Layout;
use crate::shape::{Shape, cell_format, slc_cache};
use crate::state::State;
use crate::state::content_score::ContentScore;
use crate::state::counters::Counters;
use crate::state::groups::Groups;
use crate::state::map::Map;
use crate::state::sharing::Sharing;
use crate::state::units::Units;
use crate::state::units::low_then_high::FillOrder;

impl Ftl {
    /// An empty drive.
    ///
    /// # Errors
    /// A configuration that cannot be, with key and remedy.
    pub fn new(config: &DriveConfig) -> Result<Ftl, ConfigError> {
        let (shape, mut reuse) = Shape::with_reuse(config)?;
        let passes_per_erase = reuse.facts.programs.passes_per_erase;
        let mut effort = Effort::new(&config.effort, &config.flash)?;
        let cells = cell_format(config, &reuse)?;
        let cache_mode = config.ftl.slc_cache.timing(&config.flash)?;
        let more = f64::from(config.flash.pages_per_block) / f64::from(shape.flash.pages_per_block);
        let modes: Vec<ModeTiming> =
            effort.extra_modes().iter().cloned().chain(cache_mode).map(|mode| mode.times(more)).collect();
        let mut array = Array::new(&shape.flash, reuse.facts.programs.again, cells, &modes)?;
        if let Some(cache) = config.ftl.slc_cache.cache() {
            array.hold_one_bit(cache.erase_ns(&config.flash), cache.cycle_wear);
        }
        effort.prepare(&shape.layout);
        let recycle = Recycle::new(&config.recycle, &shape.layout);
        let log_shape = shape.log.map(|log| (log, log::first_unit(&shape.layout, log, &shape.bad_units)));
        let mut state = new_state(config, shape, &reuse, array);
        reuse.prepare(&config.flash, &state.layout)?;
        let new_buffers = || {
            let scrambler =
                Scrambler::new(&config.flash, reuse.facts.scrambles_data, state.layout.logical_page_bytes);
            Buffers::new(&state.layout, cells.image_bytes, scrambler)
        };
        let buffers = new_buffers();
        let log = log_shape
            .map(|(shape, first_unit)| Box::new(Log::new(shape, first_unit, &state.layout, new_buffers())));
        if let Some((shape, first_unit)) = log_shape {
            state.units.set_aside(first_unit..first_unit + shape.units());
        }
        let kept_bytes =
            if state.array.stores_cells() { state.layout.logical_page_bytes as usize } else { 0 };
        let write_buffer =
            WriteBuffer::new(&config.ftl.write_buffer, kept_bytes, config.recycle.wants_content());
        let waits_in_front = write_buffer.is_some() || state.array.reads_overtake();
        let has_front = waits_in_front || effort.listens();
        let goes_on_in_order =
            reuse.facts.passes == Passes::Never && matches!(config.ftl.streams, StreamsConfig::One {});
        let blocks = state.array.geometry().blocks() as usize;
        let cache =
            SlcCache::new(&config.ftl.slc_cache, effort.extra_modes().len(), state.layout.units_per_pool);
        let cache_mode = cache.as_ref().map(|cache| cache.mode);
        let erases_victims = matches!(config.reuse, ReuseConfig::Nothing {});
        let blocks_of = DriveFacts { seed: config.flash.seed, erases_victims };
        let cleaner = Cleaner::new(&config.ftl, &state, (passes_per_erase, blocks_of), cache);
        let hand = Hand::new(state, (recycle, reuse, effort), buffers, cache_mode, log);
        let mut ftl = Ftl {
            hand,
            cleaner,
            write_buffer,
            rewriting: VecDeque::new(),
            map_journal: MapJournal::new(config.ftl.metadata_share),
            has_front,
            path: Path::General,
            program_path: Path::General,
            erases_before: vec![0; blocks],
            reprograms_before: 0,
            unfinished_before: 0.0,
        };
        ftl.program_path = ftl.hand.path(ftl.hand.state().groups.is_some());
        if goes_on_in_order && !waits_in_front && ftl.map_journal.is_none() {
            ftl.path = ftl.program_path;
        }
        Ok(ftl)
    }
}

fn new_state(config: &DriveConfig, shape: Shape, reuse: &Reuse, mut array: Array) -> State {
    let Shape { layout, reserve, geometry, bad_units, factory_bad_blocks, .. } = shape;
    let copies_back = config.ftl.copyback
        && config.flash.pages_per_program == 1
        && config.ftl.moved_to == MovedTo::Pool
        && layout.width == 1
        && layout.slot_pages == 1
        && reuse.facts.copies_cells;
    let (fill_order, planes_per_die) = (fill_order(&reuse.facts, &layout), geometry.planes_per_die);
    let cached_slots = slc_cache::slots(config, &layout);
    let mut units =
        Units::new(&layout, fill_order, &reserve, &config.ftl, &bad_units, planes_per_die, cached_slots);
    if config.recycle.wants_content() && config.ftl.victim.weighs_contents() {
        units.content_score = ContentScore::new(layout.units(), layout.slots_per_unit);
    }
    if reuse.facts.ranks_units {
        units.rank_programmable();
    }
    // Such units are cleaned by way of the channel, with all transfers asked for at once.
    if layout.width > 1 {
        array.keep_all_gaps();
    }
    State {
        map: Map::new(layout.exported_pages, layout.units(), layout.slots_per_unit),
        units,
        sharing: config.recycle.shares_pages().then(|| Sharing::new(layout.exported_pages)),
        counters: Counters::default(),
        cleaning_step: config.ftl.cleaning_step,
        moved_to: config.ftl.moved_to,
        summary_reads: config.ftl.summary_reads,
        failures: Failures::new(&config.flash.failures, config.flash.seed),
        condemned: Vec::new(),
        bad_blocks: factory_bad_blocks,
        groups: reuse.facts.groups.map(|shape| {
            let words = layout.slots_per_unit.div_ceil(64);
            Box::new(Groups::new(shape, layout.pools, layout.units(), words))
        }),
        sequence: 0,
        copies_back,
        prepares: array.stores_cells() || reuse.facts.counts_programs,
        array,
        layout,
    }
}

/// With which slots units are filled, where not with all in order.
fn fill_order(facts: &Facts, layout: &Layout) -> FillOrder {
    facts.low_rows.as_deref().map_or_else(FillOrder::default, |is_low| {
        FillOrder::new(is_low, layout.width, layout.slots_per_unit, layout.summary_pages > 0)
    })
}
