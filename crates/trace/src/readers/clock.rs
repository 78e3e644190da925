//! The unit of a trace's times: chosen by the user, stated by the format, or guessed.

use std::fmt;

use crate::options::{OpenOptions, TimeUnit};

/// A unit of time and how it is known.
#[derive(Clone, Debug)]
pub(crate) struct Clock {
    unit: TimeUnit,
    unit_ns: u64,
    how: Known,
}

#[derive(Clone, Debug)]
enum Known {
    Chosen,
    Stated,
    Guessed { requests_per_second_if_finer: u64 },
}

/// The rate above which a recorded trace is not believed: no drive of the traces' times served more
/// requests in a second.
const BELIEVABLE_REQUESTS_PER_SECOND: u64 = 250_000;

impl Clock {
    /// The format says that its times are in `unit`; the user may know better.
    pub(crate) fn stated(options: &OpenOptions, unit: TimeUnit) -> Self {
        match options.time_unit {
            Some(unit) => Self { unit, unit_ns: unit.ns(), how: Known::Chosen },
            None => Self { unit, unit_ns: unit.ns(), how: Known::Stated },
        }
    }

    /// For formats whose files come in several units: the finest of ns, us and ms in which the
    /// `requests` of the head, that span `span` units, come at a believable rate. ns where the head
    /// has too few requests or no span to tell by.
    pub(crate) fn guessed(options: &OpenOptions, requests: u64, span: u64) -> Self {
        if options.time_unit.is_some() || requests < 10 || span == 0 {
            return Self::stated(options, TimeUnit::Nanoseconds);
        }
        let rate = |unit: TimeUnit| requests * 1_000_000_000 / span.saturating_mul(unit.ns()).max(1);
        let mut finer = 0;
        for unit in [TimeUnit::Nanoseconds, TimeUnit::Microseconds, TimeUnit::Milliseconds] {
            if rate(unit) <= BELIEVABLE_REQUESTS_PER_SECOND {
                let how = Known::Guessed { requests_per_second_if_finer: finer };
                return Self { unit, unit_ns: unit.ns(), how };
            }
            finer = rate(unit);
        }
        Self::stated(options, TimeUnit::Nanoseconds)
    }

    #[inline]
    pub(crate) fn unit_ns(&self) -> u64 {
        self.unit_ns
    }
}

impl fmt::Display for Clock {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.unit)?;
        match self.how {
            Known::Chosen => out.write_str(" (chosen)"),
            Known::Stated => Ok(()),
            Known::Guessed { requests_per_second_if_finer: 0 } => {
                out.write_str(" (guessed: the format's own unit, a believable rate)")
            }
            Known::Guessed { requests_per_second_if_finer: rate } => {
                write!(out, " (guessed: in the next finer unit {rate} requests would come in a second)")
            }
        }
    }
}
