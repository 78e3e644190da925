//! What a host asks of a drive, as a stream: recorded traces in the formats that are about,
//! Rewear's own compact format, and made-up workloads.
//!
//! ```no_run
//! use rewear_trace::{Batch, OpenOptions, Source};
//! let mut trace = rewear_trace::open("web.csv.xz".as_ref(), &OpenOptions::default())?;
//! let mut batch = Batch::default();
//! while trace.fill(&mut batch)? > 0 {
//!     for request in &batch.requests {
//!         println!("{} {:?} {}", request.at_ns, request.operation, request.offset_bytes);
//!     }
//! }
//! # Ok::<(), rewear_trace::TraceError>(())
//! ```

mod ahead;
pub mod analysis;
mod batched;
mod compact;
mod decompress;
mod detect;
mod error;
mod fit;
mod footprint;
mod foreign;
mod info;
mod jumps;
mod kept;
mod known;
mod mix;
mod operation;
mod options;
mod pages;
mod readers;
mod request;
mod source;
pub mod stand_in;
mod trims_skipped;
mod who_writes;
mod workloads;

pub use ahead::ahead;
pub use analysis::{Analysis, analyse};
pub use batched::batched;
pub use compact::owners::{Owner, OwnerKind};
pub use compact::salvage::salvage;
pub use compact::writer::{CompactWriter, ContentColumn};
pub use detect::{formats, open};
pub use error::{ErrorKind, Place, TraceError};
pub use fit::Fit;
pub use info::{INFO_PAGE_BYTES, Info, OperationInfo, info};
pub use jumps::{ClockJump, Jump, Jumps};
pub use kept::{Keep, Kept, KeptSource};
pub use operation::Operation;
pub use options::{Event, OpenOptions, OwnColumns, TimeUnit};
pub use pages::{PageCutter, Piece, Pieces, SECTOR_BYTES, covered_pages, touched_pages};
pub use readers::{AnySource, Format};
pub use request::{Batch, FINGERPRINT_PAGE_BYTES, Fingerprint, Request};
pub use source::{Description, GoOn, Kind, Omissions, Source};
pub use who_writes::{Writer, Writers, copy_owners, who_writes};
pub use workloads::{COMMON as COMMON_PARAMETERS, Defaults, GENERATORS, Generator, Parameter, workload};
