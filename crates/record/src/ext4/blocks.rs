//! The holder of every block of a device.

use std::collections::BTreeMap;

/// Whose a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Holder {
    /// The journal.
    Journal,
    /// Superblocks, descriptors of groups, bitmaps and tables of inodes.
    Tables,
    /// Tree of extents or attributes of an inode.
    Tree(u32),
    /// Content of an inode.
    Content(u32),
    /// Nobody's now; before, the owner of this index.
    Was(u32),
}

/// Ranges of blocks by holder. A block without one was never allocated.
#[derive(Debug, Default)]
pub(super) struct Blocks {
    /// First block -> blocks and holder; no two ranges overlap.
    ranges: BTreeMap<u64, (u64, Holder)>,
}

impl Blocks {
    /// Gives a range to a holder.
    pub(super) fn set(&mut self, first: u64, count: u64, holder: Holder) {
        self.clear(first, count);
        self.ranges.insert(first, (count, holder));
    }

    /// Takes a range from all holders.
    pub(super) fn clear(&mut self, first: u64, count: u64) {
        let end = first + count;
        while let Some((&start, &(length, holder))) =
            self.ranges.range(..end).next_back().filter(|(start, range)| *start + range.0 > first)
        {
            self.ranges.remove(&start);
            if start < first {
                self.ranges.insert(start, (first - start, holder));
            }
            if start + length > end {
                self.ranges.insert(end, (start + length - end, holder));
            }
        }
    }

    /// The holder of `first`, and how many of `count` blocks from it on are his.
    pub(super) fn at(&self, first: u64, count: u64) -> (Option<Holder>, u64) {
        if let Some((start, (length, holder))) = self.ranges.range(..=first).next_back()
            && start + length > first
        {
            return (Some(*holder), count.min(start + length - first));
        }
        let next = self.ranges.range(first..).next().map_or(u64::MAX, |(&start, _)| start);
        (None, count.min(next - first))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_an_array_of_holders(steps in prop::collection::vec((0u64..60, 1u64..20, 0u32..5), 0..60)) {
            let (mut blocks, mut model) = (Blocks::default(), [None; 100]);
            for (first, count, inode) in steps {
                let range = first as usize..(first + count) as usize;
                if inode == 0 {
                    blocks.clear(first, count);
                    model[range].fill(None);
                } else {
                    blocks.set(first, count, Holder::Content(inode));
                    model[range].fill(Some(Holder::Content(inode)));
                }
            }
            let mut at = 0;
            while at < 100 {
                let (holder, count) = blocks.at(at, 100 - at);
                prop_assert!(count > 0);
                for block in at..at + count {
                    prop_assert_eq!(holder, model[block as usize]);
                }
                at += count;
            }
        }
    }
}
