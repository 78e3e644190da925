//! What a drive is: the configuration schema.

pub mod choices;
pub mod drive;
pub mod ftl;
pub mod product;
pub mod twin;

pub use choices::{CleaningStep, EraseUnit, MovedPages, MovedTo, Striping};
pub use drive::DriveConfig;
pub use ftl::FtlConfig;
pub use product::ProductConfig;
pub use twin::TwinConfig;
