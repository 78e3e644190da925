//! A full check of the scheme's state, for tests.

use super::Fingerprints;
use super::version::History;
use crate::recycle::content_loss::ContentLoss;
use crate::{NONE, Ppn};

impl Fingerprints {
    /// Compares store, lists, classes and expected losses with the validity of `slots` pages, `slots_per_unit` in a unit.
    ///
    /// # Errors
    /// The first inconsistency, in words.
    pub fn audit(
        &self,
        is_valid: impl Fn(Ppn) -> bool,
        slots: u32,
        slots_per_unit: u32,
        loss: &ContentLoss,
    ) -> Result<(), String> {
        let (mut entries, mut lost) = (0, vec![0u64; (slots / slots_per_unit) as usize]);
        for ppn in 0..slots {
            let (entry, listed) = (self.entry(ppn), History::lpn_of(&self.pages, ppn).is_some());
            if is_valid(ppn) && (entry != NONE || listed || self.pages.class(ppn) > 0) {
                return Err(format!("the valid PPN {ppn} counts as recyclable"));
            }
            if entry != NONE {
                entries += 1;
                if !listed || self.pages.fingerprint(ppn).is_none() {
                    return Err(format!(
                        "entry {entry} is of PPN {ppn}, which is on no list or has no content"
                    ));
                }
            }
            lost[(ppn / slots_per_unit) as usize] += self.classes.scaled(self.pages.class(ppn));
        }
        if entries != self.store.count() {
            return Err(format!("{} entries in the store, {entries} pages have one", self.store.count()));
        }
        match (0..).zip(&lost).find(|&(unit, &lost)| loss.of(unit) != lost) {
            None => Ok(()),
            Some((unit, lost)) => Err(format!("unit {unit}: loss {} noted, {lost} expected", loss.of(unit))),
        }
    }
}
