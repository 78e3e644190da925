//! Made-up workloads: a seeded generator, described by a line such as
//! `zipf:theta=0.9,pages=100000,requests=1e6;sequential:read=1`.

mod arrival;
pub(crate) mod content;
mod flash_cache;
mod hot_cold;
mod jesd219;
mod kv_cache;
mod overwrite_regions;
mod pattern;
mod permutation;
mod placement;
pub(crate) mod random;
mod ranks;
mod refill;
mod requests;
mod roles;
mod sequential;
mod settings;
mod size;
mod stream;
mod tables;
mod uniform;
mod zipf;
mod zones;

pub use tables::{COMMON, GENERATORS, Generator, Parameter};

use crate::error::TraceError;
use crate::readers::AnySource;
use crate::request::Batch;
use crate::source::{Description, Kind, Source};
pub(crate) use settings::Settings;
use stream::Stream;

/// Defaults for a specification, mostly from the drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Defaults {
    /// Pages of the region.
    pub pages: u64,
    /// Bytes of a page.
    pub page_bytes: u64,
    /// Requests of a phase.
    pub requests: u64,
    /// Seed.
    pub seed: u64,
}

impl Default for Defaults {
    /// A million requests to a gibibyte of 4 KiB pages, seed 1.
    fn default() -> Self {
        Self { pages: 1 << 18, page_bytes: 4096, requests: 1_000_000, seed: 1 }
    }
}

/// The workload of a specification: `NAME:key=value,key=value`, or several such phases in sequence,
/// joined by `;` or ` + `. Names and keys are those of [`GENERATORS`] and [`COMMON`]. A phase
/// begins at the time of the last request of the one before.
///
/// # Errors
/// Unknown names and keys, values out of their range.
pub fn workload(spec: &str, defaults: &Defaults) -> Result<AnySource, TraceError> {
    let phases = phases(spec).map(|phase| Stream::new(phase, defaults)).collect::<Result<Vec<_>, _>>()?;
    if phases.is_empty() {
        let names = GENERATORS.iter().map(|generator| generator.name).collect::<Vec<_>>().join(", ");
        return Err(TraceError::parameter("the workload is not named", format!("use one of: {names}")));
    }
    Ok(Box::new(Workload {
        spec: spec.to_owned(),
        initial: phases.clone(),
        phases,
        current: 0,
        delivered: 0,
    }))
}

/// The phases of a specification. A `+` belongs to a number where it follows an `e`, as in `1e+6`.
fn phases(spec: &str) -> impl Iterator<Item = &str> {
    let bytes = spec.as_bytes();
    let separates = move |at: usize| match bytes[at] {
        b';' => true,
        b'+' => !(at > 1 && bytes[at - 1] == b'e' && bytes[at - 2].is_ascii_digit()),
        _ => false,
    };
    let mut start = 0;
    let mut ends = (0..bytes.len()).filter(move |&at| separates(at)).chain([bytes.len()]);
    std::iter::from_fn(move || {
        let end = ends.next()?;
        let phase = spec[start..end].trim();
        start = end + 1;
        Some(phase)
    })
    .filter(|phase| !phase.is_empty())
}

/// Phases in sequence.
struct Workload {
    spec: String,
    initial: Vec<Stream>,
    phases: Vec<Stream>,
    current: usize,
    delivered: u64,
}

impl Workload {
    /// Of all phases, if each says how many it has.
    fn requests(&self) -> Option<u64> {
        self.initial.iter().try_fold(0u64, |sum, phase| Some(sum.saturating_add(phase.requests()?)))
    }
}

impl Source for Workload {
    fn fill(&mut self, batch: &mut Batch) -> Result<usize, TraceError> {
        batch.clear();
        while !batch.is_full()
            && let Some(phase) = self.phases.get_mut(self.current)
        {
            if phase.fill(batch) {
                let now_ns = phase.now_ns();
                self.current += 1;
                if let Some(next) = self.phases.get_mut(self.current) {
                    next.start_at(now_ns);
                }
            }
        }
        self.delivered += batch.requests.len() as u64;
        Ok(batch.requests.len())
    }

    fn rewind(&mut self) -> Result<(), TraceError> {
        self.phases.clone_from(&self.initial);
        (self.current, self.delivered) = (0, 0);
        Ok(())
    }

    fn next_pass(&mut self) -> Result<(), TraceError> {
        let drawn = std::mem::replace(&mut self.phases, self.initial.clone());
        self.phases.iter_mut().zip(drawn).for_each(|(phase, drawn)| phase.go_on_from(drawn));
        (self.current, self.delivered) = (0, 0);
        Ok(())
    }

    fn description(&self) -> Description {
        Description {
            name: self.spec.clone(),
            format: "workload".to_owned(),
            kind: Kind::Workload,
            timed: self.initial.iter().any(Stream::is_timed),
            requests: self.requests(),
            time_unit: String::new(),
            note: String::new(),
        }
    }

    fn progress(&self) -> Option<(u64, u64)> {
        self.requests().map(|all| (self.delivered, all))
    }
}
