//! Sentences beside the figures: what a reader must know who takes them for more than they say.

use rewear_flash::Nanos;
use rewear_flash::energy::ModeEnergy;
use rewear_ftl::reuse::ReuseConfig;
use rewear_ftl::reuse::wom_v::Reopening;
use rewear_trace::ClockJump;

use super::{RecycleReport, Report, StreamsReport};
use crate::options::{ArrivalKind, FitKind, PreconditionKind};

/// What a reader of the figures must know.
pub(super) fn notes(report: &Report, volumes: usize) -> Vec<String> {
    let mut notes = Vec::new();
    let began_empty = report.replay.options.precondition == PreconditionKind::None;
    if report.cleaning.garbage_collections == 0 && report.host.host_pages_written > 0 && report.complete {
        let remedy = match began_empty {
            true => {
                "Use a smaller drive, a drive that is full at the start (precondition: fill or steady), or more passes (loops)."
            }
            false => "Use a smaller drive, or more passes (loops).",
        };
        notes.push(format!(
            "Garbage collection never ran: the drive had free space to the end, so erases, write amplification and pages moved say \
             nothing about the scheme. {remedy}"
        ));
    }
    // A few reads of blank pages, as of a file system that is being made, say nothing; many do.
    if report.host.unmapped_pages_read * 100 > report.host.host_pages_read {
        notes.push(format!(
            "{} of {} page reads were of pages never written; they were answered from the map in no time, which lowers the read \
             response time.{}",
            report.host.unmapped_pages_read,
            report.host.host_pages_read,
            match began_empty {
                true => " A drive that is full at the start (precondition: fill) has none.",
                false => " The host trimmed them.",
            }
        ));
    }
    notes.extend(report.streams.as_ref().and_then(StreamsReport::note));
    notes.extend(report.recycling.as_ref().and_then(RecycleReport::note));
    notes.extend(code_that_saves_nothing(report));
    let unit = &report.source.description.time_unit;
    if unit.contains("guess") && report.replay.arrival == ArrivalKind::Trace {
        notes.push(format!(
            "The file does not say its unit of time: {unit}. Response times depend on it; The option time_unit of the trace (ms, ns, us or s) sets it."
        ));
    }
    if volumes > 1 && report.replay.options.fit != Some(FitKind::Dense) {
        notes.push(format!(
            "The trace has {volumes} volumes whose addresses were laid over each other. Choose one volume, or number their pages densely (fit: dense), which lays them \
             side by side."
        ));
    }
    if report.replay.options.no_time {
        notes.push(
            "No time was kept: there are no response times, busy times, erase suspensions, energy or years. Counts are those of a replay with time, but for \
             reads on a drive with a write buffer or with prefetching."
                .to_string(),
        );
    }
    if let Some(energy) = report.energy_j.as_ref().and(report.drive.configuration.flash.energy.as_ref()) {
        notes.push(format!(
            "Energy is an estimate: counts times the energy of an operation, of the flash and its channels alone{}. Source: {}",
            match energy.modes {
                ModeEnergy::AsNormal => "",
                ModeEnergy::ByTime => ", in other programming modes in proportion to their time",
            },
            energy.source
        ));
    }
    if let Some(reason) = &report.stopped_because {
        notes.push(format!("Incomplete: {reason}. All figures are of the requests served before."));
    }
    notes
}

/// A WOM-v code whose cleaning moves too much: the drive erases as many cells as one without a
/// code that moves nothing.
fn code_that_saves_nothing(report: &Report) -> Option<String> {
    let ReuseConfig::WomV(config) = &report.drive.configuration.reuse else { return None };
    let erased = report.wear.flash_erased_per_byte.filter(|erased| *erased >= 1.0)?;
    (config.reopen != Reopening::InPlaceAny).then(|| {
        format!(
            "The code saves no erases: {erased:.2} bytes of flash were erased for a byte written, 1 on a drive without a code that moves nothing. \
             On a nearly full drive reuse.reopen = \"after-moving\" and \"in-place-intact\" can erase more than no code at all; \"in-place-any\" \
             moves the least."
        )
    })
}

/// A replay at the trace's times is behind from this share of its length on, if the work after the
/// last arrival lasts...
const BEHIND_SHARE: u64 = 100;
/// ...at least this long: an orderly end lasts as long as a few operations.
const BEHIND_NS: Nanos = 100_000_000;

/// What is to be said where the last request arrived long before the work was done.
pub(crate) fn ran_behind(last_arrival_ns: Nanos, end_ns: Nanos) -> Option<String> {
    let behind_ns = end_ns.saturating_sub(last_arrival_ns);
    if behind_ns < BEHIND_NS.max(last_arrival_ns / BEHIND_SHARE) {
        return None;
    }
    let seconds = |ns: Nanos| ns as f64 / 1e9;
    let work = if last_arrival_ns == 0 {
        String::new()
    } else {
        format!(" ({:.1} times the time in which they came)", end_ns as f64 / last_arrival_ns as f64)
    };
    Some(format!(
        "Overload: the last request arrived after {:.2} s, the work was done after {:.2} s{work}. The replay ran {:.2} s behind, and response \
         times say how long the queues were, not how fast the drive is. A closed loop (arrival: closed) replays without the trace's times; \
         a time scale of {:.0} keeps their order of events on a slower clock.",
        seconds(last_arrival_ns),
        seconds(end_ns),
        seconds(behind_ns),
        (2.0 * end_ns as f64 / last_arrival_ns.max(1) as f64).clamp(2.0, 1e6).ceil(),
    ))
}

/// What is to be said where the clock of the trace jumped.
pub(crate) fn clock_jumped(jump: &ClockJump) -> String {
    format!(
        "{} So the trace has no rate, and there are no years. The option cut_gaps_s of the trace takes jumps out: {}.",
        jump.problem, jump.cut_gaps_s
    )
}

/// What is to be said where addresses were wrapped around the drive.
pub(crate) fn folded(reach_bytes: u64, exported_bytes: u64) -> Option<String> {
    let folds = reach_bytes.div_ceil(exported_bytes.max(1));
    let size = |bytes: u64| format!("{:.2} GiB", bytes as f64 / f64::from(1 << 30));
    (folds > 1).then(|| {
        format!(
            "Addresses up to {} were wrapped around a drive of {}: {folds} different pages may have become one, so writes count as \
             rewrites that are none. Take a larger drive, or number the pages densely (fit: dense).",
            size(reach_bytes),
            size(exported_bytes),
        )
    })
}

/// What is to be said where requests waited in front of a full command queue for more than a
/// hundredth of their response time.
pub(crate) fn waited(mean_wait_ns: f64, mean_response_ns: Option<f64>) -> Option<String> {
    (mean_wait_ns * 100.0 > mean_response_ns?).then(|| {
        format!(
            "Requests waited {:.3} ms on average until the drive took them (ftl.command_queue); response times count from then on.",
            mean_wait_ns / 1e6
        )
    })
}

#[cfg(test)]
mod tests {
    use super::ran_behind;

    #[test]
    fn an_overload_says_by_how_much_the_replay_ran_behind() {
        assert_eq!(ran_behind(10_000_000_000, 10_099_000_000), None, "an orderly end");
        assert_eq!(ran_behind(100_000_000_000, 100_900_000_000), None, "less than one in a hundred");
        let note = ran_behind(10_000_000_000, 30_000_000_000).unwrap_or_default();
        assert!(note.contains("ran 20.00 s behind") && note.contains("3.0 times"), "{note}");
        assert!(ran_behind(0, 1_000_000_000).is_some_and(|note| !note.contains("times the time")));
    }
}
