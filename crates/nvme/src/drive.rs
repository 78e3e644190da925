//! Questions of the controller to the drive behind it.

use crate::wire::Status;

/// The drive of a subsystem: one namespace's bytes, and what it counts.
pub trait Drive: Send + Sync {
    /// Reads `into.len()` bytes.
    ///
    /// # Errors
    /// A drive that cannot.
    fn read(&self, offset_bytes: u64, into: &mut [u8]) -> Result<(), DriveError>;

    /// Writes bytes with the placement identifier of a host's stream; with `durable` they are in the
    /// cells when this returns.
    ///
    /// # Errors
    /// A drive that cannot.
    fn write(&self, offset_bytes: u64, data: &[u8], stream: u8, durable: bool) -> Result<(), DriveError>;

    /// Forgets what a range covers wholly, which then reads as zeros.
    ///
    /// # Errors
    /// A drive that cannot.
    fn deallocate(&self, offset_bytes: u64, length_bytes: u64) -> Result<(), DriveError>;

    /// Makes a range read as zeros, by forgetting it if it may.
    ///
    /// # Errors
    /// A drive that cannot.
    fn zero(
        &self,
        offset_bytes: u64,
        length_bytes: u64,
        may_forget: bool,
        durable: bool,
    ) -> Result<(), DriveError>;

    /// Returns when everything that was answered is durable.
    ///
    /// # Errors
    /// A drive that cannot.
    fn flush(&self) -> Result<(), DriveError>;

    /// Moves a reclaim unit handle to fresh units; returns whether the former one was not full.
    ///
    /// # Errors
    /// A drive that cannot.
    fn update_handle(&self, handle: u8) -> Result<bool, DriveError>;

    /// Counts for the log pages.
    ///
    /// # Errors
    /// A drive that cannot.
    fn counters(&self) -> Result<Counters, DriveError>;
}

/// Why a drive did not do what it was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DriveError {
    /// The request is none that it serves.
    Invalid,
    /// It is full of data.
    Full,
    /// It is worn out, and can be read alone.
    ReadOnly,
    /// Its cells could not be read or written.
    Failed,
    /// It is closed: the server is about to end, and the host may try again with the next.
    Closed,
}

impl DriveError {
    /// The status of a command that this ended.
    pub(crate) fn status(self, is_read: bool) -> Status {
        match self {
            DriveError::Invalid => Status::INVALID_FIELD,
            DriveError::Full => Status::CAPACITY_EXCEEDED,
            DriveError::ReadOnly => Status::WRITE_PROTECTED,
            DriveError::Failed if is_read => Status::UNRECOVERED_READ,
            DriveError::Failed => Status::WRITE_FAULT,
            DriveError::Closed => Status::NAMESPACE_NOT_READY,
        }
    }
}

/// Properties of a drive.
#[derive(Debug, Clone)]
pub struct Identity {
    /// The name of the subsystem, by which hosts connect.
    pub subsystem: String,
    /// Model number: up to 40 ASCII characters.
    pub model: String,
    /// Serial number: up to 20.
    pub serial: String,
    /// Firmware revision: up to 8.
    pub firmware: String,
    /// The namespace's universally unique identifier, and its globally unique one.
    pub uuid: [u8; 16],
    /// Bytes that hosts can use.
    pub capacity_bytes: u64,
    /// Bytes of a logical block: a power of two of at least 512.
    pub block_bytes: u32,
    /// Bytes of the drive's own pages: writes of whole ones need no read before.
    pub page_bytes: u32,
    /// Flexible data placement, if the drive has it.
    pub placement: Option<Placement>,
}

/// Flexible data placement: one reclaim group, whose handles are the placement identifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placement {
    /// Reclaim unit handles.
    pub handles: u8,
    /// Whether data of different handles stay apart when the drive moves them.
    pub is_persistent: bool,
    /// Nominal bytes of a reclaim unit.
    pub unit_bytes: u64,
}

/// Counts of a drive; the log pages show nothing else.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counters {
    /// Read commands.
    pub reads: u64,
    /// Bytes that the host read.
    pub bytes_read: u64,
    /// Write commands.
    pub writes: u64,
    /// Bytes that the host wrote.
    pub bytes_written: u64,
    /// Bytes read from the cells.
    pub media_bytes_read: u64,
    /// Bytes programmed into the cells.
    pub media_bytes_written: u64,
    /// Bytes of blocks erased.
    pub media_bytes_erased: u64,
    /// Erases of the most worn block.
    pub erases_most: u32,
    /// Erases of the least worn block.
    pub erases_least: u32,
    /// Mean erases of the blocks.
    pub erases_mean: u64,
    /// Part of the rated cycles that is used, in percent; over 100 beyond them.
    pub percentage_used: u64,
    /// Bytes that the rated cycles let be programmed; 0 if nothing says what blocks endure.
    pub endurance_bytes: u64,
    /// Whether the drive is worn out, and can be read alone.
    pub is_read_only: bool,
    /// Spare flash that is left, in percent of what was there at first.
    pub spare_percent: u8,
    /// Erase units that are free, in percent of all.
    pub free_percent: u8,
    /// Blocks out of service.
    pub bad_blocks: u64,
    /// Blocks of all.
    pub blocks: u64,
    /// Reads that could not be corrected.
    pub uncorrectable: u64,
    /// Bits that were corrected.
    pub bits_corrected: u64,
    /// Bytes of the namespace that hold data.
    pub bytes_held: u64,
    /// Time of the drive's own clock.
    pub powered_ns: u64,
    /// Dies.
    pub dies: u16,
}
