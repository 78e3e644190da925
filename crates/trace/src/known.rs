//! A source's statements about itself at a place, apart from the source.

use crate::jumps::Jumps;
use crate::source::{Description, Omissions, Source};

/// Statements that hold once a batch was filled.
pub(crate) struct Known {
    pub(crate) description: Description,
    pub(crate) progress: Option<(u64, u64)>,
    pub(crate) omissions: Omissions,
    pub(crate) jumps: Jumps,
    /// Names of volumes beyond those that were known before.
    pub(crate) more_volumes: Vec<String>,
}

impl Known {
    /// Of a source with `known_volumes` volumes known before.
    pub(crate) fn of(source: &(impl Source + ?Sized), known_volumes: usize) -> Known {
        Known {
            description: source.description(),
            progress: source.progress(),
            omissions: source.omissions(),
            jumps: source.jumps(),
            more_volumes: source.volumes().get(known_volumes..).unwrap_or_default().to_vec(),
        }
    }
}
