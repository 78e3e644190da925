//! The erases of the second half of a run.
//!
//! A scheme that writes blocks again before it erases them begins a run with a debt: blocks are
//! written again and not erased yet. In short runs its erases therefore look too few. The second
//! half of the run carries less of that.

/// Samples kept at most; beyond that every other one is forgotten.
const SAMPLES: usize = 4096;

/// Erases in the course of the host pages written, sampled at equal distances.
#[derive(Debug, Clone)]
pub struct Halves {
    every_pages: u64,
    next_pages: u64,
    erases: Vec<u64>,
}

impl Halves {
    /// Nothing written yet.
    pub fn new() -> Halves {
        Halves { every_pages: 1, next_pages: 1, erases: vec![0] }
    }

    /// Whether a sample is due.
    #[inline]
    pub fn is_due(&self, pages_written: u64) -> bool {
        pages_written >= self.next_pages
    }

    /// Bytes written and erased by now.
    #[inline(never)]
    pub fn sample(&mut self, pages_written: u64, erases: u64) {
        while self.next_pages <= pages_written {
            if self.erases.len() == SAMPLES {
                let kept: Vec<u64> = self.erases.iter().copied().step_by(2).collect();
                self.erases = kept;
                self.every_pages *= 2;
                self.next_pages = self.erases.len() as u64 * self.every_pages;
                continue;
            }
            self.erases.push(erases);
            self.next_pages += self.every_pages;
        }
    }

    /// Erases since half of the pages were written, of `erases` in all; to within a thousandth of
    /// the pages.
    pub fn second_half(&self, pages_written: u64, erases: u64) -> u64 {
        let middle = (pages_written / 2 / self.every_pages) as usize;
        erases - self.erases.get(middle).copied().unwrap_or(0)
    }
}

impl Default for Halves {
    fn default() -> Self {
        Halves::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_half_is_found_whatever_the_length_and_the_steps() {
        for (pages, step) in
            [(0u64, 1u64), (1, 1), (2, 1), (999, 1), (4096, 1), (100_000, 1), (1_000_000, 37)]
        {
            let mut halves = Halves::new();
            // One erase every ten pages in the first half, one every four in the second.
            let erases = |written: u64| written.min(pages / 2) / 10 + written.saturating_sub(pages / 2) / 4;
            let mut written = 0;
            while written < pages {
                written = (written + step).min(pages);
                if halves.is_due(written) {
                    halves.sample(written, erases(written));
                }
            }
            let (found, expected) =
                (halves.second_half(pages, erases(pages)), erases(pages) - erases(pages / 2));
            assert!(found.abs_diff(expected) <= 1 + pages / 4096 + step, "{pages}: {found}, not {expected}");
        }
    }
}
