//! Sentences beside the figures: what a reader must know who takes them for more than they say.

use super::{RecycleReport, Report};
use crate::options::{ArrivalKind, FitKind};

/// What a reader of the figures must know.
pub(super) fn notes(report: &Report, volumes: usize) -> Vec<String> {
    let mut notes = Vec::new();
    if report.cleaning.garbage_collections == 0 && report.host.host_pages_written > 0 && report.complete {
        notes.push(
            "Garbage collection never ran: the drive had free space to the end, so erases, write amplification and pages moved say \
             nothing about the scheme. Use a smaller drive, --precondition fill or steady, or --loops."
                .to_string(),
        );
    }
    // A few reads of blank pages, as of a file system that is being made, say nothing; many do.
    if report.host.unmapped_pages_read * 100 > report.host.host_pages_read {
        notes.push(format!(
            "{} of {} page reads were of pages never written; they were answered from the map in no time, which lowers the read \
             response time. --precondition fill writes every page first.",
            report.host.unmapped_pages_read, report.host.host_pages_read
        ));
    }
    if report.utilisation.planes > 0.95 && report.replay.arrival == ArrivalKind::Trace {
        notes.push(format!(
            "The planes were busy {:.0}% of the time: the drive cannot keep up with the arrivals, queues grow to the end, and \
             response times say how long the run was.",
            report.utilisation.planes * 100.0
        ));
    }
    notes.extend(report.recycling.as_ref().and_then(RecycleReport::note));
    let unit = &report.source.description.time_unit;
    if unit.contains("guess") && report.replay.arrival == ArrivalKind::Trace {
        notes.push(format!(
            "The file does not say its unit of time: {unit}. Response times depend on it; FILE:time_unit=ms (or ns, us, s) sets it."
        ));
    }
    if volumes > 1 && report.replay.options.fit != Some(FitKind::Dense) {
        notes.push(format!(
            "The trace has {volumes} volumes whose addresses were laid over each other. Choose one volume, or --fit dense to lay them \
             side by side."
        ));
    }
    if let Some(energy) = &report.drive.configuration.flash.energy {
        notes.push(format!(
            "Energy is an estimate: counts times the energy of an operation, of the flash and its channels alone. Source: {}",
            energy.source
        ));
    }
    if let Some(reason) = &report.stopped_because {
        notes.push(format!("Incomplete: {reason}. All figures are of the requests served before."));
    }
    notes
}
