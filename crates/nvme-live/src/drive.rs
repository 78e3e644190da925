//! The requests of NVMe hosts on a live drive.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use rewear_ftl::Shape;
use rewear_ftl::policies::streams::StreamsConfig;
use rewear_ftl::policies::streams::host::Isolation;
use rewear_live::{LiveDrive, LiveError};
use rewear_nvme::{Counters, Drive, DriveError, Identity, Placement};

/// A live drive as a namespace.
#[derive(Debug)]
pub struct Namespace {
    drive: Arc<LiveDrive>,
    shape: Shape,
}

impl Namespace {
    /// The namespace of a drive.
    ///
    /// # Errors
    /// A configuration that cannot be.
    pub fn new(drive: Arc<LiveDrive>) -> Result<Namespace, LiveError> {
        let shape = Shape::new(drive.drive().configuration())?;
        Ok(Namespace { drive, shape })
    }
}

/// Identification of the drive. Its subsystem is named after `name`, from which its identifiers
/// follow: a drive that is served again under the same name is the same to its hosts.
///
/// # Errors
/// A configuration that cannot be; blocks that do not divide the drive's pages.
pub fn identity(drive: &LiveDrive, name: &str, block_bytes: u32) -> Result<Identity, LiveError> {
    let config = drive.drive().configuration();
    let page_bytes = drive.page_bytes();
    let is_block = matches!(block_bytes, 512 | 4096);
    if !is_block || !drive.size_bytes().is_multiple_of(block_bytes.into()) {
        let text = format!("logical blocks of {block_bytes} bytes do not fit this drive: give 512, or 4096");
        return Err(LiveError::Options(text));
    }
    let layout = Shape::new(config)?.layout;
    let placement = match &config.ftl.streams {
        StreamsConfig::Host(host) => Some(Placement {
            handles: host.handles,
            is_persistent: host.isolation == Isolation::Persistent,
            // A handle has an open unit in each pool.
            unit_bytes: u64::from(layout.pools)
                * u64::from(layout.slots_per_unit)
                * u64::from(layout.logical_page_bytes),
        }),
        _ => None,
    };
    let uuid = uuid(name);
    Ok(Identity {
        subsystem: format!("nqn.2026-11.local.rewear:{name}"),
        model: format!("Rewear {}", drive.drive().name()),
        serial: uuid[..8].iter().map(|byte| format!("{byte:02X}")).collect(),
        firmware: env!("CARGO_PKG_VERSION").to_owned(),
        uuid,
        capacity_bytes: drive.size_bytes(),
        block_bytes,
        page_bytes,
        placement,
    })
}

/// An identifier that follows from a name: of version 8, which leaves its bits to its maker
/// (RFC 9562, 5.8). The bits are those of the 128-bit FNV-1a hash.
fn uuid(name: &str) -> [u8; 16] {
    const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    let hash = name.bytes().fold(BASIS, |hash, byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME));
    let mut bytes = hash.to_be_bytes();
    bytes[6] = bytes[6] & 0x0f | 0x80;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    bytes
}

/// A fault of the drive fails this request and, since the drive knows of it, all that follow.
fn guarded<T>(act: impl FnOnce() -> Result<T, LiveError>) -> Result<T, DriveError> {
    match catch_unwind(AssertUnwindSafe(act)) {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(LiveError::Closed)) => Err(DriveError::Closed),
        Ok(Err(error)) => Err(match error.kind() {
            std::io::ErrorKind::InvalidInput => DriveError::Invalid,
            std::io::ErrorKind::StorageFull => DriveError::Full,
            std::io::ErrorKind::ReadOnlyFilesystem => DriveError::ReadOnly,
            _ => DriveError::Failed,
        }),
        Err(_) => Err(DriveError::Failed),
    }
}

impl Drive for Namespace {
    fn read(&self, offset_bytes: u64, into: &mut [u8]) -> Result<(), DriveError> {
        guarded(|| self.drive.read(offset_bytes, into))
    }

    fn write(&self, offset_bytes: u64, data: &[u8], stream: u8, durable: bool) -> Result<(), DriveError> {
        guarded(|| self.drive.write_placed(offset_bytes, data, stream, durable))
    }

    fn deallocate(&self, offset_bytes: u64, length_bytes: u64) -> Result<(), DriveError> {
        guarded(|| self.drive.trim(offset_bytes, length_bytes, false))
    }

    fn zero(
        &self,
        offset_bytes: u64,
        length_bytes: u64,
        may_forget: bool,
        durable: bool,
    ) -> Result<(), DriveError> {
        guarded(|| self.drive.zero(offset_bytes, length_bytes, may_forget, durable))
    }

    fn flush(&self) -> Result<(), DriveError> {
        guarded(|| self.drive.flush())
    }

    fn update_handle(&self, handle: u8) -> Result<bool, DriveError> {
        guarded(|| self.drive.update_handle(handle))
    }

    fn counters(&self) -> Result<Counters, DriveError> {
        let (snapshot, pages_held) = guarded(|| {
            let snapshot = self.drive.snapshot()?;
            let held = self.drive.with_served(|ftl, _| ftl.pages_held())?;
            Ok((snapshot, held))
        })?;
        let counted = crate::counters(&snapshot.report, self.drive.drive().configuration(), &self.shape);
        let live = &snapshot.live;
        let units = u64::from(self.shape.layout.units()).max(1);
        Ok(Counters {
            free_percent: (u64::from(live.space.free_units) * 100 / units) as u8,
            is_read_only: live.read_only,
            uncorrectable: live.pages_uncorrectable,
            bits_corrected: live.bits_corrected,
            bytes_held: pages_held * u64::from(self.shape.layout.logical_page_bytes),
            ..counted
        })
    }
}
