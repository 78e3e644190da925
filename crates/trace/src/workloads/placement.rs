//! Which placement identifier requests carry: one for all of a phase, or one for each component of the workload.

use super::settings::Settings;
use crate::error::TraceError;

/// Generators whose requests belong to components that differ in how soon their data dies.
const WITH_COMPONENTS: [&str; 3] = ["hot-cold", "overwrite-regions", "roles"];

/// See the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Placement {
    /// This one.
    Identifier(u8),
    /// The number of the request's component.
    Component,
}

impl Placement {
    pub(crate) fn new(settings: &Settings<'_>) -> Result<Self, TraceError> {
        if settings.text("stream") == Some("component") {
            if !WITH_COMPONENTS.contains(&settings.generator.name) {
                let problem = format!("has no effect; components have {}", WITH_COMPONENTS.join(", "));
                return Err(settings.wrong("stream", &problem));
            }
            return Ok(Self::Component);
        }
        let identifier = u8::try_from(settings.count("stream", 0, 0)?)
            .map_err(|_| settings.wrong("stream", "is no placement identifier; they go from 0 to 255"))?;
        Ok(Self::Identifier(identifier))
    }

    /// The identifier of a request of a component.
    pub(crate) fn identifier(self, component: u8) -> u8 {
        match self {
            Self::Identifier(identifier) => identifier,
            Self::Component => component,
        }
    }
}
