//! Victims by `custom`: a policy that the caller supplies, as Python does with a file of a few
//! lines.
//!
//! It is asked once a cleaning through a pointer. No key of a configuration leads here, since a
//! file has no code: the caller puts the policy in.

use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use super::policy::{DriveFacts, Policy};
use crate::address::{Pool, Unit};
use crate::state::units::Units;

/// What a caller supplies. It keeps its own state, which copies of a drive share.
pub trait ChooseVictim: fmt::Debug + Send + Sync {
    /// As [`Policy::choose`].
    fn choose(&self, units: &Units, pool: Pool) -> Option<Unit>;
}

/// A policy and its name.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct CustomConfig {
    /// What reports call the policy.
    pub name: String,
    /// The policy.
    #[serde(skip)]
    pub policy: Arc<dyn ChooseVictim>,
}

impl PartialEq for CustomConfig {
    fn eq(&self, other: &CustomConfig) -> bool {
        Arc::ptr_eq(&self.policy, &other.policy)
    }
}

/// See the module's page.
#[derive(Debug, Clone)]
pub struct Custom(Arc<dyn ChooseVictim>);

impl Policy for Custom {
    type Config = CustomConfig;
    const ASKS_FOR_AGE: bool = true;

    fn new(config: &CustomConfig, _: DriveFacts) -> Custom {
        Custom(Arc::clone(&config.policy))
    }

    fn choose(&mut self, units: &Units, pool: Pool) -> Option<Unit> {
        self.0.choose(units, pool)
    }
}
