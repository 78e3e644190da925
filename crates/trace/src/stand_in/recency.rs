//! A list of items by recency of use, asked for "how many were used since this one" and "which is
//! the n-th last used".

/// Items in the order of their last use. Both questions take time logarithmic in the number of
/// items.
///
/// Every use takes the next slot; a Fenwick tree over the slots counts which still hold an item.
/// When the slots run out, the items move together.
#[derive(Clone, Debug, Default)]
pub(super) struct Recency {
    /// Item in each slot, [`EMPTY`] where it was used again or left.
    slots: Vec<u32>,
    /// Partial sums of occupied slots; `tree[0]` is not used.
    tree: Vec<u32>,
    /// Slot of each item, [`EMPTY`] where it is not in the list.
    slot_of: Vec<u32>,
    next: usize,
    len: u32,
}

const EMPTY: u32 = u32::MAX;
const FEWEST_SLOTS: usize = 1 << 10;

impl Recency {
    /// Items in the list.
    pub(super) fn len(&self) -> u32 {
        self.len
    }

    /// How many items were used since this one; `None` if it is not in the list.
    pub(super) fn rank(&self, item: u32) -> Option<u32> {
        let slot = *self.slot_of.get(item as usize)?;
        (slot != EMPTY).then(|| self.len - self.occupied_up_to(slot as usize))
    }

    /// The item that has `rank` others used since; `None` if there are not as many.
    pub(super) fn at_rank(&self, rank: u32) -> Option<u32> {
        let mut wanted = self.len.checked_sub(rank).filter(|&count| count > 0)?;
        let (mut slot, mut step) = (0, self.slots.len());
        while step > 0 {
            if slot + step < self.tree.len() && self.tree[slot + step] < wanted {
                slot += step;
                wanted -= self.tree[slot];
            }
            step /= 2;
        }
        Some(self.slots[slot])
    }

    /// The item becomes the last used.
    pub(super) fn used(&mut self, item: u32) {
        self.leave(item);
        if self.next == self.slots.len() {
            self.move_together();
        }
        if self.slot_of.len() <= item as usize {
            self.slot_of.resize(item as usize + 1, EMPTY);
        }
        self.slots[self.next] = item;
        self.slot_of[item as usize] = self.next as u32;
        self.add(self.next, 1);
        self.next += 1;
        self.len += 1;
    }

    /// Takes an item out, if it is in.
    pub(super) fn leave(&mut self, item: u32) {
        let Some(slot) = self.slot_of.get_mut(item as usize) else { return };
        let slot = std::mem::replace(slot, EMPTY);
        if slot != EMPTY {
            self.slots[slot as usize] = EMPTY;
            self.add(slot as usize, u32::MAX);
            self.len -= 1;
        }
    }

    /// Closes the gaps, and doubles the slots where more than half of them hold an item.
    fn move_together(&mut self) {
        let items: Vec<u32> = self.slots.iter().copied().filter(|&item| item != EMPTY).collect();
        let size = (2 * items.len()).next_power_of_two().max(FEWEST_SLOTS);
        self.slots = vec![EMPTY; size];
        self.tree = vec![0; size + 1];
        self.next = items.len();
        for (slot, &item) in items.iter().enumerate() {
            self.slots[slot] = item;
            self.slot_of[item as usize] = slot as u32;
            self.add(slot, 1);
        }
    }

    /// Items in the slots `0..=slot`.
    fn occupied_up_to(&self, slot: usize) -> u32 {
        let (mut index, mut sum) = (slot + 1, 0);
        while index > 0 {
            sum += self.tree[index];
            index &= index - 1;
        }
        sum
    }

    /// Adds to a slot's count; `u32::MAX` is -1.
    fn add(&mut self, slot: usize, change: u32) {
        let mut index = slot + 1;
        while index < self.tree.len() {
            self.tree[index] = self.tree[index].wrapping_add(change);
            index += index & index.wrapping_neg();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_agrees_with_a_list(steps in prop::collection::vec((0u32..600, 0u8..8), 1..4000)) {
            let (mut fast, mut slow) = (Recency::default(), Vec::<u32>::new());
            for (item, what) in steps {
                let place = slow.iter().rev().position(|&other| other == item);
                prop_assert_eq!(fast.rank(item).map(|rank| rank as usize), place);
                if let Some(place) = place {
                    prop_assert_eq!(fast.at_rank(place as u32), Some(item));
                }
                slow.retain(|&other| other != item);
                if what == 0 {
                    fast.leave(item);
                } else {
                    fast.used(item);
                    slow.push(item);
                }
                prop_assert_eq!(fast.len() as usize, slow.len());
                prop_assert_eq!(fast.at_rank(fast.len()), None);
            }
        }
    }
}
