//! What a drive is: the configuration schema.

pub mod choices;
pub mod drive;
pub mod ftl;

pub use choices::{CleaningStep, EraseUnit, MovedPages, MovedTo, Striping};
pub use drive::{DriveConfig, ProductConfig, TwinConfig};
pub use ftl::FtlConfig;
