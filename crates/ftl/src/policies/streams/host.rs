//! Streams `host`: the host's placement identifiers say which pages lie together.
//!
//! # Idea
//! A host that knows which data dies together says so with each write. Each identifier names a
//! reclaim unit handle, and each handle has an open erase unit of its own in every pool.
//!
//! # Paper
//! NVM Express, TP4146 Flexible Data Placement, 2022 (part of the NVM Command Set since 2.1).
//! Multi-stream drives (Kang, Hyun, Maeng, Cho: The Multi-streamed Solid-State Drive,
//! HotStorage 2014) are the same with stream identifiers.
//!
//! # Parameters
//! `handles`, `isolation`.
//!
//! # Cost
//! An erase unit a pool for each handle, and one more for moved pages; with persistent isolation
//! and `ftl.moved_pages = "apart"` as many again. A byte a logical page.
//!
//! Controller RAM: `pages`.
//!
//! # Deviations
//! Persistently isolated data may share the unit of its handle's new writes (`ftl.moved_pages =
//! "together"`) or not; TP4146 leaves that open. Where a failure has used up the free units, moved
//! pages take any open unit's slots. Identifiers of pages are kept in memory: after a mount pages
//! count as of identifier 0 until they are written again. Reclaim groups are not modelled.
//!
//! # Sections
//! An identifier that the drive does not have is of handle 0, as the event "Invalid Placement
//! Identifier" of TP4146 says: [`Host::announce`]. Initially and persistently isolated handles:
//! [`Isolation`], [`Host::stream_of_move`]. "Reclaim Unit Handle Update": [`Ftl::update_handle`],
//! which closes the units that a handle has open, full or not.
//!
//! [`Ftl::update_handle`]: crate::Ftl::update_handle

use rewear_flash::ConfigError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::figures::StreamFigures;
use super::policy::{MovedWith, Policy, StreamShape};
use crate::address::Lpn;
use crate::config::choices::MovedPages;
use crate::shape::layout::Layout;
use crate::state::units::stream::{MOST_CLASSES, Stream};

/// Fate of the separation when pages are moved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Isolation {
    /// Moved pages of all handles share units ("initially isolated").
    #[default]
    Initial,
    /// Moved pages share units with pages of their own handle only ("persistently isolated").
    Persistent,
}

/// Parameters of `host`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HostConfig {
    /// Reclaim unit handles of the drive, 1 to 32: identifiers 0 to `handles` - 1. Writes without
    /// an identifier are of 0.
    pub handles: u8,
    /// Type of the reclaim unit handles.
    pub isolation: Isolation,
}

impl Default for HostConfig {
    fn default() -> Self {
        HostConfig { handles: 8, isolation: Isolation::Initial }
    }
}

/// See the module's page.
#[derive(Debug, Clone)]
pub struct Host {
    handles: u8,
    isolation: Isolation,
    /// Whether moved pages of a handle have a unit of their own.
    apart: bool,
    /// Identifier and handle of the present request.
    identifier: u8,
    handle: u8,
    /// The handle of each logical page's last write.
    handle_of: Vec<u8>,
    figures: StreamFigures,
}

impl Host {
    fn stream(&self, handle: u8) -> Stream {
        // Handle 0 is that of writes which say nothing, on every drive the first open unit.
        if handle == 0 { Stream::Host } else { Stream::Class(handle - 1) }
    }
}

impl Policy for Host {
    type Config = HostConfig;

    const SORTS_MOVES: bool = true;

    fn check(config: &HostConfig, table: &str) -> Result<(), ConfigError> {
        let most = (MOST_CLASSES / 2) as u8;
        if (1..=most).contains(&config.handles) {
            return Ok(());
        }
        let problem = format!("{} is out of range", config.handles);
        Err(ConfigError::new(format!("{table}.handles"), problem, format!("give 1 to {most}")))
    }

    fn shape(config: &HostConfig, moved_pages: MovedPages) -> StreamShape {
        let handles = u32::from(config.handles);
        let (moved_units, moved_classes) = match (config.isolation, moved_pages) {
            (Isolation::Initial, _) => (1, 0),
            (Isolation::Persistent, MovedPages::Together) => (0, 0),
            (Isolation::Persistent, MovedPages::Apart) => (handles, handles),
        };
        StreamShape {
            open_units: handles + moved_units,
            classes: handles - 1 + moved_classes,
            moved_with: MovedWith::Nobody,
        }
    }

    fn table_bytes(_: &HostConfig, layout: &Layout) -> u64 {
        u64::from(layout.exported_pages)
    }

    fn new(config: &HostConfig) -> Host {
        Host {
            handles: config.handles,
            isolation: config.isolation,
            apart: false,
            identifier: 0,
            handle: 0,
            handle_of: Vec::new(),
            figures: StreamFigures::new(0, usize::from(config.handles), true),
        }
    }

    fn prepare(&mut self, moved_pages: MovedPages, layout: &Layout) {
        self.apart = moved_pages == MovedPages::Apart;
        self.handle_of = vec![0; layout.exported_pages as usize];
    }

    #[inline]
    fn announce(&mut self, _: u64, identifier: u8) {
        self.identify(identifier);
    }

    fn identifier(&self) -> u8 {
        self.identifier
    }

    #[inline]
    fn identify(&mut self, identifier: u8) {
        self.identifier = identifier;
        self.handle = if identifier < self.handles { identifier } else { 0 };
    }

    fn stream_of_handle(&self, handle: u8) -> Option<Stream> {
        (handle < self.handles).then(|| self.stream(handle))
    }

    #[inline]
    fn stream_of(&mut self, lpn: Lpn) -> Stream {
        self.handle_of[lpn.index()] = self.handle;
        self.figures.rows[usize::from(self.handle)].written += 1;
        self.figures.unknown += u64::from(self.identifier >= self.handles);
        self.stream(self.handle)
    }

    fn stream_of_move(&mut self, lpn: Lpn, _: Stream) -> Stream {
        let handle = self.handle_of[lpn.index()];
        self.figures.rows[usize::from(handle)].moved += 1;
        match self.isolation {
            Isolation::Initial => Stream::Moved,
            Isolation::Persistent if self.apart => Stream::Class(self.handles - 1 + handle),
            Isolation::Persistent => self.stream(handle),
        }
    }

    fn figures(&self) -> Option<&StreamFigures> {
        Some(&self.figures)
    }

    fn reset_counts(&mut self) {
        self.figures.reset();
    }
}
