//! When a fingerprint is known: the time of the hash processor (section V.D).

use rewear_flash::Nanos;

/// Engines that each compute one fingerprint at a time.
#[derive(Debug, Clone)]
pub(super) struct HashEngine {
    hash_ns: Nanos,
    /// When each engine is free; empty where there are as many as are needed.
    free_at: Vec<Nanos>,
}

impl HashEngine {
    /// `engines` engines, or as many as are needed if 0.
    pub(super) fn new(hash_ns: Nanos, engines: u32) -> HashEngine {
        HashEngine { hash_ns, free_at: vec![0; engines as usize] }
    }

    /// A page arrives at `at`; returns when its fingerprint is known.
    #[inline]
    pub(super) fn hash(&mut self, at: Nanos) -> Nanos {
        match self.free_at.iter_mut().min() {
            None => at + self.hash_ns,
            Some(engine) => {
                *engine = at.max(*engine) + self.hash_ns;
                *engine
            }
        }
    }

    /// All engines are free, at time 0.
    pub(super) fn restart_clock(&mut self) {
        self.free_at.fill(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_queue_for_an_engine_and_not_where_there_are_enough() {
        let ends = |engines| {
            let mut engine = HashEngine::new(32, engines);
            [0, 0, 0, 100].map(|at| engine.hash(at))
        };
        assert_eq!(ends(0), [32, 32, 32, 132]);
        assert_eq!(ends(1), [32, 64, 96, 132]);
        assert_eq!(ends(2), [32, 32, 64, 132]);
    }
}
