//! The pages of a drive under any effort scheme: each with the mode in which it was programmed, and
//! what was done in which mode.
//!
//! What is done for a page is kept out of line, so that the loops of a drive without a scheme stay
//! small.

use rewear_flash::copies::Copied;
use rewear_flash::timing::ModeTiming;
use rewear_flash::{ConfigError, FlashConfig, ProgramMode};

use super::counts;
use super::counts::{Counts, Figures};
use super::page_modes::PageModes;
use super::scheme::{Access, Facts, RewritesWhen, Scheme};
use crate::address::{Lpn, Ppn, Slot};
use crate::shape::layout::Layout;

/// A scheme with the tags of all pages and its counts.
#[derive(Debug, Clone)]
pub struct Tagged<S> {
    scheme: S,
    facts: Facts,
    page_modes: PageModes,
    counts: Counts,
    /// Whether what happens is the workload, and not the preparation of the drive.
    listening: bool,
}

impl<S: Scheme> Tagged<S> {
    pub(super) fn new(config: &S::Config, flash: &FlashConfig) -> Result<Tagged<S>, ConfigError> {
        let (scheme, facts) = S::new(config, flash)?;
        debug_assert_eq!(S::MODES, facts.extra_modes.len() + 1, "MODES counts the normal mode, too");
        Ok(Tagged {
            scheme,
            facts,
            page_modes: PageModes::default(),
            counts: Counts::default(),
            listening: true,
        })
    }

    /// Bytes that the model takes.
    pub(super) fn model_bytes(config: &S::Config, layout: &Layout) -> u64 {
        S::model_bytes(config, layout.exported_pages) + PageModes::bytes_of(layout.slots(), S::MODES)
    }

    /// Bytes of the record and of the tags in the memory of a controller.
    pub(super) fn controller_bytes(config: &S::Config, layout: &Layout) -> u64 {
        S::controller_bytes(config, layout.exported_pages) + PageModes::bytes_of(layout.slots(), S::MODES)
    }

    pub(super) fn prepare(&mut self, layout: &Layout) {
        self.scheme.prepare(layout.exported_pages);
        self.page_modes = PageModes::new(layout.slots(), S::MODES);
    }

    pub(super) fn extra_modes(&self) -> &[ModeTiming] {
        &self.facts.extra_modes
    }

    pub(super) fn set_listening(&mut self, listening: bool) {
        self.listening = listening;
    }

    #[inline]
    pub(super) fn begin_request(&mut self) {
        self.scheme.begin_request();
    }

    #[inline]
    pub(super) fn hear(&mut self, lpn: Lpn, access: Access) {
        if self.listening {
            self.scheme.hear(lpn, access);
        }
    }

    #[inline(never)]
    pub(super) fn mode_to_write(&mut self, lpn: Lpn, to: Ppn) -> ProgramMode {
        let mode = if self.listening { self.scheme.mode_to_write(lpn) } else { self.facts.at_first };
        self.page_modes.set(to, mode);
        counts::of(&mut self.counts, mode).host_writes += 1;
        mode
    }

    #[inline(never)]
    pub(super) fn mode_to_move(&mut self, lpn: Lpn, from: Ppn, to: Ppn) -> ProgramMode {
        self.modes_of_move(lpn, from, to).1
    }

    #[inline(never)]
    pub(super) fn modes_to_move(
        &mut self,
        row: &[(Slot, Lpn)],
        from: Ppn,
        to: Ppn,
        copies: &mut Vec<Copied>,
    ) {
        copies.extend(row.iter().zip(to.0..).map(|(&(slot, lpn), to)| {
            let (read, program) = self.modes_of_move(lpn, from + slot.0, Ppn(to));
            Copied { page: slot.0, read, program }
        }));
    }

    /// The modes of a page that moves: before and behind it.
    #[inline(always)]
    fn modes_of_move(&mut self, lpn: Lpn, from: Ppn, to: Ppn) -> (ProgramMode, ProgramMode) {
        let present = self.page_modes.of(from);
        let mode = if self.listening { self.scheme.mode_to_move(lpn, present) } else { present };
        self.page_modes.set(to, mode);
        counts::of(&mut self.counts, mode).moved += 1;
        counts::of(&mut self.counts, present).moved_from += 1;
        (present, mode)
    }

    #[inline(never)]
    pub(super) fn mode_to_rewrite(&mut self, from: Ppn, to: Ppn) -> ProgramMode {
        let (present, mode) = (self.page_modes.of(from), self.facts.rewritten);
        self.page_modes.set(to, mode);
        counts::of(&mut self.counts, mode).rewrites += 1;
        counts::of(&mut self.counts, present).rewritten_from += 1;
        mode
    }

    pub(super) fn restore_mode(&mut self, ppn: Ppn, mode: ProgramMode) {
        self.page_modes.set(ppn, mode);
    }

    #[inline(never)]
    pub(super) fn mode_of(&self, ppn: Ppn) -> ProgramMode {
        self.page_modes.of(ppn)
    }

    #[inline(never)]
    pub(super) fn was_read(&mut self, lpn: Lpn, ppn: Ppn) -> RewritesWhen {
        counts::of(&mut self.counts, self.page_modes.of(ppn)).host_reads += 1;
        if self.wants_rewrite(lpn, ppn) { self.facts.rewrites } else { RewritesWhen::Never }
    }

    #[inline]
    pub(super) fn wants_rewrite(&self, lpn: Lpn, ppn: Ppn) -> bool {
        self.facts.rewrites != RewritesWhen::Never
            && self.listening
            && self.scheme.wants_rewrite(lpn, self.page_modes.of(ppn))
    }

    pub(super) fn rewrites_in_idle_time(&self) -> bool {
        self.facts.rewrites == RewritesWhen::Idle
    }

    /// What was done in each mode, by its number.
    pub(super) fn counts(&self) -> Counts {
        self.counts
    }

    pub(super) fn figures(&self) -> Figures {
        let record = self.scheme.figures();
        let names = self.facts.names.iter();
        Figures {
            modes: names.map(|&(mode, name)| (name, self.counts[usize::from(mode.0)])).collect(),
            history_bytes: record.bytes,
            tag_bytes: self.page_modes.bytes(),
            decays: record.decays,
            false_read_hits: record.false_hits.map(|hits| hits[0]),
            false_write_hits: record.false_hits.map(|hits| hits[1]),
        }
    }

    pub(super) fn reset_counts(&mut self) {
        self.counts = Counts::default();
        self.scheme.reset_counts();
    }
}
