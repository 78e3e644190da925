//! Raw bit errors of stored cells: how often they are misread at their wear, and what the
//! error-correcting code makes of it.
//!
//! # Model
//! Every bit of a page is misread with the raw bit error rate of the block's erases, independently
//! of the others. The rate is that of the drive's life: of `flash.life.rber`, if given, and else of
//! `flash.cells` ([`cell_physics`](crate::cell_physics)).
//! Which bits depends on the block, the page, its erases and its programs, and not on the read:
//! errors that come from wear and lost charge stay until the page is programmed anew, and so
//! reading again does not help. A BCH code over the page's image corrects all of them if a codeword
//! has at most t, and else finds that it cannot. Nothing is decoded: which bits are wrong is known
//! here. The bits of the parity, which is not kept, are misread like the others.
//!
//! # Deviations
//! A code that packs levels into nibbles has its image misread bit by bit. Spare areas have a code of
//! their own, which is taken to be strong enough. A decoder takes a share of about n^t / (t! 2^r) of
//! the words beyond its radius for another codeword ([`bch`](rewear_codes::bch)). That is less than
//! 1e-9 from t = 12 on, and left out.

use std::cell::Cell;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rewear_codes::bch::Bch;
use rewear_codes::ecc_limits::largest_t;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cell_physics::{Age, Cells, in_flash_cells};
use crate::config::FlashConfig;
use crate::error::ConfigError;
use crate::rber_law::MeasuredRber;

/// The `[flash.bit_errors]` table: cells are misread, and corrected. Needs stored cells.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BitErrorsConfig {
    /// Factor of the raw bit error rate, 0 to 1000: ages a drive faster than its erases do.
    pub scale: f64,
}

impl Default for BitErrorsConfig {
    fn default() -> Self {
        BitErrorsConfig { scale: 1.0 }
    }
}

/// Parity of the BCH code as a fraction of the data: about what the published drives have.
pub const PARITY: f64 = 0.09;
/// The longest codeword's data; longer pages have several codewords of equal length.
const LONGEST_CODEWORD_BYTES: usize = 4096;
/// Rates are worked out for 0 and for powers of two up to 2^16 erases, and interpolated.
const POWERS: u32 = 17;

/// What was misread so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Misreads {
    /// Bits that the code corrected.
    pub bits_corrected: u64,
    /// Reads of pages that it could not correct.
    pub pages_uncorrectable: u64,
}

/// Misreads pages and corrects them.
#[derive(Debug, Clone)]
pub struct BitErrors {
    /// What a codeword has, and corrects.
    data_bytes: usize,
    parity_bits: usize,
    correctable_bits: usize,
    /// By the number of binary digits of the erases.
    rates: Vec<f64>,
    seed: u64,
    misreads: Cell<Misreads>,
}

/// The program and the page that is read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Programmed {
    pub(crate) block: u32,
    pub(crate) page: u32,
    pub(crate) erases: u32,
    pub(crate) programs: u16,
}

impl BitErrors {
    /// Errors of pages whose image has `image_bytes` bytes.
    ///
    /// # Errors
    /// A parameter out of range; a size that no code has; cells of other bits than the flash's.
    pub fn new(
        config: &BitErrorsConfig,
        flash: &FlashConfig,
        image_bytes: usize,
    ) -> Result<BitErrors, ConfigError> {
        if !(0.0..=1000.0).contains(&config.scale) {
            let problem = format!("{} is out of range", config.scale);
            return Err(ConfigError::new("flash.bit_errors.scale", problem, "give 0 to 1000"));
        }
        let codewords = image_bytes.div_ceil(LONGEST_CODEWORD_BYTES).max(1);
        let data_bytes = image_bytes.div_ceil(codewords).max(1);
        let code = largest_t(data_bytes, PARITY).and_then(|t| Bch::new(data_bytes, t));
        let code = code.map_err(|error| {
            ConfigError::new("flash.page_bytes", error.to_string(), "give larger pages, or no bit errors")
        })?;
        let rates = rates(config, flash)?;
        // What a reuse code leaves wrong takes its share of the correctable bits.
        let left_wrong = (flash.wrong_bits * (8 * data_bytes) as f64).ceil() as usize;
        Ok(BitErrors {
            data_bytes,
            parity_bits: code.parity_bits(),
            correctable_bits: code.t().saturating_sub(left_wrong),
            rates,
            seed: flash.seed,
            misreads: Cell::default(),
        })
    }

    /// What was misread so far.
    pub fn misreads(&self) -> Misreads {
        self.misreads.get()
    }

    /// Bits of a codeword that are always corrected.
    pub fn correctable_bits(&self) -> usize {
        self.correctable_bits
    }

    /// The raw bit error rate of a block after `erases` erases.
    pub fn rate(&self, erases: u32) -> f64 {
        let index = (u32::BITS - erases.leading_zeros()) as usize;
        let Some(&above) = self.rates.get(index + 1) else {
            return self.rates.last().copied().unwrap_or(0.0);
        };
        if index == 0 {
            return self.rates[0];
        }
        let lower = 1u32 << (index - 1);
        let share = f64::from(erases - lower) / f64::from(lower);
        self.rates[index] + share * (above - self.rates[index])
    }

    /// Misreads the levels of a programmed page that lie in `image`, and corrects them. Returns
    /// whether the image is right; otherwise it is as it was misread.
    pub(crate) fn read(&self, of: Programmed, image: &mut [u8]) -> bool {
        let rate = self.rate(of.erases);
        if rate <= 0.0 {
            return true;
        }
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(self.seed_of(of));
        let mut misreads = self.misreads.get();
        let mut right = true;
        // A last part that is shorter than the others has a shortened code.
        for part in image.chunks_mut(self.data_bytes) {
            let data_bits = part.len() * 8;
            let wrong = misread_bits(rate, data_bits + self.parity_bits, &mut rng);
            if wrong.len() <= self.correctable_bits {
                misreads.bits_corrected += wrong.len() as u64;
                continue;
            }
            right = false;
            for bit in wrong.into_iter().filter(|&bit| bit < data_bits) {
                part[bit / 8] ^= 0x80 >> (bit % 8);
            }
        }
        misreads.pages_uncorrectable += u64::from(!right);
        self.misreads.set(misreads);
        right
    }

    fn seed_of(&self, of: Programmed) -> u64 {
        let place = u64::from(of.block) << 32 | u64::from(of.page);
        let time = u64::from(of.erases) << 16 | u64::from(of.programs);
        self.seed
            ^ place.wrapping_mul(0xd1b5_4a32_d192_ed03)
            ^ time.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17)
    }
}

/// The raw bit error rates after no erase and after each power of two.
fn rates(config: &BitErrorsConfig, flash: &FlashConfig) -> Result<Vec<f64>, ConfigError> {
    let cycles = std::iter::once(0.0).chain((0..POWERS).map(|power| f64::from(1u32 << power)));
    let scaled = |rate: f64| (rate * config.scale).min(0.5);
    if let Some(law) = flash.life.as_ref().and_then(|life| life.rber).map(MeasuredRber::law) {
        return Ok(cycles.map(|cycles| scaled(law.rber(cycles, 0.0))).collect());
    }
    let in_cells = |error| in_flash_cells(error, "flash.bit_errors");
    let model = flash.cell_model("or a published law in flash.life.rber, or leave bit errors out")?;
    let cells = Cells::new(&model, model.voltage.step_v).map_err(in_cells)?;
    let rate = |cycles| cells.rber(Age { cycles, retention_hours: 0.0 }).map_err(in_cells);
    cycles.map(|cycles| Ok(scaled(rate(cycles)?.mean))).collect()
}

/// The misread bits of a page, each with probability `rate`: the gaps between them are
/// geometric.
fn misread_bits(rate: f64, bits: usize, rng: &mut Xoshiro256PlusPlus) -> Vec<usize> {
    let mut wrong = Vec::new();
    let scale = libm::log1p(-rate);
    let mut next = 0.0;
    loop {
        // From the upper 53 bits, in (0, 1].
        let uniform = ((rng.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64;
        next += libm::floor(libm::log(uniform) / scale);
        if next >= bits as f64 {
            return wrong;
        }
        wrong.push(next as usize);
        next += 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cell_physics::{CellConfig, CellsConfig};
    use crate::life::{LifeConfig, PageCode};
    use crate::timing::TimingConfig;

    const PAGE_BYTES: usize = 4096;

    fn flash(bits_per_cell: u8) -> FlashConfig {
        let timing = TimingConfig { read_ns: vec![1], program_ns: vec![1], erase_ns: 1, channel_mb_per_s: 0 };
        FlashConfig { bits_per_cell, ..FlashConfig::single_plane(timing) }
    }

    fn errors_of(config: BitErrorsConfig, image_bytes: usize) -> Result<BitErrors, ConfigError> {
        BitErrors::new(&config, &flash(2), image_bytes)
    }

    fn page() -> Vec<u8> {
        (0..PAGE_BYTES as u32).map(|byte| (byte.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
    }

    fn of(page: u32, erases: u32) -> Programmed {
        Programmed { block: 3, page, erases, programs: 1 }
    }

    /// Errors at a given rate, at any wear.
    fn at_rate(rate: f64) -> BitErrors {
        let mut errors = errors_of(BitErrorsConfig::default(), PAGE_BYTES).unwrap();
        errors.rates.fill(rate);
        errors
    }

    #[test]
    fn rates_grow_with_wear_and_are_interpolated_between_the_points_that_were_worked_out() {
        let errors = errors_of(BitErrorsConfig::default(), PAGE_BYTES).unwrap();
        let physics = CellConfig::default();
        let cells = Cells::new(&physics, physics.voltage.step_v).unwrap();
        let rates: Vec<f64> =
            [0, 1, 2, 3, 1000, 4096, 5000, 10_000, 65_536, 1 << 20].map(|n| errors.rate(n)).into();
        assert!(rates.is_sorted(), "{rates:?}");
        for erases in [1, 4096, 3000] {
            let age = Age { cycles: f64::from(erases), retention_hours: 0.0 };
            let exact = cells.rber(age).unwrap().mean;
            assert!(
                (errors.rate(erases) - exact).abs() < 0.3 * exact,
                "{erases}: {} for {exact}",
                errors.rate(erases)
            );
        }
    }

    #[test]
    fn rates_are_those_of_the_drives_own_cells() {
        let rate = |flash: &FlashConfig| {
            BitErrors::new(&BitErrorsConfig::default(), flash, PAGE_BYTES).map(|errors| errors.rate(3000))
        };
        // Two-bit cells have other levels than three bits need.
        assert_eq!(rate(&flash(3)).unwrap_err().key, "flash.cells.verify_v");
        let verify_v = vec![2.55, 3.0, 3.15, 3.3, 3.45, 3.6, 3.75];
        let dense = FlashConfig { cells: Some(CellsConfig { verify_v }), ..flash(3) };
        assert!(rate(&dense).unwrap() > 10.0 * rate(&flash(2)).unwrap());
        let law = MeasuredRber::Tlc72Layers.law();
        let expected = law.rber(2048.0, 0.0)..law.rber(4096.0, 0.0);
        let life = LifeConfig {
            retention_hours: Some(720.0),
            rber: Some(MeasuredRber::Tlc72Layers),
            ..LifeConfig::rated(1000, PageCode::Ldpc)
        };
        assert!(expected.contains(&rate(&FlashConfig { life: Some(life), ..flash(3) }).unwrap()));
    }

    #[test]
    fn what_the_code_corrects_is_invisible_and_what_is_beyond_it_is_reported() {
        let bits = (PAGE_BYTES * 8 + at_rate(0.1).parity_bits) as f64;
        let limit = at_rate(0.1).correctable_bits() as f64 / bits;
        let right = |rate: f64| {
            let errors = at_rate(rate);
            let pages = (0..200).filter(|&number| {
                let mut image = page();
                let right = errors.read(of(number, 7), &mut image);
                assert_eq!(right, image == page(), "page {number}");
                right
            });
            (pages.count(), errors.misreads())
        };
        let (all, misreads) = right(limit * 0.7);
        let expected = 200.0 * bits * limit * 0.7;
        assert!(all == 200 && misreads.pages_uncorrectable == 0);
        assert!((misreads.bits_corrected as f64 - expected).abs() < 5.0 * expected.sqrt(), "{misreads:?}");
        let (some, misreads) = right(limit);
        assert!((20..180).contains(&some) && misreads.pages_uncorrectable == 200 - some as u64, "{some}");
        assert_eq!(right(limit * 1.4).0, 0);
    }

    #[test]
    fn reading_again_misreads_the_same_bits_and_another_program_others() {
        let errors = at_rate(0.01);
        let read = |programmed| {
            let mut image = page();
            errors.read(programmed, &mut image);
            image
        };
        assert_eq!(read(of(1, 5)), read(of(1, 5)));
        assert_ne!(read(of(1, 5)), read(of(1, 6)));
        assert_ne!(read(of(1, 5)), read(of(2, 5)));
        assert_ne!(read(of(1, 5)), read(Programmed { programs: 2, ..of(1, 5) }));
    }

    #[test]
    fn images_of_any_size_have_codewords() {
        for image_bytes in [512, 4096, 4097, 4500, 8192, 16_384] {
            let errors = errors_of(BitErrorsConfig::default(), image_bytes).unwrap();
            let mut image = vec![0x5a; image_bytes];
            assert!(errors.read(of(0, 3000), &mut image));
            assert_eq!(image, vec![0x5a; image_bytes]);
        }
        assert!(errors_of(BitErrorsConfig { scale: -1.0 }, 4096).is_err());
    }
}
