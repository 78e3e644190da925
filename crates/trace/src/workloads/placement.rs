//! Which placement identifier requests carry: one for all of a phase, or one for each component of
//! the workload.

use super::settings::Settings;
use crate::error::TraceError;

/// Generators whose requests belong to components that differ in how soon their data dies.
const WITH_COMPONENTS: [&str; 7] =
    ["hot-cold", "jesd219", "overwrite-regions", "roles", "flash-cache", "kv-cache", "zones"];

/// See the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Placement {
    identifier: u8,
    /// All ones where the component's number is the identifier, else zero: drawn for each request,
    /// without a branch.
    of_component: u8,
}

impl Placement {
    pub(crate) fn new(settings: &Settings<'_>) -> Result<Self, TraceError> {
        if settings.text("stream") == Some("component") {
            if !WITH_COMPONENTS.contains(&settings.generator.name) {
                let problem = format!("has no effect; components have {}", WITH_COMPONENTS.join(", "));
                return Err(settings.wrong("stream", &problem));
            }
            return Ok(Self { identifier: 0, of_component: u8::MAX });
        }
        let identifier = u8::try_from(settings.count("stream", 0, 0)?)
            .map_err(|_| settings.wrong("stream", "is no placement identifier; they go from 0 to 255"))?;
        Ok(Self { identifier, of_component: 0 })
    }

    /// The identifier of a request of a component.
    #[inline]
    pub(crate) fn identifier(self, component: u8) -> u8 {
        self.identifier | (component & self.of_component)
    }
}
