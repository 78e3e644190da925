//! A full check of the translation layer's state, for tests and for whoever doubts a result.

use crate::NONE;
use crate::ftl::Ftl;
use crate::recycle::Recycle;

impl Ftl {
    /// Compares map, inverse map, validity bits and counts of valid pages with each other.
    ///
    /// # Errors
    /// The first inconsistency, in words.
    pub fn audit(&self) -> Result<(), String> {
        let core = &self.core;
        let mut valid_in_unit = vec![0u32; core.layout.units() as usize];
        for lpn in 0..core.map.logical_pages() {
            let ppn = core.map.find(lpn);
            if ppn == NONE {
                continue;
            }
            let owner = core.map.owner(ppn);
            if owner != lpn {
                if core.sharing.is_some() && core.map.find(owner) == ppn {
                    continue;
                }
                return Err(format!(
                    "LPN {lpn} maps to PPN {ppn}, which belongs to LPN {}",
                    core.map.owner(ppn)
                ));
            }
            let (unit, slot) = core.layout.unit_and_slot(ppn);
            if !core.map.is_valid(unit, slot) {
                return Err(format!("LPN {lpn} maps to the invalid PPN {ppn}"));
            }
            valid_in_unit[unit as usize] += 1;
            let first = core.first_part_of((unit, slot));
            if first.is_some_and(|first| first != (unit, slot)) {
                return Err(format!("LPN {lpn} maps to PPN {ppn}, which is not the first part of its write"));
            }
            for part in first.into_iter().flat_map(|first| core.other_parts(first)) {
                if !core.map.is_valid(part.0, part.1)
                    || core.map.owner(core.layout.ppn(part.0, part.1)) != lpn
                {
                    return Err(format!("LPN {lpn}: a part of the write at PPN {ppn} is not valid"));
                }
                valid_in_unit[part.0 as usize] += 1;
            }
        }
        for (unit, &mapped) in (0..).zip(&valid_in_unit) {
            let marked: u32 =
                (0..core.map.words_per_unit()).map(|word| core.map.valid_word(unit, word).count_ones()).sum();
            let counted = core.units.valid(unit);
            if (marked, counted) != (mapped, mapped) {
                return Err(format!(
                    "unit {unit}: {mapped} pages mapped, {marked} marked valid, {counted} counted"
                ));
            }
        }
        core.units.audit()?;
        self.reuse.audit()?;
        let is_valid = |ppn| {
            let (unit, slot) = core.layout.unit_and_slot(ppn);
            core.map.is_valid(unit, slot)
        };
        match &core.recycle {
            Recycle::Nothing => Ok(()),
            Recycle::Fingerprints(scheme) => {
                let owner = |ppn| core.map.owner(ppn);
                scheme.audit(
                    is_valid,
                    owner,
                    core.layout.slots(),
                    core.layout.slots_per_unit,
                    &core.units.loss,
                )
            }
        }
    }
}
