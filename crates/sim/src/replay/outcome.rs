//! What a replay that is over reports.

use rewear_trace::Source;

use super::Replay;
use crate::contents::Contents;
use crate::error::SimError;
use crate::load::Drive;
use crate::options::ArrivalKind;
use crate::report::{
    Circumstances, Figures, ReplayReport, Report, SourceReport, clock_jumped, ran_behind, waited,
};

impl Replay<'_> {
    pub(super) fn report(
        mut self,
        drive: &Drive,
        source: &dyn Source,
        replay: ReplayReport,
        stopped_because: Option<String>,
    ) -> Result<Report, SimError> {
        let replay = ReplayReport { passes: self.passes, ..replay };
        let pages_held = self.ftl.pages_held();
        let never_steady = self.observers.finish()?;
        let series = self.observers.series.take().map(|series| series.finish(self.ftl.counters()));
        let figures = Figures {
            ftl: &self.ftl,
            served: &self.served,
            marks: Some(&self.marks),
            earlier_bytes: self.earlier_bytes,
            keeps_time: self.keeps_time,
            known_contents: self.contents.as_ref().map_or((0, 0), Contents::known_of_all),
            warmed_up: self.warmed_up,
            series,
        };
        let source_report = SourceReport { description: source.description(), omissions: source.omissions() };
        let volumes = source.volumes().len();
        let of = Circumstances { drive, source: source_report, volumes, replay, stopped_because };
        let mut report = Report::new(of, figures)?;
        report.host.host_pages_held = Some(pages_held);
        report
            .notes
            .extend(self.arrival.latest_ns().and_then(|latest_ns| ran_behind(latest_ns, self.served.end_ns)));
        report
            .notes
            .extend(self.arrival.mean_wait_ns().and_then(|wait_ns| waited(wait_ns, report.mean_response_ns)));
        if let Some(jump) = source.jumps().doubt().filter(|_| report.replay.arrival == ArrivalKind::Trace) {
            if let Some(life) = &mut report.life {
                (life.years, life.host_bytes_per_day) = (None, None);
            }
            report.notes.push(clock_jumped(&jump));
        }
        if never_steady {
            report.notes.push(
                "The warm-up never ended: the workload was over before the drive was steady (or had served the requests to leave \
                 out), so the figures are of the whole run."
                    .to_string(),
            );
        }
        Ok(report)
    }
}
