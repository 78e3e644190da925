//! Bytes for stored cells: what is written is made up, where the trace tells contents from these;
//! what is read back is compared.
//!
//! A write makes every sector a new version, whose bytes look random. An overwrite keeps the
//! version and clears bits: as in the benchmark of the extended P/E cycles (Margaglia and
//! Brinkmann, MSST '15, section V), every bit that is still 1 becomes 0 with a probability of one
//! half.

use rewear_flash::Nanos;
use rewear_ftl::host::Command;
use rewear_ftl::{Ftl, FtlError, Lpn};
use rewear_trace::{Fingerprint, SECTOR_BYTES};

use crate::error::SimError;

/// Overwrites of a sector that change it: by then hardly a bit is left.
const MOST_OVERWRITES: u8 = 32;

/// Content of a sector: the bytes of a version, less those that later overwrites cleared.
#[derive(Debug, Clone, Copy, Default)]
struct Sector {
    /// 0 is "never written" and reads as zeros.
    version: u32,
    overwrites: u8,
}

/// The state of every sector, from which its bytes follow. Equal contents have equal bytes.
#[derive(Debug, Clone)]
pub struct Payload {
    sectors: Vec<Sector>,
    writes: u32,
    seed: u64,
    sectors_per_page: usize,
    page: Vec<u8>,
    expected: Vec<u8>,
    /// The content that the last whole write of each page had; empty until a trace tells one.
    contents: Vec<Fingerprint>,
    /// What the trace tells of the next write.
    announced: Option<Fingerprint>,
}

/// The version of a sector whose bytes follow from the content of its page.
const BY_CONTENT: u32 = u32::MAX;

impl Payload {
    /// Nothing written yet to `pages` logical pages of `page_bytes` (a multiple of 512).
    pub fn new(pages: u32, page_bytes: usize, seed: u64) -> Payload {
        let sectors_per_page = page_bytes / SECTOR_BYTES as usize;
        Payload {
            sectors: vec![Sector::default(); pages as usize * sectors_per_page],
            writes: 0,
            seed,
            sectors_per_page,
            page: vec![0; page_bytes],
            expected: vec![0; page_bytes],
            contents: Vec::new(),
            announced: None,
        }
    }

    /// The next write is of a whole page with this content, if the trace tells it: equal contents
    /// become equal bytes.
    pub fn announce(&mut self, content: Option<Fingerprint>) {
        self.announced = content;
        if content.is_some() && self.contents.is_empty() {
            self.contents = vec![0; self.sectors.len() / self.sectors_per_page];
        }
    }

    /// Writes new bytes into `bytes` of a page (whole sectors).
    ///
    /// # Errors
    /// Those of the drive.
    pub fn write(
        &mut self,
        ftl: &mut Ftl,
        at: Nanos,
        lpn: Lpn,
        bytes: std::ops::Range<usize>,
        command: Command,
    ) -> Result<Nanos, FtlError> {
        let version = match self.announced.take() {
            Some(content) => {
                self.contents[lpn.index()] = content;
                BY_CONTENT
            }
            None => {
                self.writes = (self.writes.wrapping_add(1) % BY_CONTENT).max(1);
                self.writes
            }
        };
        let sector_bytes = SECTOR_BYTES as usize;
        let first = lpn.index() * self.sectors_per_page;
        let page = &self.sectors[first..first + self.sectors_per_page];
        let overwrites = command == Command::Overwrite && page.iter().any(|sector| sector.version != 0);
        let mut page = std::mem::take(&mut self.page);
        for sector in bytes.start / sector_bytes..bytes.end / sector_bytes {
            let state = &mut self.sectors[first + sector];
            if overwrites {
                state.overwrites = (state.overwrites + 1).min(MOST_OVERWRITES);
            } else {
                *state = Sector { version, overwrites: 0 };
            }
            self.fill(&mut page[sector * sector_bytes..(sector + 1) * sector_bytes], lpn, sector);
        }
        self.page = page;
        ftl.write_bytes(at, lpn, bytes.start, &self.page[bytes], command)
    }

    /// A page was trimmed.
    pub fn trim(&mut self, lpn: Lpn) {
        let first = lpn.index() * self.sectors_per_page;
        self.sectors[first..first + self.sectors_per_page].fill(Sector::default());
    }

    /// Reads a page back and compares every sector with what was written.
    ///
    /// # Errors
    /// [`SimError::DataLoss`] for the first sector that differs; those of the drive.
    pub fn verify(&mut self, ftl: &mut Ftl, lpn: Lpn) -> Result<(), SimError> {
        ftl.read_bytes(lpn, &mut self.page)?;
        let sector_bytes = SECTOR_BYTES as usize;
        let mut expected = std::mem::take(&mut self.expected);
        for (sector, bytes) in expected.chunks_exact_mut(sector_bytes).enumerate() {
            self.fill(bytes, lpn, sector);
        }
        let differs = self.page.chunks_exact(sector_bytes).zip(expected.chunks_exact(sector_bytes));
        let wrong = differs.into_iter().position(|(found, expected)| found != expected);
        self.expected = expected;
        match wrong {
            None => Ok(()),
            Some(sector) => {
                Err(SimError::DataLoss { sector: (lpn.index() * self.sectors_per_page + sector) as u64 })
            }
        }
    }

    /// The bytes that a sector of a page should hold.
    fn fill(&self, bytes: &mut [u8], lpn: Lpn, sector: usize) {
        let index = lpn.index() * self.sectors_per_page + sector;
        let Sector { version, overwrites } = self.sectors[index];
        let state = match version {
            0 => return bytes.fill(0),
            BY_CONTENT => {
                let content = self.contents[lpn.index()];
                let (high, low) = ((content >> 64) as u64, content as u64);
                low ^ high.rotate_left(32).wrapping_mul(MIX) ^ (sector as u64).wrapping_mul(GAMMA)
            }
            version => self.seed ^ (index as u64).wrapping_mul(MIX) ^ (u64::from(version) << 32),
        };
        bytes.fill(0xff);
        for overwrite in 0..=u64::from(overwrites) {
            clear_bits(bytes, state ^ overwrite.wrapping_mul(STEP));
        }
    }
}

const MIX: u64 = 0xd1b5_4a32_d192_ed03;
const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;
const STEP: u64 = 0xa24b_aed4_963e_e407;

/// Clears every bit with a probability of one half, by the SplitMix64 sequence from a state.
fn clear_bits(bytes: &mut [u8], mut state: u64) {
    for word in bytes.chunks_exact_mut(8) {
        state = state.wrapping_add(GAMMA);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        word.iter_mut().zip(mixed.to_le_bytes()).for_each(|(byte, random)| *byte &= random);
    }
}
