//! Profiles in files of published figures.

use std::io::Read;

use super::moment::Moment;
use super::profile::{Access, Profile};
use super::published::PublishedFile;
use super::sites::Touch;
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
                "name a file of the form of those in experiments/workloads",
            )
        })?;
        Profile::from_toml(&text, path)
    }

    /// Reads a profile from TOML text; `origin` names it in messages.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn from_toml(text: &str, origin: &str) -> Result<Profile, TraceError> {
        let file: PublishedFile = toml::from_str(text).map_err(|error| syntax(&error, text, origin))?;
        let profile = file.profile(origin)?;
        if profile.lacks_an_operation() {
            return Err(TraceError::parameter(
                format!("{origin}: published.requests are too few to read and write as published.read says"),
                "give more requests, or a share of reads of 0 or 1",
            ));
        }
        Ok(profile)
    }

    /// Whether an operation arrives that has no places: there is less than half a request of it.
    fn lacks_an_operation(&self) -> bool {
        let places = |touch| match touch {
            Touch::Read => &self.read,
            Touch::Write => &self.write,
            Touch::Trim => &self.trim,
        };
        let mut moments = self.arrival.chain.iter().flat_map(|(_, next, _)| next);
        moments.any(|&moment| Access::is_none(places(Moment::of_number(moment).touch)))
    }
}

fn syntax(error: &toml::de::Error, text: &str, origin: &str) -> TraceError {
    let line = error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
    let problem = error.message().replace('\n', " ");
    TraceError::parameter(
        format!("{origin}, line {line}: {problem}"),
        "correct the file; those in experiments/workloads have its form",
    )
}
