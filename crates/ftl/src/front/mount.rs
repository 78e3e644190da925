//! A drive begins with its stored cells and ends with them; what a host may rely on in between.

use rewear_flash::medium::Stored;
use rewear_flash::{ConfigError, Nanos};

use crate::config::drive::DriveConfig;
use crate::error::FtlError;
use crate::front::Ftl;
use crate::hand::recovery::{MountError, MountReport};

impl Ftl {
    /// The drive whose stored cells these are, as it was when they were last programmed: everything
    /// that was flushed, and of what was not flushed as much as was programmed. Ends by writing a
    /// checkpoint.
    ///
    /// # Errors
    /// A configuration without `ftl.recovery`, or other than that under which the cells were
    /// written.
    pub fn mount(config: &DriveConfig, cells: Stored) -> Result<(Ftl, MountReport), MountError> {
        if config.ftl.recovery.log().is_none() || !config.flash.stores_cells() {
            return Err(MountError::Config(ConfigError::new(
                "ftl.recovery.scheme",
                "a drive without records cannot be mounted",
                "set it to \"log\", and flash.medium = \"stored\"",
            )));
        }
        let mut ftl = Ftl::new(config)?;
        let report = ftl.attach(cells)?;
        Ok((ftl, report))
    }

    /// As [`mount`](Self::mount), on a drive that was just made and to which nothing was written.
    /// If it fails, the drive is good for nothing but to give the cells [back](Self::into_cells).
    ///
    /// # Errors
    /// Cells of another shape; power that fails.
    pub fn attach(&mut self, cells: Stored) -> Result<MountReport, MountError> {
        let report = self.hand.attach(cells)?;
        self.cleaner.restore_reserves(&mut self.hand)?;
        self.restart_clock();
        self.reset_counters();
        Ok(report)
    }

    /// The stored cells of the drive, which ends with it; `None` where cells are modelled.
    pub fn into_cells(self) -> Option<Stored> {
        self.hand.into_cells()
    }

    /// The stored cells of the drive, for tests that cut their power or flip their bits.
    pub fn cells_mut(&mut self) -> Option<&mut Stored> {
        self.hand.cells()
    }

    /// Programs and noted changes so far, on a drive that can be mounted.
    pub fn sequence(&self) -> u64 {
        self.hand.state().sequence
    }

    /// Destages everything and returns when all of it is programmed, not before `at`: what a flush
    /// waits for. A buffer that survives power loss keeps its pages and has nothing to wait for,
    /// and so has a drive without a buffer. A drive that keeps a log also makes its waiting changes
    /// durable.
    ///
    /// # Errors
    /// Out of space; a fault of the translation layer.
    pub fn flush(&mut self, at: Nanos) -> Result<Nanos, FtlError> {
        let end = match &self.write_buffer {
            Some(buffer) if !buffer.survives_power_loss() => self.drain(at)?,
            _ => at,
        };
        self.hand.commit(end)
    }

    /// Writes a checkpoint, so that the next mount has little to read, after everything else was
    /// made durable. The end of a drive's work.
    ///
    /// # Errors
    /// Out of space; a fault of the translation layer.
    pub fn close(&mut self, at: Nanos) -> Result<Nanos, FtlError> {
        let end = self.flush(at)?;
        self.hand.write_checkpoint(end)
    }
}
