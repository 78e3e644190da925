//! Bytes for stored cells: what is written is made up, what is read back is compared.
//!
//! A write makes every sector a new version, whose bytes look random. An overwrite keeps the version and clears bits: as in the
//! benchmark of the extended P/E cycles (Margaglia and Brinkmann, MSST '15, section V), every bit that is still 1 becomes 0 with a
//! probability of one half.

use rewear_flash::Nanos;
use rewear_ftl::host_write::Command;
use rewear_ftl::{Ftl, FtlError, Lpn};
use rewear_trace::SECTOR_BYTES;

use crate::error::SimError;

/// Overwrites of a sector that change it: by then hardly a bit is left.
const MOST_OVERWRITES: u8 = 32;

/// What a sector holds: the bytes of a version, of which later overwrites cleared some.
#[derive(Debug, Clone, Copy, Default)]
struct Sector {
    /// 0 is "never written" and reads as zeros.
    version: u32,
    overwrites: u8,
}

/// The state of every sector, from which its bytes follow.
#[derive(Debug, Clone)]
pub struct Payload {
    sectors: Vec<Sector>,
    writes: u32,
    seed: u64,
    sectors_per_page: usize,
    page: Vec<u8>,
    expected: Vec<u8>,
}

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
        self.writes = self.writes.wrapping_add(1).max(1);
        let sector_bytes = SECTOR_BYTES as usize;
        let first = lpn as usize * self.sectors_per_page;
        let is_new =
            self.sectors[first..first + self.sectors_per_page].iter().all(|sector| sector.version == 0);
        for sector in bytes.start / sector_bytes..bytes.end / sector_bytes {
            let state = &mut self.sectors[first + sector];
            match command {
                Command::Overwrite if !is_new => {
                    state.overwrites = (state.overwrites + 1).min(MOST_OVERWRITES);
                }
                _ => *state = Sector { version: self.writes, overwrites: 0 },
            }
            let range = sector * sector_bytes..(sector + 1) * sector_bytes;
            fill_sector(&mut self.page[range], self.seed, (first + sector) as u64, *state);
        }
        ftl.write_bytes(at, lpn, bytes.start, &self.page[bytes], command)
    }

    /// A page was trimmed.
    pub fn trim(&mut self, lpn: Lpn) {
        let first = lpn as usize * self.sectors_per_page;
        self.sectors[first..first + self.sectors_per_page].fill(Sector::default());
    }

    /// Reads a page back and compares every sector with what was written.
    ///
    /// # Errors
    /// [`SimError::DataLoss`] for the first sector that differs; those of the drive.
    pub fn verify(&mut self, ftl: &mut Ftl, lpn: Lpn) -> Result<(), SimError> {
        ftl.read_bytes(lpn, &mut self.page)?;
        let sector_bytes = SECTOR_BYTES as usize;
        let first = lpn as usize * self.sectors_per_page;
        for sector in 0..self.sectors_per_page {
            let range = sector * sector_bytes..(sector + 1) * sector_bytes;
            let index = first + sector;
            fill_sector(&mut self.expected[range.clone()], self.seed, index as u64, self.sectors[index]);
            if self.page[range.clone()] != self.expected[range] {
                return Err(SimError::DataLoss { sector: index as u64 });
            }
        }
        Ok(())
    }
}

/// Bytes that look random and follow from (seed, sector, version) by the SplitMix64 sequence; with each overwrite, half of the bits
/// that are left are cleared.
fn fill_sector(bytes: &mut [u8], seed: u64, sector: u64, state: Sector) {
    if state.version == 0 {
        bytes.fill(0);
        return;
    }
    let base = seed ^ sector.wrapping_mul(0xd1b5_4a32_d192_ed03) ^ (u64::from(state.version) << 32);
    bytes.fill(0xff);
    for overwrite in 0..=u64::from(state.overwrites) {
        let mut random = base ^ overwrite.wrapping_mul(0xa24b_aed4_963e_e407);
        for word in bytes.chunks_exact_mut(8) {
            random = random.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut mixed = random;
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            mixed ^= mixed >> 31;
            word.iter_mut().zip(mixed.to_le_bytes()).for_each(|(byte, random)| *byte &= random);
        }
    }
}
