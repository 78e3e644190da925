//! What a block is rated for, and what else ends its life: the `[flash.life]` table.
//!
//! It is what reports compute lives from. It retires no block: that is `flash.endurance_cycles`,
//! with which a run can be followed to the last block; a block whose pages would not be corrected
//! retires earlier.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cell_physics::{Cells, EccConfig, EccLimits, in_flash_cells};
use crate::config::FlashConfig;
use crate::error::ConfigError;
use crate::rber_law::MeasuredRber;

/// How long blocks live. Without it, and without `flash.endurance_cycles`, a report names no life.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LifeConfig {
    /// P/E cycles that a block is rated for.
    pub cycles: u32,
    /// Least and most cycles that published sources give for such blocks. `cycles` lies between
    /// them. Absent where one figure is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycles_between: Option<(u32, u32)>,
    /// Source of the figures.
    pub source: String,
    /// Hours after which a page must still be corrected. A block's life ends, too, when its raw bit
    /// errors (`rber`, or those of `flash.cells`) exceed the limit of `code` at the promised UBER.
    /// Absent: only `cycles` counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retention_hours: Option<f64>,
    /// A chip whose raw bit error rate was measured and published. Absent: the rate follows from `flash.cells`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rber: Option<MeasuredRber>,
    /// The code that reads pages.
    #[serde(default)]
    pub code: PageCode,
    /// Wear of a program over data, as a part of a P/E cycle: 0 (erases alone wear) to 1.
    /// `flash.endurance_cycles` counts it, too.
    #[serde(default)]
    pub reprogram_wear: f64,
    /// Wear of a program faster than the chip's normal ones (a coarse step), beyond that of a
    /// normal one, as a part of a P/E cycle: 0 to 1. `flash.endurance_cycles` counts it, too.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub coarse_wear: f64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

/// The code of a page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PageCode {
    /// BCH, read hard.
    #[default]
    Bch,
    /// LDPC with as many references as were measured.
    Ldpc,
}

impl LifeConfig {
    /// A block with a rating of `cycles` cycles, and nothing else given.
    pub fn rated(cycles: u32, code: PageCode) -> LifeConfig {
        LifeConfig {
            cycles,
            cycles_between: None,
            source: String::new(),
            retention_hours: None,
            rber: None,
            code,
            reprogram_wear: 0.0,
            coarse_wear: 0.0,
        }
    }

    /// Checks the table against the flash it stands in.
    ///
    /// # Errors
    /// No cycles, a wear beyond 0 to 1, cells of another number of levels than the flash has, a
    /// page that is not corrected on a fresh block.
    pub fn check(&self, flash: &FlashConfig) -> Result<(), ConfigError> {
        if self.cycles == 0 {
            return Err(ConfigError::new("flash.life.cycles", "0 cycles", "give at least 1"));
        }
        if let Some((least, most)) = self.cycles_between
            && !(0 < least && least <= self.cycles && self.cycles <= most)
        {
            return Err(ConfigError::new(
                "flash.life.cycles_between",
                format!("{least} to {most} cycles do not hold the {} of flash.life.cycles", self.cycles),
                "give the least and the most cycles around flash.life.cycles, or leave it out",
            ));
        }
        for (key, wear) in
            [("flash.life.reprogram_wear", self.reprogram_wear), ("flash.life.coarse_wear", self.coarse_wear)]
        {
            if !(0.0..=1.0).contains(&wear) {
                return Err(ConfigError::new(key, format!("{wear} is no part of a cycle"), "give 0 to 1"));
            }
        }
        self.check_what_rber_needs()?;
        if self.uncorrectable_cycles(flash)?.is_some_and(|cycles| cycles < 1.0) {
            return Err(ConfigError::new(
                "flash.life.retention_hours",
                "pages are uncorrectable after this retention time, even on a fresh block",
                "give fewer hours, flash.life.code = \"ldpc\", or leave flash.life.retention_hours out",
            ));
        }
        Ok(())
    }

    fn check_what_rber_needs(&self) -> Result<(), ConfigError> {
        if self.retention_hours.is_none() && self.rber.is_some() {
            let problem = "given, but nothing says after how long a page must be corrected";
            return Err(ConfigError::new("flash.life.rber", problem, "give flash.life.retention_hours, too"));
        }
        Ok(())
    }

    /// Cycles from which on a page is not corrected after `retention_hours`; `None` where that is
    /// not asked.
    ///
    /// # Errors
    /// Parameters of a law or of cells that cannot be, or cells of another number of levels than
    /// the flash has.
    pub fn uncorrectable_cycles(&self, flash: &FlashConfig) -> Result<Option<f64>, ConfigError> {
        let Some(hours) = self.retention_hours else { return Ok(None) };
        let in_cells = |error| in_flash_cells(error, "flash.life");
        let limits = EccLimits::new(&EccConfig::default()).map_err(in_cells)?;
        let limit_rber = match self.code {
            PageCode::Bch => limits.bch.rber,
            PageCode::Ldpc => limits.most_ldpc(),
        };
        // What a reuse code leaves wrong is corrected at unknown places, as what is misread.
        let limit_rber = limit_rber - flash.wrong_bits;
        if limit_rber <= 0.0 {
            return Ok(Some(0.0));
        }
        if let Some(chip) = self.rber {
            if !(0.0..=1e9).contains(&hours) {
                let problem = format!("{hours} is out of range");
                return Err(ConfigError::new("flash.life.retention_hours", problem, "give 0 to 1e9"));
            }
            return Ok(Some(chip.law().cycles_until(limit_rber, hours)));
        }
        let cells = flash
            .cell_model("or a published law in flash.life.rber, or leave flash.life.retention_hours out")?;
        let cells = Cells::new(&cells, cells.voltage.step_v).map_err(in_cells)?;
        cells.cycles_until(limit_rber, hours).map(Some).map_err(in_cells)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timing::TimingConfig;

    fn flash(bits_per_cell: u8) -> FlashConfig {
        let timing = TimingConfig { read_ns: vec![1], program_ns: vec![1], erase_ns: 1, channel_mb_per_s: 0 };
        FlashConfig { bits_per_cell, ..FlashConfig::single_plane(timing) }
    }

    fn life(retention_hours: Option<f64>, rber: Option<MeasuredRber>, code: PageCode) -> LifeConfig {
        LifeConfig { retention_hours, rber, ..LifeConfig::rated(3000, code) }
    }

    fn refused(life: &LifeConfig, bits_per_cell: u8) -> String {
        life.check(&flash(bits_per_cell)).map_or_else(|error| error.key, |()| "accepted".into())
    }

    #[test]
    fn cells_and_laws_say_when_pages_end() {
        let ends =
            |life: LifeConfig, bits| life.uncorrectable_cycles(&flash(bits)).ok().flatten().unwrap_or(-1.0);
        // The tables of docs/notebook/physics.md.
        for (hours, code, expected) in [(8760.0, PageCode::Bch, 4489.0), (24.0, PageCode::Bch, 16_940.0)] {
            let found = ends(life(Some(hours), None, code), 2);
            assert!((found / expected - 1.0).abs() < 1e-3, "{found}");
        }
        let tlc = |hours, code| ends(life(Some(hours), Some(MeasuredRber::Tlc72Layers), code), 3);
        for (hours, code, expected) in [
            (8760.0, PageCode::Ldpc, 3234.0),
            (2160.0, PageCode::Ldpc, 3812.0),
            (720.0, PageCode::Bch, 1121.0),
        ] {
            assert!((tlc(hours, code) / expected - 1.0).abs() < 0.01, "{}", tlc(hours, code));
        }
        assert!(tlc(8760.0, PageCode::Ldpc) < tlc(24.0, PageCode::Ldpc));
        assert_eq!(ends(life(None, None, PageCode::Bch), 4), -1.0);
    }

    #[test]
    fn blocks_retire_at_the_earlier_end() {
        let with = |endurance_cycles, hours| FlashConfig {
            endurance_cycles,
            life: Some(life(hours, Some(MeasuredRber::Tlc72Layers), PageCode::Ldpc)),
            ..flash(3)
        };
        let at = |endurance, hours| with(endurance, hours).retires_at().unwrap_or_default();
        assert_eq!(at(Some(3000), Some(8760.0)), Some(3000));
        assert!(at(Some(5000), Some(8760.0)).is_some_and(|cycles| (3200..3300).contains(&cycles)));
        assert_eq!(at(None, Some(8760.0)), None);
    }

    #[test]
    fn what_cannot_be_is_refused_by_its_key() {
        let law = || Some(MeasuredRber::Tlc72Layers);
        let year = Some(8760.0);
        assert_eq!(refused(&life(year, law(), PageCode::Ldpc), 3), "accepted");
        assert_eq!(refused(&life(year, None, PageCode::Ldpc), 3), "flash.cells.verify_v");
        assert_eq!(refused(&life(None, law(), PageCode::Ldpc), 3), "flash.life.rber");
        assert_eq!(refused(&life(Some(-1.0), law(), PageCode::Ldpc), 3), "flash.life.retention_hours");
        assert_eq!(refused(&life(Some(f64::NAN), None, PageCode::Bch), 2), "flash.life.retention_hours");
        assert_eq!(refused(&life(Some(1e7), law(), PageCode::Bch), 3), "flash.life.retention_hours");
        let worn = LifeConfig { coarse_wear: 1.5, ..life(None, None, PageCode::Bch) };
        assert_eq!(refused(&worn, 2), "flash.life.coarse_wear");
        for (between, says) in [
            ((1000, 3000), "accepted"),
            ((3001, 4000), "flash.life.cycles_between"),
            ((0, 3000), "flash.life.cycles_between"),
        ] {
            let ranged = LifeConfig { cycles_between: Some(between), ..life(None, None, PageCode::Bch) };
            assert_eq!(refused(&ranged, 3), says, "{between:?}");
        }
    }
}
