//! Jumps of a trace's clock: where they are, and times without them.

use schemars::JsonSchema;
use serde::Serialize;

use crate::error::Place;

/// A time that is far from the latest one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jump {
    /// How far.
    pub ns: u64,
    /// The line, record or request that has this time.
    pub place: Place,
}

/// The farthest jumps of a trace so far. Those that `cut_gaps_ns` took out are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Jumps {
    /// From the first request to the latest time.
    pub duration_ns: u64,
    /// The longest time without a request.
    pub gap: Option<Jump>,
    /// The farthest that a time lies before the latest one so far.
    pub back: Option<Jump>,
}

/// A clock that is not believed: a rate taken from it would be none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ClockJump {
    /// What is odd, with its place: a sentence.
    pub problem: String,
    /// The value of `cut_gaps_s` that takes it out, in seconds: half of it.
    pub cut_gaps_s: u64,
}

/// Part of the duration from which a gap is most of it.
const MOST: f64 = 0.5;
/// Gaps and steps back up to here are no jumps: kernels log processors one after another, and a host
/// rests for some seconds.
const ORDINARY_NS: u64 = 1_000_000_000;
/// Part of the duration by which times may go back: a rate is then known to a hundredth.
const BACK: f64 = 0.01;

impl Jumps {
    /// Why no rate can be taken from the times; `None` where one can.
    pub fn doubt(&self) -> Option<ClockJump> {
        let duration_ns = self.duration_ns;
        let over =
            |jump: &Jump, part: f64| jump.ns > ORDINARY_NS && jump.ns as f64 > part * duration_ns as f64;
        let gap = self.gap.filter(|gap| over(gap, MOST));
        let back = self.back.filter(|back| over(back, BACK));
        // What cuts the shorter one cuts both.
        let shorter_ns = gap.iter().chain(&back).map(|jump| jump.ns).min()?;
        let sentences = [
            gap.map(|Jump { ns, place }| {
                format!(
                    "A gap of {} before {place} is most of the duration of {}.",
                    span(ns),
                    span(duration_ns)
                )
            }),
            back.map(|Jump { ns, place }| format!("Times go back by {} at {place}.", span(ns))),
        ];
        let problem = sentences.into_iter().flatten().collect::<Vec<_>>().join(" ");
        Some(ClockJump { problem, cut_gaps_s: rounded_down(shorter_ns / 2_000_000_000) })
    }
}

/// To two digits, and one at least.
fn rounded_down(seconds: u64) -> u64 {
    let unit = 10u64.pow(seconds.checked_ilog10().unwrap_or(0).saturating_sub(1));
    (seconds / unit * unit).max(1)
}

fn span(ns: u64) -> String {
    let seconds = ns as f64 / 1e9;
    match seconds {
        ..3600.0 => format!("{seconds:.3} s"),
        ..31_557_600.0 => format!("{:.1} h", seconds / 3600.0),
        _ => format!("{:.1} years", seconds / 31_557_600.0),
    }
}

/// The clock of a trace while it is read.
pub(crate) struct Timeline {
    /// Steps of the clock beyond this are taken out.
    most_ns: u64,
    /// Added to the times of the trace, modulo 2^64.
    shift_ns: u64,
    first_ns: Option<u64>,
    latest_ns: u64,
    jumps: Jumps,
}

impl Timeline {
    pub(crate) fn new(cut_gaps_ns: Option<u64>) -> Self {
        let most_ns = cut_gaps_ns.unwrap_or(u64::MAX);
        Self { most_ns, shift_ns: 0, first_ns: None, latest_ns: 0, jumps: Jumps::default() }
    }

    pub(crate) fn rewind(&mut self) {
        *self = Self::new(Some(self.most_ns));
    }

    pub(crate) fn jumps(&self) -> Jumps {
        Jumps { duration_ns: self.latest_ns - self.first_ns.unwrap_or(self.latest_ns), ..self.jumps }
    }

    /// The time of the request at a place, whose own clock says `own_ns`.
    #[inline]
    pub(crate) fn time(&mut self, own_ns: u64, place: impl FnOnce() -> Place) -> u64 {
        let mut at_ns = own_ns.wrapping_add(self.shift_ns);
        let latest_ns = if self.first_ns.is_some() { self.latest_ns } else { at_ns };
        self.first_ns.get_or_insert(at_ns);
        if at_ns.abs_diff(latest_ns) > self.most_ns {
            (self.shift_ns, at_ns) = (latest_ns.wrapping_sub(own_ns), latest_ns);
        }
        let farthest = if at_ns < latest_ns { &mut self.jumps.back } else { &mut self.jumps.gap };
        let ns = at_ns.abs_diff(latest_ns);
        if ns > farthest.map_or(0, |jump| jump.ns) {
            *farthest = Some(Jump { ns, place: place() });
        }
        self.latest_ns = latest_ns.max(at_ns);
        at_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(cut_gaps_ns: Option<u64>, own: &[u64]) -> (Vec<u64>, Jumps) {
        let mut timeline = Timeline::new(cut_gaps_ns);
        let read = |(&at, line)| timeline.time(at, || Place::Line(line));
        let times = own.iter().zip(1..).map(read).collect();
        (times, timeline.jumps())
    }

    const S: u64 = 1_000_000_000;

    #[test]
    fn a_stray_time_is_a_gap_and_a_step_back() {
        let own = [0, S, 900 * S, 2 * S, 3 * S];
        let (same, jumps) = times(None, &own);
        assert_eq!(same, own);
        let doubt = jumps.doubt().unwrap();
        assert_eq!(
            doubt.problem,
            "A gap of 899.000 s before line 3 is most of the duration of 900.000 s. Times go back by 898.000 s at line 4."
        );
        assert_eq!(doubt.cut_gaps_s, 440);
        let (cut, jumps) = times(Some(doubt.cut_gaps_s * S), &own);
        assert_eq!(cut, [0, S, S, S, 2 * S]);
        assert_eq!(jumps.doubt(), None);
    }

    #[test]
    fn a_stray_first_time_is_one_step_back() {
        let own = [1 << 60, 5 * S, 6 * S];
        let doubt = times(None, &own).1.doubt().unwrap();
        assert!(doubt.problem.starts_with("Times go back by 36.5 years at line 2."), "{}", doubt.problem);
        assert_eq!(times(Some(60 * S), &own).0, [1 << 60, 1 << 60, (1 << 60) + S]);
    }

    #[test]
    fn steps_of_another_order_of_processors_are_none() {
        let own = [10, 11, 200, 201, 400, 401, 600].map(|at| at * S);
        let own = [&own[..1], &[10 * S - 900_000_000], &own[1..]].concat();
        let (same, jumps) = times(Some(3600 * S), &own);
        assert_eq!(same, own);
        assert_eq!(jumps.back.map(|back| back.ns), Some(900_000_000));
        assert_eq!(jumps.doubt(), None, "the longest gap is less than half");
    }
}
