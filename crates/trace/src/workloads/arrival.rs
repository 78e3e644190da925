//! When requests come.

use rand_distr::{Distribution, Exp1};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::random::unit;
use super::settings::Settings;
use crate::error::TraceError;

const NS_PER_S: f64 = 1e9;

/// The processes that have a use for each parameter. Elsewhere it would be ignored silently, so it
/// is refused.
const USES: [(&str, &[&str]); 5] = [
    ("rate", &["fixed", "poisson", "bursts", "diurnal"]),
    ("on_s", &["bursts"]),
    ("off_s", &["bursts"]),
    ("period_s", &["diurnal"]),
    ("swing", &["diurnal"]),
];

/// The process of arrivals of one phase; times are in nanoseconds since the phase began.
#[derive(Clone, Debug)]
pub(crate) enum Arrival {
    /// All at once: a closed loop takes each when it has room.
    Closed,
    /// One at equal intervals; fractions of a nanosecond are carried.
    Fixed { gap_ns: f64, count: u64 },
    /// Independent arrivals.
    Poisson { mean_gap_ns: f64, now_ns: u64 },
    /// Poisson arrivals on a clock that stands still in the pauses.
    Bursts { mean_gap_ns: f64, on_ns: u64, off_ns: u64, busy_ns: u64 },
    /// Independent arrivals whose rate follows a sine: candidates at the peak rate are thinned
    /// (Lewis and Shedler 1979).
    Diurnal { peak_gap_ns: f64, period_ns: f64, swing: f64, now_ns: u64 },
}

impl Arrival {
    pub(crate) fn new(settings: &Settings<'_>) -> Result<Self, TraceError> {
        let process = settings.text("arrival").unwrap_or("closed");
        for (key, processes) in USES {
            if settings.is_given(key) && !processes.contains(&process) {
                let problem = format!("has no effect; it needs arrival={}", processes.join(" or "));
                return Err(settings.wrong(key, &problem));
            }
        }
        let gap_ns = NS_PER_S / settings.real("rate", 1000.0, 1e-6, 1e9)?;
        let span_ns =
            |key, default, least| Ok::<_, TraceError>(settings.real(key, default, least, 1e8)? * NS_PER_S);
        let (on_ns, off_ns) = (span_ns("on_s", 1.0, 1e-9)? as u64, span_ns("off_s", 1.0, 0.0)? as u64);
        let period_ns = span_ns("period_s", 86_400.0, 1e-6)?;
        let swing = settings.real("swing", 0.8, 0.0, 1.0)?;
        match process {
            "closed" => Ok(Self::Closed),
            "fixed" => Ok(Self::Fixed { gap_ns, count: 0 }),
            "poisson" => Ok(Self::Poisson { mean_gap_ns: gap_ns, now_ns: 0 }),
            "bursts" => Ok(Self::Bursts { mean_gap_ns: gap_ns, on_ns: on_ns.max(1), off_ns, busy_ns: 0 }),
            "diurnal" => {
                Ok(Self::Diurnal { peak_gap_ns: gap_ns / (1.0 + swing), period_ns, swing, now_ns: 0 })
            }
            _ => Err(settings.wrong("arrival", "does not exist")),
        }
    }

    /// The next arrival.
    #[inline(always)] // Mostly there is nothing to draw.
    pub(crate) fn next_ns(&mut self, random: &mut Xoshiro256PlusPlus) -> u64 {
        if matches!(self, Self::Closed) { 0 } else { self.next_timed_ns(random) }
    }

    #[inline(never)]
    fn next_timed_ns(&mut self, random: &mut Xoshiro256PlusPlus) -> u64 {
        match self {
            Self::Closed => 0,
            Self::Fixed { gap_ns, count } => {
                let at_ns = (*gap_ns * *count as f64) as u64;
                *count += 1;
                at_ns
            }
            Self::Poisson { mean_gap_ns, now_ns } => {
                *now_ns = now_ns.saturating_add(exponential(random, *mean_gap_ns));
                *now_ns
            }
            Self::Bursts { mean_gap_ns, on_ns, off_ns, busy_ns } => {
                *busy_ns = busy_ns.saturating_add(exponential(random, *mean_gap_ns));
                (*busy_ns / *on_ns).saturating_mul(*off_ns).saturating_add(*busy_ns)
            }
            Self::Diurnal { peak_gap_ns, period_ns, swing, now_ns } => loop {
                *now_ns = now_ns.saturating_add(exponential(random, *peak_gap_ns));
                let phase = (*now_ns as f64 % *period_ns) / *period_ns * std::f64::consts::TAU;
                if unit(random) * (1.0 + *swing) < 1.0 + *swing * libm::sin(phase) {
                    return *now_ns;
                }
            },
        }
    }
}

fn exponential(random: &mut Xoshiro256PlusPlus, mean_ns: f64) -> u64 {
    let gap: f64 = Exp1.sample(random);
    libm::round(gap * mean_ns) as u64
}
