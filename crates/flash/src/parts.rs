//! An array of which parts worked apart, put together.

use crate::{Array, Nanos};

/// Which of so many equal parts of a drive something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartOf {
    /// Its number, from 0 on.
    pub index: u32,
    /// How many there are.
    pub count: u32,
}

impl PartOf {
    /// All of a drive.
    pub const WHOLE: PartOf = PartOf { index: 0, count: 1 };

    /// Every part of so many, in order.
    pub fn each(count: u32) -> impl ExactSizeIterator<Item = PartOf> {
        (0..count).map(move |index| PartOf { index, count })
    }

    /// What die, channel or page `own` of the part is of the whole: they go round the parts.
    #[inline]
    pub fn number(self, own: u32) -> u32 {
        own * self.count + self.index
    }
}

impl Array {
    /// Takes over what parts of the array did: how blocks stand, and how long dies and channels
    /// worked. Channels only if parts have whole ones. Cells and queues stay.
    pub fn gather<'p>(&mut self, parts: impl ExactSizeIterator<Item = &'p Array>) {
        self.reprograms = 0;
        let (each, mut suspensions) = (PartOf::each(parts.len() as u32), 0);
        for (of, part) in each.zip(parts) {
            self.reprograms += part.reprograms;
            suspensions += part.priority.as_ref().map_or(0, |priority| priority.suspensions());
            for die in 0..part.geometry.dies() {
                self.take_die(of.number(die), part, die);
            }
            let has_own_channels = part.geometry.channels * of.count == self.geometry.channels;
            for channel in (0..part.geometry.channels).filter(|_| has_own_channels) {
                self.channels[of.number(channel) as usize] = part.channels[channel as usize].clone();
            }
        }
        self.priority.iter_mut().for_each(|priority| priority.take_suspensions(suspensions));
    }

    /// Takes over a die of an array whose planes have as many blocks.
    fn take_die(&mut self, die: u32, of: &Array, its: u32) {
        let planes = self.geometry.planes_per_die as usize;
        let busy_ns = |plane: usize| -> Nanos { of.planes[its as usize * planes + plane].busy_ns };
        for (plane, to) in self.planes[die as usize * planes..][..planes].iter_mut().enumerate() {
            to.busy_ns = busy_ns(plane);
        }
        let blocks = planes * self.geometry.blocks_per_plane as usize;
        let (to, from) = (die as usize * blocks, its as usize * blocks);
        self.blocks[to..][..blocks].copy_from_slice(&of.blocks[from..][..blocks]);
        for (block, &erases) in (to as u32..).zip(&of.wear.erases()[from..][..blocks]) {
            self.wear.restore(block, erases);
        }
        let pages = self.geometry.pages_per_block as usize;
        if !self.programs.is_empty() {
            let programs = &of.programs[from * pages..][..blocks * pages];
            self.programs[to * pages..][..blocks * pages].copy_from_slice(programs);
        }
        if let (Some(word_lines), Some(its)) = (&mut self.word_lines, &of.word_lines) {
            for block in 0..blocks {
                word_lines.restore((to + block) as u32, its.programs_of((from + block) as u32));
            }
        }
    }
}
