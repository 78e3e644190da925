//! Lists through the same nodes: a node is in one of them at most, and leaves it in constant time.

/// No node.
pub(super) const NONE: u32 = u32::MAX;

/// Circular lists, newest first. The owner of a list keeps its newest node, or [`NONE`]. 8 bytes a
/// node.
#[derive(Clone, Debug, Default)]
pub(super) struct Chain {
    /// For each node the next newer and the next older one; the newest follows the oldest.
    links: Vec<[u32; 2]>,
}

impl Chain {
    /// Makes room for nodes below `count`.
    pub(super) fn grow(&mut self, count: usize) {
        self.links.resize(count, [NONE; 2]);
    }

    /// Puts `node` in front of the list.
    pub(super) fn push(&mut self, newest: &mut u32, node: u32) {
        let [newer, older] = match *newest {
            NONE => [node, node],
            first => [self.links[first as usize][0], first],
        };
        self.links[node as usize] = [newer, older];
        self.links[newer as usize][1] = node;
        self.links[older as usize][0] = node;
        *newest = node;
    }

    /// Takes `node` out of the list that it is in.
    pub(super) fn remove(&mut self, newest: &mut u32, node: u32) {
        let [newer, older] = self.links[node as usize];
        if older == node {
            *newest = NONE;
            return;
        }
        self.links[newer as usize][1] = older;
        self.links[older as usize][0] = newer;
        if *newest == node {
            *newest = older;
        }
    }

    /// The oldest node of a list that is not empty.
    pub(super) fn oldest(&self, newest: u32) -> u32 {
        self.links[newest as usize][0]
    }

    /// How many nodes of the list are newer than `node`, looked up to `most`.
    pub(super) fn newer_than(&self, newest: u32, node: u32, most: usize) -> usize {
        let mut at = newest;
        for position in 0..most {
            if at == node {
                return position;
            }
            at = self.links[at as usize][1];
        }
        most
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_agrees_with_a_vector(steps in prop::collection::vec((any::<bool>(), 0u32..12), 0..200)) {
            let mut chain = Chain::default();
            chain.grow(12);
            let (mut newest, mut model) = (NONE, Vec::new());
            for (push, node) in steps {
                let within = model.iter().position(|&other| other == node);
                match (push, within) {
                    (true, None) => {
                        chain.push(&mut newest, node);
                        model.insert(0, node);
                    }
                    (false, Some(at)) => {
                        chain.remove(&mut newest, node);
                        model.remove(at);
                    }
                    _ => {}
                }
                prop_assert_eq!(newest, model.first().copied().unwrap_or(NONE));
                if let Some(&last) = model.last() {
                    prop_assert_eq!(chain.oldest(newest), last);
                }
                for (position, &node) in model.iter().enumerate() {
                    prop_assert_eq!(chain.newer_than(newest, node, 5), position.min(5));
                }
            }
        }
    }
}
