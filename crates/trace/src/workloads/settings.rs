//! Takes a specification apart: `name:key=value,key=value`.

use super::tables::{COMMON, GENERATORS, Generator};
use crate::error::TraceError;

/// One phase of a specification, with its keys known to be the generator's.
pub(crate) struct Settings<'a> {
    pub(crate) generator: &'static Generator,
    values: Vec<(&'a str, &'a str)>,
}

impl<'a> Settings<'a> {
    pub(crate) fn parse(spec: &'a str) -> Result<Self, TraceError> {
        let (name, list) = spec.split_once(':').unwrap_or((spec, ""));
        let name = name.trim();
        let generator = GENERATORS.iter().find(|generator| generator.name == name).ok_or_else(|| {
            let names = GENERATORS.iter().map(|generator| generator.name).collect::<Vec<_>>().join(", ");
            TraceError::parameter(
                format!("the workload \"{name}\" does not exist"),
                format!("use one of: {names}"),
            )
        })?;
        let mut values: Vec<(&str, &str)> = Vec::new();
        for pair in list.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').ok_or_else(|| {
                TraceError::parameter(
                    format!("\"{pair}\" in workload {name} is not key=value"),
                    "write for example seed=7",
                )
            })?;
            let key = key.trim();
            if !generator.all_parameters().any(|parameter| parameter.name == key) {
                let names =
                    generator.all_parameters().map(|parameter| parameter.name).collect::<Vec<_>>().join(", ");
                let problem = format!("the workload {name} has no parameter \"{key}\"");
                return Err(TraceError::parameter(problem, format!("its parameters are: {names}")));
            }
            if values.iter().any(|(known, _)| *known == key) {
                return Err(TraceError::parameter(format!("{name}: {key} is given twice"), "give it once"));
            }
            values.push((key, value.trim()));
        }
        Ok(Self { generator, values })
    }

    /// The value that the user gives, or else that of the generator where it has its own for a
    /// common parameter.
    pub(crate) fn text(&self, key: &str) -> Option<&'a str> {
        let given = self.values.iter().find(|(known, _)| *known == key).map(|&(_, value)| value);
        given.or_else(|| {
            let own = self.generator.parameters.iter().find(|row| row.name == key)?;
            COMMON.iter().any(|row| row.name == key).then_some(own.default)
        })
    }

    /// Whether the user gives a value.
    pub(crate) fn is_given(&self, key: &str) -> bool {
        self.values.iter().any(|(known, _)| *known == key)
    }

    /// The one of two names for the same thing that is given; the first if none is.
    pub(crate) fn either(&self, key: &'static str, other: &'static str) -> Result<&'static str, TraceError> {
        match (self.text(key), self.text(other)) {
            (Some(_), Some(_)) => {
                Err(self.wrong(other, &format!("and {key} are both given; give one of them")))
            }
            (None, Some(_)) => Ok(other),
            _ => Ok(key),
        }
    }

    /// The default that the table states for a parameter; empty where there is no such parameter.
    pub(crate) fn table_default(&self, key: &str) -> &'static str {
        self.generator.all_parameters().find(|row| row.name == key).map_or("", |row| row.default)
    }

    /// For workloads in which something else than these keys decides.
    pub(crate) fn refuse(&self, keys: &[&str], because: &str) -> Result<(), TraceError> {
        match keys.iter().find(|key| self.text(key).is_some()) {
            Some(key) => Err(self.wrong(key, &format!("has no effect; {because}"))),
            None => Ok(()),
        }
    }

    /// For workloads that are defined as writes of single pages.
    pub(crate) fn refuse_reads_and_sizes(&self) -> Result<(), TraceError> {
        match ["read", "size"].into_iter().find(|key| self.text(key).is_some()) {
            Some(key) => {
                Err(self.wrong(key, "does not go with this workload, which writes single pages only"))
            }
            None => Ok(()),
        }
    }

    /// An error for the value of `key`, with the row of the table as a remedy.
    pub(crate) fn wrong(&self, key: &str, problem: &str) -> TraceError {
        let value = self.text(key).unwrap_or("(default)");
        let meaning = self.generator.all_parameters().find(|parameter| parameter.name == key);
        let remedy = meaning.map_or(String::new(), |row| format!("{key} is: {}", row.meaning));
        TraceError::parameter(format!("{}: {key}={value} {problem}", self.generator.name), remedy)
    }

    /// A whole number from `least` on.
    pub(crate) fn count(&self, key: &str, default: u64, least: u64) -> Result<u64, TraceError> {
        self.whole(key, default, least, count)
    }

    /// A number of bytes from `least` on.
    pub(crate) fn size(&self, key: &str, default: u64, least: u64) -> Result<u64, TraceError> {
        self.whole(key, default, least, size)
    }

    fn whole(
        &self,
        key: &str,
        default: u64,
        least: u64,
        read: fn(&str) -> Option<u64>,
    ) -> Result<u64, TraceError> {
        let value = match self.text(key) {
            Some(text) => {
                read(text).ok_or_else(|| self.wrong(key, "is not a whole number (4096, 1e6, 64KiB, 10GB)"))?
            }
            None => default,
        };
        if value < least {
            return Err(self.wrong(key, &format!("is {value}, below the least, {least}")));
        }
        Ok(value)
    }

    /// A number between `least` and `most`; percents may be written as such.
    pub(crate) fn real(&self, key: &str, default: f64, least: f64, most: f64) -> Result<f64, TraceError> {
        let value = match self.text(key) {
            Some(text) => real(text).ok_or_else(|| self.wrong(key, "is not a number"))?,
            None => default,
        };
        if !(least..=most).contains(&value) {
            return Err(self.wrong(key, &format!("lies outside {least} to {most}")));
        }
        Ok(value)
    }

    pub(crate) fn flag(&self, key: &str, default: bool) -> Result<bool, TraceError> {
        match self.text(key) {
            None => Ok(default),
            Some("true" | "yes" | "1") => Ok(true),
            Some("false" | "no" | "0") => Ok(false),
            Some(_) => Err(self.wrong(key, "is neither true nor false")),
        }
    }
}

/// `4096`, `1_000_000`, `1e6`, `1k`: a bare letter counts in thousands.
pub(crate) fn count(text: &str) -> Option<u64> {
    scaled(text, 1000)
}

/// `4096`, `4KiB`, `4kb`, `4k`, in any case: a size of requests or pages, so a bare letter is binary.
pub(crate) fn size(text: &str) -> Option<u64> {
    scaled(text, 1024)
}

/// A number with `k`, `M`, `G` or `T`, alone (in powers of `bare`), with `iB` (1024) or `B` (1000).
fn scaled(text: &str, bare: u64) -> Option<u64> {
    let small = text.trim().to_ascii_lowercase();
    let (number, base) = match (small.strip_suffix("ib"), small.strip_suffix('b')) {
        (Some(rest), _) => (rest, 1024),
        (_, Some(rest)) => (rest, 1000),
        _ => (small.as_str(), bare),
    };
    let power = number.chars().last().and_then(|letter| "kmgt".find(letter));
    let (digits, factor) = match power {
        Some(power) => (&number[..number.len() - 1], u64::checked_pow(base, power as u32 + 1)?),
        None if number.len() + 2 == small.len() => return None, // `4iB`
        None => (number, 1),
    };
    let digits = digits.trim().replace('_', "");
    if let Ok(whole) = digits.parse::<u64>() {
        return whole.checked_mul(factor);
    }
    let value = digits.parse::<f64>().ok()? * factor as f64;
    (value >= 0.0 && value < (1u64 << 53) as f64 && value.fract() == 0.0).then_some(value as u64)
}

/// `0.25`, `25%`.
pub(crate) fn real(text: &str) -> Option<f64> {
    let value = match text.strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f64>().ok()? / 100.0,
        None => text.parse::<f64>().ok()?,
    };
    value.is_finite().then_some(value)
}
