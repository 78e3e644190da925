//! Axis `recycle`: must it be written at all?
//!
//! A scheme may answer a host write with an invalid page that still holds the content. It learns from [`Event`]s which
//! pages became invalid and whose content was destroyed; it never asks another axis.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::host_write::Content;
use crate::{Lpn, Ppn};

/// What the flash translation layer tells a recycling scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A physical page became invalid; its content is still there.
    Invalidated {
        /// The logical page it held.
        lpn: Lpn,
        /// The physical page.
        ppn: Ppn,
    },
    /// A physical page was erased or written over.
    Destroyed {
        /// The physical page.
        ppn: Ppn,
    },
}

/// The `[recycle]` table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "scheme", rename_all = "kebab-case", deny_unknown_fields)]
pub enum RecycleConfig {
    /// Every host write is written.
    #[serde(rename = "none")]
    Nothing {},
}

impl Default for RecycleConfig {
    fn default() -> Self {
        RecycleConfig::Nothing {}
    }
}

/// The recycling scheme of a drive.
#[derive(Debug, Clone)]
pub enum Recycle {
    /// Every host write is written.
    Nothing,
}

impl Recycle {
    /// Builds the scheme of a configuration.
    pub fn new(config: &RecycleConfig) -> Recycle {
        match config {
            RecycleConfig::Nothing {} => Recycle::Nothing,
        }
    }

    /// An invalid physical page that holds the content of this write.
    #[inline]
    pub fn find(&mut self, _lpn: Lpn, _content: Content<'_>) -> Option<Ppn> {
        match self {
            Recycle::Nothing => None,
        }
    }

    /// Whether the scheme wants events at all.
    #[inline]
    pub fn listens(&self) -> bool {
        match self {
            Recycle::Nothing => false,
        }
    }

    /// Hears of an event.
    #[inline]
    pub fn hear(&mut self, _event: Event) {
        match self {
            Recycle::Nothing => {}
        }
    }
}
