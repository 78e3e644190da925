//! Stand-ins: workloads made in the likeness of a trace that cannot be had or shipped.
//!
//! A [`Profile`] holds the properties of a workload that decide what it does to a drive: how long
//! ago the pages of a request were last written or read, sequential runs, how new pages cluster,
//! sizes, the pauses between requests with their bursts, and the operation given the pause. It is
//! put together from published figures ([`Published`]), and requests are drawn from it. Its distance
//! from the trace cannot be measured without the trace.

mod bins;
mod deck;
mod extents;
pub(crate) mod generate;
mod lengths;
mod load;
mod moment;
mod place;
mod places;
mod profile;
mod published;
mod published_arrival;
mod recency;
mod recent;
mod schedule;
mod sites;
mod touched;

pub use profile::{Access, Arrival, Deck, Lengths, OfPlace, Profile};
pub use published::Published;

use crate::error::TraceError;
use crate::workloads::Settings;
use generate::StandIn;

/// Keys of a specification that a profile decides on.
const DECIDED: [&str; 11] = [
    "pages",
    "page_bytes",
    "volume_bytes",
    "read",
    "size",
    "arrival",
    "rate",
    "on_s",
    "off_s",
    "swing",
    "period_s",
];

/// The stand-in of a specification.
pub(crate) fn of_settings(settings: &Settings<'_>) -> Result<StandIn, TraceError> {
    settings.refuse(&DECIDED, "the profile decides on it")?;
    let Some(name) = settings.text("profile") else {
        return Err(TraceError::parameter(
            "stand-in: no profile is given",
            "write stand-in:profile=FILE.toml",
        ));
    };
    let requests = settings.text("requests").map(|_| settings.count("requests", 1, 1)).transpose()?;
    Ok(StandIn::new(Profile::load(name)?, requests))
}
