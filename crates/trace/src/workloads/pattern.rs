//! Where the requests of a phase go.

use super::flash_cache::FlashCache;
use super::hot_cold::HotCold;
use super::jesd219::Jesd219;
use super::kv_cache::KvCache;
use super::overwrite_regions::OverwriteRegions;
use super::refill::Refill;
use super::roles::Roles;
use super::sequential::Sequential;
use super::settings::Settings;
use super::zipf::Zipf;
use super::zones::Zones;
use crate::error::TraceError;
use crate::operation::Operation;
use crate::stand_in::generate::StandIn;

/// Where requests go.
#[derive(Clone, Debug)]
pub(crate) enum Pattern {
    Sequential(Sequential),
    Uniform,
    Zipf(Zipf),
    HotCold(HotCold),
    Jesd219(Jesd219),
    OverwriteRegions(OverwriteRegions),
    Refill(Refill),
    StandIn(Box<StandIn>),
    Roles(Roles),
    FlashCache(FlashCache),
    KvCache(Box<KvCache>),
    Zones(Zones),
}

impl Pattern {
    pub(crate) fn new(
        settings: &Settings<'_>,
        (pages, page_bytes): (u64, u64),
        seed: u64,
    ) -> Result<Self, TraceError> {
        match settings.generator.name {
            "sequential" => Ok(Self::Sequential(Sequential::default())),
            "uniform" => Ok(Self::Uniform),
            "zipf" | "lx-home" | "lx-mail" | "lx-web" => Ok(Self::Zipf(Zipf::new(settings, pages, seed)?)),
            "hot-cold" => Ok(Self::HotCold(HotCold::new(settings, pages, seed)?)),
            "overwrite-regions" => Ok(Self::OverwriteRegions(OverwriteRegions::new(settings, pages)?)),
            "jesd219" => Ok(Self::Jesd219(Jesd219::new(settings, pages)?)),
            "roles" => Ok(Self::Roles(Roles::new(settings, pages, seed)?)),
            "flash-cache" => Ok(Self::FlashCache(FlashCache::new(settings, pages, page_bytes)?)),
            "kv-cache" => Ok(Self::KvCache(Box::new(KvCache::new(settings, (pages, page_bytes), seed)?))),
            "zones" => Ok(Self::Zones(Zones::new(settings, (pages, page_bytes))?)),
            "refill" | "hot-s" | "hot-r" | "cold" | "low-gc" | "high-gc" => {
                Ok(Self::Refill(Refill::new(settings, pages)?))
            }
            "stand-in" => Ok(Self::StandIn(Box::new(crate::stand_in::of_settings(settings)?))),
            name => Err(TraceError::parameter(
                format!("the workload \"{name}\" is not built in"),
                "choose another one",
            )),
        }
    }

    /// Requests of one page that come before those whose number or volume the user gives.
    pub(crate) fn leading_requests(&self) -> u64 {
        match self {
            Self::OverwriteRegions(regions) => regions.warmup_requests(),
            Self::Refill(refill) => refill.fill_requests(),
            Self::Sequential(_)
            | Self::Uniform
            | Self::Zipf(_)
            | Self::HotCold(_)
            | Self::Jesd219(_)
            | Self::Roles(_)
            | Self::FlashCache(_)
            | Self::KvCache(_)
            | Self::Zones(_)
            | Self::StandIn(_) => 0,
        }
    }
}

/// The request that a pattern has to place: its size, and whether it reads or writes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    pub(crate) operation: Operation,
    pub(crate) length_bytes: u64,
    /// Pages that it takes.
    pub(crate) span: u64,
}

impl Asked {
    /// The request begins at this page.
    #[inline(always)]
    pub(crate) fn at(self, page: u64) -> Aimed {
        self.of((page, 0))
    }

    /// The request begins at this page and belongs to this component of the workload.
    #[inline(always)]
    pub(crate) fn of(self, (page, component): (u64, u8)) -> Aimed {
        Aimed { page, component, operation: self.operation, length_bytes: self.length_bytes }
    }
}

/// A request whose place is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aimed {
    pub(crate) page: u64,
    pub(crate) component: u8,
    pub(crate) operation: Operation,
    pub(crate) length_bytes: u64,
}
