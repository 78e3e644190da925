//! Replays a workload on a modelled SSD and reports what it cost.
//!
//! Reading order: [`load`] (a drive from TOML and overrides), [`options`] (how to replay),
//! [`host`] (what a replay and a live drive do alike), [`mod@replay`] (the loop), [`arrival`] (when requests come),
//! [`precondition`] (what the drive holds before), [`payload`] (bytes for stored cells), [`statistics`] and [`report`] with its
//! parts (what comes out), [`book`] (what its figures are called and mean), [`observers`] (time series, request log, warm-up: on demand),
//! [`long_run`] and [`evenness`] (what lasts, and for how long). [`mod@bound`]
//! says how little could be written if the future were known.

pub mod arrival;
pub mod book;
pub mod bound;
pub mod contents;
pub mod derived;
pub mod error;
pub mod evenness;
pub mod halves;
pub mod host;
mod later_life;
pub mod load;
pub mod long_run;
pub mod memory;
pub mod observers;
pub mod options;
pub mod payload;
pub mod precondition;
pub mod replay;
pub mod report;
pub mod request_log;
pub mod series;
pub mod statistics;
pub mod steady_state;

pub use derived::Derived;
pub use error::SimError;
pub use load::{Drive, configuration_schema, report_schema};
pub use options::ReplayOptions;
pub use replay::{Progress, replay};
pub use report::Report;
pub use request_log::{Columns, RequestLog};
pub use rewear_flash::ConfigError;
pub use rewear_ftl::effort::EffortConfig;
