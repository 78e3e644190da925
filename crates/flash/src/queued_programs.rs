//! Which programs wait in a queue: a read looks for its page's only where it may be there.

use crate::Address;
use crate::queue::Kind;

/// Which blocks have programs in a queue, and between which pages: few, so that a read of another
/// page need not look for its program.
#[derive(Debug, Clone, Default)]
pub(crate) struct Programs {
    blocks: Vec<Programmed>,
}

#[derive(Debug, Clone, Copy)]
struct Programmed {
    block: u32,
    count: u32,
    least_page: u32,
    most_page: u32,
}

impl Programs {
    /// A program is booked.
    pub(crate) fn add(&mut self, kind: Kind) {
        let Kind::Program { block, page } = kind else { return };
        match self.blocks.iter_mut().rfind(|at| at.block == block) {
            Some(at) => {
                at.count += 1;
                (at.least_page, at.most_page) = (at.least_page.min(page), at.most_page.max(page));
            }
            None => self.blocks.push(Programmed { block, count: 1, least_page: page, most_page: page }),
        }
    }

    /// A program is forgotten. The range of pages stays: it may only be too wide.
    pub(crate) fn remove(&mut self, kind: Kind) {
        let Kind::Program { block, .. } = kind else { return };
        if let Some(place) = self.blocks.iter().position(|at| at.block == block) {
            self.blocks[place].count -= 1;
            if self.blocks[place].count == 0 {
                self.blocks.remove(place);
            }
        }
    }

    /// Whether the program of a page may be there.
    pub(crate) fn may_have(&self, Address { block, page, .. }: Address) -> bool {
        let within = |at: &&Programmed| (at.least_page..=at.most_page).contains(&page);
        self.blocks.iter().find(|at| at.block == block).filter(within).is_some()
    }
}
