//! Profiles in files.

use std::io::Read;

use super::profile::Profile;
use super::published::PublishedFile;
use crate::error::TraceError;

/// No profile is longer.
const MOST_BYTES: u64 = 16 << 20;

impl Profile {
    /// Reads a profile from a TOML file.
    ///
    /// # Errors
    /// A file that cannot be read, text that is no profile, values that no workload has.
    pub fn load(path: &str) -> Result<Profile, TraceError> {
        // A device or a pipe may have no end.
        let read = || {
            let mut text = String::new();
            std::fs::File::open(path)?.take(MOST_BYTES).read_to_string(&mut text).map(|_| text)
        };
        let text = read().map_err(|error: std::io::Error| {
            TraceError::parameter(
                format!("the stand-in profile {path} cannot be read: {error}"),
                "name a file that `rewear stand-in fit` wrote, or one of the folder experiments/workloads",
            )
        })?;
        Profile::from_toml(&text, path)
    }

    /// Reads a profile from TOML text; `origin` names it in messages.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn from_toml(text: &str, origin: &str) -> Result<Profile, TraceError> {
        let mut lines = text.lines();
        let profile: Profile = if lines.any(|line| line.trim() == "[published]") {
            let file: PublishedFile = toml::from_str(text).map_err(|error| syntax(&error, text, origin))?;
            file.profile(origin)?
        } else {
            toml::from_str(text).map_err(|error| syntax(&error, text, origin))?
        };
        profile.check()?;
        Ok(profile)
    }

    /// The profile as TOML text.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).unwrap_or_default()
    }
}

fn syntax(error: &toml::de::Error, text: &str, origin: &str) -> TraceError {
    let line = error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
    let problem = error.message().replace('\n', " ");
    TraceError::parameter(
        format!("{origin}, line {line}: {problem}"),
        "correct the file, or make it again with `rewear stand-in fit`",
    )
}
