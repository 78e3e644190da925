//! The flash as a code with a rate below 1 leaves it: blocks of fewer pages; each takes
//! more cells and more time, and has bits that are wrong from the start.

use rewear_flash::energy::EnergyConfig;
use rewear_flash::page_kind::{PageKinds, PageOrder};
use rewear_flash::timing::TimingConfig;
use rewear_flash::{ConfigError, FlashConfig};

use super::CosetConfig;

impl CosetConfig {
    /// The flash of a drive whose pages take `1 / rate` of its own. A block of them takes as long
    /// and as much energy as a block of its own. All pages are alike: each has cells of all kinds.
    ///
    /// # Errors
    /// No such code, pages that are programmed together, blocks that hold no page.
    pub(in crate::reuse) fn flash(&self, flash: &FlashConfig) -> Result<FlashConfig, ConfigError> {
        let measured = self.measured(flash)?;
        if flash.pages_per_program != 1 {
            return Err(ConfigError::new(
                "flash.pages_per_program",
                "a page of a coset code is no part of a page of the chip",
                "give 1, or another reuse.scheme",
            ));
        }
        let pages = (f64::from(flash.pages_per_block) * self.rate).floor() as u32;
        if pages == 0 {
            return Err(ConfigError::new(
                "flash.pages_per_block",
                format!("a block of {} holds no page at the rate {}", flash.pages_per_block, self.rate),
                "give more pages per block",
            ));
        }
        let more = f64::from(flash.pages_per_block) / f64::from(pages);
        let counts = PageKinds::of_blocks(flash)?.counts(usize::from(flash.bits_per_cell));
        // Lists of another length are refused where the flash itself is checked.
        let mean = |values: &[f64]| {
            let of_kind =
                |kind: usize| f64::from(counts[kind]) * values.get(kind).or(values.first()).unwrap_or(&0.0);
            vec![(0..counts.len()).map(of_kind).sum::<f64>() / f64::from(pages)]
        };
        let mean_ns = |values: &[u64]| {
            let values: Vec<f64> = values.iter().map(|&ns| ns as f64).collect();
            mean(&values).into_iter().map(|ns| ns.round() as u64).collect()
        };
        Ok(FlashConfig {
            pages_per_block: pages,
            page_bytes: (f64::from(flash.page_bytes) * more).round() as u32,
            spare_bytes: (f64::from(flash.spare_bytes) * more).round() as u32,
            page_order: PageOrder::default(),
            wrong_bits: measured.wrong_bits,
            timing: TimingConfig {
                read_ns: mean_ns(&flash.timing.read_ns),
                program_ns: mean_ns(&flash.timing.program_ns),
                ..flash.timing.clone()
            },
            energy: flash.energy.as_ref().map(|energy| EnergyConfig {
                read_nj: mean(&energy.read_nj),
                program_nj: mean(&energy.program_nj),
                ..energy.clone()
            }),
            ..flash.clone()
        })
    }
}
