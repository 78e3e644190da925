//! A drive, and what may be on it if power fails now.

use std::collections::BTreeMap;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_flash::medium::{PowerCut, Tear};
use rewear_ftl::host::Command;
use rewear_ftl::{DriveConfig, Ftl, FtlError, Lpn};

/// What the host asks for. Pages are taken modulo the exported ones.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Step {
    /// A page, and the number of a content.
    Write(u32, u64),
    /// The first half of a page.
    WriteHalf(u32, u64),
    Trim(u32),
    Flush,
    /// Begins fresh units with the next write of a handle.
    UpdateHandle(u8),
    /// Clears some bits of a page, by the overwrite command.
    Overwrite(u32, u64),
}

/// A few pages are written most of the time, contents return now and then.
pub(crate) fn workload(seed: u64, steps: usize) -> Vec<Step> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut below = |bound: u64| rng.next_u64() % bound;
    let mut page = move || if below(2) == 0 { below(6) } else { below(1 << 20) } as u32;
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(!seed);
    let mut below = |bound: u64| rng.next_u64() % bound;
    (0..steps)
        .flat_map(|index| {
            let content = if below(3) == 0 { 1 << 32 | below(1 << 31) } else { below(24) };
            let step = match below(16) {
                0..8 => Step::Write(page(), content),
                8..11 => Step::Overwrite(page(), content),
                11..13 => Step::WriteHalf(page(), content),
                13 => Step::Trim(page()),
                _ => Step::Flush,
            };
            // Drives whose hosts have no handles do nothing.
            let update = (index % 12 == 11).then_some(Step::UpdateHandle((index / 12 % 2) as u8));
            [Some(step), update].into_iter().flatten()
        })
        .collect()
}

/// The bytes of a content.
pub(crate) fn bytes_of(content: u64, page: &mut [u8]) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(content);
    rng.fill_bytes(page);
}

/// The versions of a page that may be found after a power failure: the one that was last flushed,
/// and all since.
#[derive(Debug, Clone)]
pub(crate) struct Versions(pub(crate) Vec<Vec<u8>>);

#[derive(Debug, Clone)]
pub(crate) struct Watched {
    pub(crate) ftl: Ftl,
    /// Pages of which nothing is noted hold zeros.
    pub(crate) shadow: BTreeMap<u32, Versions>,
    pub(crate) now: u64,
}

impl Watched {
    /// A drive of which every page was written and flushed.
    pub(crate) fn filled(config: &DriveConfig) -> Watched {
        let ftl = Ftl::new(config).unwrap();
        let pages = ftl.layout().exported_pages;
        let mut watched = Watched { ftl, shadow: BTreeMap::new(), now: 0 };
        (0..pages).for_each(|lpn| watched.take(Step::Write(lpn, u64::from(lpn) << 40)).unwrap());
        watched.take(Step::Flush).unwrap();
        watched
    }

    fn note(&mut self, lpn: u32, bytes: Vec<u8>) {
        let zeros = || Versions(vec![vec![0; bytes.len()]]);
        self.shadow.entry(lpn).or_insert_with(zeros).0.push(bytes);
    }

    fn present(&self, lpn: u32) -> Vec<u8> {
        let bytes = self.ftl.layout().logical_page_bytes as usize;
        let versions = self.shadow.get(&lpn);
        versions.and_then(|versions| versions.0.last().cloned()).unwrap_or_else(|| vec![0; bytes])
    }

    /// Does a step; an error if the drive refused it. A version that was on its way may or may not
    /// be there.
    pub(crate) fn take(&mut self, step: Step) -> Result<(), FtlError> {
        let pages = self.ftl.layout().exported_pages;
        let page_bytes = self.ftl.layout().logical_page_bytes as usize;
        match step {
            Step::Write(lpn, content) | Step::WriteHalf(lpn, content) => {
                let lpn = lpn % pages;
                let length = if matches!(step, Step::Write(..)) { page_bytes } else { page_bytes / 2 };
                let mut page = self.present(lpn);
                bytes_of(content, &mut page[..length]);
                self.note(lpn, page.clone());
                self.ftl.announce_write(length as u64, 0);
                let done = self.ftl.write_bytes(self.now, Lpn(lpn), 0, &page[..length], Command::Write);
                done.map(|end| self.now = self.now.max(end))
            }
            Step::Overwrite(lpn, content) => {
                let lpn = lpn % pages;
                let (mut page, mut mask) = (self.present(lpn), vec![0; 2 * page_bytes]);
                bytes_of(content, &mut mask);
                let (first, second) = mask.split_at(page_bytes);
                page.iter_mut().zip(first).zip(second).for_each(|((byte, a), b)| *byte &= a | b);
                self.note(lpn, page.clone());
                self.ftl.announce_write(page_bytes as u64, 0);
                let done = self.ftl.write_bytes(self.now, Lpn(lpn), 0, &page, Command::Overwrite);
                done.map(|end| self.now = self.now.max(end))
            }
            Step::Trim(lpn) => {
                let lpn = lpn % pages;
                self.note(lpn, vec![0; page_bytes]);
                self.ftl.trim(Lpn(lpn))
            }
            Step::UpdateHandle(handle) => {
                self.now = self.now.max(self.ftl.update_handle(self.now, handle)?.0);
                Ok(())
            }
            Step::Flush => {
                self.now = self.ftl.flush(self.now)?;
                self.shadow.values_mut().for_each(|versions| {
                    versions.0.drain(..versions.0.len() - 1);
                });
                Ok(())
            }
        }
    }

    /// Operations of the flash that a step takes.
    pub(crate) fn operations_of(&self, step: Step) -> u64 {
        let mut trial = self.clone();
        trial.ftl.cells_mut().unwrap().set_power(Some(PowerCut::new(u64::MAX, Tear::Clean, 0)));
        trial.take(step).unwrap();
        u64::MAX - trial.ftl.cells_mut().unwrap().power().unwrap().operations_left()
    }

    /// After a mount: every page holds one of the versions that it may hold, and from now on that
    /// one only.
    pub(crate) fn settle(&mut self, context: &str) {
        self.ftl.audit().unwrap_or_else(|error| panic!("{context}: {error}"));
        let mut page = vec![0; self.ftl.layout().logical_page_bytes as usize];
        for lpn in 0..self.ftl.layout().exported_pages {
            self.ftl.read_bytes(Lpn(lpn), &mut page).unwrap_or_else(|error| panic!("{context}: {error}"));
            match self.shadow.get_mut(&lpn) {
                None => assert!(page.iter().all(|&byte| byte == 0), "{context}: page {lpn} was invented"),
                Some(versions) => {
                    assert!(
                        versions.0.contains(&page),
                        "{context}: page {lpn} holds none of the {} versions that it may hold",
                        versions.0.len()
                    );
                    versions.0 = vec![page.clone()];
                }
            }
        }
    }

    /// Every page holds its newest version.
    pub(crate) fn check(&mut self, context: &str) {
        self.ftl.audit().unwrap_or_else(|error| panic!("{context}: {error}"));
        let mut page = vec![0; self.ftl.layout().logical_page_bytes as usize];
        for lpn in 0..self.ftl.layout().exported_pages {
            self.ftl.read_bytes(Lpn(lpn), &mut page).unwrap_or_else(|error| panic!("{context}: {error}"));
            assert_eq!(self.present(lpn), page, "{context}: page {lpn}");
        }
    }
}
