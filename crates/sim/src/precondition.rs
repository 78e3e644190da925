//! What the drive holds when the replay begins.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_ftl::host::{Command, Content, HostWrite};
use rewear_ftl::{DriveConfig, Ftl, FtlError, Lpn};
use schemars::JsonSchema;
use serde::Serialize;

use crate::contents::Contents;
use crate::error::SimError;
use crate::options::PreconditionKind;
use crate::payload::Payload;
use crate::replay::{Progress, Stage};
use crate::steady_state::SteadyState;

/// Spread of the write amplification within which the drive counts as steady. A window overwrites
/// the exported capacity once.
const STEADY_SPREAD: f64 = 0.01;
/// Windows after which overwriting ends whether or not it is steady.
const MOST_WINDOWS: usize = 40;
/// Pages between two calls of the progress function.
const PAGES_PER_STEP: u32 = 1 << 16;

/// What preconditioning did.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Preconditioned {
    /// The mode.
    pub mode: PreconditionKind,
    /// Logical pages written.
    pub pages_written: u64,
    /// Whether the write amplification became steady (mode `steady` only).
    pub steady: Option<bool>,
    /// Write amplification of the last window (mode `steady` only).
    pub write_amplification: Option<f64>,
}

/// Prepares a drive with contents that no trace knows; clock and counters start anew
/// afterwards.
///
/// # Errors
/// Those of the drive, and [`SimError::Interrupted`].
pub(crate) fn precondition(
    ftl: &mut Ftl,
    config: &DriveConfig,
    (payload, contents): (Option<&mut Payload>, Option<&mut Contents>),
    mode: PreconditionKind,
    seed: u64,
    progress: &mut dyn FnMut(Progress) -> bool,
) -> Result<Preconditioned, SimError> {
    // Pages in order find the same places at any time. What overwriting reads ahead depends on it,
    // and which of two slots of a buffer was given back first.
    let needs_no_time = mode != PreconditionKind::Steady && config.ftl.write_buffer.buffer().is_none();
    ftl.set_listening(false);
    if needs_no_time {
        ftl.pause_clock();
    }
    let step = Progress { stage: Stage::Fill, done: 0, total: Some(u64::from(ftl.layout().exported_pages)) };
    let mut writer = Writer { ftl, payload, contents, progress, step, written: 0 };
    let mut outcome = Preconditioned { mode, pages_written: 0, steady: None, write_amplification: None };
    if mode != PreconditionKind::None {
        let pages = writer.ftl.layout().exported_pages;
        (0..pages).try_for_each(|lpn| writer.write(Lpn(lpn)))?;
        if mode == PreconditionKind::Steady {
            let (steady, write_amplification) = writer.overwrite_until_steady(seed)?;
            (outcome.steady, outcome.write_amplification) = (Some(steady), Some(write_amplification));
        }
    }
    outcome.pages_written = writer.written;
    ftl.drain(0)?;
    ftl.reset_counters();
    ftl.set_listening(true);
    ftl.restart_clock();
    Ok(outcome)
}

struct Writer<'a> {
    ftl: &'a mut Ftl,
    payload: Option<&'a mut Payload>,
    contents: Option<&'a mut Contents>,
    progress: &'a mut dyn FnMut(Progress) -> bool,
    /// What is being done, of how many pages.
    step: Progress,
    written: u64,
}

impl Writer<'_> {
    fn write(&mut self, lpn: Lpn) -> Result<(), SimError> {
        match &mut self.payload {
            None => {
                let content = match &mut self.contents {
                    None => Content::Unknown,
                    Some(contents) => Content::Fingerprint(contents.fresh()),
                };
                self.ftl.write(0, lpn, HostWrite { content, ..HostWrite::WHOLE })
            }
            Some(payload) => {
                let bytes = 0..self.ftl.layout().logical_page_bytes as usize;
                payload.write(self.ftl, 0, lpn, bytes, Command::Write)
            }
        }
        .map_err(|error: FtlError| SimError::Drive(error))?;
        self.written += 1;
        if self.written.is_multiple_of(u64::from(PAGES_PER_STEP))
            && !(self.progress)(Progress { done: self.written, ..self.step })
        {
            return Err(SimError::Interrupted);
        }
        Ok(())
    }

    /// Flash pages programmed so far.
    fn programmed(&self) -> u64 {
        self.ftl.counters().programmed.total()
    }

    fn overwrite_until_steady(&mut self, seed: u64) -> Result<(bool, f64), SimError> {
        let pages = self.ftl.layout().exported_pages;
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut state = SteadyState::new(STEADY_SPREAD);
        self.step = Progress { stage: Stage::Overwrite, done: 0, total: None };
        loop {
            let programmed = self.programmed();
            for _ in 0..pages {
                let lpn = Lpn(((u64::from(rng.next_u32()) * u64::from(pages)) >> 32) as u32);
                self.write(lpn)?;
            }
            let slots = f64::from(pages) * f64::from(self.ftl.layout().slot_pages);
            let now = (self.programmed() - programmed) as f64 / slots;
            let steady = state.window(now);
            if steady || state.windows() == MOST_WINDOWS {
                return Ok((steady, now));
            }
        }
    }
}
