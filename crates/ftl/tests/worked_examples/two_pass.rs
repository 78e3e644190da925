//! Reuse `two-pass`: a unit whose pages are all invalid is written once more before it is erased.
//!
//! # Idea
//! Nothing is lost by another pass over a unit that holds nothing, if its cells bear it.
//!
//! # Paper
//! None: it is the worked example of CONTRIBUTING.md.
//!
//! # Parameters
//! None.
//!
//! # Cost
//! A byte a unit.
//!
//! # Deviations
//! None.

use rewear_flash::config::MediumKind;
use rewear_flash::{ConfigError, FlashConfig, ProgramAgain};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::address::Unit;
use crate::reuse::facts::{Facts, ProgramRule, Remembers};
use crate::reuse::reclaim_decision::{ReclaimDecision, UnitEvent, Victim};
use crate::reuse::scheme::Scheme;
use crate::reuse::slot_code::SlotCode;
use crate::shape::layout::Layout;
use crate::state::State;

/// No parameters.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TwoPassConfig {}

/// See the module's page.
#[derive(Debug, Clone, Default)]
pub struct TwoPass {
    reopened: Vec<bool>,
}

impl Scheme for TwoPass {
    type Config = TwoPassConfig;

    fn new(_: &TwoPassConfig, flash: &FlashConfig) -> Result<(TwoPass, Facts), ConfigError> {
        if flash.medium == MediumKind::Stored {
            let problem = "two-pass has no code that raises cells a second time";
            return Err(ConfigError::new("flash.medium", problem, "set it to \"modelled\""));
        }
        let programs = ProgramRule {
            again: ProgramAgain::Passes { limit: 2 }, // what the array permits
            per_erase: 1.5,                           // what a cycle is expected to be
            passes_per_erase: 1.5,
        };
        let remembers = Remembers { bytes_per_unit: 1, ..Remembers::default() };
        Ok((TwoPass::default(), Facts { programs, remembers, ..Facts::plain(flash) }))
    }

    fn controller_bytes(&self, layout: &Layout) -> u64 {
        u64::from(layout.units().div_ceil(8))
    }

    fn prepare(&mut self, _: &FlashConfig, layout: &Layout) -> Result<(), ConfigError> {
        self.reopened = vec![false; layout.units() as usize];
        Ok(())
    }

    fn reclaim(&self, _: &State, victim: &Victim) -> ReclaimDecision {
        let empty = victim.valid_when_taken == 0 && !self.reopened[victim.unit.index()];
        if empty { ReclaimDecision::Reopen } else { ReclaimDecision::Erase }
    }

    fn hears(&mut self, _: &State, unit: Unit, event: UnitEvent) {
        match event {
            UnitEvent::Reopened => self.reopened[unit.index()] = true,
            UnitEvent::Erased | UnitEvent::Lost => self.reopened[unit.index()] = false,
            UnitEvent::Emptying | UnitEvent::BarredFromReuse => {}
        }
    }
}

impl SlotCode for TwoPass {}

#[test]
fn an_empty_unit_is_reopened_once() {
    use crate::reuse::reclaim_decision::Why;
    use crate::{DriveConfig, Ftl};

    let timing = rewear_flash::timing::TimingConfig {
        read_ns: vec![10],
        program_ns: vec![100],
        erase_ns: 1000,
        channel_mb_per_s: 0,
    };
    let flash = FlashConfig::single_plane(timing);
    let mut config = DriveConfig::plain("test", flash.clone());
    config.ftl.over_provisioning = 0.5;
    let mut ftl = Ftl::new(&config).unwrap();
    let state = ftl.hand().state();
    let (mut scheme, facts) = TwoPass::new(&TwoPassConfig {}, &flash).unwrap();
    assert_eq!(facts.programs.again, ProgramAgain::Passes { limit: 2 });
    scheme.prepare(&flash, &state.layout).unwrap();
    let victim = |valid_when_taken| Victim { unit: Unit(1), valid_when_taken, why: Why::Idle };
    assert_eq!(scheme.reclaim(state, &victim(3)), ReclaimDecision::Erase);
    assert_eq!(scheme.reclaim(state, &victim(0)), ReclaimDecision::Reopen);
    scheme.hears(state, Unit(1), UnitEvent::Reopened);
    assert_eq!(scheme.reclaim(state, &victim(0)), ReclaimDecision::Erase);
    scheme.hears(state, Unit(1), UnitEvent::Erased);
    assert_eq!(scheme.reclaim(state, &victim(0)), ReclaimDecision::Reopen);
    assert!(TwoPass::new(&TwoPassConfig {}, &FlashConfig { medium: MediumKind::Stored, ..flash }).is_err());
}
